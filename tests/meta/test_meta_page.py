"""docs/statistics/meta-evaluation.md and meta-many.md run as printed, one after the other."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from nlgauge.stats.levels import LEVELS
from nlgauge.stats.measures import MEASURES

STATISTICS = Path(__file__).parents[2] / "docs" / "statistics"
PAGE, MANY = ((STATISTICS / name).read_text("utf-8") for name in ("meta-evaluation.md", "meta-many.md"))


def test_every_block_prints_what_the_page_shows() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE + MANY, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 10
    assert all(block.startswith(">>> ") for block in blocks)
    reports: list[str] = []
    examples = doctest.DocTestParser().get_doctest(
        "".join(blocks), {}, "meta-evaluation.md", "meta-evaluation.md", 0
    )
    doctest.DocTestRunner(verbose=False).run(examples, out=reports.append)
    assert "".join(reports) == ""


def test_every_level_and_coefficient_is_named() -> None:
    assert [name for name in (*LEVELS, *MEASURES) if f"`{name}`" not in PAGE] == []
