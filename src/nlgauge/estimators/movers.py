"""The earth mover's distance between weighted points; mass that both sides share is not moved."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.estimators.transport import exact_plan


class DistinctPoints(NamedTuple):
    """Distinct points: keys, counts, and coordinates `places` of shape (points, d).

    Equal points have equal keys.
    """

    keys: Array
    counts: Array
    places: Array


class Moved(NamedTuple):
    """The distance, the plan, and the cost per unit of mass; the matrices have a row per source point."""

    distance: float
    plan: Array
    cost: Array


def moved(one: DistinctPoints, other: DistinctPoints) -> Moved:
    """Return the least cost of moving measure `one` to measure `other`, both of mass 1.

    The cost is the Euclidean distance. It satisfies the triangle inequality, so mass that both measures have
    at a point does not move. The remaining problem is smaller, and empty for equal texts.
    """
    from scipy.spatial.distance import cdist

    cost = cdist(one.places, other.places)
    # In units of 1 / total, masses are whole numbers, so the common mass can be subtracted exactly.
    total = int(one.counts.sum()) * int(other.counts.sum())
    masses = [one.counts * int(other.counts.sum()), other.counts * int(one.counts.sum())]
    plan = np.zeros(cost.shape)
    _, i, j = np.intersect1d(one.keys, other.keys, assume_unique=True, return_indices=True)
    stays = np.minimum(masses[0][i], masses[1][j])
    plan[i, j] = stays / total
    cost[i, j] = 0.0
    masses[0][i] -= stays
    masses[1][j] -= stays
    left = [np.flatnonzero(mass) for mass in masses]
    if len(left[0]):
        rest = int(masses[0].sum())
        parts = masses[0][left[0]] / rest, masses[1][left[1]] / rest
        plan[np.ix_(*left)] += rest / total * exact_plan(np.ascontiguousarray(cost[np.ix_(*left)]), parts)
    return Moved(float((plan * cost).sum()), plan, cost)
