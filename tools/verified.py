"""Write the tables of docs/results/verified.md from the cases and the accepted reports.

python tools/verified.py           write the section
python tools/verified.py --check   exit with code 1 if it is out of date
"""

from __future__ import annotations

import sys
from pathlib import Path

from nlgauge.verification.cases import cases
from nlgauge.verification.reports import accepted
from nlgauge.verification.tables import page

PAGE = Path(__file__).parents[1] / "docs" / "results" / "verified.md"
BEGIN, END = "<!-- verified: written by tools/verified.py -->\n", "<!-- verified: end -->\n"


def written(text: str) -> str:
    """Return the page with its generated part as the data are now."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{page(cases().values(), accepted())}\n{END}{after}"


def main() -> None:
    text = PAGE.read_text("utf-8")
    if "--check" in sys.argv:
        sys.exit(0 if written(text) == text else f"{PAGE.name} is out of date; run: python tools/verified.py")
    PAGE.write_text(written(text), "utf-8")


if __name__ == "__main__":
    main()
