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
from nlgauge.stats.sequential.planned import Look, PlannedLooks, Score
from nlgauge.stats.units import Clusters

if TYPE_CHECKING:
    from nlgauge.results.result import Result


class PairLook(NamedTuple):
    """A look at two systems: its outcome, the gain of the second system over the first, and the better system if
    the test stops here.
    """

    look: Look
    label: str
    output: Output
    gain: float
    better: str | None


class _Pair(NamedTuple):
    """An output of two systems: the sums of their statistics by unit, the scores of sums, and the units with scores
    of both systems (None: all).
    """

    label: str
    output: Output
    totals: tuple[Array, Array]
    score: Score
    units: Array | None


def look_at(
    result: Result, test: PlannedLooks, first: str, second: str, metric: str | None = None
) -> PairLook:
    """Make the next look of a test at two systems of a result.

    The result has scores of at least the segments that the look reaches; `test.clusters` are its segments or
    documents. Segments without a score of either system are left out for both. `better` is None for an output
    without a direction.
    """
    pair = _pair(result, test, first, second, metric)
    output = pair.output
    look = test.look(*pair.totals, pair.score, pair.units)
    better = None
    if look.sign and output.higher_is_better is not None:
        better = first if (look.sign > 0) == output.higher_is_better else second
    return PairLook(look, pair.label, output, gain_of(look.difference, output), better)


def gain_at(
    result: Result, test: PlannedLooks, first: str, second: str, metric: str | None = None
) -> tuple[float, float]:
    """Return the interval of the gain of the second system on the segments seen, at the confidence of the last look.

    Parameters are the parameters of `look_at`.
    """
    pair = _pair(result, test, first, second, metric)
    return gain_interval(*test.interval(*pair.totals, pair.score, pair.units), pair.output)


def _pair(result: Result, test: PlannedLooks, first: str, second: str, metric: str | None) -> _Pair:
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
    return _Pair(label, output, totals, score, units)


def _scored(clusters: Clusters, left_out: Array, weights: Array | None) -> Array:
    """Return the units with a segment that is not left out and has a weight."""
    return clusters.units_with(~left_out if weights is None else ~left_out & np.greater(weights, 0))
