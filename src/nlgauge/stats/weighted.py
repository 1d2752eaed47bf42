"""Coefficients under many weightings at once: the values are fixed, and each row of whole-number weights is one
resample.

`fixed_*` take vectors (n,) without NaN and weights (B, n); `moving_*` take values that differ between resamples,
(B, n), with NaN for missing ones. A point of weight w counts w times; pairs of a point with its own copies are
not pairs.
"""

from __future__ import annotations

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.stats.kendall import Pairs, pairs
from nlgauge.stats.permutation.orders import order_signs

# Below this share of the plain squares, what one-pass sums leave of a variance is rounding.
_CONSTANT = 1e-12
# Beyond, a matrix of signs costs more than a cumulative sum for each distinct human score or, if there are many
# distinct scores, than counting each resample's pairs while merging.
_SIGNS = 4096
_LEVELS = 150
_BLOCK = 8_000_000
# Values that are read once per human score should stay in the processor's cache.
_NEAR = 50_000


def correlation_of_sums(n: Array, x: Array, z: Array, xx: Array, zz: Array, xz: Array) -> Array:
    """Return Pearson's r from weighted sums; NaN if a side is constant."""
    between, squares_x, squares_z = centered_sums(n, x, z, xx, zz, xz)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = between / np.sqrt(squares_x * squares_z)
    return np.asarray(np.clip(np.where((squares_x > 0) & (squares_z > 0), ratio, np.nan), -1, 1))


def centered_sums(
    n: Array, x: Array, z: Array, xx: Array, zz: Array, xz: Array
) -> tuple[Array, Array, Array]:
    """Return the sums of centered products: x z, x x and z z; the squares of a constant side are 0."""
    m = np.where(n == 0, 1, n)
    squares_x, squares_z = xx - x * x / m, zz - z * z / m
    squares_x = np.where(squares_x <= _CONSTANT * xx, 0, squares_x)
    squares_z = np.where(squares_z <= _CONSTANT * zz, 0, squares_z)
    return xz - x * z / m, squares_x, squares_z


def fixed_pearson(x: Array, z: Array, weights: Array) -> Array:
    """Return (B,) Pearson's r."""
    if not len(x):
        return np.full(len(weights), np.nan)
    x, z = x - x.mean(), z - z.mean()
    sums = weights @ np.stack([np.ones(len(x)), x, z, x * x, z * z, x * z], axis=1)
    return correlation_of_sums(*sums.T)


