"""The share of positive units from an imperfect judge of all units and labels of some: Rogan and Gladen's estimate.

With the judge's rate p over all N units, its sensitivity se and specificity sp over the labeled units, and J = se +
sp - 1, the estimate is theta = (p + sp - 1) / J. If everything is labeled, it is the mean of the labels. The
influence of unit i (a its verdict, h its label, r = 1 if it is labeled, means over all units) is

    psi = (a - p) / J + (1 - theta) / J * r (1 - h) ((1 - a) - sp) / mean(r (1 - h)) - theta / J * r h (a - se) / mean(r h),

and the variance is sum over clusters (sum of psi in the cluster)^2 / N^2. It includes the overlap of labeled and
judged units, which the usual formula treats as independent.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.stats.intervals import check_confidence, quantile

# A judge whose J may be below this has no corrected rate: the correction divides by J.
LEAST_J = 0.1


class CorrectedRate(NamedTuple):
    """A corrected rate with its interval, within 0 and 1; NaN with a reason if it is not defined."""

    value: float
    low: float
    high: float
    standard_error: float
    sensitivity: float
    specificity: float
    reason: str = ""


def rogan_gladen(
    judge: Array, human: Array, clusters: Array | None = None, confidence: float = 0.95
) -> CorrectedRate:
    """Return Rogan and Gladen's estimate of the share of positive labels.

    Parameters
    ----------
    judge : ndarray of shape (N,)
        Verdicts, 0 or 1.
    human : ndarray of shape (N,)
        Labels, 0 or 1; NaN if a unit is not labeled.
    clusters : ndarray of shape (N,), optional
        Number of the cluster of each unit; units of a cluster may be alike. Default: every unit is a cluster.
    confidence : float, default 0.95
        Confidence of the interval.

    Returns
    -------
    CorrectedRate
        The estimate; not defined if labels of a class are missing, or if the lower bound of J is below 0.1.

    Examples
    --------
    >>> rate = rogan_gladen(np.array([1.0, 1, 0, 0]), np.array([1.0, 0, 0, 0]), confidence=0.5)
    >>> round(rate.value, 6), round(rate.specificity, 3)
    (0.25, 0.667)
    """
    errors = _errors(judge, human, clusters, confidence)
    if errors.reason:
        return _undefined(errors)
    rate = float(judge.mean())
    value = (rate + errors.specificity - 1) / errors.informed
    influence = judge - rate + (1 - value) * errors.on_specificity - value * errors.on_sensitivity
    return _interval(value, influence / errors.informed, errors, clusters, confidence, 0.0)


def rogan_gladen_difference(
    judge: Array, human: Array, is_first: Array, clusters: Array, confidence: float = 0.95
) -> CorrectedRate:
    """Return the difference of the shares of two systems, if the judge's errors are equal for both.

    Parameters
    ----------
    judge : ndarray of shape (N,)
        Verdicts on both systems, 0 or 1.
    human : ndarray of shape (N,)
        Labels, 0 or 1; NaN if a unit is not labeled.
    is_first : ndarray of shape (N,)
        True for units of the first system.
    clusters : ndarray of shape (N,)
        Number of the cluster of each unit, such as its segment.
    confidence : float, default 0.95
        Confidence of the interval.

    Returns
    -------
    CorrectedRate
        (p_first - p_second) / J, with sensitivity and specificity over the labels of both systems.
    """
    errors = _errors(judge, human, clusters, confidence)
    if errors.reason:
        return _undefined(errors)
    value, influence = 0.0, np.zeros(len(judge))
    for mask, sign in ((is_first, 1.0), (~is_first, -1.0)):
        rate = float(judge[mask].mean())
        value += sign * rate / errors.informed
        influence += sign * mask * (judge - rate) / mask.mean()
    influence -= value * (errors.on_sensitivity + errors.on_specificity)
    return _interval(value, influence / errors.informed, errors, clusters, confidence, -1.0)


class _Errors(NamedTuple):
    """Sensitivity and specificity, the influence of each unit on both, J, and why a correction is not defined."""

    sensitivity: float
    specificity: float
    on_sensitivity: Array
    on_specificity: Array
    reason: str = ""

    @property
    def informed(self) -> float:
        return self.sensitivity + self.specificity - 1


def _errors(judge: Array, human: Array, clusters: Array | None, confidence: float) -> _Errors:
    labeled = ~np.isnan(human)
    positive, negative = labeled & (human == 1), labeled & (human == 0)
    if not (positive.any() and negative.any()):
        rates = [
            float(hits[mask].mean()) if mask.any() else math.nan
            for hits, mask in ((judge, positive), (1 - judge, negative))
        ]
        missing = "negative" if positive.any() else "positive"
        return _Errors(rates[0], rates[1], judge, judge, f"no {missing} labels")
    sensitivity, specificity = float(judge[positive].mean()), float(1 - judge[negative].mean())
    errors = _Errors(
        sensitivity,
        specificity,
        positive * (judge - sensitivity) / positive.mean(),
        negative * ((1 - judge) - specificity) / negative.mean(),
    )
    spread = _standard_error(errors.on_sensitivity + errors.on_specificity, clusters)
    least = errors.informed - quantile(check_confidence(confidence)) * spread
    if least >= LEAST_J:
        return errors
    if least > 0:
        return errors._replace(
            reason=f"sensitivity + specificity - 1 may be as low as {least:.2f}; label more"
        )
    return errors._replace(
        reason=f"the judge is no better than chance (sensitivity {sensitivity:.3f}, specificity"
        f" {specificity:.3f}); only the labels count"
    )


def _interval(
    value: float, influence: Array, errors: _Errors, clusters: Array | None, confidence: float, least: float
) -> CorrectedRate:
    """Return the estimate with its interval, both between `least` and 1."""
    error = _standard_error(influence, clusters)
    reach = quantile(confidence) * error
    numbers = [min(1.0, max(least, number)) for number in (value, value - reach, value + reach)]
    return CorrectedRate(numbers[0], numbers[1], numbers[2], error, errors.sensitivity, errors.specificity)


def _undefined(errors: _Errors) -> CorrectedRate:
    unknown = math.nan
    return CorrectedRate(
        unknown, unknown, unknown, unknown, errors.sensitivity, errors.specificity, errors.reason
    )


def _standard_error(influence: Array, clusters: Array | None) -> float:
    sums = influence if clusters is None else np.bincount(clusters, influence)
    return float(np.sqrt(np.square(sums).sum())) / len(influence)
