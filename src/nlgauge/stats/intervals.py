"""Intervals of coefficients: by Fisher's z with the variances of Bonett and Wright, of differences by Zou,
and by the bootstrap.

Fisher-Bonett-Wright   tanh(atanh r +- q c / sqrt(n - b)): Pearson b = 3, c = 1; Spearman b = 3, c = sqrt(1 +
r^2 / 2); Kendall b = 4, c = sqrt(.437)
Zou                    the difference of two correlations with the same third variable, from both intervals and the correlation of the estimates
bootstrap              quantiles of the replicates (percentile), or quantiles adjusted for bias and
acceleration (BCa)
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError

_FISHER = {"pearson": 3, "spearman": 3, "kendall": 4}


class Bounds(NamedTuple):
    """An interval, and how many replicates were not defined and so left out."""

    low: float
    high: float
    n_undefined: int = 0


_UNKNOWN = Bounds(math.nan, math.nan)


def fisher(r: float, n: int, coefficient: str = "pearson", confidence: float = 0.95) -> Bounds:
    """Return the interval of one correlation of n points; NaN for too few points, or r of -1 or 1.

    >>> [round(bound, 6) for bound in fisher(0.6, 17)[:2]]
    [0.167725, 0.838758]
    """
    if coefficient not in _FISHER:
        raise ParameterError(
            f"Fisher's interval is defined for {', '.join(_FISHER)}, got {coefficient!r:.60}; use a bootstrap"
            " interval."
        )
    least = _FISHER[coefficient]
    if n <= least or math.isnan(r) or abs(r) >= 1:
        return _UNKNOWN
    factor = {"pearson": 1.0, "spearman": math.sqrt(1 + r * r / 2), "kendall": math.sqrt(0.437)}[coefficient]
    half = quantile(check_confidence(confidence)) * factor / math.sqrt(n - least)
    return Bounds(math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))


def zou(r12: float, r13: float, r23: float, n: int, confidence: float = 0.95) -> Bounds:
    """Return the interval of r12 - r13 (two metrics, 2 and 3, with the same human scores, 1), r23 the
    correlation of the metrics.

    >>> [round(bound, 4) for bound in zou(0.396, 0.179, 0.088, 66)[:2]]
    [-0.0929, 0.5168]
    """
    (low2, high2, _), (low3, high3, _) = (fisher(r, n, "pearson", confidence) for r in (r12, r13))
    if math.isnan(low2 + low3 + r23):
        return _UNKNOWN
    between = (r23 - r12 * r13 / 2) * (1 - r12**2 - r13**2 - r23**2) + r23**3
    correlation = between / ((1 - r12**2) * (1 - r13**2))

    def reach(a: float, b: float) -> float:
        return math.sqrt(max(0.0, a * a + b * b - 2 * correlation * a * b))

    difference = r12 - r13
    return Bounds(difference - reach(r12 - low2, high3 - r13), difference + reach(high2 - r12, r13 - low3))


def percentile(replicates: Array, confidence: float = 0.95) -> Bounds:
    """Return the middle share of the replicates; NaN replicates are left out and counted."""
    return _quantiles(replicates, (1 - check_confidence(confidence)) / 2, (1 + confidence) / 2)


def bca(replicates: Array, value: float, left_out: Array, confidence: float = 0.95) -> Bounds:
    """Return the interval that corrects for bias and skewness (Efron).

    `value` is the estimate, `left_out` the estimates without one system or one input. If both systems and
    inputs are drawn, `left_out` contains both kinds one after the other (see `resampling.leave_one_out`).
    """
    known = replicates[~np.isnan(replicates)]
    gone = int(np.isnan(replicates).sum())
    jackknife = left_out[~np.isnan(left_out)]
    if not len(known) or math.isnan(value) or len(jackknife) < 2:
        return Bounds(math.nan, math.nan, gone)
    below = (np.sum(known < value - 1e-12) + 0.5 * np.sum(np.abs(known - value) <= 1e-12)) / len(known)
    spread = jackknife.mean() - jackknife
    squares = float((spread**2).sum())
    if not 0 < below < 1 or squares == 0:
        return percentile(replicates, confidence)
    bias, acceleration = normal_quantile(float(below)), float((spread**3).sum()) / (6 * squares**1.5)
    reach = quantile(check_confidence(confidence))
    shares = [
        normal_below(bias + (bias + side) / (1 - acceleration * (bias + side))) for side in (-reach, reach)
    ]
    return _quantiles(replicates, *shares)


def _quantiles(replicates: Array, low: float, high: float) -> Bounds:
    known = replicates[~np.isnan(replicates)]
    gone = len(replicates) - len(known)
    if not len(known):
        return Bounds(math.nan, math.nan, gone)
    return Bounds(*quantiles(known, low, high), gone)


def quantiles(samples: Array, low: float, high: float) -> tuple[float, float]:
    """Return two quantiles of samples; NaN if any sample is NaN."""
    # Between an infinite value and another there is nothing to interpolate.
    method: Literal["linear", "inverted_cdf"] = "linear" if np.isfinite(samples).all() else "inverted_cdf"
    bounds = np.quantile(samples, [low, high], method=method)
    return float(bounds[0]), float(bounds[1])


def few_units_factor(confidence: float, units: float) -> float:
    """Return the factor from a percentile interval of few units to an interval with the width of Student's
    distribution; 1 for one unit.

    The spread of a bootstrap of n units is too small by sqrt((n - 1) / n), and its tails are normal.

    >>> round(few_units_factor(0.95, 12), 3), round(few_units_factor(0.95, 1000), 3)
    (1.173, 1.002)
    """
    from scipy.special import stdtrit

    if units <= 1:
        return 1.0
    reach = math.sqrt(units / (units - 1)) * float(stdtrit(units - 1, (1 + confidence) / 2))
    return reach / quantile(confidence)


def wilson(count: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval of a share; NaN for n = 0.

    >>> [round(bound, 4) for bound in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    if n == 0:
        return math.nan, math.nan
    z2 = quantile(check_confidence(confidence)) ** 2
    share = count / n
    center, half = share + z2 / (2 * n), math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n)))
    return max(0.0, (center - half) / (1 + z2 / n)), min(1.0, (center + half) / (1 + z2 / n))


def wilson_of_groups(hits: Array, groups: Array, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval of a share whose hits come in groups that are alike.

    The number of hits is divided by the design effect: the variance of the share between groups over its variance if all hits
    were independent. If each hit is a group, it is Wilson's interval; if all hits are equal, each group counts once.

    >>> hits, groups = np.array([1, 1, 1, 1, 0, 0, 1, 1, 0, 0]), np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    >>> [round(bound, 3) for bound in wilson_of_groups(hits, groups)]
    [0.205, 0.897]
    >>> wilson_of_groups(hits, np.arange(10)) == wilson(6, 10)
    True
    """
    n = len(hits)
    _, places = np.unique(groups, return_inverse=True)
    count = int(places.max()) + 1 if n else 0
    if count == n:
        return wilson(int(np.sum(hits)), n, confidence)
    share = float(np.mean(hits))
    if share in (0.0, 1.0):
        return wilson(share * count, count, confidence)
    if count == 1:
        return 0.0, 1.0
    between = np.bincount(places, np.asarray(hits, dtype=np.float64) - share)
    variance = count / (count - 1) * float(between @ between) / n**2
    # Groups may be less alike than independent hits by chance, which is no information.
    effect = max(1.0, variance / (share * (1 - share) / n))
    return wilson(share * n / effect, n / effect, confidence)


def check_confidence(confidence: float, name: str = "confidence") -> float:
    """Return the confidence (or another share, such as alpha), or raise an error that names it."""
    if not isinstance(confidence, int | float) or isinstance(confidence, bool) or not 0 < confidence < 1:
        raise ParameterError(f"{name} must be between 0 and 1, got {confidence!r:.60}.")
    return confidence


def quantile(confidence: float) -> float:
    """Return the number of standard deviations around the mean that cover this share of a normal distribution.

    >>> round(quantile(0.95), 6)
    1.959964
    """
    return normal_quantile((1 + confidence) / 2)


def normal_quantile(share: float) -> float:
    """Return the normal quantile of a share."""
    from scipy.special import ndtri

    return float(ndtri(share))


def normal_below(value: float) -> float:
    """Return the share of the normal distribution below a value."""
    return math.erfc(-value / math.sqrt(2)) / 2
