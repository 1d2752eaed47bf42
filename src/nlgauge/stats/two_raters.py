"""Agreement of two raters on categories, from tables of counts, many tables at once.

A table has the category of the first rater as row and the category of the second rater as column. Functions that
end in "of_tables" take (..., k, k) counts, such as one table per resample, and return (...).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError
from nlgauge.stats.agreement import Weights, joint_counts


def costs(size: int, weights: Weights | None = None) -> Array:
    """Return (k, k) the cost of each disagreement, from 0 to 1.

    >>> costs(3, "linear")[0].tolist()
    [0.0, 0.5, 1.0]
    """
    if weights not in {None, *get_args(Weights)}:
        raise ParameterError(f"weights must be None, 'linear' or 'quadratic', got {weights!r}.")
    steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    if weights is None:
        return (steps > 0).astype(float)
    return np.asarray((steps / max(1, size - 1)) ** (1 if weights == "linear" else 2))


def kappa_of_tables(tables: Array, cost: Array) -> Array:
    """Return Cohen's kappa of tables; NaN if no disagreement is expected by chance."""
    joint = _shares(tables)
    expected = _total(cost * joint.sum(axis=-1)[..., :, None] * joint.sum(axis=-2)[..., None, :])
    return 1 - _ratio(_total(cost * joint), expected)


def gwet_of_tables(tables: Array, cost: Array) -> Array:
    """Return Gwet's AC1, or with graded costs AC2, of tables; NaN if there is one category."""
    size = tables.shape[-1]
    if size < 2:
        return np.full(tables.shape[:-2], np.nan)
    joint, agreed = _shares(tables), 1 - cost
    means = (joint.sum(axis=-1) + joint.sum(axis=-2)) / 2
    by_chance = agreed.sum() * (means * (1 - means)).sum(axis=-1) / (size * (size - 1))
    return np.asarray((_total(agreed * joint) - by_chance) / (1 - by_chance))


def alpha_of_tables(tables: Array, scale: Literal["nominal", "ordinal"] = "nominal") -> Array:
    """Return Krippendorff's alpha of two raters without missing ratings; NaN if all ratings are equal."""
    pairs = tables + np.swapaxes(tables, -1, -2)
    counts = pairs.sum(axis=-1)
    n = counts.sum(axis=-1)
    if scale == "nominal":
        cost = np.broadcast_to(costs(tables.shape[-1]), pairs.shape)
    else:
        ranks = counts.cumsum(axis=-1) - counts / 2
        cost = (ranks[..., :, None] - ranks[..., None, :]) ** 2
    expected = _total(cost * counts[..., :, None] * counts[..., None, :])
    return np.asarray(1 - (n - 1) * _ratio(_total(cost * pairs), expected))


def cohen(
    one: Any, other: Any, weights: Weights | None = None, categories: Sequence[Any] | None = None
) -> float:
    """Return Cohen's kappa of two annotators over the units that both rated.

    Parameters
    ----------
    one : array_like of shape (n,)
        Ratings of the first annotator.
    other : array_like of shape (n,)
        Ratings of the second annotator.
    weights : {None, "linear", "quadratic"}
        Cost of a disagreement: equal, or the number of steps between the categories, or its square.
    categories : sequence, optional
        Categories in order. Default: the values that occur, sorted.

    Returns
    -------
    float
        Kappa; NaN if no disagreement is expected by chance.

    Raises
    ------
    ParameterError
        If `weights` is unknown.
    InputError
        If the annotators have unequal numbers of ratings, or a rating is not in `categories`.
    """
    table = joint_counts(one, other, categories)
    return float(kappa_of_tables(table, costs(len(table), weights)))


def gwet(
    one: Any, other: Any, weights: Weights | None = None, categories: Sequence[Any] | None = None
) -> float:
    """Return Gwet's AC1 (AC2 with weights) of two annotators over the units that both rated.

    Parameters
    ----------
    one : array_like of shape (n,)
        Ratings of the first annotator.
    other : array_like of shape (n,)
        Ratings of the second annotator.
    weights : {None, "linear", "quadratic"}
        Cost of a disagreement: equal (AC1), or the number of steps between the categories, or its square (AC2).
    categories : sequence, optional
        Categories in order. Default: the values that occur, sorted.

    Returns
    -------
    float
        (p_a - p_e) / (1 - p_e); NaN if there is one category or no unit with both ratings.

    Notes
    -----
    p_a is the weighted share of equal ratings. For k categories with mean shares pi_q over both annotators, p_e =
    T sum_q pi_q (1 - pi_q) / (k (k - 1)), where T is the sum of the weights; without weights, T = k.

    References
    ----------
    K. L. Gwet (2008). Computing inter-rater reliability and its variance in the presence of high agreement. British
    Journal of Mathematical and Statistical Psychology 61(1).

    Examples
    --------
    >>> round(gwet([1, 1, 1, 0], [1, 1, 1, 1]), 4)
    0.68
    """
    counts = joint_counts(one, other, categories)
    return float(gwet_of_tables(counts, costs(len(counts), weights))) if counts.any() else math.nan


def mcnemar(first: int, second: int) -> float:
    """Return the exact p-value of McNemar's test, from the numbers of units on which only the first and only the
    second side has a property.

    >>> round(mcnemar(20, 10), 4)
    0.0987
    """
    from scipy.stats import binomtest

    return float(binomtest(first, first + second).pvalue) if first + second else 1.0


def _shares(tables: Array) -> Array:
    return _ratio(tables, tables.sum(axis=(-1, -2), keepdims=True))


def _total(tables: Array) -> Array:
    return np.asarray(tables.sum(axis=(-1, -2)))


def _ratio(above: Array, below: Array) -> Array:
    """Return above / below; NaN if below is 0."""
    return np.asarray(above / np.where(below == 0, np.nan, below))
