"""MeanMetric: a metric whose corpus score is the mean of its texts' values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nlgauge.corpus.columns import Array
from nlgauge.metric import Arrays, Metric, View


class MeanMetric(Metric):
    """What metrics without pooled counts share: one value per text for each output, and their mean for the corpus.

    A text for which a value is undefined (NaN) is left out of that mean alone.
    """

    def values(self, view: View) -> Array:
        """(rows, outputs) values, NaN where undefined."""
        raise NotImplementedError

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        return {self.name: values_and_defined(self.values(view))}

    def score(self, part: str, statistics: Array) -> Arrays:
        return means_of_defined(statistics, [output.name for output in self.outputs()[part]])


def values_and_defined(values: Array) -> Array:
    """(rows, 2 outputs) statistics whose means leave undefined values out: the values, 0 where undefined, then whether each is defined."""
    defined = ~np.isnan(values)
    return np.column_stack([np.where(defined, values, 0.0), defined])


def means_of_defined(statistics: Array, names: Sequence[str]) -> Arrays:
    """The mean of each output over the rows for which it is defined, from sums of `values_and_defined`; NaN where there is none."""
    statistics = np.asarray(statistics, dtype=np.float64)
    means = share(statistics[..., : len(names)], statistics[..., len(names) :])
    return {name: means[..., i] for i, name in enumerate(names)}


def share(part: Array, whole: Array) -> Array:
    """part / whole, NaN where the whole is 0."""
    found: Array = np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), np.nan)
    return found
