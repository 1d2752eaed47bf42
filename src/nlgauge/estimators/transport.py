"""Optimal transport: exact plans, entropic ones between uniform measures, and barycentres; POT does what
is combinatorial.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import MissingExtraError

_MOST_PIVOTS = 10_000_000
_MOST_ITERATIONS = 1000
_MOST_STEPS = 100
_PRECISION = 1e-10
_ROUGH = 1e-3
# Keeps the curvature from being singular where the plan is a permutation but for rounding.
_LEAST_DAMPING = 1e-12


def transport_module() -> Any:
    """POT, or an error that says how to install it."""
    try:
        return importlib.import_module("ot")
    except ImportError:
        raise MissingExtraError("POT", "ot", "optimal transport") from None


def uniform(cost: Array) -> tuple[Array, Array]:
    """The uniform measures on the rows and on the columns of a matrix."""
    rows, columns = cost.shape
    return np.full(rows, 1 / rows), np.full(columns, 1 / columns)


def exact_plan(cost: Array, masses: tuple[Array, Array] | None = None) -> Array:
    """The plan T with the least cost <T, C> between measures, whose masses on rows and columns sum to the
    same; uniform ones where none are given.

    >>> exact_plan(np.array([[0.0, 1.0], [1.0, 0.0]]), (np.array([0.75, 0.25]), np.array([0.5, 0.5]))).tolist()
    [[0.5, 0.25], [0.0, 0.25]]
    """
    rows, columns = uniform(cost) if masses is None else masses
    found: Array = transport_module().emd(rows, columns, cost, numItermax=_MOST_PIVOTS)
    return found


def entropic_plan(cost: Array, regularisation: float) -> Array | None:
    """The plan T between uniform measures with the least <T, C> - regularisation * entropy(T), which
    Sinkhorn's iterations tend to; None if unfound.

    Those iterations need millions of steps where the plan is nearly a permutation, as it is for two similar
    texts. Here Newton's method, damped as Levenberg and Marquardt do, climbs the same concave dual with the
    columns' potentials eliminated, from a large regularisation down to the one asked for, each time from
    where it was before.

    >>> plan = entropic_plan(np.array([[0.0, 1.0], [1.0, 0.0]]), 1.0)
    >>> round(float(plan[0, 0] / plan[0, 1]), 6)  # exp(1)
    2.718282
    """
    halvings = max(0, math.ceil(math.log2(max(float(cost.max()), 1e-300) / regularisation)))
    potential, plan = np.zeros(len(cost)), None
    for k in range(halvings, -1, -1):
        potential, plan = _climb(cost, regularisation * 2.0**k, potential, _PRECISION if k == 0 else _ROUGH)
    return plan


def _climb(
    cost: Array, regularisation: float, potential: Array, precision: float
) -> tuple[Array, Array | None]:
    """The row potentials that maximise the dual, and the plan, whose rows sum as they must within a
    precision; None if that was not reached.
    """
    rows, columns = uniform(cost)
    damping = 1e-3
    value, plan = _dual(cost, regularisation, potential)
    for _ in range(_MOST_STEPS):
        sums = plan.sum(axis=1)
        missing = rows - sums
        if np.abs(missing).sum() < precision:
            return potential, plan
        # The dual does not change when a constant is added to all potentials: the last term keeps their mean.
        curvature = np.diag(sums + damping * rows) - (plan / columns) @ plan.T + np.outer(rows, rows)
        step = regularisation * np.linalg.solve(curvature, missing)
        new_value, new_plan = _dual(cost, regularisation, potential + step)
        nearer = np.abs(rows - new_plan.sum(axis=1)).sum() < np.abs(missing).sum()
        # At the top the value changes by rounding alone.
        if new_value > value or (nearer and new_value > value - 1e-13 * (abs(value) + regularisation)):
            potential, value, plan, damping = (
                potential + step,
                new_value,
                new_plan,
                max(damping / 10, _LEAST_DAMPING),
            )
        else:
            damping = max(10 * damping, 1e-6)
    return potential, None


def _dual(cost: Array, regularisation: float, potential: Array) -> tuple[float, Array]:
    """The dual objective with the best column potentials, and the plan of both, whose columns sum as they
    must.
    """
    rows, columns = uniform(cost)
    exponents = (potential[:, None] - cost) / regularisation
    top = exponents.max(axis=0)
    masses = np.exp(exponents - top)
    sums = masses.sum(axis=0)
    others = regularisation * (np.log(columns) - top - np.log(sums))
    return float(rows @ potential + columns @ others), masses / sums * columns


def barycentre(measures: Array, start: Array) -> Array:
    """(points, d) of the uniform measure with the least sum of squared Wasserstein distances to others
    (measures, points, d), a local minimum.
    """
    weights = np.full(measures.shape[1], 1 / measures.shape[1])
    found: Array = transport_module().lp.free_support_barycenter(
        list(measures),
        [weights] * len(measures),
        start,
        b=np.full(len(start), 1 / len(start)),
        numItermax=_MOST_ITERATIONS,
    )
    return found
