"""Corrections of many p-values that are tested together.

`bonferroni` and `holm` bound the chance of any false claim, whatever the dependence; `bh`
(Benjamini-Hochberg) and `by` (Benjamini-Yekutieli, for any dependence) the expected share of false claims
among the claims. `max_t` bounds the chance of any false claim too, and gains where the comparisons depend on
each other: it compares each difference with the largest of all differences in the same draw (Westfall and
Young). NaN stays NaN and does not count.

Swaps of n units have no p below 2 ** (1 - n): only two of their 2 ** n outcomes are the most extreme. A sample
of swaps could give a smaller p by chance, so tests that take `units` are bounded by it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError

# Two differences this close, compared with differences of about 1, are tied: only rounding separates them.
SLACK = 1e-9
# A spread below this share of the difference (or of 1) is rounding.
_CONSTANT = 1e-12


def adjusted(p_values: ArrayLike, method: str) -> Array:
    """Return the p-values corrected by "bonferroni", "holm", "bh", "by" or "none"; the shape stays.

    >>> adjusted([0.01, 0.04, 0.03], "bonferroni").tolist()
    [0.03, 0.12, 0.09]
    """
    if method not in METHODS:
        raise ParameterError(
            f"adjust must be one of {', '.join(map(repr, METHODS))} (or 'maxT', 'maxT-raw' for tests with"
            f" resamples), got {method!r}."
        )
    p = np.asarray(p_values, float)
    known = ~np.isnan(p)
    found = np.full(p.shape, np.nan)
    found[known] = METHODS[method](p[known])
    return found


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's step-down correction; NaN stays NaN and does not count.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    known = sorted((i for i, p in enumerate(p_values) if not math.isnan(p)), key=lambda i: p_values[i])
    corrected = [math.nan] * len(p_values)
    highest = 0.0
    for rank, i in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p_values[i]))
        corrected[i] = highest
    return corrected


def _bonferroni(p: Array) -> Array:
    return np.asarray(np.minimum(1.0, p * len(p)))


def _step_up(p: Array, factor: float) -> Array:
    """Return Benjamini and Hochberg's step-up: from the largest p down, the smallest p * m / rank so far."""
    order = np.argsort(-p, kind="stable")
    ranks = np.arange(len(p), 0, -1)
    corrected = np.empty(len(p))
    corrected[order] = np.minimum.accumulate(np.minimum(1.0, p[order] * factor * len(p) / ranks))
    return corrected


METHODS: Mapping[str, Callable[[Array], Sequence[float] | Array]] = {
    "none": lambda p: p,
    "bonferroni": _bonferroni,
    "holm": lambda p: holm(p.tolist()),
    "bh": lambda p: _step_up(p, 1.0),
    "by": lambda p: _step_up(p, float((1 / np.arange(1, len(p) + 1)).sum())),
}


def least_p(units: ArrayLike) -> Array:
    """Return the smallest p that swaps of this number of units allow.

    >>> least_p([1, 2, 5]).tolist()
    [1.0, 0.5, 0.0625]
    """
    return np.asarray(np.minimum(1.0, 2.0 ** (1 - np.asarray(units, float))))


