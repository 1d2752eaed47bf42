"""python -m benchmarks.nightly.closed [--size 1]: COSMIC on the cases of benchmarks.cosmic_truth whose information has a closed
form or is known; size 1 has the cases of up to 1,000 pairs, size 2 all cases.
"""

from __future__ import annotations

import argparse

from benchmarks.cosmic_truth import HEADER, cases, row

_PAIRS = 1000
_COMPONENTS = 8


def main() -> None:
    """Print a table with one row per case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1)
    size = parser.parse_args().size
    verdict = [cell.strip() for cell in HEADER.strip("|").split("|")].index("verdict")
    print(f"{HEADER} wrong and not flagged |")
    print("|" + "---|" * (HEADER.count("|")))
    for case in cases():
        if size > 1 or (len(case.target) <= _PAIRS and case.components <= _COMPONENTS):
            line = row(case)
            said = [cell.strip() for cell in line.strip("|").split("|")][verdict]
            name = f"{case.name}, {len(case.target)} pairs, d {case.components}"
            print(f"| {name} {line[line.index('|', 1) :]} {int(said == 'wrong')} |", flush=True)


if __name__ == "__main__":
    main()
