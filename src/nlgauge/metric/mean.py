"""MeanMetric: a metric whose corpus score is the mean of its rows' values, with counts.

A row may have no value of an output. The row is then *missing* for that output: it is left out of the mean,
counted, and compared with nothing. An empty prediction is the system's own fault, so it is no way to a better
mean: the metric's own number for the empty text counts if there is one, and otherwise the worst value of the
output. Only an output without such a bound, or without a direction, has no value then.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.metric import Arrays, Metric, Output, View


class Measured(NamedTuple):
    """The rows of a metric: (rows, measures) values, NaN if undefined; which predictions are empty to the
    metric; the columns of counts.
    """

    values: Array
    empty: Array | None = None
    columns: Sequence[Array] = ()


class MeanMetric(Metric):
    """The base of metrics without pooled counts: one value per row for each measure, and their mean over the
    rows that have one.

    Statistics are the values (0 if missing), 1 if each is defined, and the columns of `counted`: one for an
    output with a note, which is a sum, and two for any other, which is the share of the first in the second.
    """

    def take_sides(self, sides: Collection[str]) -> None:
        """Take references and sources only if they are among these sides; for `__post_init__`."""
        object.__setattr__(self, "takes", "pair" if "reference" in sides else "alone")
        object.__setattr__(self, "source", "source" in sides)

    def measures(self) -> tuple[Output, ...]:
        """Return the outputs that are means over rows; the first is the score."""
        raise NotImplementedError

    def counted(self) -> tuple[Output, ...]:
        """Return the outputs that are sums (with a note) or shares (without)."""
        return ()

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {self.name: (*self.measures(), *self.counted())}

    def values(self, view: View) -> Array:
        """Return (rows, measures) values, NaN if undefined."""
        raise NotImplementedError

    def measured(self, view: View) -> Measured:
        """Return the values of every row, with counts."""
        return Measured(self.values(view))

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        return {self.name: self.rows_of(self.measured(view))}

    def rows_of(self, measured: Measured) -> Array:
        """Return the statistics of measured rows."""
        values = (
            measured.values if measured.empty is None else self.with_empty(measured.values, measured.empty)
        )
        return np.column_stack([values_and_defined(values), *measured.columns]).astype(np.float64, copy=False)

    def with_empty(self, values: Array, empty: Array) -> Array:
        """Return the values with the worst one for each empty prediction that has none."""
        worst = np.array([worst_of(output) for output in self.measures()])
        return np.where(np.isnan(values) & empty[:, None], worst, values)

    def missing(self, part: str, statistics: Array) -> Array:
        undefined: Array = statistics[..., len(self.measures())] == 0
        return undefined

    def is_mean(self, output: Output) -> bool:
        return output in self.measures()

    def score(self, part: str, statistics: Array) -> Arrays:
        names = [output.name for output in self.measures()]
        scores = means_of_defined(statistics[..., : 2 * len(names)], names)
        column = 2 * len(names)
        for output in self.counted():
            scores[output.name] = statistics[..., column]
            if not output.note:
                scores[output.name] = statistics[..., column] / np.maximum(
                    statistics[..., column + 1], 1e-300
                )
            column += 1 if output.note else 2
        return scores


def measured_alone(values: Array) -> Measured:
    """Return the rows of a metric that reads only the prediction: a prediction without a first value counts
    as empty.
    """
    return Measured(values, empty=np.isnan(values[:, 0]))


def worst_of(output: Output) -> float:
    """Return the worst value of an output; NaN if it has no direction or no bound on that side."""
    if output.higher_is_better is None:
        return math.nan
    worst = output.low if output.higher_is_better else output.high
    return worst if math.isfinite(worst) else math.nan


def values_and_defined(values: Array) -> Array:
    """Return (rows, 2 outputs) statistics whose means leave undefined values out: the values (0 if
    undefined), then whether each is defined.
    """
    defined = ~np.isnan(values)
    return np.column_stack([np.where(defined, values, 0.0), defined])


def means_of_defined(statistics: Array, names: Sequence[str]) -> Arrays:
    """Return the mean of each output over the rows for which it is defined, from sums of
    `values_and_defined`; NaN if there is none.
    """
    means = share(statistics[..., : len(names)], statistics[..., len(names) :])
    return {name: means[..., i] for i, name in enumerate(names)}


def share(part: Array, whole: Array) -> Array:
    """Return part / whole, NaN if the whole is 0."""
    ratio: Array = np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), np.nan)
    return ratio
