"""Paired tests of F of error spans: the rows of two metrics are swapped in random inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.meta.error_spans.additive import WIDTH, values_of
from nlgauge.stats.corrections import max_t, two_sided
from nlgauge.stats.intervals import percentile
from nlgauge.stats.units import Clusters, resampled_sums

_F = 2


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of texts by metric, the texts that each metric read, and the units of resampling."""

    names: tuple[str, ...]
    rows: Mapping[str, Array]
    masks: Mapping[str, Array]
    owners: Array
    units: int
    average: str
    resamples: int
    seed: int
    confidence: float

    def totals(self, name: str, other: str | None = None) -> Array:
        """Return (units, 4) sums of a metric, on the texts that another metric also read."""
        which = self.masks[name] if other is None else self.masks[name] & self.masks[other]
        rows, owners = self.rows[name][which], self.owners[which]
        return np.stack([np.bincount(owners, rows[:, k], self.units) for k in range(WIDTH)], axis=1)


def compared(sample: Sample, measure: str, group: str, alpha: float) -> Iterator[dict[str, Any]]:
    """Yield one row per pair of metrics."""
    pairs = list(combinations(sample.names, 2))
    if sample.units < 2 or not pairs:
        return
    clusters = Clusters(None, sample.units)
    ours = np.stack([sample.totals(one, other) for one, other in pairs], axis=1)
    theirs = np.stack([sample.totals(other, one) for one, other in pairs], axis=1)
    sums, others = ours.sum(axis=0), theirs.sum(axis=0)
    values, other_values = (values_of(total, sample.average)[:, _F] for total in (sums, others))
    deltas = values - other_values
    flat = (theirs - ours).reshape(sample.units, -1)
    moved = resampled_sums(clusters.swaps(sample.resamples, sample.seed), flat).reshape(-1, *sums.shape)
    null = (
        values_of(_not_negative(sums + moved), sample.average)[..., _F]
        - values_of(_not_negative(others - moved), sample.average)[..., _F]
    )
    both = np.concatenate([ours, theirs], axis=1).reshape(sample.units, -1)
    drawn = resampled_sums(clusters.bootstrap(sample.resamples, sample.seed), both)
    replicates = values_of(drawn.reshape(len(drawn), -1, WIDTH), sample.average)[..., _F]
    replicates = replicates[:, : len(pairs)] - replicates[:, len(pairs) :]
    # Inputs in which two metrics have the same sums do not matter for their test.
    units = (ours != theirs).any(axis=2).sum(axis=0)
    p, p_adjusted = two_sided(deltas, null, units), max_t(deltas, null, units=units)
    for k, (one, other) in enumerate(pairs):
        low, high, _ = percentile(replicates[:, k], sample.confidence)
        delta = float(deltas[k])
        is_better = bool(p_adjusted[k] <= alpha) and delta != 0
        yield {
            "human": measure,
            "group": group or None,
            "metric": one,
            "other": other,
            "value": float(values[k]),
            "other_value": float(other_values[k]),
            "delta": delta,
            "low": low,
            "high": high,
            "p": float(p[k]),
            "p_adjusted": float(p_adjusted[k]),
            "better": (one if delta > 0 else other) if is_better else "",
            "test": "randomization",
            "generalizes_to": "inputs",
        }


def _not_negative(sums: Array) -> Array:
    """Return sums without the tiny negative numbers of rounding."""
    return np.maximum(sums, 0.0)
