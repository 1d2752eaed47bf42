"""Sequential tests of two systems of a result, look by look."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError
from nlgauge.metric import Output
from nlgauge.metric.table import unstacked
from nlgauge.results.comparison import gain_interval, gain_of
from nlgauge.results.labels import output_named
from nlgauge.results.missing import common, part_of
from nlgauge.results.resampling import Resampling
from nlgauge.stats.sequential.planned import Look, PlannedLooks
from nlgauge.stats.units import Clusters

if TYPE_CHECKING:
    from nlgauge.results.result import Result


class PairLook(NamedTuple):
    """A look at two systems: its outcome, the gain of the second system over the first with its interval,
    and the better system if the test stops here.
    """

    look: Look
    label: str
    output: Output
    gain: float
    gain_low: float
    gain_high: float
    better: str | None


def look_at(
    result: Result, test: PlannedLooks, first: str, second: str, metric: str | None = None
) -> PairLook:
    """Make the next look of a test at two systems of a result.

    The result has scores of at least the segments that the look reaches; `test.clusters` are its segments or
    documents. Segments without a score of either system are left out for both. The interval excludes 0 if and
    only if the test stops here. `better` is None for an output without a direction.
    """
    label, output = output_named(result, metric or result.labels[0])
    tables = result._tables[first, label], result._tables[second, label]
    if not tables[0].additive:
        raise ParameterError(
            f"{label} is not computed from per-segment statistics, so it cannot be tested look by look; use"
            " another metric."
        )
    ours, theirs = common(*tables)
    plan = Resampling(test.clusters, result.corpus.weights, test.resamples, test.seed, 1 - test.alpha)
    totals = plan.totals([ours]), plan.totals([theirs])

    def score(sums: Array) -> Array:
        return unstacked([ours], sums)[0][output.name]

    left_out = ours.left_out.get(part_of(ours, output.name)) if ours.left_out else None
    units = None if left_out is None else _scored(test.clusters, left_out, result.corpus.weights)
    look = test.look(*totals, score, units)
    largest = output.high - output.low
    low, high = np.clip(gain_interval(*look.interval, output), -largest, largest).tolist()
    better = None
    if look.sign and output.higher_is_better is not None:
        better = first if (look.sign > 0) == output.higher_is_better else second
    return PairLook(look, label, output, gain_of(look.difference, output), low, high, better)


def _scored(clusters: Clusters, left_out: Array, weights: Array | None) -> Array:
    """Return the units with a segment that is not left out and has a weight."""
    return clusters.units_with(~left_out if weights is None else ~left_out & np.greater(weights, 0))
