"""What is drawn, how often and from which seed: the resampling that intervals and tests share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from nlgauge.corpus.columns import Array
from nlgauge.errors import ParameterError
from nlgauge.kernels.resampling import draw_counts
from nlgauge.results.table import Table, stacked

# What the counts of a block of draws may take: little enough to stay near the processor, enough that rows are not read anew for a few draws.
_BLOCK_BYTES = 16_000_000
# Simulations on real translations: with 100 segments 95 % intervals cover 93.5 to 95 %, with 20 91.5 to 94.5 %, with 5 79 to 86 %.
FEW_UNITS = 20


class Clusters:
    """The resampling units: segments, or documents if given."""

    def __init__(self, documents: Sequence[str] | None, segments: int) -> None:
        self._segments = segments
        # The document of each segment; None where every segment is a unit of its own.
        self._owners = None if documents is None else np.unique(np.array(documents, dtype=object).astype(str), return_inverse=True)[1].reshape(-1)
        self.count = segments if self._owners is None else int(self._owners.max()) + 1

    def bootstrap(self, resamples: int, seed: int) -> Iterator[Array]:
        """Blocks of (resamples, segments): how often each segment was drawn."""
        rng = np.random.default_rng(seed)
        for block in _blocks(resamples, self._segments):
            drawn = rng.integers(self.count, size=(block, self.count), dtype=np.int32)
            yield self._of_segments(draw_counts(drawn, self.count))

    def swaps(self, resamples: int, seed: int) -> Iterator[Array]:
        """Blocks of (resamples, segments): 1 where the two systems change places."""
        rng = np.random.default_rng(seed)
        for block in _blocks(resamples, self._segments):
            yield self._of_segments(rng.integers(2, size=(block, self.count), dtype=np.int32).astype(np.float64))

    def _of_segments(self, values: Array) -> Array:
        """Values by unit (the last axis) as values by segment."""
        return values if self._owners is None else values[..., self._owners]

    def halves(self, resamples: int, seed: int) -> Iterator[Array]:
        """Segment numbers of random halves of the units, drawn without replacement; the smaller half where their number is odd."""
        rng = np.random.default_rng(seed)
        for _ in range(resamples):
            kept = np.zeros(self.count, dtype=bool)
            kept[rng.permutation(self.count)[: self.count // 2]] = True
            yield np.flatnonzero(self._of_segments(kept))

    @property
    def half_scale(self) -> float:
        """What makes the spread of halves that of the whole: sqrt(m / (n - m)) for m of n units, 1 where n is even."""
        kept = self.count // 2
        return math.sqrt(kept / (self.count - kept))


def _blocks(resamples: int, segments: int) -> list[int]:
    size = max(1, min(resamples, _BLOCK_BYTES // (8 * segments)))
    return [size] * (resamples // size) + ([resamples % size] if resamples % size else [])


class Resampling(NamedTuple):
    """Resampling plan: units, segment weights, number of resamples, seed, confidence of intervals."""

    clusters: Clusters
    weights: Array | None
    resamples: int
    seed: int
    confidence: float

    def weighted(self, tables: list[Table]) -> Array:
        """The tables' rows side by side, each as heavy as its segment."""
        rows = stacked(tables)
        return rows if self.weights is None else rows * self.weights[:, None]


def caution(units: int, test: str) -> str:
    """What to know of intervals, and of a test, where few units are resampled; "" where there are enough, or one, of which nothing is known."""
    if not 1 < units < FEW_UNITS:
        return ""
    bootstrap = " and the paired bootstrap finds differences that are not there" if test == "bootstrap" else ""
    return f"with {units} segments (or documents) intervals are too narrow{bootstrap}; {FEW_UNITS} or more are needed"


def checked_plan(clusters: Clusters, weights: Array | None, resamples: object, seed: object, confidence: object) -> Resampling:
    """The plan, or an error that says which number is out of its domain."""
    if not isinstance(confidence, int | float) or isinstance(confidence, bool) or not 0 < confidence < 1:
        raise ParameterError(f"confidence must be between 0 and 1, got {confidence!r:.60}.")
    for name, value, least in (("resamples", resamples, 1), ("seed", seed, 0)):
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ParameterError(f"{name} must be a whole number from {least}, got {value!r:.60}.")
    assert isinstance(resamples, int)
    assert isinstance(seed, int)
    return Resampling(clusters, weights, resamples, seed, float(confidence))
