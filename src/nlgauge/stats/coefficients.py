"""Coefficients of agreement between two sides, x (a metric) and z (people), over the last axis; leading axes
are broadcast.

Points with NaN on either side are left out. Undefined values (fewer than two points, a constant side) are
NaN, never 0.

    pearson    sum (x - mean x)(z - mean z) / sqrt(sum (x - mean x)^2 sum (z - mean z)^2)
    spearman   pearson of mid-ranks
    kendall    tau-b (C - D) / sqrt((C + D + T_z)(C + D + T_x)), with the pairs of nlgauge.stats.kendall
    kendall_a  (C - D) / P
    kendall_c  2 (C - D) m / (n^2 (m - 1)), m the smaller number of distinct values
    gamma      (C - D) / (C + D)
    somers     (C - D) / (C + D + T_z): of the pairs that x orders
    same_sign  share of the points with z above or below 0 whose x is on the same side: agreement with preferences
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError, no_such
from nlgauge.stats.arrays import CONSTANT, mid_ranks, paired, runs
from nlgauge.stats.kendall import Pairs, p_values, pairs
from nlgauge.stats.permutation.few_points import FEW, p_of_products

Value = TypeVar("Value")


def pearson(x: Any, z: Any) -> Array:
    """Return Pearson's correlation.

    Parameters
    ----------
    x : array_like of shape (..., n)
        Scores of a metric.
    z : array_like of shape (..., n)
        Human scores. Leading axes are broadcast.

    Returns
    -------
    ndarray of shape (...)
        Coefficient over the last axis.

    Notes
    -----
    Points with a NaN on either side are excluded. The value is NaN if fewer than two points remain or a side is constant.

    Examples
    --------
    >>> float(pearson([1, 2, 3], [2, 4, 6])), float(pearson([1, 2, 3], [5, 5, 5]))
    (1.0, nan)
    """
    return _pearson(*paired(x, z))


def spearman(x: Any, z: Any) -> Array:
    """Return Spearman's rank correlation, with mid-ranks for ties.

    Parameters
    ----------
    x : array_like of shape (..., n)
        Scores of a metric.
    z : array_like of shape (..., n)
        Human scores. Leading axes are broadcast.

    Returns
    -------
    ndarray of shape (...)
        Coefficient over the last axis.

    Notes
    -----
    Points with a NaN on either side are excluded. The value is NaN if fewer than two points remain or a side is constant.
    """
    x, z = paired(x, z)
    return _pearson(mid_ranks(x), mid_ranks(z))


def kendall(x: Any, z: Any) -> Array:
    """Return Kendall's tau-b.

    Parameters
    ----------
    x : array_like of shape (..., n)
        Scores of a metric.
    z : array_like of shape (..., n)
        Human scores. Leading axes are broadcast.

    Returns
    -------
    ndarray of shape (...)
        Coefficient over the last axis.

    Notes
    -----
    Points with a NaN on either side are excluded. The value is NaN if fewer than two points remain or a side is constant.
    tau-b = (C - D) / sqrt((C + D + T_z)(C + D + T_x)), where C is the number of concordant pairs, D of discordant pairs, T_x
    of pairs tied only in x, and T_z of pairs tied only in z.

    Examples
    --------
    >>> round(float(kendall([3.1, 2, 2, 5.5, 4, 1, 4, 2.5], [3, 2, 1, 5, 5, 1, 3, 2])), 10)
    0.8807048459
    """
    return _tau_b(_pairs(x, z))


def kendall_a(x: Any, z: Any) -> Array:
    """Return Kendall's tau-a: (C - D) / P over all P pairs.

    Parameters
    ----------
    x : array_like of shape (..., n)
        Scores of a metric.
    z : array_like of shape (..., n)
        Human scores. Leading axes are broadcast.

    Returns
    -------
    ndarray of shape (...)
        Coefficient over the last axis.

    Notes
    -----
    Points with a NaN on either side are excluded. The value is NaN if fewer than two points remain or a side is constant.
    """
    return _tau_a(_pairs(x, z))


def kendall_c(x: Any, z: Any) -> Array:
    """Return Stuart's tau-c, for sides with different numbers of distinct values.

    Parameters
    ----------
    x : array_like of shape (..., n)
        Scores of a metric.
    z : array_like of shape (..., n)
        Human scores. Leading axes are broadcast.

    Returns
    -------
    ndarray of shape (...)
        Coefficient over the last axis.

    Notes
    -----
    Points with a NaN on either side are excluded. The value is NaN if fewer than two points remain or a side is constant.
    tau-c = 2 (C - D) m / (n^2 (m - 1)), where m is the smaller number of distinct values.
    """
    x, z = paired(x, z)
    counts = pairs(x, z)
    n = (~np.isnan(x)).sum(axis=-1)
    m = np.minimum(_distinct(x), _distinct(z))
    return _ratio(2 * (counts.concordant - counts.discordant) * m, n.astype(np.float64) ** 2 * (m - 1))


def gamma(x: Any, z: Any) -> Array:
    """Return Goodman and Kruskal's gamma: (C - D) / (C + D), without ties.

    Parameters
    ----------
    x : array_like of shape (..., n)
        Scores of a metric.
    z : array_like of shape (..., n)
        Human scores. Leading axes are broadcast.

    Returns
    -------
    ndarray of shape (...)
        Coefficient over the last axis.

    Notes
    -----
    Points with a NaN on either side are excluded. The value is NaN if fewer than two points remain or a side is constant.
    """
    return _gamma(_pairs(x, z))


def somers(x: Any, z: Any) -> Array:
    """Return Somers' D of z given x: (C - D) / (C + D + T_z), over the pairs that x orders.

    Parameters
    ----------
    x : array_like of shape (..., n)
        Scores of a metric.
    z : array_like of shape (..., n)
        Human scores. Leading axes are broadcast.

    Returns
    -------
    ndarray of shape (...)
        Coefficient over the last axis.

    Notes
    -----
    Points with a NaN on either side are excluded. The value is NaN if fewer than two points remain or a side is constant.
    """
    return _somers(_pairs(x, z))


def accuracy(x: Any, z: Any) -> Array:
    """Return the share of pairs that both sides order alike or both tie; NaN without pairs, but defined for a
    constant side.

    >>> round(float(accuracy([1, 2, 3, 3], [1, 2, 4, 3])), 4)
    0.8333
    """
    return accuracy_of_pairs(_pairs(x, z))


def tau_of_accuracy(x: Any, z: Any) -> Array:
    """Return 2 accuracy - 1."""
    return 2 * accuracy(x, z) - 1


def same_sign(x: Any, z: Any) -> Array:
    """Return the share of points with the same sign on both sides.

    Parameters
    ----------
    x : array_like of shape (..., n)
        Differences of a metric's scores.
    z : array_like of shape (..., n)
        Preferences of people, 0 for a tie. Leading axes are broadcast.

    Returns
    -------
    ndarray of shape (...)
        Coefficient over the last axis; NaN for fewer than two points, or if all known preferences are 0.

    Notes
    -----
    Ties of people are excluded. A difference of 0 is on neither side, so it counts as wrong.

    Examples
    --------
    >>> float(same_sign([0.3, -0.1, 0, 0.2], [2, 1, -1, 0]))
    0.3333333333333333
    """
    x, z = paired(x, z)
    known = ~np.isnan(z)
    decided = known & (z != 0) & (known.sum(axis=-1, keepdims=True) > 1)
    return _ratio((decided & (np.sign(x) == np.sign(z))).sum(axis=-1), decided.sum(axis=-1))


def _tau_b(found: Pairs) -> Array:
    c, d, tied_x, tied_z, _ = found
    return _ratio(c - d, np.sqrt((c + d + tied_z) * (c + d + tied_x)))


def _tau_a(found: Pairs) -> Array:
    return _ratio(found.concordant - found.discordant, np.where(_both_vary(found), found.all, 0))


def _gamma(found: Pairs) -> Array:
    return _ratio(found.concordant - found.discordant, found.concordant + found.discordant)


def _somers(found: Pairs) -> Array:
    c, d, _, tied_z, _ = found
    return _ratio(c - d, np.where(_both_vary(found), c + d + tied_z, 0))


def accuracy_of_pairs(found: Pairs) -> Array:
    """Return the share of pairs that both sides order alike or both call tied."""
    return _ratio(found.concordant + found.tied_both, found.all)


def _both_vary(found: Pairs) -> Array:
    ordered = found.concordant + found.discordant
    return (ordered + found.tied_z > 0) & (ordered + found.tied_x > 0)


def pairwise_difference_pearson(x: Any, z: Any) -> Array:
    """Return Pearson's correlation of all differences within groups.

    Parameters
    ----------
    x : array_like of shape (..., groups, n) or (n,)
        Scores of a metric.
    z : array_like of shape (..., groups, n) or (n,)
        Human scores.

    Returns
    -------
    ndarray of shape (...)
        Coefficient over the last two axes. With one group it equals Pearson's correlation.

    Notes
    -----
    Both orders of a pair count, so the mean difference is 0: r = sum d_x d_z / sqrt(sum d_x^2 sum d_z^2).

    Examples
    --------
    >>> round(float(pairwise_difference_pearson([[2, 3], [1, 3], [4, 7]], [[1, 4], [2, 5], [3, 6]])), 3)
    0.926
    """
    x, z = paired(x, z)
    x, z = (values[None] if values.ndim == 1 else values for values in (x, z))
    # Over one group, sum over i < j of (x_i - x_j)(z_i - z_j) = n sum of the centered products.
    n = (~np.isnan(x)).sum(axis=-1)
    (dx, plain_x), (dz, plain_z) = _centered(x), _centered(z)
    between, squares_x, squares_z = (
        (n * (one * other).sum(axis=-1)).sum(axis=-1) for one, other in ((dx, dz), (dx, dx), (dz, dz))
    )
    rounding_x, rounding_z = (CONSTANT * (n * plain).sum(axis=-1) for plain in (plain_x, plain_z))
    return _correlation(
        between,
        np.where(squares_x <= rounding_x, 0, squares_x),
        np.where(squares_z <= rounding_z, 0, squares_z),
    )


def _pearson(x: Array, z: Array) -> Array:
    (dx, plain_x), (dz, plain_z) = _centered(x), _centered(z)
    squares_x, squares_z = (dx * dx).sum(axis=-1), (dz * dz).sum(axis=-1)
    squares_x, squares_z = (
        np.where(squares_x <= CONSTANT * plain_x, 0, squares_x),
        np.where(squares_z <= CONSTANT * plain_z, 0, squares_z),
    )
    return _correlation((dx * dz).sum(axis=-1), squares_x, squares_z)


def _correlation(between: Array, squares_x: Array, squares_z: Array) -> Array:
    with np.errstate(over="ignore", under="ignore"):
        product = squares_x * squares_z
    # One root is exact for x = z; two roots represent products that would overflow or underflow.
    below = np.where(
        (product > 1e-290) & (product < 1e290), np.sqrt(product), np.sqrt(squares_x) * np.sqrt(squares_z)
    )
    return np.clip(_ratio(between, below), -1, 1)


def _centered(values: Array) -> tuple[Array, Array]:
    """Return the values minus their mean, with 0 for NaN, and the sum of the squares before centering."""
    known = ~np.isnan(values)
    n = np.maximum(known.sum(axis=-1, keepdims=True), 1)
    filled = np.where(known, values, 0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        mean = filled.sum(axis=-1, keepdims=True) / n
        # A second pass takes away what the first mean missed by rounding.
        centered = np.where(known, filled - mean, 0.0)
        centered = np.where(known, centered - centered.sum(axis=-1, keepdims=True) / n, 0.0)
        return centered, (filled * filled).sum(axis=-1)


def _pairs(x: Any, z: Any) -> Pairs:
    return pairs(*paired(x, z))


def _distinct(values: Array) -> Array:
    known = ~np.isnan(values)
    distinct: Array = np.round((known / runs(values).size).sum(axis=-1))
    return distinct


def _ratio(above: Array, below: Array) -> Array:
    """Return above / below; NaN if `below` is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(below == 0, np.nan, above / below))


