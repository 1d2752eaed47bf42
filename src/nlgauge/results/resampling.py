"""Units, number and seed of resamples, which intervals and tests share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError
from nlgauge.metric.table import Table, weighted_blocks
from nlgauge.stats.intervals import check_confidence
from nlgauge.stats.resampling import check_resampling
from nlgauge.stats.units import Clusters

# Simulations on real translations: with 100 segments 95% intervals cover 93.5% to 95%, with 20 91.5% to 94.5%,
# with 5 79% to 86%.
FEW_UNITS = 20


class Resampling(NamedTuple):
    """Resampling plan: units, segment weights, number of resamples, seed, confidence of intervals."""

    clusters: Clusters
    weights: Array | None
    resamples: int
    seed: int
    confidence: float

    def totals(self, tables: Sequence[Table]) -> Array:
        """Return the tables' rows side by side, weighted by segment and summed over the segments of each
        unit.
        """
        return self.clusters.totals(
            weighted_blocks(tables, self.weights), sum(table.width for table in tables)
        )


def drawn_in_groups(clusters: Clusters) -> str:
    """Return the remark that units are drawn in groups; "" if they are not."""
    if not clusters.grouped:
        return ""
    return (
        f"{clusters.grouped:,} segments (or documents) are assigned at random to {clusters.count:,} groups, which"
        " are resampled"
    )


def caution(units: int, test: str) -> str:
    """Return a caution about intervals and a test if few units are resampled; "" if there are enough, or only
    one, which allows neither.
    """
    if not 1 < units < FEW_UNITS:
        return ""
    bootstrap = (
        " and the paired bootstrap reports too many differences as significant" if test == "bootstrap" else ""
    )
    return (
        f"with {units} segments (or documents) intervals are too narrow{bootstrap}; {FEW_UNITS} or more are"
        " needed"
    )


def checked_test(test: object) -> str:
    """Return the name of a test, in American spelling; raise ParameterError if there is no such test."""
    name = "randomization" if test == "randomisation" else test
    if name not in ("randomization", "bootstrap"):
        raise ParameterError(f"test must be 'randomization' or 'bootstrap', got {test!r:.60}.")
    return str(name)


def checked_plan(
    clusters: Clusters, weights: Array | None, resamples: int, seed: int, confidence: float
) -> Resampling:
    """Return the plan, or raise an error that names the number out of its domain."""
    check_resampling(resamples, seed)
    return Resampling(clusters, weights, resamples, seed, float(check_confidence(confidence)))
