"""The mean of human scores from a sample of them, with predictions of all of them as control variate.

There are N values y (the human scores of one system, or the differences of two systems), known only for the
labeled set L, and a prediction h of every one. With weights w = 1 / (probability of being labeled), the estimate
with power lambda is

    theta(lambda) = mean_L,w(y) + lambda (mean_all(h) - mean_L,w(h)),

the difference estimator of survey sampling; the prediction-powered mean of Angelopoulos et al. (2023,
arXiv:2301.09633), and with other powers their PPI++ (arXiv:2311.01453), which takes the mean of h over the
unlabeled values, so that its lambda is (N - n) / N of this lambda. lambda = 0 is the mean of the labels.
Nothing is assumed of h: a bad prediction makes the interval wide, never wrong.

With e = y - lambda h, both centered at their weighted means, and p the probability of the unit u (a segment, a
document) that was drawn as a whole,

    V(lambda) = m / (m - k) * sum_u (1 - p_u) / p_u^2 * (sum_{i in u} e_i)^2 / (sum w)^2        (the variance from drawing labels)
              + the variance of the mean of all N human scores                                    (for new inputs, not only these N)

with m units and k = 1, plus what choosing lambda costs. If all units are as probable, the first line is (1/n
- 1/N) S_e^2 and the second S_y^2 / N, whose sum is PPI++'s S_e^2 / n + lambda^2 S_h^2 / (N - n) written
another way. One lambda is chosen for all R systems, the value that minimizes the sum of their V, within 0 and 1:
with a lambda for each system, as in PPI++, ten labels pay more for it than most metrics are worth. It takes 1
/ R of a degree of freedom from each system, and its own uncertainty adds (mean_all(h) - mean_L(h))^2
Var(lambda), as in the regression estimator.

If few labels are skewed (Cochran's rule: n <= 25 skewness^2), the mean and its standard error depend on each
other, and a t interval misses the mean too often on the side of the tail. Its limit on that side is then moved
by Hall's cubic transformation (1992). The other limit stays: Hall's is nearer, and labels with large values on
both sides have a skewness by chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array

# With fewer units than this the power is mostly noise, and the intervals would cover too seldom.
FEWEST_TO_TUNE = 5


@dataclass(frozen=True)
class Drawn:
    """The sampling design of labels: one entry per value.

    `probabilities` of being labeled matter only for labeled values; `units` are the numbers of the units that
    were drawn together, `clusters` the numbers of the clusters that are independent of each other (documents, or
    the segments themselves).
    """

    labeled: Array
    probabilities: Array
    units: Array
    clusters: Array


@dataclass(frozen=True)
class Summed:
    """The parts of the estimate of one mean, except the power.

    `values` and `predictions` are the sums over each drawn unit, centered and weighted so that their squares
    add up to a variance; `units` counts the units that were drawn at random.
    """

    mean: float
    shift: float
    values: Array
    predictions: Array
    inputs: float
    units: int
    reason: str = ""


class Controlled(NamedTuple):
    """An estimate: its variance from the drawing of labels, its variance as a mean of these N inputs,
    degrees of freedom, the power, a remark, and the skewness of the estimate; 0 if the labels are enough for it.
    """

    estimate: float
    drawing: float
    inputs: float
    degrees: float
    power: float
    reason: str = ""
    skewness: float = 0.0

    @property
    def variance(self) -> float:
        """Variance of the estimate around the estimated mean."""
        return self.drawing + self.inputs

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the interval of the estimated mean.

        >>> low, high = Controlled(0.0, 1.0, 0.0, 39, 0.0, skewness=-0.5).interval(0.95)
        >>> round(low, 2), round(high, 2)
        (-8.25, 2.02)
        """
        from scipy.special import stdtrit

        if not self.variance > 0:
            return self.estimate - self.variance, self.estimate + self.variance
        most = float(stdtrit(self.degrees, (1 + confidence) / 2))
        error = float(np.sqrt(self.variance))
        low, high = (self.estimate - error * _halls(limit, self.skewness) for limit in (most, -most))
        return low, high


def summed(values: Array, predictions: Array, drawn: Drawn, new_inputs: bool) -> Summed:
    """Return the sums over labeled units of values and predictions, one of each per output; only labeled
    `values` are used.
    """
    known = np.flatnonzero(drawn.labeled)
    units, first, by_unit = np.unique(drawn.units[known], return_index=True, return_inverse=True)
    unit_chances = drawn.probabilities[known][first]
    m = int((unit_chances < 1).sum())
    y, h, weights = values[known], predictions[known], 1 / drawn.probabilities[known]
    if len(units) < 2 or m == 1:
        reason = f"{min(len(units), 1)} drawn and labeled; an interval needs at least 2"
        return Summed(float(y.mean()) if len(y) else np.nan, 0.0, np.empty(0), np.empty(0), np.nan, m, reason)
    mean, mean_prediction = float(np.average(y, weights=weights)), float(np.average(h, weights=weights))
    factors = np.sqrt(1 - unit_chances) / unit_chances / weights.sum()
    total_y, total_h = (factors * np.bincount(by_unit, part) for part in (y - mean, h - mean_prediction))
    inputs = (
        _variance_of_all(y - mean, weights, drawn.clusters[known], drawn.units[known]) if new_inputs else 0.0
    )
    # Sums of the same numbers in another order differ by rounding.
    reason = "everything is labeled" if m == 0 else ""
    if m and np.abs(total_y).max() <= 1e-12 * factors.max() * max(np.abs(y).max(), 1e-300):
        reason = f"all {len(units)} labeled units are equal, so their spread is unknown"
        total_y, inputs = np.full(len(units), np.nan), np.nan
    return Summed(mean, float(predictions.mean()) - mean_prediction, total_y, total_h, inputs, m, reason)


