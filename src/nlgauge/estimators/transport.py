"""Optimal transport: exact plans, entropic plans between uniform measures, and barycenters.

Exact plans and barycenters are computed by POT.
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
# This makes the curvature invertible if the plan is a permutation except for rounding.
_LEAST_DAMPING = 1e-12


def transport_module() -> Any:
    """Return the module of POT; raise MissingExtraError if it is not installed."""
    try:
        return importlib.import_module("ot")
    except ImportError:
        raise MissingExtraError("POT", "ot", "optimal transport") from None


def uniform(cost: Array) -> tuple[Array, Array]:
    """Return the uniform measures on the rows and on the columns of a matrix."""
    rows, columns = cost.shape
    return np.full(rows, 1 / rows), np.full(columns, 1 / columns)


def exact_plan(cost: Array, masses: tuple[Array, Array] | None = None) -> Array:
    """Return the plan T with the least cost <T, C> between two measures; by default uniform measures.

    `masses` are the masses of the rows and of the columns; their sums must be equal.

    >>> exact_plan(np.array([[0.0, 1.0], [1.0, 0.0]]), (np.array([0.75, 0.25]), np.array([0.5, 0.5]))).tolist()
    [[0.5, 0.25], [0.0, 0.25]]
    """
    rows, columns = uniform(cost) if masses is None else masses
    plan: Array = transport_module().emd(rows, columns, cost, numItermax=_MOST_PIVOTS)
    return plan


def entropic_plan(cost: Array, regularization: float) -> Array | None:
    """Return the plan T between uniform measures with the least <T, C> - regularization * entropy(T).

    It is the limit of Sinkhorn's iterations; None if the method does not converge. Sinkhorn's iterations need
    millions of steps if the plan is nearly a permutation, which is common for two similar texts. This
    function instead maximizes the same concave dual, without the column potentials, by Newton's method with
    the damping of Levenberg and Marquardt. It starts with a large regularization and halves it down to
    `regularization`; each solution is the start of the next.

    >>> plan = entropic_plan(np.array([[0.0, 1.0], [1.0, 0.0]]), 1.0)
    >>> round(float(plan[0, 0] / plan[0, 1]), 6)  # exp(1)
    2.718282
    """
    halvings = max(0, math.ceil(math.log2(max(float(cost.max()), 1e-300) / regularization)))
    potential, plan = np.zeros(len(cost)), None
    for k in range(halvings, -1, -1):
        potential, plan = _climb(cost, regularization * 2.0**k, potential, _PRECISION if k == 0 else _ROUGH)
    return plan


def _climb(
    cost: Array, regularization: float, potential: Array, precision: float
) -> tuple[Array, Array | None]:
    """Return the row potentials that maximize the dual, and the plan.

    The plan is None if its row sums did not converge to the masses within `precision`.
    """
    rows, columns = uniform(cost)
    damping = 1e-3
    value, plan = _dual(cost, regularization, potential)
    for _ in range(_MOST_STEPS):
        sums = plan.sum(axis=1)
        missing = rows - sums
        if np.abs(missing).sum() < precision:
            return potential, plan
        # The dual does not change if a constant is added to all potentials; the last term fixes their mean.
        curvature = np.diag(sums + damping * rows) - (plan / columns) @ plan.T + np.outer(rows, rows)
        step = regularization * np.linalg.solve(curvature, missing)
        new_value, new_plan = _dual(cost, regularization, potential + step)
        nearer = np.abs(rows - new_plan.sum(axis=1)).sum() < np.abs(missing).sum()
        # At the maximum the value changes only by rounding.
        if new_value > value or (nearer and new_value > value - 1e-13 * (abs(value) + regularization)):
            potential, value, plan, damping = (
                potential + step,
                new_value,
                new_plan,
                max(damping / 10, _LEAST_DAMPING),
            )
        else:
            damping = max(10 * damping, 1e-6)
    return potential, None


def _dual(cost: Array, regularization: float, potential: Array) -> tuple[float, Array]:
    """Return the dual objective with the best column potentials, and the plan with exact column sums."""
    rows, columns = uniform(cost)
    exponents = (potential[:, None] - cost) / regularization
    top = exponents.max(axis=0)
    masses = np.exp(exponents - top)
    sums = masses.sum(axis=0)
    others = regularization * (np.log(columns) - top - np.log(sums))
    return float(rows @ potential + columns @ others), masses / sums * columns


def barycenter(measures: Array, start: Array) -> Array:
    """Return the points (points, d) of the barycenter of uniform measures.

    It has the least sum of squared Wasserstein distances to `measures` (measures, points, d), as a local
    minimum that depends on `start`.
    """
    weights = np.full(measures.shape[1], 1 / measures.shape[1])
    points: Array = transport_module().lp.free_support_barycenter(
        list(measures),
        [weights] * len(measures),
        start,
        b=np.full(len(start), 1 / len(start)),
        numItermax=_MOST_ITERATIONS,
    )
    return points
