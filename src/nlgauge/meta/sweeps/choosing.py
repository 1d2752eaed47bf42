"""Choose a point on one half of the texts or systems, and test it on the other half.

split      half A, half B of the distinct units; the tested value is the mean of B's value of A's best point and of A's value of B's best point
resample   units with replacement; the distinct units that were drawn are split, so that no unit is in both halves
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.stats.arrays import mean_of_known
from nlgauge.stats.intervals import Bounds, percentile
from nlgauge.stats.levels import Scores
from nlgauge.stats.measures import Measure
from nlgauge.stats.resampling import Resamples, bootstrap_counts

CHOOSE_OVER = ("segments", "systems", "both")


class Halves(NamedTuple):
    """Both halves of B splits: the counts of systems and of segments in each."""

    one: Resamples
    other: Resamples


class Tested(NamedTuple):
    """Values in B splits: on the half of the choice, on the other half, of the default, their difference, and
    the chosen point of both directions (2, B), -1 if no point has a value.
    """

    chosen: Array
    tested: Array
    default: Array
    gain: Array
    points: Array


class Choice(NamedTuple):
    """Means over random halves, with intervals over resamples, and the share of choices of each point."""

    chosen: float
    tested: float
    bounds: Bounds
    default: float
    gain: float
    gain_bounds: Bounds
    shares: Array


def split(rng: np.random.Generator, counts: Array) -> tuple[Array, Array]:
    """Return the counts (B, units) of both halves of the distinct units; the second half has one more if their
    number is odd.
    """
    order = np.where(counts > 0, rng.random(counts.shape), np.inf)
    places = order.argsort(axis=1).argsort(axis=1)
    first = places < (counts > 0).sum(axis=1, keepdims=True) // 2
    return np.where(first, counts, 0), np.where(first, 0, counts)


def halves(rng: np.random.Generator, systems: Array, segments: Array, choose_over: str) -> Halves:
    """Return halves of the drawn systems (B, S) and segments (B, N)."""
    both_systems = split(rng, systems) if choose_over in ("systems", "both") else (systems, systems)
    both_segments = split(rng, segments) if choose_over in ("segments", "both") else (segments, segments)
    one, other = (Resamples(*counts, "both") for counts in zip(both_systems, both_segments, strict=True))
    return Halves(one, other)


def by_split(
    measure: Measure, level: str, points: Sequence[Scores], default: Scores | None, drawn: Halves
) -> Tested:
    """Return the values of choosing among points in each split."""
    values = [np.stack([measure.replicates(level, scores, half) for scores in points]) for half in drawn]
    plain = [
        np.full(len(half), np.nan) if default is None else measure.replicates(level, default, half)
        for half in drawn
    ]
    found = []
    for on, others, usual in ((values[0], values[1], plain[1]), (values[1], values[0], plain[0])):
        eligible = np.isfinite(on)
        best = np.where(eligible, on, -np.inf).argmax(axis=0)
        at = best, np.arange(on.shape[1])
        value = np.where(eligible.any(axis=0), others[at], np.nan)
        found.append((on[at], value, usual, value - usual, np.where(eligible.any(axis=0), best, -1)))
    means = [mean_of_known(np.stack([one[i] for one in found], axis=-1)) for i in range(4)]
    return Tested(means[0], means[1], means[2], means[3], np.stack([one[4] for one in found]))


def choice(
    measure: Measure,
    level: str,
    points: Sequence[Scores],
    default: Scores | None,
    choose_over: str = "segments",
    splits: int = 200,
    draws: int = 1000,
    seed: int = 12345,
) -> Choice:
    """Return how a chosen point does on texts that were not used to choose it."""
    rng = np.random.default_rng(seed)
    systems, segments = points[0].z.shape
    whole = halves(rng, np.ones((splits, systems)), np.ones((splits, segments)), choose_over)
    found = by_split(measure, level, points, default, whole)
    resampled_systems = level == "system" or choose_over != "segments"
    drawn = halves(
        rng,
        bootstrap_counts(rng, draws, systems) if resampled_systems else np.ones((draws, systems)),
        bootstrap_counts(rng, draws, segments),
        choose_over,
    )
    again = by_split(measure, level, points, default, drawn)
    known = found.points[found.points >= 0]
    shares = np.bincount(known, minlength=len(points)) / max(1, len(known))
    means = [float(mean_of_known(values)) for values in found[:4]]
    return Choice(
        means[0], means[1], percentile(again.tested), means[2], means[3], percentile(again.gain), shares
    )
