"""The evidence: agreement of metrics with people on the benchmarks of the leaderboard, from data/evidence.json.gz.

studies/leaderboard writes the file; `studies.leaderboard.evidence` describes its layout.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from nlgauge.advisor.settings import (
    ANCHOR,
    CONTROLS,
    FEWEST_IN_LANGUAGE,
    FEWEST_INPUTS,
    LEAST_DEFINED,
    OVERALL,
    QUALITIES,
)


class Row(NamedTuple):
    """The agreement of a metric with people on one dimension of a benchmark, in its largest table.

    `gain` is the value minus that of chrF on the same texts, or minus the better control if chrF has no value
    there. `above` means that the interval excludes 0 and the value exceeds both controls. `unbeaten` is None if
    metrics were not tested against each other on this dimension.
    """

    benchmark: str
    dimension: str
    sample: int | None
    year: int
    coefficient: str
    value: float
    low: float | None
    high: float | None
    gain: float
    above: bool
    unbeaten: bool | None
    anchor_unbeaten: bool | None
    beats: Sequence[str]

    @property
    def place(self) -> tuple[str, str]:
        """The benchmark and its dimension."""
        return self.benchmark, self.dimension


@dataclass(frozen=True)
class Table:
    """One human dimension on the texts of one benchmark, or of a sample of it; `metrics` by label."""

    benchmark: str
    task: str
    languages: Sequence[str]
    year: int
    dimension: str
    main: bool
    sample: int | None
    systems: int
    inputs: int
    texts: int
    coefficient: Mapping[str, str]
    ceiling: Mapping[str, float]
    metrics: Mapping[str, Mapping[str, Any]]

    def values(self, level: str) -> dict[str, Mapping[str, Any]]:
        """Return the values of a level by label, as far as they are defined on enough inputs."""
        return {
            label: entry[level]
            for label, entry in self.metrics.items()
            if level in entry and entry[level].get("defined", 1.0) >= LEAST_DEFINED
        }

    def rows(self, level: str) -> Iterator[tuple[str, Row]]:
        """Yield the row of each metric at a level, without the controls."""
        values = self.values(level)
        control = max((values[name]["value"] for name in CONTROLS if name in values), default=0.0)
        anchor = values.get(ANCHOR, {"value": control})
        for label, value in values.items():
            if label not in CONTROLS:
                yield (
                    label,
                    Row(
                        self.benchmark,
                        self.dimension,
                        self.sample,
                        self.year,
                        self.coefficient[level],
                        value["value"],
                        value.get("low"),
                        value.get("high"),
                        value["value"] - anchor["value"],
                        value.get("low", value["value"]) > 0 and value["value"] > control,
                        value.get("unbeaten"),
                        anchor.get("unbeaten"),
                        value.get("beats", ()),
                    ),
                )


@dataclass(frozen=True)
class Evidence:
    """The tables with enough inputs, and of every metric by label: its needs (references, source, weights and
    languages), its cost in CPU seconds per 1,000 texts, and its mean gain over the main tables of all tasks.
    """

    tables: Sequence[Table]
    needs: Mapping[str, Mapping[str, Any]]
    costs: Mapping[str, float]
    gains: Mapping[str, float]


def evidence_record() -> dict[str, Any]:
    """Return the content of the file as plain data."""
    record: dict[str, Any] = json.loads(
        gzip.decompress((files("nlgauge") / "data" / "evidence.json.gz").read_bytes())
    )
    return record


@cache
def evidence() -> Evidence:
    """Return the evidence that nlgauge ships with."""
    record = evidence_record()
    tables = [Table(**table) for table in record["sets"]]
    return of_tables(tables, record["metrics"], _costs(tables))


def of_tables(
    tables: Iterable[Table], needs: Mapping[str, Mapping[str, Any]], costs: Mapping[str, float]
) -> Evidence:
    """Return the evidence of some tables."""
    large = [table for table in tables if table.inputs >= FEWEST_INPUTS]
    everywhere = rows_by_metric((table for table in large if table.main), "texts")
    gains = {label: mean(row.gain for row in rows) for label, rows in everywhere.items()}
    return Evidence(large, needs, costs, gains)


def relevant(
    tables: Iterable[Table], task: str, want: str, level: str, lang: str | None = None
) -> list[Table]:
    """Return the tables of a task and a quality that have values at a level: only of a language, if enough benchmarks
    have it.
    """
    found = [
        table
        for table in tables
        if table.task == task
        and (table.main if want == OVERALL else table.dimension in QUALITIES[want])
        and any(level in entry for entry in table.metrics.values())
    ]
    own = [table for table in found if lang in table.languages]
    return own if len({table.benchmark for table in own}) >= FEWEST_IN_LANGUAGE else found


def rows_by_metric(tables: Iterable[Table], level: str) -> dict[str, list[Row]]:
    """Return the rows of each metric: one per benchmark and dimension, from the largest table that has it."""
    rows: dict[str, dict[tuple[str, str], Row]] = {}
    for table in sorted(tables, key=lambda table: table.inputs):
        for label, row in table.rows(level):
            rows.setdefault(label, {})[row.place] = row
    return {label: list(by_place.values()) for label, by_place in rows.items()}


def _costs(tables: Iterable[Table]) -> dict[str, float]:
    """Return the cost of each metric: the median over all tables."""
    seconds: dict[str, list[float]] = {}
    for table in tables:
        for label, entry in table.metrics.items():
            if "seconds" in entry:
                seconds.setdefault(label, []).append(entry["seconds"])
    return {label: median(values) for label, values in seconds.items()}


def mean(values: Iterable[float]) -> float:
    """Return the mean of plain additions, which JavaScript repeats to the last bit."""
    total, count = 0.0, 0
    for value in values:
        total, count = total + value, count + 1
    return total / count


def median(values: Iterable[float]) -> float:
    """Return the median; of an even number of values the mean of the two in the middle."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
