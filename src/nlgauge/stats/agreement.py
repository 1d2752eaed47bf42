"""Agreement of annotators, the noise ceiling of a metric, and correlations corrected for noise.

Ratings are arrays whose last axis is the annotators, with NaN for a missing rating: (units, annotators) or
(systems, segments, annotators). Every leading axis is one of units. Undefined is NaN: fewer than two
annotators, no unit that two of them rated, or a single value in all ratings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.stats.arrays import mean_of_known, numbers

Scale = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["linear", "quadratic"]
# The correlation of two (systems, segments) arrays at one level, such as `nlgauge.stats.levels` computes with
# a coefficient.
Correlation = Callable[[Array, Array], Any]


def noise_ceiling(ratings: Array, correlation: Correlation) -> float:
    """Return the agreement of one annotator with the mean of the others, averaged over annotators.

    A metric above this ceiling is as good as an annotator. ratings: (systems, segments, annotators).
    correlation: the correlation of the metric at the same level. A cell counts if the annotator and at least
    one other rated it.
    """
    rated = checked_ratings(ratings)
    annotators = rated.shape[-1]
    pairs = (
        [(rated[..., one], mean_of_known(np.delete(rated, one, axis=-1))) for one in range(annotators)]
        if annotators > 1
        else []
    )
    return known_mean([float(correlation(one, others)) for one, others in pairs])


def reliability(ratings: Array, correlation: Correlation) -> float:
    """Return the reliability of the mean of all annotators, by Spearman and Brown: k r / (1 + (k - 1) r), r
    the mean correlation of two of k annotators.
    """
    rated = np.moveaxis(checked_ratings(ratings), -1, 0)
    return spearman_brown(
        known_mean([float(correlation(one, other)) for one, other in combinations(rated, 2)]), len(rated)
    )


def why_unknown(ratings: Array) -> str:
    """Return the reason why agreement is undefined for these ratings.

    >>> why_unknown(np.array([[1.0, math.nan], [math.nan, 2.0]]))
    'no unit has the ratings of two annotators'
    """
    known = ~np.isnan(ratings)
    if known.reshape(-1, ratings.shape[-1]).any(axis=0).sum() < 2:
        return "one annotator alone"
    return (
        "all ratings are alike, or too few"
        if (known.sum(axis=-1) >= 2).any()
        else "no unit has the ratings of two annotators"
    )


def spearman_brown(correlation: float, times: float) -> float:
    """Return the reliability of the mean of `times` as many ratings, from the correlation of two ratings.

    >>> spearman_brown(0.5, 2)
    0.6666666666666666
    """
    below = 1 + (times - 1) * correlation
    return times * correlation / below if below > 0 else math.nan


class Disattenuated(NamedTuple):
    """A correlation corrected for noise; `capped` is True if it was above 1 or below -1 (`uncapped`) and was cut."""

    value: float
    capped: bool
    uncapped: float


def disattenuated(correlation: float, human: float, metric: float = 1.0) -> Disattenuated:
    """Correct a correlation for unreliable human scores and an unreliable metric.

    Parameters
    ----------
    correlation : float
        Observed correlation.
    human : float
        Reliability of the human scores.
    metric : float, default 1.0
        Reliability of the metric.

    Returns
    -------
    Disattenuated
        correlation / sqrt(human * metric), limited to [-1, 1]; NaN if a reliability is not positive.

    Examples
    --------
    >>> disattenuated(0.5, 0.25)
    Disattenuated(value=1.0, capped=False, uncapped=1.0)
    """
    if not (human > 0 and metric > 0):
        return Disattenuated(math.nan, False, math.nan)
    value = correlation / math.sqrt(human * metric)
    return Disattenuated(math.nan if math.isnan(value) else max(-1.0, min(1.0, value)), abs(value) > 1, value)


def krippendorff(ratings: Any, scale: Scale = "interval") -> float:
    """Return Krippendorff's alpha: 1 - observed / expected disagreement of all pairs of values.

    Parameters
    ----------
    ratings : array_like of shape (..., annotators)
        Ratings; NaN is missing. All axes but the last are flattened to units.
    scale : {"nominal", "ordinal", "interval", "ratio"}
        Squared difference of two values: 0 or 1 (nominal; values may be any labels), of their mid-ranks (ordinal), of the
        values (interval), or ((a - b) / (a + b))^2 (ratio; values must not be negative).

    Returns
    -------
    float
        Alpha over the units with at least two ratings; NaN if there are none or all ratings are equal.

    Raises
    ------
    ParameterError
        If `scale` is unknown.
    InputError
        If `ratings` has fewer than two axes, or a value is negative on the ratio scale.
    """
    if scale not in get_args(Scale):
        raise ParameterError(f"scale must be one of {', '.join(get_args(Scale))}, got {scale!r}.")
    units = _units(ratings, labels=scale == "nominal")
    units = units[(~np.isnan(units)).sum(axis=1) >= 2]
    known = ~np.isnan(units)
    values = units[known]
    if not len(values):
        return math.nan
    if scale == "ordinal":
        distinct, places, counts = np.unique(values, return_inverse=True, return_counts=True)
        values = (counts.cumsum() - (counts - 1) / 2)[places]
        units = units.copy()
        units[known] = values
    if scale == "ratio" and (values < 0).any():
        raise InputError(
            f"the ratio scale has no values below 0, got {values.min():g}; use scale='interval'."
        )
    difference = {"nominal": _unequal, "ratio": _ratio}.get(scale, _squared)
    within = sum(
        np.nansum(difference(units[:, i], units[:, j]) / (known.sum(axis=1) - 1))
        for i, j in combinations(range(units.shape[1]), 2)
    )
    distinct, counts = np.unique(values, return_counts=True)
    if scale in {"interval", "ordinal"}:
        between = len(values) * ((values - values.mean()) ** 2).sum()
    else:
        between = (
            sum(
                count * (counts * difference(distinct, value)).sum()
                for value, count in zip(distinct, counts, strict=True)
            )
            / 2
        )
    return float(1 - (len(values) - 1) * within / between) if len(distinct) > 1 else math.nan


def joint_counts(one: Any, other: Any, categories: Sequence[Any] | None = None) -> Array:
    """Return (k, k) how often the first annotator chose each category (rows) and the second another (columns)."""
    first, second = (np.ravel(_labels(values)) for values in (one, other))
    if len(first) != len(second):
        raise InputError(
            f"both annotators must have rated the same units, got {len(first)} and {len(second)} ratings;"
            " use NaN for a missing rating."
        )
    known = ~(_missing_in(first) | _missing_in(second))
    values, places = _numbered(np.concatenate([first[known], second[known]]))
    ordered = list(categories) if categories is not None else _sorted(values)
    if strange := [value for value in values if value not in ordered]:
        raise InputError(
            f"categories has no {strange[0]!r}, which is among the ratings; list every category in order."
        )
    codes = np.array([ordered.index(value) for value in values], dtype=np.int64)[places]
    n, size = int(known.sum()), len(ordered)
    return np.bincount(codes[:n] * size + codes[n:], minlength=size * size).reshape(size, size)


def fleiss(ratings: Any) -> float:
    """Return Fleiss' kappa of any number of annotators.

    Parameters
    ----------
    ratings : array_like of shape (..., annotators)
        Ratings; NaN is missing. All axes but the last are flattened to units.

    Returns
    -------
    float
        Kappa over the units with at least two ratings; each unit counts with the ratings that it has. NaN if there are no
        such units or all ratings are equal.
    """
    units = _units(ratings, labels=True)
    distinct = np.unique(units[~np.isnan(units)])
    counts = (units[:, :, None] == distinct).sum(axis=1)
    counts = counts[counts.sum(axis=1) >= 2]
    if not len(counts):
        return math.nan
    raters = counts.sum(axis=1)
    agreed = ((counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))).mean()
    by_chance = ((counts.sum(axis=0) / counts.sum()) ** 2).sum()
    return float((agreed - by_chance) / (1 - by_chance)) if len(distinct) > 1 and by_chance < 1 else math.nan


class IntraclassCorrelation(NamedTuple):
    """ICC(2,1) of one annotator and ICC(2,k) of the mean of all k (two-way random effects, absolute
    agreement), and the units that all rated.
    """

    single: float
    mean: float
    units: int


def intraclass(ratings: Any) -> IntraclassCorrelation:
    """Return the intraclass correlations ICC(2,1) and ICC(2,k) of Shrout and Fleiss.

    Parameters
    ----------
    ratings : array_like of shape (..., annotators)
        Ratings; NaN is missing. All axes but the last are flattened to units.

    Returns
    -------
    IntraclassCorrelation
        Correlation of a single annotator and of the mean of all k annotators (two-way random effects, absolute agreement),
        and the number of units that all annotators rated.
    """
    units = _units(ratings)
    units = units[~np.isnan(units).any(axis=1)]
    n, k = units.shape
    if n < 2 or k < 2:
        return IntraclassCorrelation(math.nan, math.nan, n)
    center, of_units, of_annotators = units.mean(), units.mean(axis=1), units.mean(axis=0)
    between = k * ((of_units - center) ** 2).sum() / (n - 1)
    annotators = n * ((of_annotators - center) ** 2).sum() / (k - 1)
    left = ((units - of_units[:, None] - of_annotators + center) ** 2).sum() / ((n - 1) * (k - 1))
    return IntraclassCorrelation(
        _ratio_or_nan(between - left, between + (k - 1) * left + k * (annotators - left) / n),
        _ratio_or_nan(between - left, between + (annotators - left) / n),
        n,
    )


def _ratio_or_nan(above: float, below: float) -> float:
    return float(above / below) if below > 0 else math.nan


def checked_ratings(ratings: Any, name: str = "ratings") -> Array:
    """Return (..., annotators) ratings as numbers, checked."""
    array = numbers(name, ratings)
    if array.ndim < 2:
        raise InputError(
            f"{name} must have the annotators as last of two or more axes, got the shape {array.shape}."
        )
    return array


def known_mean(values: Iterable[float]) -> float:
    """Return the mean of the values that are not NaN; NaN if all are.

    >>> known_mean([1.0, math.nan, 2.0])
    1.5
    """
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


def _units(ratings: Any, labels: bool = False) -> Array:
    """Return one row per unit, one column per annotator; labels become their numbers."""
    given = _labels(ratings)
    if given.ndim < 2:
        raise InputError(
            f"ratings must have the annotators as last of two or more axes, got the shape {given.shape}."
        )
    given = given.reshape(-1, given.shape[-1])
    if given.dtype.kind == "f":
        return given
    missing = _missing_in(given)
    found = np.full(given.shape, np.nan)
    try:
        found[~missing] = _numbered(given[~missing])[1] if labels else given[~missing].astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"ratings must be numbers ({error}); use scale='nominal' for labels.") from error
    return found


def _labels(values: Any) -> Array:
    """Return numbers as float64, anything else as objects."""
    array = np.asarray(values)
    return array.astype(np.float64) if array.dtype.kind in "bifu" else np.asarray(values, dtype=object)


def _missing_in(values: Array) -> Array:
    if values.dtype.kind == "f":
        return np.isnan(values)
    return np.array([_missing(value) for value in values.ravel()], dtype=bool).reshape(values.shape)


def _numbered(values: Array) -> tuple[list[Any], Array]:
    """Return the different values, and the place of each value among them."""
    if values.dtype.kind == "f":
        distinct, places = np.unique(values, return_inverse=True)
        return distinct.tolist(), places
    number = {value: i for i, value in enumerate(dict.fromkeys(values.tolist()))}
    return list(number), np.array([number[value] for value in values.tolist()], dtype=np.int64)


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _sorted(values: list[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError as error:
        raise InputError(
            f"the categories cannot be put in order ({error}); name them in order by categories=[...]."
        ) from error


def _unequal(a: Array, b: Array | float) -> Array:
    return np.where(np.isnan(a) | np.isnan(b), np.nan, a != b)


def _squared(a: Array, b: Array | float) -> Array:
    return (a - b) ** 2


def _ratio(a: Array, b: Array | float) -> Array:
    total = a + b
    return np.where(total == 0, 0.0, (a - b) / np.where(total == 0, 1.0, total)) ** 2
