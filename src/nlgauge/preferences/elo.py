"""Elo ratings: the mean over random orders of the comparisons, because one rating depends on the order."""

from __future__ import annotations

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.preferences.verdicts import Verdicts

ORDERS = 100
_START, _SCALE, _STEP = 1000.0, 400.0, 4.0


def elo(verdicts: Verdicts, orders: Array) -> Array:
    """Return (B, S) the ratings after all comparisons, in each of B orders (B, N)."""
    systems, count = len(verdicts.systems), len(orders)
    ratings = np.full(count * systems, _START)
    rows = systems * np.arange(count)
    wins = verdicts.outcomes[:, 0] + verdicts.outcomes[:, 1] / 2
    for numbers in np.ascontiguousarray(orders.T):
        first, second = rows + verdicts.first[numbers], rows + verdicts.second[numbers]
        expected = 1 / (1 + 10 ** ((ratings[second] - ratings[first]) / _SCALE))
        change = _STEP * (wins[numbers] - expected)
        ratings[first] += change
        ratings[second] -= change
    return ratings.reshape(count, systems)


def random_elo(verdicts: Verdicts, seed: int) -> tuple[Array, Array]:
    """Return the mean rating of each system over random orders, and the standard deviation between orders."""
    orders = np.tile(np.arange(len(verdicts), dtype=np.int32), (ORDERS, 1))
    ratings = elo(verdicts, np.random.default_rng(seed).permuted(orders, axis=1))
    return ratings.mean(axis=0), ratings.std(axis=0, ddof=1)