def as_extreme(observed: Array, null: Array) -> Array:
    """Return which resamples (rows of `null`) are at least as far from 0 as each difference."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(null) >= np.abs(observed) - SLACK)


def two_sided(observed: Array, null: Array, units: ArrayLike = math.inf) -> Array:
    """Return (1 + b) / (B + 1) for each difference, b the resamples (rows of `null`) at least as far from 0;
    undefined resamples count in neither.
    """
    known = ~np.isnan(null)
    p = (1 + as_extreme(observed, null).sum(axis=0)) / (1 + known.sum(axis=0))
    return np.where(np.isnan(observed) | ~known.any(axis=0), np.nan, np.maximum(p, least_p(units)))


def sequential(observed: Array, null: Array, stop: int, units: ArrayLike = math.inf) -> tuple[Array, Array]:
    """Return p of each difference by Besag and Clifford's rule, and the number of resamples that it took.

    A test stops at its `stop`-th resample that is at least as far from 0, the l-th of all: p = stop / l, which
    is as valid as p from all resamples. A test that never stops has `two_sided`'s p. No test stops because p
    is small.

    >>> p, resamples = sequential(np.array([1.0, 9.0]), np.array([[2.0, 0.0], [0.0, 1.0], [3.0, 1.0], [2.0, 1.0]]), stop=2)
    >>> [round(float(one), 3) for one in p], resamples.tolist()
    ([0.667, 0.2], [3, 4])
    """
    known = ~np.isnan(null)
    reached = np.cumsum(as_extreme(observed, null), axis=0) >= stop
    ended = reached.any(axis=0)
    resamples = np.where(
        ended,
        np.take_along_axis(np.cumsum(known, axis=0), np.argmax(reached, axis=0)[None], axis=0)[0],
        known.sum(axis=0),
    )
    p = np.where(ended, stop / np.maximum(resamples, 1), two_sided(observed, null))
    return np.maximum(p, least_p(units)), resamples


def max_t(observed: Array, null: Array, scaled: bool = True, units: ArrayLike = math.inf) -> Array:
    """Return (1 + b) / (B + 1) for each difference, b the resamples (rows of `null`) whose largest difference
    is at least as far from 0.

    Differences are first divided by the spread of their own null, so that differences which vary little are not
    judged by differences which vary much; scaled=False skips this.

    >>> max_t(np.array([3.0, 1.0]), np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.5]]), scaled=False).tolist()
    [0.25, 0.75]
    """
    judged = ~np.isnan(observed) & ~np.isnan(null).all(axis=0)
    observed, null = np.abs(observed[judged]), np.abs(null[:, judged])
    found = np.full(len(judged), np.nan)
    if scaled:
        # The null is symmetric about 0. A metric against its twin does not vary: its difference is 0, as are
        # its resamples. A difference that every resample repeats is beyond chance.
        spread = np.sqrt(np.nanmean(null**2, axis=0))
        varies = spread > _CONSTANT * np.maximum(1.0, observed)
        spread = np.where(varies, spread, 1.0)
        null = np.where(varies | np.isnan(null), null / spread, 0.0)
        observed = np.where(varies | (observed <= SLACK), observed / spread, np.inf)
    size = np.where(np.isnan(null), -1.0, null).max(axis=1, initial=-1.0)
    largest = np.sort(size[size >= 0])
    found[judged] = (1 + len(largest) - np.searchsorted(largest, observed - SLACK, side="left")) / (
        1 + len(largest)
    )
    return np.asarray(np.maximum(found, least_p(units)))


def bootstrap_max_t(observed: Array, null: Array, units: Array) -> Array:
    """Return `max_t` of differences from a bootstrap of `units` units, whose resamples (rows of `null`) have
    mean 0.

    Resamples of few units spread too little: a difference is first taken from Student's to the normal
    distribution. (Two, six and 17 equal systems on 20 to 200 segments: some pair is called different in 5 to
    7% of 1,000 runs at a level of 5%, and without this in up to 9%.) With very few units the largest of the
    resamples is bounded, so no p is below what swaps could reach, corrected for all pairs.
    """
    from scipy.special import ndtri, stdtr

    spread = null.std(axis=0)
    varies = spread > _CONSTANT * np.maximum(1.0, np.abs(observed))
    ratio = np.abs(observed) / np.where(varies, spread, 1.0)
    # The value of the normal distribution that is as rare as this one of Student's.
    rare = -ndtri(stdtr(units - 1, -ratio * np.sqrt((units - 1) / units)))
    p = max_t(np.where(varies, rare * spread, observed), null)
    return np.asarray(np.maximum(p, np.minimum(1.0, len(observed) * least_p(units))))
