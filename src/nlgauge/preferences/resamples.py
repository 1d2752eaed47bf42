"""The bootstrap over segments or documents: whole units with all their comparisons, and a warm-started fit each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.preferences.bounds import unbounded
from nlgauge.preferences.design import Design
from nlgauge.preferences.likelihood import fitted
from nlgauge.stats.units import Clusters

# The prior of a resample without a finite maximum: half a win and half a loss of each system.
RESCUE = 0.5
# Numbers in one array of a fit: small enough for the processor's cache.
_BLOCK = 200_000


class Replicates(NamedTuple):
    """Parameters (B, p) of B resamples, and in how many of them a prior was needed."""

    parameters: Array
    rescued: int


def resampled(
    design: Design, units: Array, start: Array, prior: Array, resamples: int, seed: int
) -> Replicates:
    """Fit resamples of the units; `units` is the unit of each comparison, `prior` (3 C) is added to each resample."""
    clusters = Clusters(None, int(units.max()) + 1)
    by_unit = design.by_unit(clusters.of_segments(np.arange(clusters.count))[units])
    parts, rescued = [], 0
    for drawn in _counts(by_unit, clusters, resamples, seed):
        counts = drawn + prior
        separated = unbounded(design, counts)
        counts[separated] += design.prior(RESCUE)
        rescued += int(separated.sum())
        if design.has_ties:
            without = ~np.split(counts, 3, axis=1)[1].any(axis=1)
            counts[without] += design.prior_tie(RESCUE)
        parts.append(fitted(design, counts, start))
    return Replicates(np.concatenate(parts), rescued)


def _counts(by_unit: Any, clusters: Clusters, resamples: int, seed: int) -> Iterator[Array]:
    """Yield the counts (b, 3 C) of some resamples at a time."""
    columns = by_unit.T.tocsr()
    size = max(1, _BLOCK // (columns.shape[0] // 3))
    for block in clusters.bootstrap(resamples, seed):
        for start in range(0, len(block), size):
            yield (columns @ block[start : start + size].T.astype(np.float64)).T
