"""Missing scores: the segments without a score, the reasons, and the effect that scores for them could have.

A segment is missing for a system and an output if the metric returned no value: an unreadable reply, an error,
an empty prediction on a scale without a worst value, an input that the metric cannot score. Means over
different segments are not comparable, so a pair of systems is compared on the segments that both have. If
scores are missing because the predictions are bad, no rule is exact: only the bounds of the difference, which
cover all possible values of the missing scores, show how much they matter.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.metric import Metric, Output
from nlgauge.metric.mean import MeanMetric, values_and_defined
from nlgauge.metric.table import Table
from nlgauge.stats.two_raters import mcnemar

# An input that the metric cannot score, whoever wrote the prediction.
ABSENT = "absent"


Reasons = tuple[tuple[str, int], ...]


class Gaps(NamedTuple):
    """The missing scores of a pair of systems on one output.

    `used` segments have both scores; `first`, `second` and `both` count the segments that only the first,
    only the second and both systems lack; of the last, `absent` could be scored for no prediction. `reasons`
    has, for each system, the number of its missing scores by reason. `low` and `high` bound the difference
    (first minus second) over all scores that the missing ones could be; NaN if the output has no bounds. `p`
    is the p-value of the hypothesis that both systems lack scores equally often.
    """

    used: int
    first: int = 0
    second: int = 0
    both: int = 0
    reasons: tuple[Reasons, Reasons] = ((), ())
    own_scores: tuple[float, float] = (math.nan, math.nan)
    low: float = math.nan
    high: float = math.nan
    p: float = 1.0
    absent: int = 0

    @property
    def unequal(self) -> bool:
        """True if one system has a score that the other lacks."""
        return bool(self.first or self.second)

    @property
    def any(self) -> bool:
        """True if any score is missing."""
        return bool(self.first or self.second or self.both)

    @property
    def can_change(self) -> bool:
        """True if a score is missing that another prediction, or another try, could have had."""
        return self.first + self.second + self.both > self.absent

    def share(self) -> float:
        """Return the larger of both systems' shares of missing scores, without the segments that no
        prediction could score.
        """
        segments = self.used + self.first + self.second + self.both - self.absent
        return (max(self.first, self.second) + self.both - self.absent) / segments if segments else 0.0


def part_of(table: Table, output: str) -> str:
    """Return the part of a metric to which an output belongs."""
    return next(
        part for part, outputs in table.metric.outputs().items() if any(one.name == output for one in outputs)
    )


def reason_by_segment(table: Table, part: str, segments: Array) -> list[str]:
    """Return the reason why each of these segments, by number, has no score."""
    assert isinstance(table.metric, Metric)
    scores = table.metric.score(part, np.asarray(table.statistics[part][segments], dtype=np.float64))
    reasons = np.full(len(segments), table.metric.missing_reason, dtype=object)
    for output in reversed(table.metric.outputs()[part]):
        if output.missing:
            reasons[scores[output.name] > 0] = output.missing
    return list(reasons)


def reasons_of(table: Table, part: str, missing: Array) -> Reasons:
    """Return how many of the missing segments are missing for each reason."""
    return (
        tuple(sorted(Counter(reason_by_segment(table, part, np.flatnonzero(missing))).items()))
        if missing.any()
        else ()
    )


def gaps_of(first: Table, second: Table, output: Output, own_scores: tuple[float, float]) -> Gaps:
    """Return the missing scores of two systems on the leading output of a part."""
    part = part_of(first, output.name)
    here, there = first.missing(part), second.missing(part)
    if not here.any() and not there.any():
        return Gaps(len(here))
    ours, theirs, neither = here & ~there, there & ~here, here & there
    counts = int(ours.sum()), int(theirs.sum())
    low, high = bounds_of(first, second, output)
    reasons = reasons_of(first, part, here), reasons_of(second, part, there)
    nobody = int((neither & absent(first, part) & absent(second, part)).sum())
    return Gaps(
        int((~here & ~there).sum()),
        *counts,
        int(neither.sum()),
        reasons,
        own_scores,
        low,
        high,
        mcnemar(*counts),
        nobody,
    )


def common(first: Table, second: Table) -> tuple[Table, Table]:
    """Return the tables on the segments that both have, part by part; the same tables if they lack none."""
    left_out = {}
    for part in first.statistics:
        missing = first.missing(part) | second.missing(part)
        if missing.any():
            left_out[part] = missing
    return (
        (replace(first, left_out=left_out), replace(second, left_out=left_out))
        if left_out
        else (first, second)
    )


def bounds_of(first: Table, second: Table, output: Output) -> tuple[float, float]:
    """Return the least and the greatest difference (first minus second) over all scores that the missing
    ones could be.
    """
    low, high = (
        filled(first, second, output, *ends)
        for ends in ((output.low, output.high), (output.high, output.low))
    )
    if low is None or high is None:
        return math.nan, math.nan
    below, above = (
        float(ours.scores()[output.name] - theirs.scores()[output.name]) for ours, theirs in (low, high)
    )
    return below, above


def range_of(table: Table, output: Output) -> tuple[float, float]:
    """Return the least and the greatest score over all values that the missing ones could have; NaN if
    none could change it.
    """
    unknown = math.nan, math.nan
    if (
        not isinstance(table.metric, Metric)
        or not table.metric.is_mean(output)
        or not (math.isfinite(output.low) and math.isfinite(output.high))
    ):
        return unknown
    part = part_of(table, output.name)
    if output != table.metric.outputs()[part][0] or not (table.missing(part) & ~absent(table, part)).any():
        return unknown
    ends = [filled(table, table, output, value, value) for value in (output.low, output.high)]
    low, high = (math.nan if both is None else float(both[0].scores()[output.name]) for both in ends)
    return low, high


def missing_share(table: Table, output: Output) -> float:
    """Return the share of segments without a score, among the segments that can have a score."""
    part = part_of(table, output.name)
    nobody = absent(table, part)
    return float((table.missing(part) & ~nobody).sum() / max(1, (~nobody).sum()))


def filled(
    first: Table, second: Table, output: Output, ours: float, theirs: float
) -> tuple[Table, Table] | None:
    """Return the tables with these values for the missing scores of the first and the second system; None if
    the output is no mean with bounds.

    An input that neither system's prediction could change (absent for both) is left out.
    """
    part = part_of(first, output.name)
    assert isinstance(first.metric, Metric)
    if not (first.metric.is_mean(output) and math.isfinite(output.low) and math.isfinite(output.high)):
        return None
    here, there = first.missing(part), second.missing(part)
    nobody = here & there & absent(first, part) & absent(second, part)
    sides = []
    for table, missing, value in ((first, here, ours), (second, there, theirs)):
        scores = np.where(missing & ~nobody, value, table.segments_of(output.name))
        sides.append(
            Table(
                _SegmentScores(output),
                {output.name: values_and_defined(scores[:, None])},
                weights=table.weights,
            )
        )
    return sides[0], sides[1]


def absent(table: Table, part: str) -> Array:
    """Return which segments no prediction could give a score."""
    segments = np.flatnonzero(table.missing(part))
    nobody = np.zeros(len(table.missing(part)), dtype=bool)
    nobody[segments] = [reason == ABSENT for reason in reason_by_segment(table, part, segments)]
    return nobody


@dataclass(frozen=True)
class _SegmentScores(MeanMetric):
    """The mean of one output's segment scores."""

    output: Output

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.output.name

    def measures(self) -> tuple[Output, ...]:
        return (self.output,)
