"""The earth mover's distance between weighted points, with the masses that both sides have at the same
place left where they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.estimators.transport import exact_plan


class DistinctPoints(NamedTuple):
    """Different points, by keys that are equal where points are; how often each is there, and (points, d)
    where it is.
    """

    keys: Array
    counts: Array
    places: Array


class Moved(NamedTuple):
    """The distance, the plan (points of one, points of the other), and the cost per unit of mass."""

    distance: float
    plan: Array
    cost: Array


def moved(one: DistinctPoints, other: DistinctPoints) -> Moved:
    """The least cost of moving one measure, of mass 1, onto the other, by Euclidean distances.

    As these keep the triangle inequality, mass that both have at a point need not move: what is left is a
    smaller problem, and none for equal texts.
    """
    from scipy.spatial.distance import cdist

    cost = cdist(one.places, other.places)
    # In units of 1 / (sum of counts of both): whole numbers, of which what is common can be taken exactly.
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
