"""Table: the statistics of one metric on one system, a row a segment; everything else is computed from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nlgauge.corpus.columns import Array
from nlgauge.metric import AnyMetric, Arrays, Metric, Output


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of statistics by part (additive metrics), or the values themselves (whole metrics)."""

    metric: AnyMetric
    statistics: Arrays = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def additive(self) -> bool:
        """Whether there are rows, hence segment scores, intervals and tests from them."""
        return isinstance(self.metric, Metric)

    def outputs(self) -> list[Output]:
        """Every output of every part; for a whole metric that names none, what it returned."""
        named = [output for outputs in self.metric.outputs().values() for output in outputs]
        return named or [Output(name, None) for name, value in self.values.items() if isinstance(value, int | float)]

    def scores(self, weights: Array | None) -> dict[str, Any]:
        """The corpus score of every output, "score" first."""
        if self.additive:
            return with_score({name: float(value) for name, value in self.resampled(None if weights is None else weights[None, :]).items()})
        return with_score(self.values)

    def resampled(self, weights: Array | None) -> dict[str, Array]:
        """Every output for each row of segment weights (resamples, segments); None: once, every segment weighing 1."""
        assert isinstance(self.metric, Metric)
        found: dict[str, Array] = {}
        for part, rows in self.statistics.items():
            found.update(self.metric.score(part, rows.sum(axis=0) if weights is None else weights @ rows))
        return {name: value[0] if weights is not None and len(weights) == 1 else value for name, value in found.items()}

    def segments(self) -> dict[str, Array]:
        """Every output for every segment; nothing for a whole metric."""
        found: dict[str, Array] = {}
        if isinstance(self.metric, Metric):
            single = self.metric.for_segments()
            for part, rows in self.statistics.items():
                found.update(single.score(part, rows))
        return found


def with_score(outputs: dict[str, Any]) -> dict[str, Any]:
    """The outputs with the first of them also as "score"."""
    return outputs if "score" in outputs or not outputs else {"score": next(iter(outputs.values())), **outputs}


def stacked(tables: list[Table]) -> Array:
    """All statistics of several tables side by side, for one matrix product over all of them."""
    return np.hstack([rows for table in tables for rows in table.statistics.values()])


def unstacked(tables: list[Table], sums: Array) -> list[dict[str, Array]]:
    """The outputs of each table, from sums of `stacked` rows: (resamples, all columns)."""
    found = []
    column = 0
    for table in tables:
        assert isinstance(table.metric, Metric)
        outputs: dict[str, Array] = {}
        for part, rows in table.statistics.items():
            # A resample may hold nothing but segments of weight 0: its scores are NaN.
            with np.errstate(divide="ignore", invalid="ignore"):
                outputs.update(table.metric.score(part, sums[:, column : column + rows.shape[1]]))
            column += rows.shape[1]
        found.append(outputs)
    return found
