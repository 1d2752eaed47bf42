"""The human-agreement curve: how often people prefer the system that a metric prefers by a difference d.

    P(people agree | difference d) = a / (1 + exp(-b d))

a is the ceiling, which no difference exceeds, b the slope. It is fitted to the shares of agreeing pairs in
bins of equal mass, weighted by their sizes (Kocmi et al., 2024, "Navigating the Metrics Maze"). Pairs that
share a system are not independent, so the band comes from drawing systems.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError

# Slopes that are tried first, in units of 1 / the median difference, and how often the best is looked for
# more finely.
_SLOPES = np.geomspace(1e-3, 1e3, 121)
_REFINED = 4


@dataclass(frozen=True, eq=False)
class AgreementCurve:
    """A fitted or published curve; `resamples` (B, 2) has ceilings and slopes of bootstrap resamples, from which
    the bounds come.

    >>> bleu = PUBLISHED["bleu"]
    >>> round(bleu.accuracy(1.0), 4), round(bleu.delta(0.8), 3), bleu.delta(0.9)
    (0.6399, 2.34, nan)
    """

    ceiling: float
    slope: float
    resamples: Array | None = None

    def accuracy(self, delta: float) -> float:
        """Return the share of people (or of judged pairs) that agree with a difference of delta."""
        return float(_logistic(self.ceiling, self.slope, delta))

    def delta(self, accuracy: float) -> float:
        """Return the difference with which this share agrees; NaN if the ceiling is not above it."""
        if not 0.5 <= accuracy <= 1:
            raise ParameterError(f"accuracy must be a share from 0.5 to 1, got {accuracy!r}; 80% is 0.8.")
        return float(_inverse(self.ceiling, self.slope, accuracy))

    def accuracy_interval(self, delta: float, confidence: float = 0.95) -> tuple[float, float]:
        """Return the bounds of the accuracy; NaN without resamples."""
        ceilings, slopes = self._drawn()
        return _bounds(_logistic(ceilings, slopes, delta), confidence)

    def delta_interval(self, accuracy: float, confidence: float = 0.95) -> tuple[float, float]:
        """Return the bounds of the difference; infinite if the ceilings of resamples are not above the
        accuracy.
        """
        ceilings, slopes = self._drawn()
        deltas = _inverse(ceilings, slopes, accuracy)
        return _bounds(np.where(np.isnan(deltas) & ~np.isnan(ceilings), np.inf, deltas), confidence)

    def _drawn(self) -> Array:
        return np.empty((2, 0)) if self.resamples is None else np.asarray(self.resamples.T)


# Ceilings (as shares) and slopes that Kocmi et al. (2024) published for translation; BLEU, chrF and COMET are
# in points up to 100.
PUBLISHED = {
    name: AgreementCurve(ceiling / 100, slope)
    for name, (ceiling, slope) in {
        "bleu": (88.33333333333225, 0.9663926931178954),
        "chrf": (92.999999999972, 1.1142732157139852),
        "spbleu101": (84.58445492823891, 1.262507595109315),
        "spbleu200": (90.99999999998793, 0.8079046528617078),
        "bertscore": (94.99999999999999, 2.6823162097239917),
        "bleurt-default": (94.66666666666666, 0.4947232832741672),
        "bleurt20": (98.33333333332963, 1.3727206190931929),
        "comet20": (97.33333333332897, 0.7266990738678005),
        "comet22": (96.22374133884283, 2.8359194570556636),
        "comet21qe": (93.7997435048193, 43.38413992717536),
        "cometkiwi22": (98.88141616584615, 2.719280643871758),
        "cometkiwi23-xl": (96.39080593943235, 1.8888877927713834),
        "cometkiwi23-xxl": (96.23167242471065, 1.2826577343149304),
        "xcomet-xl": (96.56738237041118, 1.4535595865214588),
        "xcomet-xxl": (98.93432477039522, 1.1629533711748128),
        "metricx-23-large": (93.60777624544488, 26.277850179370947),
        "metricx-23-qe-large": (97.99999999782683, 15.541455989240491),
    }.items()
}


class SystemPairs(NamedTuple):
    """Pairs of systems that people order: the size of the metric's difference, whether they agree (1, 0, a
    metric's tie 1/2), how many they tie, and the weights of the pairs in resamples of systems (B, pairs)."""

    delta: Array
    agrees: Array
    tied: int
    drawn: Array


