"""How sure a score is, and whether two systems differ: all from Tables, for every metric at once.

Intervals: percentile bootstrap over segments, or over documents where they are known (all segments of a document are drawn
together). Tests: approximate randomisation (swap the two systems' rows of a segment or document) and the paired bootstrap
(differences shifted to mean 0). p = (b + 1) / (B + 1) with b the resamples at least as extreme, so a system against itself
has p = 1. Fits are held fixed throughout.

Metrics that are no sum of rows: a bootstrap would repeat texts and so bias them. Their intervals come from random halves drawn
without replacement, whose spread about their mean equals the spread of the full sample about the truth to first order
(delete-d jackknife with d = n/2); their tests swap outputs and recompute.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from nlgauge.corpus.columns import Array
from nlgauge.results.table import Table, stacked, unstacked

_BLOCK_BYTES = 32_000_000


class Interval(NamedTuple):
    """A score with the bounds of its interval; NaN bounds come with the reason."""

    score: float
    low: float
    high: float
    reason: str = ""


class Clusters:
    """What is drawn as one: segments, or documents where they are known."""

    def __init__(self, documents: Sequence[str] | None, segments: int) -> None:
        if documents is None:
            self._owners = np.arange(segments)
        else:
            self._owners = np.unique(np.array(documents, dtype=object).astype(str), return_inverse=True)[1].reshape(-1)
        self.count = int(self._owners.max()) + 1

    def bootstrap(self, resamples: int, seed: int) -> Iterator[Array]:
        """Blocks of (resamples, segments): how often each segment was drawn."""
        rng = np.random.default_rng(seed)
        for block in _blocks(resamples, len(self._owners)):
            drawn = rng.integers(self.count, size=(block, self.count))
            shifted = drawn + self.count * np.arange(block)[:, None]
            counts = np.bincount(shifted.reshape(-1), minlength=block * self.count).reshape(block, self.count)
            yield counts[:, self._owners].astype(np.float64)

    def swaps(self, resamples: int, seed: int) -> Iterator[Array]:
        """Blocks of (resamples, segments): 1 where the two systems change places."""
        rng = np.random.default_rng(seed)
        for block in _blocks(resamples, len(self._owners)):
            yield rng.integers(2, size=(block, self.count))[:, self._owners].astype(np.float64)

    def halves(self, resamples: int, seed: int) -> Iterator[Array]:
        """Segment numbers of random halves, drawn without replacement."""
        rng = np.random.default_rng(seed)
        for _ in range(resamples):
            kept = np.zeros(self.count, dtype=bool)
            kept[rng.permutation(self.count)[: self.count // 2]] = True
            yield np.flatnonzero(kept[self._owners])


def _blocks(resamples: int, segments: int) -> list[int]:
    size = max(1, min(resamples, _BLOCK_BYTES // (8 * segments)))
    return [size] * (resamples // size) + ([resamples % size] if resamples % size else [])


class Resampling(NamedTuple):
    """How often what is drawn, from which seed, and how sure intervals are to be."""

    clusters: Clusters
    weights: Array | None
    resamples: int
    seed: int
    confidence: float

    def weighted(self, tables: list[Table]) -> Array:
        """The tables' rows side by side, each as heavy as its segment."""
        rows = stacked(tables)
        return rows if self.weights is None else rows * self.weights[:, None]


def bootstrap_scores(tables: list[Table], plan: Resampling) -> list[dict[str, Array]]:
    """For each table every output of every resample; the resamples are the same for all tables."""
    rows = plan.weighted(tables)
    sums = np.concatenate([counts @ rows for counts in plan.clusters.bootstrap(plan.resamples, plan.seed)])
    return unstacked(tables, sums)


def percentile(score: float, samples: Array, confidence: float) -> Interval:
    """The percentile interval of bootstrap samples."""
    tail = (1 - confidence) / 2
    # Between an infinite value and another there is nothing to interpolate.
    method: Literal["linear", "inverted_cdf"] = "linear" if np.isfinite(samples).all() else "inverted_cdf"
    low, high = np.quantile(samples, [tail, 1 - tail], method=method)
    return Interval(score, float(low), float(high), "" if not math.isnan(low) else "undefined in some resamples")


def half_sample_interval(score: float, samples: Array, confidence: float) -> Interval:
    """The interval of a metric that is no sum of rows, from its values on random halves."""
    spread = percentile(score, samples - samples.mean(), confidence)
    return Interval(score, score + spread.low, score + spread.high, spread.reason)


class PairTest(NamedTuple):
    """One output of two systems: the difference, its interval, and the p-value of no difference."""

    low: float
    high: float
    p: float


def compare_tables(first: list[Table], second: list[Table], plan: Resampling, test: str) -> list[dict[str, PairTest]]:
    """For each pair of tables the test of every output; one resampling serves all of them."""
    # The difference of two infinite scores is not known.
    with np.errstate(invalid="ignore"):
        return _compared(first, second, plan, test)


def _compared(first: list[Table], second: list[Table], plan: Resampling, test: str) -> list[dict[str, PairTest]]:
    ours, theirs = (bootstrap_scores(tables, plan) for tables in (first, second))
    drawn = [{name: a[name] - b[name] for name in a} for a, b in zip(ours, theirs, strict=True)]
    shuffled = _randomised(first, second, plan) if test == "randomisation" else None
    found = []
    for i, differences in enumerate(drawn):
        scores, others = first[i].scores(plan.weights), second[i].scores(plan.weights)
        tests = {}
        for name, values in differences.items():
            observed = scores[name] - others[name]
            interval = percentile(observed, values, plan.confidence)
            null = values - values.mean() if shuffled is None else shuffled[i][name]
            tests[name] = PairTest(interval.low, interval.high, p_value(observed, null))
        found.append(tests)
    return found


def _randomised(first: list[Table], second: list[Table], plan: Resampling) -> list[dict[str, Array]]:
    a, b = plan.weighted(first), plan.weighted(second)
    moved = np.concatenate([swap @ (b - a) for swap in plan.clusters.swaps(plan.resamples, plan.seed)])
    ours, theirs = unstacked(first, a.sum(axis=0) + moved), unstacked(second, b.sum(axis=0) - moved)
    return [{name: x[name] - y[name] for name in x} for x, y in zip(ours, theirs, strict=True)]


def p_value(observed: float, null: Array) -> float:
    """(b + 1) / (B + 1), b the resamples at least as extreme; NaN where the difference is unknown."""
    if not math.isfinite(observed) or not np.isfinite(null).all():
        return math.nan
    # Resamples that tie with what was observed differ from it by rounding alone: they count.
    tolerance = 1e-9 * max(abs(observed), float(np.abs(null).max(initial=0.0)))
    extreme = int((np.abs(null) >= abs(observed) - tolerance).sum())
    return (extreme + 1) / (len(null) + 1)


def swap_test(differences: Callable[[Array], dict[str, float]], observed: dict[str, float], swaps: Iterator[Array]) -> dict[str, float]:
    """p-values of a metric that must be recomputed: `differences(mask)` after swapping where the mask is 1."""
    null = [differences(mask) for block in swaps for mask in block]
    return {name: p_value(value, np.array([sample[name] for sample in null])) for name, value in observed.items()}


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction; NaN stays NaN and does not count.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    known = sorted((i for i, p in enumerate(p_values) if not math.isnan(p)), key=lambda i: p_values[i])
    corrected = [math.nan] * len(p_values)
    highest = 0.0
    for rank, i in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p_values[i]))
        corrected[i] = highest
    return corrected
