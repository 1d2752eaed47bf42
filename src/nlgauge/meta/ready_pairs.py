"""DARR of ready-made better/worse pairs, with its bootstrap over segments and systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.stats.resampling import Resamples

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

_BLOCK = 10_000_000


def ordered(part: Judgments, label: str, ties: str = "discordant") -> tuple[Array, Array]:
    """Return (P,) True for pairs that the metric orders as people do, and True for pairs that it does not; False
    in both if it lacks a score.
    """
    assert part.pairs is not None
    segment, better, worse = part.pairs.T
    x = part.oriented(label)
    difference = x[better, segment] - x[worse, segment]
    alike = difference > 0
    against = (difference < 0) | ((difference == 0) & (ties == "discordant"))
    return alike, against


def replicates(part: Judgments, alike: Array, against: Array, resamples: Resamples) -> Array:
    """Return (B, M) DARR of M metrics in each draw of segments and systems; `alike` and `against` are (P, M)."""
    assert part.pairs is not None
    segment, better, worse = part.pairs.T
    size = max(1, _BLOCK // max(1, len(segment)))
    found = []
    for i in range(0, len(resamples), size):
        systems, inputs = resamples.systems[i : i + size], resamples.inputs[i : i + size]
        weights = (inputs[:, segment] * systems[:, better] * systems[:, worse]).astype(np.float64)
        right, wrong = weights @ alike, weights @ against
        found.append((right - wrong) / np.where(right + wrong == 0, np.nan, right + wrong))
    return np.concatenate(found)


def columns(compared: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Return (P, M) arrays for several metrics: the pairs that each orders as people do, and the pairs that it
    does not; as floats, which multiply fast and exactly.
    """
    alike, against = zip(*compared, strict=True)
    return np.column_stack(alike).astype(np.float64), np.column_stack(against).astype(np.float64)
