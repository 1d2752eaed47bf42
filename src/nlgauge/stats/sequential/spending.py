"""Spending of the level alpha over planned looks, and the numbers of units at which a test looks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError, did_you_mean
from nlgauge.stats.intervals import normal_below, normal_quantile

# No look has fewer units, and planned looks are at least this far apart if there are few units.
FEWEST = 10


def _square(share: float, alpha: float) -> float:
    return alpha * share**2


def _obrien_fleming(share: float, alpha: float) -> float:
    return 2 * normal_below(-normal_quantile(1 - alpha / 2) / math.sqrt(share))


SPENDINGS: Mapping[str, Callable[[float, float], float]] = {"t2": _square, "obf": _obrien_fleming}


def spent(share: float, alpha: float, spending: str = "t2") -> float:
    """Return the part of alpha that may be used when this share of all units has been seen.

    >>> spent(0.5, 0.05), round(spent(0.5, 0.05, "obf"), 6), spent(1.0, 0.05)
    (0.0125, 0.005575, 0.05)
    """
    return SPENDINGS[checked_spending(spending)](share, alpha)


def checked_spending(spending: str) -> str:
    """Return the name of a spending function, or raise an error that lists the names."""
    if spending not in SPENDINGS:
        names = ", ".join(map(repr, SPENDINGS))
        raise ParameterError(
            f"spending must be one of {names}, got {spending!r:.60}{did_you_mean(str(spending), SPENDINGS)}."
        )
    return spending


def look_sizes(units: int, looks: int) -> list[int]:
    """Return the number of units at each look: equal steps, none below ten; fewer looks if there are fewer
    than 40 units.

    >>> look_sizes(40, 8), look_sizes(25, 20), look_sizes(7, 20)
    ([10, 15, 20, 25, 30, 35, 40], [12, 25], [7])
    """
    if units < 4 * FEWEST:
        looks = min(looks, max(1, units // FEWEST))
    return sorted({min(units, max(FEWEST, round(units * look / looks))) for look in range(1, looks + 1)})


def expected_share(
    effect: float, looks: int = 20, alpha: float = 0.05, spending: str = "t2", paths: int = 20_000
) -> tuple[float, float]:
    """Return the expected share of units that a test with planned looks uses, and its power.

    `effect` is the mean of the z statistic of all units. Simulates normal sums with limits that spend alpha.
    """
    times = np.arange(1, looks + 1) / looks
    steps = np.random.default_rng(looks).standard_normal((paths, looks)) / math.sqrt(looks)
    null = np.abs(np.cumsum(steps, axis=1))
    limits = _limits(null, [spent(float(time), alpha, spending) for time in times])
    crossed = np.abs(np.cumsum(steps, axis=1) + effect * times) >= limits
    stopped = np.where(crossed.any(axis=1), np.argmax(crossed, axis=1), looks - 1)
    return float(times[stopped].mean()), float(crossed.any(axis=1).mean())


def _limits(null: Array, levels: list[float]) -> Array:
    """Return the limit of each look that the share `levels` of the paths (rows of `null`) has crossed by then."""
    alive = np.ones(len(null), dtype=bool)
    limits = np.full(len(levels), np.inf)
    for look, level in enumerate(levels):
        quota = math.floor(level * len(null)) - int((~alive).sum())
        if quota > 0:
            limits[look] = np.sort(null[alive, look])[-quota]
            alive &= null[:, look] < limits[look]
    return limits