def pearson_p(r: Array, n: Array) -> Array:
    """Return two-sided p of no correlation, by t with n - 2 degrees of freedom; NaN for fewer than two
    points, 1 for two.
    """
    from scipy.special import betainc

    r, n = np.asarray(r, dtype=np.float64), np.asarray(n, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        # P(|T| > t) = I_{df / (df + t^2)}(df / 2, 1 / 2), and df / (df + t^2) = 1 - r^2.
        tails = betainc(np.maximum(n - 2, 1) / 2, 0.5, np.clip((1 - r) * (1 + r), 0, 1))
    return np.asarray(np.where(n < 2, np.nan, np.where(n == 2, np.where(np.isnan(r), np.nan, 1.0), tails)))


class Coefficient(NamedTuple):
    """A coefficient by name.

    `test` is the method for p of many points: "t", "pairs", or "" for none. `by_rank`: it depends only on the order of the
    values. `of_pairs`: it follows from the kinds of pairs. `pooled`: its function takes the last two axes,
    groups and points. `accuracy`: a constant metric has a value, its floor.
    """

    name: str
    function: Callable[[Any, Any], Array]
    test: str
    by_rank: bool
    title: str
    of_pairs: Callable[[Pairs], Array] | None = None
    pooled: bool = False
    accuracy: bool = False

    def __call__(self, x: Any, z: Any) -> Array:
        return self.function(x, z)

    def p(self, x: Any, z: Any, exact: bool = True) -> Array:
        """Return two-sided p of no association; NaN if the coefficient is not defined.

        p of at most 10 points is exact. exact=False uses the approximations for many points also for few, as SciPy does:
        Student's t, and for Kendall with ties the normal distribution.
        """
        x, z = paired(x, z)
        value = self.function(x, z)
        if self.test == "t":
            return self._p_of_products(x, z, value, exact)
        if self.test == "pairs":
            return np.asarray(np.where(np.isnan(value), np.nan, p_values(x, z, pairs(x, z), exact)))
        return np.full(np.shape(value), np.nan)

    def _p_of_products(self, x: Array, z: Array, value: Array, exact: bool) -> Array:
        n = (~np.isnan(x)).sum(axis=-1)
        p = pearson_p(value, n)
        few = exact & (n <= FEW) & ~np.isnan(p)
        if few.any():
            x, z = (mid_ranks(side) if self.by_rank else side for side in (x, z))
            for at in map(tuple, np.argwhere(few)):
                known = ~np.isnan(x[at])
                p[at] = p_of_products(x[at][known], z[at][known])
        return p


# Those that need further options, thresholds or resamples are in ties.py and soft.py.
COEFFICIENTS = {
    one.name: one
    for one in (
        Coefficient("pearson", pearson, "t", False, "Pearson's r"),
        Coefficient("spearman", spearman, "t", True, "Spearman's rho"),
        Coefficient("kendall", kendall, "pairs", True, "Kendall's tau-b", _tau_b),
        Coefficient("kendall_a", kendall_a, "pairs", True, "Kendall's tau-a", _tau_a),
        Coefficient("kendall_c", kendall_c, "pairs", True, "Kendall's tau-c"),
        Coefficient("gamma", gamma, "pairs", True, "Goodman and Kruskal's gamma", _gamma),
        Coefficient("somers", somers, "pairs", True, "Somers' D", _somers),
        Coefficient(
            "pdp", pairwise_difference_pearson, "", False, "pairwise-difference Pearson", pooled=True
        ),
        Coefficient(
            "acc_eq",
            accuracy,
            "",
            True,
            "pairwise accuracy that counts ties",
            accuracy_of_pairs,
            accuracy=True,
        ),
        Coefficient(
            "tau_eq",
            tau_of_accuracy,
            "",
            True,
            "tau that counts ties",
            lambda found: 2 * accuracy_of_pairs(found) - 1,
            accuracy=True,
        ),
        Coefficient("same_sign", same_sign, "", False, "share of preferences that agree", accuracy=True),
    )
}


def coefficient(name: str | Coefficient) -> Coefficient:
    """Return the coefficient of this name.

    >>> coefficient("kendall").title
    "Kendall's tau-b"
    """
    return name if isinstance(name, Coefficient) else by_name(name, COEFFICIENTS)


def by_name(name: str, known: Mapping[str, Value]) -> Value:
    """Return the entry of this name, or raise an error that lists the known names."""
    if name not in known:
        raise ParameterError(no_such("coefficient", name, known))
    return known[name]
