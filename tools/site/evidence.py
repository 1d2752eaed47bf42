"""Evidence of the leaderboard: agreement of metrics with human scores, for pages and plots."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.site.files import ROOT

PACKAGED = ROOT / "src" / "nlgauge" / "data" / "evidence.json.gz"
LENGTH = "length in words"
CONTROLS = (LENGTH, "random numbers")


@dataclass(frozen=True)
class Row:
    """Agreement of one output of a metric on one benchmark."""

    table: dict[str, Any]
    label: str
    entry: dict[str, Any]

    @property
    def benchmark(self) -> str:
        """Benchmark and dimension."""
        return f"{self.table['benchmark']}, {self.table['dimension']}"

    @property
    def texts(self) -> str:
        """Number of segments, and whether they are a sample."""
        size = f"{self.table['inputs']:,}"
        return f"sample of {size}" if self.table["sample"] else f"all {size}"

    def control(self, level: str) -> float | None:
        """Agreement of the length of the text in the same table."""
        value = self.table["metrics"].get(LENGTH, {}).get(level)
        return None if value is None else value["value"]

    def ceiling(self, level: str) -> float | None:
        """Agreement of one annotator with the mean of the others."""
        return self.table["ceiling"].get(level)


def read(path: Path | None) -> list[dict[str, Any]]:
    """Return the tables of the evidence; none if the package has no evidence."""
    if path is None and not PACKAGED.is_file():
        return []
    data = (path or PACKAGED).read_bytes()
    sets: list[dict[str, Any]] = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)[
        "sets"
    ]
    return sets


def metric_of(label: str) -> str:
    """Return the name of the metric of a label such as `rouge.rouge1` or `chrf(word_order=2)`.

    >>> metric_of("bertscore(model='minilm').f1")
    'bertscore'
    """
    return re.split(r"[(.]", label)[0]


def rows_of(tables: list[dict[str, Any]], metric: str) -> list[Row]:
    """Return the agreement of a metric: per benchmark and main dimension, the largest table that has it."""
    largest: dict[str, list[Row]] = {}
    for table in sorted(tables, key=lambda table: -table["inputs"]):
        rows = [
            Row(table, label, entry)
            for label, entry in table["metrics"].items()
            if label not in CONTROLS and metric_of(label) == metric
        ]
        if table["main"] and rows:
            largest.setdefault(table["benchmark"], rows)
    order = list(dict.fromkeys(table["benchmark"] for table in tables))
    return [row for benchmark in order for row in largest.get(benchmark, [])]


def shown(value: dict[str, Any] | None) -> str:
    """Return a value with its interval; a bullet marks values that no metric exceeds significantly."""
    if value is None:
        return ""
    interval = f" [{value['low']:.2f}, {value['high']:.2f}]" if "low" in value else ""
    return f"{value['value']:.2f}{interval}{' •' if value.get('unbeaten') else ''}"


def seconds(value: float | None) -> str:
    """Return CPU seconds with two significant digits."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 10 else f"{float(f'{value:.2g}'):g}"
