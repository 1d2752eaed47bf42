"""Tables of cells, and intervals: what all documents share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nlgauge.meta.judgments import Judgments
from nlgauge.metric.registry import parse
from nlgauge.reproduce.printed_tables import Printed
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.verdicts import Computed, cell


def cells_of(
    table: Printed,
    computed: Mapping[tuple[str, str], Computed],
    why: str = "not part of the run",
    calls: Sequence[str] = (),
) -> Table:
    """Return a printed table with its computed values by row and column; `why` is the reason of the others."""
    cells = [
        cell(table, row, column, computed.get((row, column), Computed(why=why)))
        for row in table.names
        for column in table.columns
    ]
    return Table(
        table.id, table.number, table.caption, table.units, cells, remarks=table.remarks, calls=list(calls)
    )


def column(judged: Judgments, metric: str, output: str = "") -> str:
    """Return the column of a metric's output in judgments; the first output has the metric's label."""
    label = str(parse(metric))
    return f"{label}.{output}" if f"{label}.{output}" in judged.labels else label


def computed_from(row: Mapping[str, Any], scale: float, why: str, systems: int | None = None) -> Computed:
    """Return a row of `correlate` as a computed value, multiplied by `scale`; an undefined value has its reason."""
    if math.isnan(row["value"]):
        return Computed(why=row["reason"] or "undefined", metric=row["metric"])
    low, high = sorted((scale * row["low"], scale * row["high"]))
    return Computed(scale * row["value"], low, high, why, metric=row["metric"], n=row["n"], systems=systems)


def difference(
    judged: Judgments,
    human: str,
    metric: str,
    other: str,
    settings: Settings,
    level: str = "system",
    coefficient: str = "kendall",
) -> tuple[float, float, float]:
    """Return how much better a metric agrees with a human dimension than another, with its paired interval over
    systems and inputs.
    """
    (row,) = judged.compare(
        level,
        coefficient,
        "bootstrap",
        "both",
        "none",
        settings.resamples,
        settings.seed,
        human,
        [metric],
        against=other,
    )
    return row["delta"], row["low"], row["high"]


def interval(found: tuple[float, float, float]) -> str:
    """Return a value with its interval.

    >>> interval((0.1234, -0.5, 0.5))
    '0.123 [-0.500, 0.500]'
    """
    value, low, high = found
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def mean_interval(values: np.ndarray, settings: Settings) -> tuple[float, float, float]:
    """Return the mean of one value per text with its percentile interval over texts."""
    known = values[~np.isnan(values)]
    drawn = np.random.default_rng(settings.seed).integers(len(known), size=(settings.resamples, len(known)))
    low, high = np.percentile(known[drawn].mean(axis=1), [2.5, 97.5])
    return float(known.mean()), float(low), float(high)
