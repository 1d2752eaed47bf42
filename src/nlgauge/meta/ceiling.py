"""How well a metric could agree with people at best: their agreement with each other, and what noise in their scores takes away."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from nlgauge.corpus.columns import Array
from nlgauge.meta.arrays import mean_of_known
from nlgauge.meta.measures import Measure, measure

# Correction for attenuation is derived for these; the others are not ratios of a covariance to standard deviations.
_ATTENUATED = ("pearson", "spearman", "pdp")


def ceiling(one: Measure, level: str, ratings: Array, weights: Array | None = None) -> float:
    """One annotator against the mean of the others, the mean over annotators; NaN for fewer than two. `ratings` is (S, N, annotators)."""
    people = ratings.shape[-1]
    if people < 2:
        return math.nan
    values = []
    for person in range(people):
        others = mean_of_known(np.delete(ratings, person, axis=-1))
        values.append(one.value(level, ratings[..., person], others, weights).value)
    known = [value for value in values if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan


def reliability(level: str, ratings: Array, coefficient: str = "pearson", weights: Array | None = None) -> float:
    """The share of the mean rating's variance at a level that is not noise: Spearman-Brown of the mean correlation between annotators."""
    people = ratings.shape[-1]
    one = measure(coefficient)
    values = [one.value(level, ratings[..., i], ratings[..., j], weights).value for i, j in combinations(range(people), 2)]
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return math.nan
    mean = float(np.mean(known))
    return people * mean / (1 + (people - 1) * mean) if mean > 0 else math.nan


def disattenuated(value: float, coefficient: str, reliable: float) -> float:
    """The correlation with human scores without noise, r / sqrt(reliability), not capped; NaN for measures that are not correlations."""
    return value / math.sqrt(reliable) if coefficient in _ATTENUATED and reliable > 0 else math.nan
