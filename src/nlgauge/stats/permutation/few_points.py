"""Exact p-values of coefficients over few points.

If a metric and people have nothing to do with each other, each of the n! assignments of the n values of z to the n
values of x is equally likely, with the ties that the values have. p is the share of assignments whose coefficient
is at least as far from 0 as the coefficient of the data. Doubling the smaller tail is another two-sided p; with ties the
tails differ, and only the share of both tails never grows if a coefficient moves away from 0.

Sums of products (Pearson, and Spearman of mid-ranks) split the points into two halves: the sum of each half is computed
once for each set of values, and the sums of both halves are added. C - D (Kendall) is counted from the lowest value of
x to the highest.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from itertools import combinations, pairwise, permutations
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array

# Up to this number of points all assignments are counted: 10! in 15 ms. Above, approximations are close.
FEW = 10
# Coefficients of two assignments that differ by less than this differ by rounding.
_SLACK = 1e-9


class _Halves(NamedTuple):
    """All assignments of n values to two halves of the points: sets of places of values, and orders within a half."""

    lower: Array
    upper: Array
    lower_orders: Array
    upper_orders: Array


def p_of_products(x: Array, z: Array) -> float:
    """Return the two-sided p of Pearson's correlation of two sides of at most `FEW` points, none missing or constant.

    >>> round(p_of_products(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])), 4)
    0.3333
    """
    x, z = _unit(x), _unit(z)
    halves = _halves(len(x))
    half = halves.lower.shape[1]
    lower = z[halves.lower][:, halves.lower_orders] @ x[:half]
    upper = z[halves.upper][:, halves.upper_orders] @ x[half:]
    least = abs(float(x @ z)) - _SLACK
    far = sum(
        int(np.count_nonzero(np.abs(np.add.outer(one, other)) >= least))
        for one, other in zip(lower, upper, strict=True)
    )
    return far / (lower.size * int(upper.shape[1]))


def p_of_pairs(x: Array, z: Array, score: float) -> float:
    """Return the two-sided p of C - D of two sides of at most `FEW` points, none missing.

    >>> p_of_pairs(np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0]), 2)
    0.6666666666666666
    """
    runs = sorted((tuple(np.unique(side, return_counts=True)[1].tolist()) for side in (x, z)), key=len)
    # The side with fewer distinct values has fewer states.
    orders = _orders_by_score(blocks=runs[1], levels=runs[0])
    middle = len(orders) // 2
    far = np.abs(np.arange(len(orders)) - middle) >= abs(score)
    return float(orders[far].sum() / orders.sum())


def _unit(values: Array) -> Array:
    """Return the values with mean 0 and a sum of squares of 1."""
    centered = values / np.abs(values).max()
    centered = centered - centered.mean()
    unit: Array = centered / np.sqrt(centered @ centered)
    return unit


@lru_cache(maxsize=FEW)
def _halves(n: int) -> _Halves:
    half = n // 2
    lower = np.array(list(combinations(range(n), half)), dtype=np.intp).reshape(-1, half)
    upper = np.array([np.setdiff1d(np.arange(n), places) for places in lower], dtype=np.intp)
    orders = (np.array(list(permutations(range(size))), dtype=np.intp) for size in (half, n - half))
    return _Halves(lower, upper, *orders)


@lru_cache(maxsize=256)
def _orders_by_score(blocks: tuple[int, ...], levels: tuple[int, ...]) -> Array:
    """Return the number of assignments with each C - D, from the smallest possible one to the largest.

    The values of one side come in `blocks` of equal values, the values of the other in `levels`, lowest first.
    """
    n = sum(blocks)
    pairs = n * (n - 1) // 2
    orders = np.zeros(2 * pairs + 1)
    orders[pairs] = 1.0
    states = {(0,) * len(levels): orders}
    for size in blocks:
        grown: dict[tuple[int, ...], Array] = defaultdict(lambda: np.zeros(2 * pairs + 1))
        for used, orders in states.items():
            before = np.cumsum((0, *used)).tolist()
            # Pairs with earlier values: concordant if these are lower on the other side as well.
            gains = [lower + upper - before[-1] for lower, upper in pairwise(before)]
            left = [level for level, whole in enumerate(levels) for _ in range(whole - used[level])]
            for drawn in combinations(left, size):
                now = list(used)
                for level in drawn:
                    now[level] += 1
                grown[tuple(now)] += np.roll(orders, sum(gains[level] for level in drawn))
        states = grown
    return states[tuple(levels)]
