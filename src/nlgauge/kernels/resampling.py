"""Counts of resampled units."""

from __future__ import annotations

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array


@compiled
def draw_counts(drawn: Array, units: int) -> Array:
    """Return (resamples, units) how often each unit was drawn, in float64, from the (resamples, draws)
    numbers of units in int32.
    """
    counts = np.empty((len(drawn), units))
    for row, numbers in zip(counts, drawn, strict=True):
        row[:] = np.bincount(numbers, minlength=units)
    return counts
