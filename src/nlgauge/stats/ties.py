"""Pairs of outputs of the same input: DARR, and pairwise accuracy that counts ties (acc_eq, tau_eq), with its
calibration.

Sides have shape (..., groups, n): the last axis is the outputs that are compared with each other (the systems
of one input), the axis before it the groups. A single vector is one group. Points with NaN on either side are
left out.

    darr      (C - D) / (C + D) over the pairs whose human scores differ by `threshold` or more, of all groups together
    acc_eq    the mean over groups of the share of pairs that both sides order alike or both call tied; |x_i - x_j| <= epsilon is a tie of x
    tau_eq    2 acc_eq - 1
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.stats.arrays import mean_of_known, paired

# More pairs than these (a vector of about 5,000) are put into this many classes of |dx| instead of being
# sorted.
_SORTED_PAIRS = 12_500_000
_CLASSES = 2_000
_BLOCK = 4_000_000


def grouped(x: Any, z: Any) -> tuple[Array, Array]:
    """Return both sides as (..., groups, n), NaN if either is missing."""
    x, z = paired(x, z)
    return (x[None], z[None]) if x.ndim == 1 else (x, z)


def differences(x: Array, z: Array) -> tuple[Array, Array]:
    """Return (..., groups, pairs) the differences of both sides."""
    i, j = np.triu_indices(x.shape[-1], 1)
    return x[..., i] - x[..., j], z[..., i] - z[..., j]


def darr_counts(x: Any, z: Any, threshold: float = 25.0, ties: str = "discordant") -> tuple[Array, Array]:
    """Return (..., groups) how many pairs the metric orders as people do, and how many not."""
    if ties not in ("discordant", "ignore"):
        raise ParameterError(f"ties must be 'discordant' or 'ignore', got {ties!r:.60}.")
    if not threshold > 0:
        raise ParameterError(
            "threshold must be above 0, because pairs that people call tied are not ordered; got"
            f" {threshold!r:.60}."
        )
    alike, against = darr_kinds(*differences(*grouped(x, z)), threshold, ties)
    return alike.sum(axis=-1), against.sum(axis=-1)


def darr_kinds(dx: Array, dz: Array, threshold: float, ties: str) -> tuple[Array, Array]:
    """Return which differences the metric orders as the human scores do, and which it does not; False in both
    if the human difference is below the threshold.
    """
    far = np.abs(dz) >= threshold
    alike = far & (np.sign(dx) == np.sign(dz))
    return alike, far & ~alike & ~np.isnan(dx) & ((dx != 0) | (ties == "discordant"))


def darr(x: Any, z: Any, threshold: float = 25.0, ties: str = "discordant") -> Array:
    """Return Kendall's tau of direct assessments that are converted to better/worse pairs (WMT).

    Parameters
    ----------
    x : array_like of shape (..., groups, n) or (n,)
        Scores of a metric; the last axis has the outputs that are compared with each other.
    z : array_like of shape (..., groups, n) or (n,)
        Human scores.
    threshold : float, default 25.0
        Human scores must differ by at least this number to form a pair.
    ties : {"discordant", "ignore"}
        Treatment of ties of the metric: discordant, as at WMT, or excluded.

    Returns
    -------
    ndarray of shape (...)
        (C - D) / (C + D) over the pairs of all groups; NaN without pairs.

    Raises
    ------
    ParameterError
        If `threshold` or `ties` is invalid.

    Examples
    --------
    >>> float(darr([2, 1, 4, 3], [10, 11, 100, 150]))
    0.6
    """
    return _tau(*(counts.sum(axis=-1) for counts in darr_counts(x, z, threshold, ties)))


def darr_of_pairs(better: Any, worse: Any, ties: str = "discordant") -> Array:
    """Return DARR of given better/worse pairs.

    Parameters
    ----------
    better : array_like of shape (..., P)
        Scores of a metric for the better outputs.
    worse : array_like of shape (..., P)
        Scores of a metric for the worse outputs.
    ties : {"discordant", "ignore"}
        Treatment of ties of the metric: discordant, as at WMT, or excluded.

    Returns
    -------
    ndarray of shape (...)
        (C - D) / (C + D); NaN without pairs.

    Raises
    ------
    InputError
        If the numbers of outputs differ.

    Examples
    --------
    >>> float(darr_of_pairs([3, 2, 2, 5], [1, 2, 4, 4]))
    0.0
    """
    if np.shape(better)[-1:] != np.shape(worse)[-1:]:
        raise InputError(
            "better and worse must have the same number of outputs along the last axis, got the shapes"
            f" {np.shape(better)} and {np.shape(worse)}."
        )
    pairs = np.stack(paired(better, worse), axis=-1)
    alike, against = darr_counts(pairs, np.broadcast_to([1.0, 0.0], pairs.shape), 1.0, ties)
    return _tau(alike.sum(axis=-1), against.sum(axis=-1))


def _tau(alike: Array, against: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.asarray((alike - against) / np.where(alike + against == 0, np.nan, alike + against))


def accuracy_of_groups(x: Any, z: Any, epsilon: float = 0.0) -> Array:
    """Return (..., groups) the share of pairs that both sides order alike or both call tied; NaN for a group
    without pairs.
    """
    if not epsilon >= 0:
        raise ParameterError(f"epsilon must be 0 or more, got {epsilon!r:.60}.")
    dx, dz = differences(*grouped(x, z))
    right, known = right_pairs(dx, dz, epsilon)
    count = known.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return np.asarray(right.sum(axis=-1) / np.where(count == 0, np.nan, count))


def right_pairs(dx: Array, dz: Array, epsilon: float) -> tuple[Array, Array]:
    """Return True for differences that both sides order alike, with metric differences up to epsilon as ties;
    and True for known differences.
    """
    known = ~np.isnan(dx)
    return known & (np.where(np.abs(dx) <= epsilon, 0, np.sign(dx)) == np.sign(dz)), known


def acc_eq(x: Any, z: Any, epsilon: float = 0.0) -> Array:
    """Return the pairwise accuracy that counts ties, averaged over groups.

    Parameters
    ----------
    x : array_like of shape (..., groups, n) or (n,)
        Scores of a metric; the last axis has the outputs that are compared with each other.
    z : array_like of shape (..., groups, n) or (n,)
        Human scores.
    epsilon : float, default 0.0
        Differences of the metric up to this size are ties.

    Returns
    -------
    ndarray of shape (...)
        Mean over groups of the share of pairs that both sides order alike or both tie.

    Raises
    ------
    ParameterError
        If `epsilon` is negative.

    Notes
    -----
    The floor (the value of a constant metric) is not 0; see `calibrate`.

    Examples
    --------
    >>> [float(acc_eq([2, 1, 1.5, 5, 3], [1, 2, 2, 3, 4], epsilon)) for epsilon in (0, 0.5, 2)]
    [0.6, 0.7, 0.4]
    """
    return mean_of_known(accuracy_of_groups(x, z, epsilon))


def tau_eq(x: Any, z: Any, epsilon: float = 0.0) -> Array:
    """Return Kendall's tau that counts ties: 2 acc_eq - 1.

    Parameters
    ----------
    x : array_like of shape (..., groups, n) or (n,)
        Scores of a metric; the last axis has the outputs that are compared with each other.
    z : array_like of shape (..., groups, n) or (n,)
        Human scores.
    epsilon : float, default 0.0
        Differences of the metric up to this size are ties.

    Returns
    -------
    ndarray of shape (...)
        Mean over groups.
    """
    return 2 * acc_eq(x, z, epsilon) - 1


class Calibration(NamedTuple):
    """The best epsilon, and the accuracy that it reaches.

    `accuracy` is acc_eq at `epsilon`, which was chosen on the same data; `floor` is the value of a constant
    metric, `skill` = (accuracy - floor) / (1 - floor); `held_out` is acc_eq with epsilon chosen on one half of
    the groups and evaluated on the other, with its own floor.
    """

    accuracy: float
    epsilon: float
    floor: float
    skill: float
    held_out: float
    held_out_floor: float
    plain: float
    n_groups: int


def calibrate(x: Any, z: Any, splits: int = 10, seed: int = 12345) -> Calibration:
    """Find the tie threshold of a metric with the highest acc_eq.

    Parameters
    ----------
    x : array_like of shape (groups, n) or (n,)
        Scores of a metric.
    z : array_like of shape (groups, n) or (n,)
        Human scores.
    splits : int, default 10
        Number of random splits of the groups into halves, for the held-out accuracy.
    seed : int, default 12345
        Seed of the random splits.

    Returns
    -------
    Calibration
        `epsilon` and its `accuracy` on the same data; `floor`, the accuracy of a constant metric; `skill`,
        (accuracy - floor) / (1 - floor); `held_out`, the accuracy with epsilon chosen on the other half of the groups;
        `held_out_floor`; `plain`, the accuracy at epsilon 0; and `n_groups`.

    Raises
    ------
    InputError
        If `x` has more than two axes.

    Notes
    -----
    Every difference of the metric is tried as a threshold.

    Examples
    --------
    >>> found = calibrate([2, 1, 1.5, 5, 3], [1, 2, 2, 3, 4])
    >>> found.accuracy, found.epsilon
    (0.7, 0.5)
    """
    x, z = grouped(x, z)
    if x.ndim != 2:
        raise InputError(f"calibrate takes one metric, (groups, n) or (n,), got shape {x.shape}.")
    usable = (~np.isnan(x)).sum(axis=-1) >= 2
    x, z = x[usable], z[usable]
    if not len(x):
        return Calibration(*(math.nan,) * 7, 0)
    accuracy, epsilon = _best(x, z)
    floor = _floor(x, z)
    skill = (accuracy - floor) / (1 - floor) if floor < 1 else math.nan
    held_out, held_out_floor = _held_out(x, z, splits, seed)
    return Calibration(accuracy, epsilon, floor, skill, held_out, held_out_floor, _accuracy(x, z), len(x))


def _held_out(x: Array, z: Array, splits: int, seed: int) -> tuple[float, float]:
    if len(x) < 2 or splits < 1:
        return math.nan, math.nan
    rng = np.random.default_rng(seed)
    found, floors = [], []
    for _ in range(splits):
        order = rng.permutation(len(x))
        halves = order[: len(x) // 2], order[len(x) // 2 :]
        for learnt, read in (halves, halves[::-1]):
            found.append(_accuracy(x[read], z[read], _best(x[learnt], z[learnt])[1]))
            floors.append(_floor(x[read], z[read]))
    return float(np.mean(found)), float(np.mean(floors))


def _best(x: Array, z: Array) -> tuple[float, float]:
    """Return the highest acc_eq and the smallest epsilon that reaches it.

    Raising epsilon over |dx| of a pair wins it if the human scores tie, and loses it if it was ordered
    correctly: one cumulative sum over the pairs in order of |dx|, read at the end of each run of equal |dx|.
    """
    weight = _weights(x)
    if not _many(x):
        dx, dz = differences(x, z)
        distance, gains = _gains(dx, dz, np.broadcast_to(weight[:, None], dx.shape))
        order = np.argsort(distance, kind="stable")
        distance, gains = distance[order], np.cumsum(gains[order])
        ends = np.append(distance[1:] != distance[:-1], True)[: len(distance)]
        distance, gains = distance[ends], gains[ends]
    else:
        distance, gains = _in_classes(x, z, weight)
    base = _accuracy(x, z)
    if not len(distance) or gains.max() <= 1e-12:
        return base, 0.0
    # The first of the gains that are equal up to the rounding of sums.
    place = int(np.argmax(gains >= gains.max() - 1e-12))
    return base + float(gains[place]), float(distance[place])


def _gains(dx: Array, dz: Array, weight: Array) -> tuple[Array, Array]:
    """Return |dx| of the pairs that a higher epsilon changes, and the gains from them."""
    gains = np.where(dz == 0, weight, np.where(np.sign(dx) == np.sign(dz), -weight, 0.0))
    changed = ~np.isnan(dx) & (dx != 0)
    return np.abs(dx[changed]), gains[changed]


def _row_blocks(x: Array, z: Array, weight: Array) -> Any:
    """Yield the differences of each point to the points after it in its group, block by block."""
    for one, other, own in zip(x, z, weight.tolist(), strict=True):
        size = max(1, _BLOCK // max(1, len(one)))
        for start in range(0, len(one), size):
            later = np.arange(len(one))[None, :] > np.arange(start, min(start + size, len(one)))[:, None]
            rows = slice(start, start + size)
            yield (one[rows, None] - one[None, :])[later], (other[rows, None] - other[None, :])[later], own


def _in_classes(x: Array, z: Array, weight: Array) -> tuple[Array, Array]:
    """Return the sorted distances and gains in classes: epsilon at quantiles of |dx|, each counted exactly."""
    sample = np.concatenate(
        [np.abs(dx[:: max(1, len(dx) // 20_000)]) for dx, _, _ in _row_blocks(x, z, weight)]
    )
    sample = sample[(sample > 0) & ~np.isnan(sample)]
    if not len(sample):
        return np.empty(0), np.empty(0)
    edges = np.unique(np.quantile(sample, np.linspace(0, 1, _CLASSES)))
    totals = np.zeros(len(edges) + 1)
    for dx, dz, own in _row_blocks(x, z, weight):
        distance, gains = _gains(dx, dz, np.full(dx.shape, own))
        totals += np.bincount(np.searchsorted(edges, distance), gains, len(edges) + 1)
    return edges, np.cumsum(totals)[:-1]


def _accuracy(x: Array, z: Array, epsilon: float = 0.0) -> float:
    """Return acc_eq of groups that all have pairs, block by block if there are many pairs."""
    if not _many(x):
        return float(acc_eq(x, z, epsilon))
    total = 0.0
    for dx, dz, weight in _row_blocks(x, z, _weights(x)):
        total += weight * int(right_pairs(dx, dz, epsilon)[0].sum())
    return total


def _floor(x: Array, z: Array) -> float:
    """Return acc_eq of a constant metric with the same missing scores."""
    return _accuracy(np.where(np.isnan(x), np.nan, 0.0), z)


def _many(x: Array) -> bool:
    return bool(len(x) * x.shape[1] * (x.shape[1] - 1) // 2 > _SORTED_PAIRS)


def _weights(x: Array) -> Array:
    """Return the weight of one pair of each group in the mean over groups."""
    known = (~np.isnan(x)).sum(axis=-1)
    return np.asarray(1 / (known * (known - 1) / 2) / len(x))