def best_power(parts: Iterable[Summed]) -> float:
    """Return the power from 0 to 1 that minimizes the sum of the variances; 0 if too few units are labeled."""
    enough = [part for part in parts if part.units >= FEWEST_TO_TUNE and not np.isnan(part.values).any()]
    squares = sum(float(part.predictions @ part.predictions) for part in enough)
    return (
        float(np.clip(sum(float(part.values @ part.predictions) for part in enough) / squares, 0.0, 1.0))
        if squares > 0
        else 0.0
    )


def controlled(part: Summed, power: float, price: float = 0.0) -> Controlled:
    """Return the estimate with this power; `price` is the number of degrees of freedom that its choice took.

    >>> every = np.arange(4)
    >>> drawn = Drawn(np.array([True, True, False, False]), np.full(4, 0.5), every, every)
    >>> part = summed(np.array([1.0, 2.0, np.nan, np.nan]), np.array([1.0, 2.0, 3.0, 4.0]), drawn, new_inputs=False)
    >>> controlled(part, power=1.0)[:2]
    (2.5, 0.0)
    """
    estimate = part.mean + power * part.shift
    if part.units == 0 and part.reason and not np.isnan(part.inputs):
        return Controlled(part.mean, 0.0, part.inputs, len(part.values) - 1, 0.0, part.reason)
    degrees = part.units - 1 - price
    if degrees <= 0 or np.isnan(part.inputs):
        return Controlled(estimate, np.nan, np.nan, np.nan, power, part.reason)
    left = part.values - power * part.predictions
    rest = float(left @ left)
    squares = float(part.predictions @ part.predictions)
    of_power = price * part.shift**2 * rest / (squares * degrees) if squares > 0 else 0.0
    skewness = _too_skewed(left, part.units)
    return Controlled(
        estimate,
        rest * part.units / degrees + of_power,
        part.inputs,
        degrees,
        power,
        part.reason or _remark(skewness),
        skewness / math.sqrt(part.units),
    )


def _too_skewed(left: Array, units: int) -> float:
    """Return the skewness of the labels if they are too few for it by Cochran's rule, n > 25 skewness^2; else 0.

    A skewness below 1, or below two standard errors of the skewness of normal scores, is no evidence.
    """
    spread = float(np.sqrt(np.mean(left**2)))
    skewness = float(np.mean(left**3)) / spread**3 if spread > 0 else 0.0
    by_chance = 6 * units * (units - 1) / ((units - 2) * (units + 1) * (units + 3)) if units > 2 else math.inf
    is_clear = abs(skewness) > max(1.0, 2 * math.sqrt(by_chance))
    return skewness if is_clear and units <= 25 * skewness**2 else 0.0


def _remark(skewness: float) -> str:
    return (
        f"skewness {skewness:.1f}; below {int(25 * skewness**2) + 1} labels the interval is corrected for it, but may"
        " cover less often than its confidence"
        if skewness
        else ""
    )


def _halls(limit: float, skewness: float) -> float:
    """Return the quantile of a studentized mean whose estimate has this skewness, from that without skewness,
    if it is farther from 0.

    >>> round(_halls(1.96, 0.0), 2), round(_halls(1.96, -0.5), 2), round(_halls(-1.96, -0.5), 2)
    (1.96, 7.67, -1.96)
    """
    if not skewness * limit < 0:
        return limit
    return 3 / skewness * (math.cbrt(1 + skewness * (limit - skewness / 6)) - 1)


def _variance_of_all(y: Array, weights: Array, clusters: Array, units: Array) -> float:
    """Return the variance of the mean of all N values as a sample of independent clusters, from centered labeled
    values.

    Two values of the same cluster count with the probability that both are labeled: the probability of one if
    they were drawn together, else the product.
    """
    names, by_cluster = np.unique(clusters, return_inverse=True)
    alone = float(weights @ y**2)
    together = alone
    if len(names) < len(y):
        same_unit = np.unique(units, return_inverse=True)[1]
        sums = np.bincount(same_unit, np.sqrt(weights) * y)
        apart = (
            np.square(np.bincount(by_cluster, weights * y)).sum()
            - np.square(np.bincount(same_unit, weights * y)).sum()
        )
        together = max(alone, float(np.square(sums).sum() + apart))
    return together / float(weights.sum()) ** 2 * len(names) / max(len(names) - 1, 1)