def fixed_spearman(x: Array, z: Array, weights: Array) -> Array:
    """Return Spearman's rho, (B,): a value's mid-rank is the weight below it, plus half its weight, plus 1/2."""
    size = max(1, _BLOCK // max(1, len(x)))
    blocks = [_spearman(x, z, weights[i : i + size]) for i in range(0, len(weights), size)]
    return np.concatenate(blocks) if blocks else np.empty(0)


def _spearman(x: Array, z: Array, weights: Array) -> Array:
    (places_x, ranks_x, squares_x), (places_z, ranks_z, squares_z) = (
        _ranks(side, weights) for side in (x, z)
    )
    between = np.einsum("bn,bn,bn->b", weights, ranks_x[:, places_x], ranks_z[:, places_z])
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = between / np.sqrt(squares_x * squares_z)
    return np.asarray(np.clip(np.where((squares_x > 0) & (squares_z > 0), ratio, np.nan), -1, 1))


def _ranks(values: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Return the level of each value, the levels' mid-ranks minus the mean rank (B, levels), and the weighted
    sum of their squares (B,).
    """
    if not len(values):
        return np.empty(0, dtype=np.int64), np.empty((len(weights), 0)), np.zeros(len(weights))
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    places = np.empty(len(values), dtype=np.int64)
    places[order] = np.cumsum(starts) - 1
    own = np.add.reduceat(weights[:, order], np.flatnonzero(starts), axis=1)
    upto = np.cumsum(own, axis=1)
    # mid-rank - mean = (below + own / 2 + 1/2) - (total + 1) / 2
    ranks = upto - own / 2 - upto[:, -1:] / 2
    return places, ranks, (own * ranks * ranks).sum(axis=1)


def fixed_pairs(x: Array, z: Array, weights: Array) -> Pairs:
    """Return (B,) how many pairs are of each kind."""
    if len(x) > _SIGNS and len(np.unique(z)) > _LEVELS:
        return _pairs_by_draw(x, z, weights)
    squares = np.einsum("bn,bn->b", weights, weights)
    plain = (weights.sum(axis=1) ** 2 - squares) / 2
    joint = np.unique(np.stack([x, z]), axis=1, return_inverse=True)[1].reshape(-1) if len(x) else x
    tied_x, tied_z, tied = (_tied(weights, side, squares) for side in (x, z, joint))
    difference = np.zeros(len(weights))
    function, block = (_difference_by_level, _NEAR) if len(x) > _SIGNS else (_difference_by_signs, _BLOCK)
    size = max(1, block // max(1, len(x)))
    for i in range(0, len(weights) if len(x) else 0, size):
        difference[i : i + size] = function(x, z, weights[i : i + size])
    ordered = plain - tied_x - tied_z + tied
    return Pairs((ordered + difference) / 2, (ordered - difference) / 2, tied_x - tied, tied_z - tied, tied)


def _difference_by_signs(x: Array, z: Array, weights: Array) -> Array:
    """Return (B,) C - D, from the signs of all differences."""
    part = weights.astype(np.float32)
    return np.asarray(np.einsum("bn,bn->b", part @ (_signs(x) * _signs(z)), part, dtype=np.float64) / 2)


def _difference_by_level(x: Array, z: Array, weights: Array) -> Array:
    """Return (B,) C - D: in order of x, each point adds the weight before it of lower human scores minus that
    of higher ones.
    """
    order = np.argsort(x, kind="stable")
    x, level, weights = x[order], np.unique(z[order], return_inverse=True)[1], weights[:, order]
    # Number of points before the first of equal x.
    before = np.searchsorted(x, x, "left")
    found = np.zeros(len(weights))
    for k in range(int(level.max()) + 1):
        points = np.flatnonzero((level == k) & (before > 0))
        upto = np.cumsum(weights * np.sign(k - level), axis=1)
        found += np.einsum("bn,bn->b", weights[:, points], upto[:, before[points] - 1])
    return found


def _signs(values: Array) -> Array:
    return (values[:, None] > values).astype(np.float32) - (values[:, None] < values)


def _tied(weights: Array, values: Array, squares: Array) -> Array:
    """Return (B,) the weight of pairs of equal values, self-pairs left out."""
    order = np.argsort(values, kind="stable")
    starts = (
        np.concatenate([[True], values[order][1:] != values[order][:-1]])
        if len(values)
        else np.empty(0, dtype=bool)
    )
    if starts.all():
        return np.zeros(len(weights))
    own = np.add.reduceat(weights[:, order], np.flatnonzero(starts), axis=1)
    return np.asarray((np.einsum("bn,bn->b", own, own) - squares) / 2)


def _pairs_by_draw(x: Array, z: Array, weights: Array) -> Pairs:
    counts = []
    for row in weights.astype(np.int64):
        counted = pairs(np.repeat(x, row), np.repeat(z, row))
        counts.append(counted._replace(tied_both=counted.tied_both - (row * (row - 1)).sum() / 2))
    return Pairs(*np.array(counts, dtype=np.float64).T)


def moving_pearson(x: Array, z: Array, weights: Array) -> Array:
    """Return (B,) Pearson's r."""
    w = np.where(np.isnan(x) | np.isnan(z), 0.0, weights)
    n = np.maximum(w.sum(axis=-1, keepdims=True), 1)
    x, z = (np.where(w == 0, 0.0, side) for side in (x, z))
    # Centered in two passes, because differences of large sums would be inexact.
    plain_x, plain_z = (w * x * x).sum(axis=-1), (w * z * z).sum(axis=-1)
    x, z = (side - (w * side).sum(axis=-1, keepdims=True) / n for side in (x, z))
    squares_x, squares_z = (w * x * x).sum(axis=-1), (w * z * z).sum(axis=-1)
    defined = (squares_x > 1e-28 * plain_x) & (squares_z > 1e-28 * plain_z)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (w * x * z).sum(axis=-1) / np.sqrt(squares_x * squares_z)
    return np.asarray(np.clip(np.where(defined, found, np.nan), -1, 1))


def moving_spearman(x: Array, z: Array, weights: Array) -> Array:
    """Return (B,) Spearman's rho."""
    w = np.where(np.isnan(x) | np.isnan(z), 0.0, weights)
    size = max(1, _BLOCK // max(1, x.shape[1] ** 2))
    blocks = [
        _moving_ranks(x[i : i + size], z[i : i + size], w[i : i + size]) for i in range(0, len(w), size)
    ]
    return np.concatenate(blocks) if blocks else np.empty(0)


def _moving_ranks(x: Array, z: Array, w: Array) -> Array:
    ranks = []
    for side in (x, z):
        below = (side[:, :, None] > side[:, None, :]) + 0.5 * (side[:, :, None] == side[:, None, :])
        ranks.append(np.einsum("bij,bj->bi", below, w))
    return moving_pearson(ranks[0], ranks[1], w)


def moving_pairs(x: Array, z: Array, weights: Array) -> Pairs:
    """Return (B,) how many pairs are of each kind."""
    upper = np.triu_indices(x.shape[1], 1)
    size = max(1, _NEAR // max(1, x.shape[1] ** 2))
    blocks = [
        _moving_pairs(x[k : k + size], z[k : k + size], weights[k : k + size], *upper)
        for k in range(0, len(weights), size)
    ]
    return Pairs(*np.concatenate(blocks, axis=1)) if blocks else Pairs(*np.zeros((5, 0)))


def _moving_pairs(x: Array, z: Array, weights: Array, i: Array, j: Array) -> Pairs:
    w = np.where(np.isnan(x) | np.isnan(z), 0.0, weights)
    # One row per pair of points, so that values which are compared are adjacent; float32 represents the
    # numbers of pairs exactly.
    rows_x, rows_z, counts = (np.ascontiguousarray(side.T) for side in (x, z, w.astype(np.float32)))
    both = counts[i] * counts[j]
    sx, sz = (order_signs(side[i], side[j]) for side in (rows_x, rows_z))
    tied_x, tied_z = sx == 0, sz == 0
    everything, difference = both.sum(axis=0).astype(np.float64), _weighed(both, sx * sz)
    only_x, only_z, tied = (
        _weighed(both, kind) for kind in (tied_x & ~tied_z, tied_z & ~tied_x, tied_x & tied_z)
    )
    ordered = everything - only_x - only_z - tied
    return Pairs((ordered + difference) / 2, (ordered - difference) / 2, only_x, only_z, tied)


def _weighed(weights: Array, kind: Array) -> Array:
    """Return (B,) the sum of the weights (pairs, B) of a kind, which often has no pair."""
    if not kind.any():
        return np.zeros(weights.shape[1])
    return np.asarray(np.einsum("pb,pb->b", weights, kind.astype(np.float32)), dtype=np.float64)
