"""The agreement of annotators as a table: every coefficient that the scale allows, with its interval over
segments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.findings import Findings, made
from nlgauge.stats.agreement import (
    Scale,
    checked_ratings,
    fleiss,
    intraclass,
    known_mean,
    krippendorff,
    why_unknown,
)
from nlgauge.stats.coefficients import kendall
from nlgauge.stats.intervals import percentile
from nlgauge.stats.resampling import check_resampling
from nlgauge.stats.two_raters import cohen

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

Coefficient = Callable[[Array], float]


def pairwise_kendall(ratings: Any) -> float:
    """Return the mean Kendall tau-b of all pairs of annotators over the units that both rated; pairs without
    one are left out.

    >>> pairwise_kendall([[1, 1, 3], [2, 2, 2], [3, 3, 1]])
    -0.3333333333333333
    """
    units = checked_ratings(ratings)
    units = units.reshape(-1, units.shape[-1]).T
    return known_mean([float(kendall(one, other)) for one, other in combinations(units, 2)])


def mean_cohen(ratings: Any, weights: Any = None) -> float:
    """Return the mean Cohen kappa of all pairs of annotators; pairs without a kappa are left out."""
    units = checked_ratings(ratings)
    units = units.reshape(-1, units.shape[-1]).T
    categories = np.unique(units[~np.isnan(units)]).tolist()
    return known_mean([cohen(one, other, weights, categories) for one, other in combinations(units, 2)])


def agreement(
    ratings: Judgments | Mapping[str, Any] | Any,
    scale: Scale = "ordinal",
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
) -> Findings:
    """Measure the agreement of annotators with each other.

    Parameters
    ----------
    ratings : Judgments, array_like or mapping
        Judgments with several annotators, or arrays of shape (S, N, annotators) or (units, annotators), one or several by
        name.
    scale : {"nominal", "ordinal", "interval", "ratio"}
        Scale of the ratings, which selects the coefficients: Krippendorff's alpha on every scale; Cohen's (mean of pairs)
        and Fleiss' kappa on a nominal scale; weighted Cohen's kappa on an ordinal scale; Kendall's tau-b on all scales but
        the nominal; the intraclass correlations on interval and ratio scales.
    resamples : int, default 1000
        Number of resamples B of segments (units, if the array has two axes); 0 omits the intervals.
    confidence : float, default 0.95
        Confidence of the intervals.
    seed : int, default 12345
        Seed of the resamples.

    Returns
    -------
    Findings
        One row per dimension and coefficient.

    Raises
    ------
    ParameterError
        If `scale` is unknown.
    """
    if scale not in get_args(Scale):
        raise ParameterError(f"scale must be one of {', '.join(get_args(Scale))}, got {scale!r}.")
    check_resampling(resamples, seed, least=0)
    rows: list[dict[str, Any]] = []
    for dimension, values in _by_dimension(ratings).items():
        rated = checked_ratings(values, dimension)
        segments = rated.shape[-2]
        rng = np.random.default_rng(seed)
        drawn = [np.take(rated, rng.integers(segments, size=segments), axis=-2) for _ in range(resamples)]
        shared = int(((~np.isnan(rated)).sum(axis=-1) >= 2).sum())
        for name, of in _coefficients(scale).items():
            value = of(rated)
            low, high, undefined = percentile(np.array([of(one) for one in drawn]), confidence)
            row = {
                "dimension": dimension,
                "coefficient": name,
                "value": value,
                "low": low,
                "high": high,
                "annotators": rated.shape[-1],
            }
            rows.append(
                {
                    **row,
                    "n": shared,
                    "n_undefined": undefined,
                    "reason": why_unknown(rated) if math.isnan(value) else "",
                }
            )
    return Findings(
        rows,
        made(scale=scale, resamples=resamples, confidence=confidence, seed=seed, generalizes_to="inputs"),
        "Agreement of annotators",
    )


def agreement_by_system(
    judgments: Judgments,
    scale: Scale = "ordinal",
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
) -> Findings:
    """Return the agreement of annotators on each system, with the mean of the dimensions if there are several.

    The mean has no interval, because dimensions of the same outputs depend on each other.
    """
    found = None
    rows: list[dict[str, Any]] = []
    for place, system in enumerate(judgments.systems):
        part = judgments.taken(systems=np.array([place]))
        found = agreement(part, scale, resamples=resamples, confidence=confidence, seed=seed)
        own = [{"system": system, **row} for row in found]
        rows += own
        for name in dict.fromkeys(row["coefficient"] for row in own if len(part.ratings) > 1):
            values = [row["value"] for row in own if row["coefficient"] == name]
            mean = {"dimension": "mean", "coefficient": name, "value": known_mean(values), "low": math.nan}
            rows.append({**own[0], **mean, "high": math.nan, "n_undefined": 0, "reason": ""})
    assert found is not None
    return replace(found, rows=rows)


def _coefficients(scale: Scale) -> dict[str, Coefficient]:
    found: dict[str, Coefficient] = {"krippendorff": lambda rated: krippendorff(rated, scale)}
    if scale == "nominal":
        return {**found, "cohen": mean_cohen, "fleiss": fleiss}
    found |= {
        "cohen_linear": lambda rated: mean_cohen(rated, "linear"),
        "cohen_quadratic": lambda rated: mean_cohen(rated, "quadratic"),
    }
    if scale != "ordinal":
        found = {"krippendorff": found["krippendorff"]}
    found["kendall"] = pairwise_kendall
    if scale != "ordinal":
        found |= {
            "icc_single": lambda rated: intraclass(rated).single,
            "icc_mean": lambda rated: intraclass(rated).mean,
        }
    return found


def _by_dimension(ratings: Any) -> dict[str, Any]:
    from nlgauge.meta.judgments import Judgments

    if isinstance(ratings, Judgments):
        if not ratings.ratings:
            raise InputError(
                "these judgments have one score per output; agreement of annotators needs the ratings of at least"
                " two."
            )
        return dict(ratings.ratings)
    return dict(ratings) if isinstance(ratings, Mapping) else {"ratings": ratings}
