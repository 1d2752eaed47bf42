"""Sizes of test sets: how many units, answers and judge runs show a difference of two systems.

The variance of the difference of two means over n units is V(a, j) / n, with a answers per segment and system,
and j judge runs per answer:

    V(a, j) = items^2 + (2 / a) (answers^2 + judge^2 / j)
    n       = V(a, j) ((z_{1 - alpha / 2} + z_power) / detect)^2, rounded up

`items` is the standard deviation of the true difference between the systems over units, `answers` of answers to
the same segment, and `judge` of judge runs on the same answer. If documents are the units, a document has
`per_unit` segments, and `items` is the standard deviation of the difference over documents.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from nlgauge.stats.intervals import normal_quantile

# Answers and judge runs among which the cheapest plan is searched.
MOST = 20


class Spread(NamedTuple):
    """Standard deviations of items, answers and judge runs; NaN if unknown: the number of answers or judge
    runs is then fixed.
    """

    items: float
    answers: float = math.nan
    judge: float = math.nan
    per_unit: float = 1.0

    def variance(self, answers: int, runs: int) -> float:
        """Return the variance of the difference of one unit."""
        noise = _square(self.answers) + _square(self.judge) / runs
        return self.items**2 + 2 / answers * noise / self.per_unit


class Prices(NamedTuple):
    """Costs of a segment, of an answer to it, and of a judge run on an answer."""

    item: float = 0.0
    answer: float = 0.0
    judge: float = 0.0

    def cost(self, segments: float, answers: int, runs: int) -> float:
        """Return the cost of this number of segments for two systems."""
        return segments * (self.item + 2 * answers * (self.answer + runs * self.judge))


class PlanRow(NamedTuple):
    """A plan: answers per segment and system, judge runs per answer, units, requests to the judge, cost.

    `cost` is NaN without prices.
    """

    answers: int
    judge_runs: int
    units: int
    requests: int
    cost: float = math.nan


class Target(NamedTuple):
    """A difference to detect with a power, by a two-sided test at the level alpha."""

    detect: float
    power: float = 0.8
    alpha: float = 0.05

    @property
    def effect(self) -> float:
        """The mean of the z statistic that has this power."""
        return normal_quantile(1 - self.alpha / 2) + normal_quantile(self.power)

    def units(self, variance: float) -> int:
        """Return the number of units that detect the difference with the power; two at least.

        >>> Target(0.05).units(Spread(0.15, 0.20, 0.15).variance(1, 1))
        464
        """
        # A variance that gives a whole number must not be rounded up because of its last digit.
        return max(2, math.ceil(variance * (self.effect / self.detect) ** 2 * (1 - 1e-12)))


def plan_row(
    spread: Spread, target: Target, answers: int, runs: int, prices: Prices | None, inflation: float = 1.0
) -> PlanRow:
    """Return the plan with these numbers of answers and judge runs."""
    units = math.ceil(target.units(spread.variance(answers, runs)) * inflation)
    segments = units * spread.per_unit
    cost = math.nan if prices is None else prices.cost(segments, answers, runs)
    return PlanRow(answers, runs, units, math.ceil(segments * 2 * answers * runs - 1e-9), cost)


def plan_rows(
    spread: Spread,
    target: Target,
    answers: Iterable[int],
    runs: Iterable[int],
    prices: Prices | None = None,
    inflation: float = 1.0,
) -> list[PlanRow]:
    """Return the plans for all combinations of answers and judge runs whose standard deviations are known."""
    combinations = _combinations(spread, sorted({*answers}), sorted({*runs}))
    return [plan_row(spread, target, a, j, prices, inflation) for a, j in combinations]


def cheapest(spread: Spread, target: Target, prices: Prices, inflation: float = 1.0) -> PlanRow:
    """Return the cheapest plan with up to 20 answers and 20 judge runs."""
    numbers = range(1, MOST + 1)
    return min(plan_rows(spread, target, numbers, numbers, prices, inflation), key=lambda row: row.cost)


def best_runs(spread: Spread, prices: Prices) -> float:
    """Return the number of judge runs per answer that is cheapest, whatever the other numbers are, as a real
    number.

    >>> best_runs(Spread(0.15, 0.20, 0.40), Prices(0.5, 0.02, 0.01))
    2.8284271247461903
    """
    return math.sqrt(spread.judge**2 * prices.answer / (spread.answers**2 * prices.judge))


def _combinations(spread: Spread, answers: list[int], runs: list[int]) -> Iterator[tuple[int, int]]:
    repeats_answers = not math.isnan(spread.answers)
    repeats_runs = not math.isnan(spread.judge) and spread.judge > 0
    for a in answers if repeats_answers else [1]:
        for j in runs if repeats_runs else [1]:
            yield a, j


def _square(deviation: float) -> float:
    return 0.0 if math.isnan(deviation) else deviation**2
