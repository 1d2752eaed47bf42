"""Highest agreement with human scores that a metric could reach at a level: the ceiling, the reliability and the
correction of `nlgauge.stats.agreement`, by measure.
"""

from __future__ import annotations

import math

from nlgauge._core.ragged import Array
from nlgauge.stats.agreement import disattenuated as without_noise
from nlgauge.stats.agreement import noise_ceiling
from nlgauge.stats.agreement import reliability as reliability_of_mean
from nlgauge.stats.levels import Scores
from nlgauge.stats.measures import Measure, measure

# Correction for attenuation is derived for these; the others are not ratios of a covariance to standard
# deviations.
_ATTENUATED = ("pearson", "spearman", "pdp")


def ceiling(one: Measure, level: str, ratings: Array, weights: Array | None = None) -> float:
    """Return the agreement of one annotator with the mean of the others, averaged over annotators; NaN for
    fewer than two.

    `ratings` is (S, N, annotators).
    """
    return noise_ceiling(ratings, lambda x, z: one.value(level, Scores(x, z, weights)).value)


def reliability(
    level: str, ratings: Array, coefficient: str = "pearson", weights: Array | None = None
) -> float:
    """Return the share of the mean rating's variance at a level that is not noise: Spearman-Brown of the mean
    correlation between annotators.
    """
    one = measure(coefficient)
    return reliability_of_mean(ratings, lambda x, z: one.value(level, Scores(x, z, weights)).value)


def disattenuated(value: float, coefficient: str, reliable: float) -> float:
    """Return the correlation with human scores without noise, r / sqrt(reliability), not capped; NaN for
    measures that are not correlations.
    """
    return without_noise(value, reliable).uncapped if coefficient in _ATTENUATED else math.nan