def system_pairs(groups: Iterable[tuple[Any, Any]], resamples: int = 0, seed: int = 12345) -> SystemPairs:
    """Return the pairs within each group of (metric scores, human scores) of systems, higher is better;
    systems without either are left out.
    """
    rng = np.random.default_rng(seed)
    deltas, agreed, weights, tied = [np.empty(0)], [np.empty(0)], [np.empty((resamples, 0))], 0
    for metric, human in groups:
        x, z = np.asarray(metric, dtype=np.float64), np.asarray(human, dtype=np.float64)
        if x.ndim != 1 or x.shape != z.shape:
            raise InputError(
                f"a group needs one metric score and one human score per system, got the shapes {x.shape} and"
                f" {z.shape}."
            )
        known = np.isfinite(x) & np.isfinite(z)
        x, z = x[known], z[known]
        i, j = np.triu_indices(len(x), 1)
        dx, dz = _difference(x, i, j), _difference(z, i, j)
        ordered = dz != 0
        tied += int((~ordered).sum())
        deltas.append(np.abs(dx[ordered]))
        agreed.append((1 + np.sign(dx[ordered]) * np.sign(dz[ordered])) / 2)
        counts = (
            rng.multinomial(len(x), np.full(len(x), 1 / len(x)), resamples)
            if len(x)
            else np.empty((resamples, 0))
        )
        weights.append((counts[:, i] * counts[:, j])[:, ordered].astype(np.float64))
    return SystemPairs(np.concatenate(deltas), np.concatenate(agreed), tied, np.concatenate(weights, axis=1))


def fitted(pairs: SystemPairs, bins: int = 10) -> AgreementCurve:
    """Return the curve through the shares of agreeing pairs in bins of equal mass; NaN for fewer than three
    different differences.
    """
    if not isinstance(bins, int) or bins < 2:
        raise ParameterError(f"bins must be a whole number from 2, got {bins!r}.")
    if len(np.unique(pairs.delta)) < 3:
        return AgreementCurve(math.nan, math.nan, np.full((len(pairs.drawn), 2), np.nan))
    places = binned(pairs.delta, bins)
    inside = (places[:, None] == np.unique(places)).astype(np.float64)
    scale = float(np.median(pairs.delta[pairs.delta > 0]))
    weights = np.concatenate([np.ones((1, len(pairs.delta))), pairs.drawn])
    mass = weights @ inside
    with np.errstate(invalid="ignore"):
        x, y = (
            np.nan_to_num(((weights * values) @ inside) / mass)
            for values in (pairs.delta / scale, pairs.agrees)
        )
    found = _least_squares(x, y, mass)
    found[(mass > 0).sum(axis=1) < 2] = np.nan
    found[:, 1] /= scale
    return AgreementCurve(float(found[0, 0]), float(found[0, 1]), found[1:])


def binned(values: Array, bins: int) -> Array:
    """Return the number of the bin of each value, with bins of equal mass; equal values are in the same bin."""
    from nlgauge.stats.arrays import mid_ranks

    numbers: Array = np.minimum(
        ((mid_ranks(values) - 0.5) / max(1, len(values)) * bins).astype(np.int64), bins - 1
    )
    return numbers


def _least_squares(x: Array, y: Array, weights: Array) -> Array:
    """Return ceiling and slope of each row (B, bins): the best ceiling of a slope is known, so only the slopes
    are searched.
    """
    slopes = np.broadcast_to(_SLOPES, (len(x), len(_SLOPES)))
    step = _SLOPES[1] / _SLOPES[0]
    for _ in range(_REFINED + 1):
        shape = 1 / (1 + np.exp(-np.minimum(x[:, :, None] * slopes[:, None, :], 700)))
        weighted = weights[:, :, None] * shape
        with np.errstate(invalid="ignore"):
            ceilings = np.minimum(
                (weighted * y[:, :, None]).sum(axis=1) / (weighted * shape).sum(axis=1), 1.0
            )
        losses = (weights[:, :, None] * (y[:, :, None] - ceilings[:, None, :] * shape) ** 2).sum(axis=1)
        best = np.argmin(np.where(np.isnan(losses), np.inf, losses), axis=1)[:, None]
        ceiling, slope = (np.take_along_axis(values, best, axis=1) for values in (ceilings, slopes))
        slopes = slope * np.geomspace(1 / step, step, 21)
        step **= 0.1
    return np.concatenate([ceiling, slope], axis=1)


def _difference(values: Array, i: Array, j: Array) -> Array:
    """Return differences, with 0 for differences that are rounding."""
    largest = float(np.abs(values).max(initial=0.0))
    differences = values[i] - values[j]
    return np.where(np.abs(differences) <= 1e-9 * largest, 0.0, differences)


def _logistic(ceiling: Any, slope: Any, delta: float) -> Any:
    return ceiling / (1 + np.exp(np.minimum(-slope * delta, 700)))


def _inverse(ceiling: Any, slope: Any, accuracy: float) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(ceiling) > accuracy, -np.log(ceiling / accuracy - 1) / slope, np.nan)


def _bounds(values: Array, confidence: float) -> tuple[float, float]:
    known = values[~np.isnan(values)]
    if not len(known):
        return math.nan, math.nan
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2], method="inverted_cdf")
    return float(low), float(high)
