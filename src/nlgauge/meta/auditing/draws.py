"""Resamples of clusters of cells, and the rows of an audit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.stats.corrections import two_sided
from nlgauge.stats.intervals import percentile, wilson
from nlgauge.stats.two_raters import mcnemar
from nlgauge.stats.units import Clusters

Row = dict[str, Any]


def row(
    part: str,
    measure: str,
    value: float,
    bounds: tuple[float, float] = (math.nan, math.nan),
    *,
    p: float = math.nan,
    n: int = 0,
    of: str = "",
    remark: str = "",
) -> Row:
    """Return one row of an audit; `of` names the group, level, judge or covariate of the number."""
    low, high = bounds
    return {
        "part": part,
        "measure": measure,
        "of": of,
        "value": float(value),
        "low": float(low),
        "high": float(high),
        "p": float(p),
        "n": int(n),
        "remark": remark,
    }


@dataclass(frozen=True)
class Draws:
    """Settings of resamples."""

    resamples: int = 2000
    confidence: float = 0.95
    seed: int = 12345

    @property
    def alpha(self) -> float:
        """Level of tests."""
        return 1 - self.confidence

    def replicates(self, clusters: Array, function: Callable[[Array], Array]) -> Array:
        """Return (resamples, ...) the values of a function of (resamples, cells) weights, in resamples of clusters."""
        units = Clusters(clusters.astype(str).tolist() if is_clustered(clusters) else None, len(clusters))
        blocks = units.bootstrap(self.resamples, self.seed)
        return np.concatenate([function(units.of_segments(block)) for block in blocks])

    def bounds(self, replicates: Array) -> tuple[float, float]:
        """Return the interval of a number from its replicates."""
        low, high, _ = percentile(replicates, self.confidence)
        return low, high

    def share(self, hits: Array, clusters: Array) -> tuple[float, tuple[float, float]]:
        """Return the share of cells with a property: Wilson's interval, or resamples if a cluster has several cells."""
        if not len(hits):
            return math.nan, (math.nan, math.nan)
        share = float(hits.mean())
        if not is_clustered(clusters):
            return share, wilson(int(hits.sum()), len(hits), self.confidence)
        return share, self.bounds(self.replicates(clusters, lambda weights: weighted_mean(weights, hits)))

    def mean(self, values: Array, clusters: Array) -> tuple[float, tuple[float, float]]:
        """Return a mean with its interval by resamples of clusters."""
        if not len(values):
            return math.nan, (math.nan, math.nan)
        replicates = self.replicates(clusters, lambda weights: weighted_mean(weights, values))
        return float(values.mean()), self.bounds(replicates)

    def sign_p(self, differences: Array, clusters: Array) -> float:
        """Return p of the hypothesis that differences are as often positive as negative: the exact test of McNemar
        for differences of -1, 0 and 1 without clusters, else by random signs of clusters.
        """
        if not is_clustered(clusters) and np.isin(differences, (-1, 0, 1)).all():
            return mcnemar(int((differences > 0).sum()), int((differences < 0).sum()))
        names, places = np.unique(clusters, return_inverse=True)
        sums = np.bincount(places, differences, len(names))
        sums = sums[sums != 0]
        if not len(sums):
            return 1.0
        signs = Clusters(None, len(sums)).swaps(5 * self.resamples, self.seed)
        null = np.concatenate([(1 - 2 * block) @ sums for block in signs])
        scale = float(np.abs(sums).sum())
        return float(two_sided(sums.sum(keepdims=True) / scale, null[:, None] / scale, len(sums))[0])


def weighted_mean(weights: Array, values: Array) -> Array:
    """Return the mean of values under each row of weights; NaN if no value has a weight."""
    total = weights.sum(axis=1)
    return np.asarray(weights @ values / np.where(total == 0, np.nan, total))


def is_clustered(clusters: Array) -> bool:
    """Return True if a cluster has several cells."""
    return len(np.unique(clusters)) < len(clusters)
