"""MeanMetric: a metric whose corpus score is the mean of its texts' values."""

from __future__ import annotations

import numpy as np

from nlgauge.corpus.columns import Array
from nlgauge.metric import Arrays, Metric, View


class MeanMetric(Metric):
    """What metrics without pooled counts share: one value per text for each output, and their mean for the corpus.

    A text for which a value is undefined (NaN) is left out of that mean alone. Statistics are the values (0 where undefined), then whether each is
    defined.
    """

    def values(self, view: View) -> Array:
        """(rows, outputs) values, NaN where undefined."""
        raise NotImplementedError

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        values = self.values(view)
        defined = ~np.isnan(values)
        return {self.name: np.column_stack([np.where(defined, values, 0.0), defined])}

    def score(self, part: str, statistics: Array) -> Arrays:
        statistics = np.asarray(statistics, dtype=np.float64)
        names = [output.name for output in self.outputs()[part]]
        sums, counts = statistics[..., : len(names)], statistics[..., len(names) :]
        means = np.where(counts > 0, sums / np.where(counts > 0, counts, 1.0), np.nan)
        return {name: means[..., i] for i, name in enumerate(names)}


def share(part: Array, whole: Array) -> Array:
    """part / whole, NaN where the whole is 0."""
    found: Array = np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), np.nan)
    return found
