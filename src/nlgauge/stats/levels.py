"""Levels: the values that are correlated, from metric scores x (S, N) and human scores z (S, N).

    system      over the systems' means                          one correlation of S points
    input       over systems within each input, then averaged    N correlations of up to S points
    global      over all outputs                                 one correlation of S N points
    by_system   over inputs within each system, then averaged    S correlations of up to N points

A cell counts where metric and human are both known. Means are snapped to a grid before they are ranked,
because equal means that were summed in another order differ by rounding. Groups whose coefficient is not
defined are left out of the average, and counted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError, no_such
from nlgauge.stats.arrays import paired, snapped
from nlgauge.stats.coefficients import Coefficient

LEVELS = ("system", "input", "global", "by_system")


class Scores(NamedTuple):
    """The scores of one metric and those of people on one human dimension, (S, N) each.

    `weights` (N,) of segments count in means and in averages over inputs. `whole` (S,) are scores of whole
    systems, which stand for the means of x at system level.
    """

    x: Array
    z: Array
    weights: Array | None = None
    whole: Array | None = None


class Levelled(NamedTuple):
    """A coefficient at a level: its value, the number of points (of the largest group), of groups that
    count and of those that are not defined.
    """

    value: float
    n: int
    n_groups: int
    n_undefined: int


def check_level(level: str) -> str:
    """Return the level, or raise an error if it is unknown."""
    if level not in LEVELS:
        raise ParameterError(no_such("level", level, LEVELS))
    return level


def system_means(x: Array, z: Array, weights: Array | None = None) -> tuple[Array, Array]:
    """Return both sides' means over cells with both scores, (..., S); weighted if segments have weights."""
    x, z = paired(x, z)
    w = np.broadcast_to(np.ones(x.shape[-1]) if weights is None else weights, x.shape)
    known = np.where(np.isnan(x), 0.0, w)
    total = known.sum(axis=-1)
    total = np.where(total == 0, np.nan, total)
    return tuple((known * np.where(np.isnan(side), 0.0, side)).sum(axis=-1) / total for side in (x, z))


def grouped_by(
    level: str, x: Array, z: Array, weights: Array | None = None, by_rank: bool = False
) -> tuple[Array, Array]:
    """Return both sides as (..., groups, points) of the level."""
    if check_level(level) == "system":
        means = system_means(x, z, weights)
        one, other = (snapped(side) if by_rank else side for side in means)
        return one[..., None, :], other[..., None, :]
    x, z = paired(x, z)
    if level == "input":
        return np.swapaxes(x, -1, -2), np.swapaxes(z, -1, -2)
    return (x, z) if level == "by_system" else tuple(side.reshape(*side.shape[:-2], 1, -1) for side in (x, z))  # type: ignore[return-value]


def at_level(
    coefficient: Coefficient, level: str, scores: Scores, average: str = "macro", undefined: str = "drop"
) -> Levelled:
    """Return a coefficient of one metric and one human dimension at a level.

    `average` is "macro" (every group alike) or "pairs" (by its number of pairs). undefined="zero" counts groups
    without a value as 0 if at least two of their points have human scores; other groups are left out.
    """
    z, weights = scores.z, scores.weights
    if average not in ("macro", "pairs") or undefined not in ("drop", "zero"):
        raise ParameterError(
            f"average must be 'macro' or 'pairs' and undefined 'drop' or 'zero', got {average!r:.60} and"
            f" {undefined!r:.60}."
        )
    one, other = _correlated(coefficient, level, scores)
    points = (~np.isnan(one)).sum(axis=-1)
    n = int(points.max(initial=0))
    if coefficient.pooled:
        value = float(coefficient(one, other))
        return Levelled(value, n, int((points >= 2).sum()), int((points < 2).sum()))
    values = np.asarray(coefficient(one, other))
    known = ~np.isnan(values)
    by_group = weights if weights is not None and level == "input" else np.ones(len(values))
    if average == "pairs":
        by_group = by_group * points * (points - 1) / 2
    counted = known
    if undefined == "zero":
        human = grouped_by(level, z, z, weights)[1]
        values, counted = np.where(known, values, 0.0), known | ((~np.isnan(human)).sum(axis=-1) >= 2)
    total = by_group[counted].sum()
    value = float((by_group[counted] * values[counted]).sum() / total) if total > 0 else float("nan")
    return Levelled(value, n, int(known.sum()), int((~known).sum()))


def p_at_level(coefficient: Coefficient, level: str, scores: Scores, exact: bool = True) -> float:
    """Return two-sided p of no association; NaN if the level has several groups or the coefficient is not defined."""
    one, other = _correlated(coefficient, level, scores)
    return float("nan") if coefficient.pooled or len(one) > 1 else float(coefficient.p(one, other, exact)[0])


def _correlated(coefficient: Coefficient, level: str, scores: Scores) -> tuple[Array, Array]:
    """Return both sides as (groups, points)."""
    x, z, weights, whole = scores
    if whole is None or level != "system":
        return grouped_by(level, x, z, weights, coefficient.by_rank)
    one, other = paired(*(np.asarray(side)[None] for side in (whole, human_means(z, weights))))
    return (snapped(one), snapped(other)) if coefficient.by_rank else (one, other)


def human_means(z: Array, weights: Array | None = None) -> Array:
    """Return (S,) the means of the known human scores."""
    return system_means(z, z, weights)[0]
