"""Evidence of the leaderboard: agreement of metrics with human scores, for pages and plots."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nlgauge.advisor.evidence import Table, evidence_record
from nlgauge.advisor.settings import CONTROLS, LENGTH


@dataclass(frozen=True)
class Agreement:
    """Agreement of one output of a metric on one benchmark."""

    table: Table
    label: str
    entry: Mapping[str, Any]

    @property
    def benchmark(self) -> str:
        """Benchmark and dimension."""
        return f"{self.table.benchmark}, {self.table.dimension}"

    @property
    def segments(self) -> str:
        """Number of segments, and whether they are a sample."""
        return f"{'sample of' if self.table.sample else 'all'} {self.table.inputs:,}"

    def control(self, level: str) -> float | None:
        """Return the agreement of the length of the text in the same table."""
        value = self.table.metrics.get(LENGTH, {}).get(level)
        return None if value is None else value["value"]


def tables() -> list[Table]:
    """Return the tables of the evidence."""
    return [Table(**table) for table in evidence_record()["sets"]]


def other_tables() -> list[Table]:
    """Return the tables of the leaderboard that are no evidence of `nlgauge choose`."""
    return [Table(**table) for table in evidence_record()["others"]]


def metric_of(label: str) -> str:
    """Return the name of the metric of a label such as `rouge.rouge1` or `chrf(word_order=2)`.

    >>> metric_of("bertscore(model='minilm').f1")
    'bertscore'
    """
    return re.split(r"[(.]", label)[0]


def agreements(evidence: list[Table], metric: str) -> list[Agreement]:
    """Return the agreement of a metric: per benchmark and main dimension, from the largest table that has it."""
    largest: dict[str, list[Agreement]] = {table.benchmark: [] for table in evidence}
    for table in sorted(evidence, key=lambda table: -table.inputs):
        if table.main and not largest[table.benchmark]:
            largest[table.benchmark] = [
                Agreement(table, label, entry)
                for label, entry in table.metrics.items()
                if label not in CONTROLS and metric_of(label) == metric
            ]
    return [agreement for rows in largest.values() for agreement in rows]


def shown(value: Mapping[str, Any] | None) -> str:
    """Return a value with its interval; a bullet marks values that no metric exceeds significantly."""
    if value is None:
        return ""
    interval = f" [{value['low']:.2f}, {value['high']:.2f}]" if "low" in value else ""
    return f"{value['value']:.2f}{interval}{' •' if value.get('unbeaten') else ''}"


def seconds(value: float) -> str:
    """Return CPU seconds with two significant digits."""
    return f"{value:,.0f}" if value >= 10 else f"{float(f'{value:.2g}'):g}"
