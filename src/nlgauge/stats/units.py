"""Units of resampling: segments or documents, with the draws that intervals and tests share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from nlgauge._core.ragged import Array, blocks
from nlgauge.corpus.store.lazy_values import StoredLabels
from nlgauge.stats.resampling import bootstrap_counts

# Size of the counts of a block of resamples: small enough for the processor's cache, large enough that rows are
# not read again for a few resamples.
_BLOCK_BYTES = 16_000_000
# More units than this are drawn in `GROUPS` groups: the width of an interval then differs by about
# 1 / sqrt(2 GROUPS), half a percent, from the width with single units, a fifth of the difference between two
# bootstraps of one thousand resamples (docs/howto/large-corpora.md has the measurement).
MOST_UNITS = 100_000
GROUPS = 20_000
_GROUPING_SEED = 20_000
# Whole numbers up to this are exact in float32.
_EXACT = 1 << 24


class Clusters:
    """The resampling units: segments, or documents if given; where these are very many, groups of them
    that chance puts together.
    """

    def __init__(self, documents: Sequence[str] | None, segments: int) -> None:
        self._segments = segments
        # The unit of each segment; None if every segment is a unit.
        self._owners = None if documents is None else _numbered(documents)
        self.count = segments if self._owners is None else int(self._owners.max()) + 1
        # Number of segments or documents that were grouped; 0 without grouping.
        self.grouped = 0
        if self.count > MOST_UNITS:
            self.grouped, self.count = self.count, GROUPS
            group = (
                np.random.default_rng(_GROUPING_SEED).permutation(np.arange(self.grouped, dtype=np.int32))
                % GROUPS
            )
            self._owners = group if self._owners is None else group[self._owners]

    def bootstrap(self, resamples: int, seed: int, count: int | None = None) -> Iterator[Array]:
        """Yield blocks (resamples, units): the count of each unit in each resample, of all or of `count` units."""
        rng, units = np.random.default_rng(seed), self.count if count is None else count
        for block in _blocks(resamples, units):
            yield bootstrap_counts(rng, block, units)

    def swaps(self, resamples: int, seed: int) -> Iterator[Array]:
        """Return blocks of (resamples, units): 1 where the two systems change places."""
        rng = np.random.default_rng(seed)
        for block in _blocks(resamples, self.count):
            yield rng.integers(2, size=(block, self.count), dtype=np.int32)

    def units_with(self, segments: Array) -> Array:
        """Return the mask of the units that contain a segment of this mask."""
        if self._owners is None:
            return segments
        units = np.zeros(self.count, dtype=bool)
        units[self._owners[segments]] = True
        return units

    def of_segments(self, values: Array) -> Array:
        """Return values by unit (the last axis) as values by segment."""
        return values if self._owners is None else values[..., self._owners]

    def totals(self, blocks: Iterable[Array], width: int) -> Array:
        """Return the sums of each unit's rows, from the rows of all segments, which come in blocks of this
        many columns.
        """
        found = np.zeros((self.count, width))
        start = 0
        for rows in blocks:
            if self._owners is None:
                found[start : start + len(rows)] = rows
            else:
                owners = self._owners[start : start + len(rows)]
                for column in range(width):
                    found[:, column] += np.bincount(owners, rows[:, column], self.count)
            start += len(rows)
        return found

    def halves(self, resamples: int, seed: int) -> Iterator[Array]:
        """Segment numbers of random halves of the units, drawn without replacement; the smaller half
        where their number is odd.
        """
        rng = np.random.default_rng(seed)
        for _ in range(resamples):
            half = np.zeros(self.count, dtype=bool)
            half[rng.permutation(self.count)[: self.count // 2]] = True
            yield np.flatnonzero(self.of_segments(half))

    @property
    def half_scale(self) -> float:
        """Factor from the spread of halves to the spread of the whole: sqrt(m / (n - m)) for m of n units, 1
        if n is even.
        """
        half = self.count // 2
        return math.sqrt(half / (self.count - half))


def resampled_sums(counts: Iterable[Array], rows: Array) -> Array:
    """Return (resamples, columns) the sums of the rows of each resample, from blocks (resamples, units) of
    counts.

    Whole numbers are added in float32, in half the time, if all sums are exact there.
    """
    narrow = rows.astype(np.float32) if _adds_exactly(rows) else None
    negative = bool(rows.min(initial=0.0) < 0)
    return np.concatenate([_sums(block, rows, narrow, negative) for block in counts])


def _adds_exactly(rows: Array) -> bool:
    """Return True if the rows are whole numbers, and float32 has the sum of each column exactly."""
    sums = np.zeros(rows.shape[1])
    for start, stop in blocks(len(rows)):
        block = rows[start:stop]
        if (block != np.rint(block)).any():
            return False
        sums += np.abs(block).sum(axis=0)
    return bool(sums.max(initial=0.0) < _EXACT)


def _sums(counts: Array, rows: Array, narrow: Array | None, negative: bool) -> Array:
    if narrow is not None and (not negative or counts.max(initial=0) <= 1):
        sums = counts.astype(np.float32) @ narrow
        # Sums without negative numbers only grow: if these are below the limit, every sum on the way was.
        if negative or sums.max(initial=0.0) < _EXACT:
            return sums.astype(np.float64)
    return np.asarray(counts.astype(np.float64, copy=False) @ rows)


def _numbered(documents: Sequence[str]) -> Array:
    """Return the number of each segment's document, in alphabetical order."""
    if isinstance(documents, StoredLabels):
        return documents.ranks
    return np.unique(np.array(documents, dtype=object).astype(str), return_inverse=True)[1].reshape(-1)


def _blocks(resamples: int, units: int) -> list[int]:
    size = max(1, min(resamples, _BLOCK_BYTES // (8 * units)))
    return [size] * (resamples // size) + ([resamples % size] if resamples % size else [])
