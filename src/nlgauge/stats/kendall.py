"""Kendall: pairs of points that two sides order alike, and the coefficients that follow from their number.

There are P = n (n - 1) / 2 pairs: C are ordered alike, D the other way round, T_x are tied only in x, T_z only
in z, T_xz in both.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.stats.arrays import runs
from nlgauge.stats.permutation.few_points import FEW, p_of_pairs

# Up to this length all pairs of a vector are laid out; beyond, discordant pairs are counted while merging.
_LAID_OUT = 256
_BLOCK = 2_000_000
# Above, the probabilities of few inversions are too small for float64, and the normal distribution is as good.
EXACT = 170


class Pairs(NamedTuple):
    """Number of pairs of each kind; one number per vector."""

    concordant: Array
    discordant: Array
    tied_x: Array
    tied_z: Array
    tied_both: Array

    @property
    def all(self) -> Array:
        """Number of all pairs."""
        return self.concordant + self.discordant + self.tied_x + self.tied_z + self.tied_both


def pairs(x: Array, z: Array) -> Pairs:
    """Return the pairs along the last axis; both sides are NaN at the same points."""
    shape, n = x.shape[:-1], x.shape[-1]
    rows_x, rows_z = (values.reshape(math.prod(shape), n) for values in (x, z))
    if n <= _LAID_OUT:
        size = max(1, _BLOCK // max(1, n * (n - 1) // 2))
        blocks = [_by_signs(rows_x[i : i + size], rows_z[i : i + size]) for i in range(0, len(rows_x), size)]
        counts = np.concatenate(blocks, axis=1) if blocks else np.zeros((5, 0))
    else:
        counts = np.array(
            [_by_merging(one, other) for one, other in zip(rows_x, rows_z, strict=True)]
        ).T.reshape(5, -1)
    return Pairs(*counts.reshape(5, *shape))


def _by_signs(x: Array, z: Array) -> Array:
    i, j = np.triu_indices(x.shape[-1], 1)
    # Compared and not subtracted, so that infinite scores are ordered as well.
    sx, sz = (
        (values[:, i] > values[:, j]).astype(np.int8) - (values[:, i] < values[:, j]) for values in (x, z)
    )
    unknown = np.isnan(x)
    known = ~(unknown[:, i] | unknown[:, j])
    product, tied_x, tied_z = sx * sz, sx == 0, sz == 0
    kinds = (
        product == 1,
        product == -1,
        tied_x & ~tied_z & known,
        tied_z & ~tied_x & known,
        tied_x & tied_z & known,
    )
    return np.array([kind.sum(axis=-1, dtype=np.float64) for kind in kinds])


def _by_merging(x: Array, z: Array) -> Array:
    known = ~np.isnan(x)
    x, z = x[known], z[known]
    n = len(x)
    if n < 2:
        return np.zeros(5)
    order = np.lexsort((z, x))
    x, z = x[order], z[order]
    levels = np.unique(z, return_inverse=True)[1]
    new_x = np.concatenate([[True], x[1:] != x[:-1]])
    tied_x, tied_z, tied_both = (
        _tied(np.diff(np.flatnonzero(np.append(starts, True))))
        for starts in (new_x, _starts(np.sort(levels)), new_x | _starts(levels))
    )
    discordant = inversions(levels)
    concordant = n * (n - 1) / 2 - tied_x - tied_z + tied_both - discordant
    return np.array([concordant, discordant, tied_x - tied_both, tied_z - tied_both, tied_both])


def _starts(values: Array) -> Array:
    return np.concatenate([[True], values[1:] != values[:-1]])


def _tied(sizes: Array) -> float:
    return float((sizes * (sizes - 1.0) / 2).sum())


def inversions(levels: Array) -> float:
    """Return the number of pairs in falling order, for whole numbers from 0.

    Sorted halves are merged, all of one width at once.

    >>> inversions(np.array([2, 0, 1, 1]))
    3.0
    """
    n = len(levels)
    width, top = 1, int(levels.max(initial=0)) + 1
    padded = np.full(1 << max(1, (n - 1).bit_length()), top, dtype=np.int64)
    padded[:n] = levels
    found = 0
    while width < len(padded):
        halves = padded.reshape(-1, 2, width)
        shift = np.arange(len(halves))[:, None] * (top + 1)
        left, right = (halves[:, 0] + shift).ravel(), (halves[:, 1] + shift).ravel()
        smaller = np.searchsorted(right, left, "left") - np.repeat(np.arange(len(halves)) * width, width)
        found += int(smaller.sum())
        width *= 2
        padded = np.sort(padded.reshape(-1, width), axis=1).ravel()
    return float(found)


@lru_cache(maxsize=256)
def _inversion_distribution(n: int) -> Array:
    """Return P(at most k inversions) in a random order of n, from Mahonian counts: one convolution with a
    uniform variable per item.
    """
    chances = np.ones(1)
    for i in range(2, n + 1):
        summed = np.cumsum(np.concatenate([chances, np.zeros(i - 1)]))
        summed[i:] -= summed[:-i].copy()
        chances = summed / i
    return np.cumsum(chances)


def p_values(x: Array, z: Array, counted: Pairs, exact_ties: bool = True) -> Array:
    """Return two-sided p of no association: exact if nothing is tied and n is at most 170, or if n is at most 10 and
    `exact_ties`; else normal with the variance corrected for ties.
    """
    n = (~np.isnan(x)).sum(axis=-1)
    score = counted.concordant - counted.discordant
    found = np.full(n.shape, np.nan)
    tied = counted.tied_x + counted.tied_z + counted.tied_both > 0
    exact = ~tied & (n <= EXACT) & (n >= 2)
    for size in np.unique(n[exact]).tolist():
        here = exact & (n == size)
        fewest = np.minimum(counted.concordant, counted.discordant)[here].astype(np.int64)
        found[here] = np.minimum(1.0, 2 * _inversion_distribution(size)[fewest])
    few = ~exact & (n >= 2) & (n <= FEW) & exact_ties
    for at in map(tuple, np.argwhere(few)):
        known = ~np.isnan(x[at])
        found[at] = p_of_pairs(x[at][known], z[at][known], float(score[at]))
    rest = ~exact & ~few & (n >= 2)
    if rest.any():
        from scipy.special import erfc

        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.where(
                rest, erfc(np.abs(score) / np.sqrt(2 * _variance(x, z, n.astype(np.float64)))), found
            )
    return found


def _variance(x: Array, z: Array, n: Array) -> Array:
    """Return the variance of C - D if all orders are equally likely, given the ties."""
    ordered = n * (n - 1)
    (pairs_x, triples_x, spread_x), (pairs_z, triples_z, spread_z) = (_tie_sums(values) for values in (x, z))
    plain = (ordered * (2 * n + 5) - spread_x - spread_z) / 18
    third = np.where(n > 2, triples_x * triples_z / (9 * ordered * np.maximum(n - 2, 1)), 0)
    variance: Array = plain + pairs_x * pairs_z / (2 * ordered) + third
    return variance


def _tie_sums(values: Array) -> tuple[Array, Array, Array]:
    """Return, over runs of t equal values, the sums of t(t-1), of t(t-1)(t-2) and of t(t-1)(2t+5)."""
    sizes = np.where(np.isnan(values), 1, runs(values).size).astype(np.float64)
    first, second, third = (
        term.sum(axis=-1) for term in (sizes - 1, (sizes - 1) * (sizes - 2), (sizes - 1) * (2 * sizes + 5))
    )
    return first, second, third
