"""docs/reference/benchmarks.md is true to the cards and to the code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from nlgauge.meta.benchmarks.catalog import CATALOG

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "benchmarks.md").read_text("utf-8")


def test_every_benchmark_is_named_and_those_of_the_table_with_license_and_source():
    assert [name for name in CATALOG if f"`{name}`" not in PAGE] == []
    rows = {row.split("`")[1]: row for row in PAGE.splitlines() if row.startswith("| `")}
    assert len(rows) == 21
    for name, row in rows.items():
        card = CATALOG[name]
        assert f"| {card.task} |" in row
        assert f"| {card.license} | <{card.source}> |" in row


def test_the_python_of_the_page_prints_what_it_says(tmp_path):
    code = "".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert f"```\n{done.stdout}```" in PAGE
