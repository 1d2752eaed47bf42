"""Table: the statistics of one metric on one system, one row per segment; everything else is computed
from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.backend import chosen
from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array, blocks, let_go
from nlgauge.errors import MetricError
from nlgauge.metric import AnyMetric, Arrays, Metric, Output

if TYPE_CHECKING:
    from nlgauge.metric.compiled import ScoreProgram

# The programs of the scores of metrics, which `nlgauge.metric.compiled` adds; by class and value, because equal
# values of two classes are different metrics.
PROGRAMS: dict[tuple[type, AnyMetric], ScoreProgram] = {}


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of statistics by part (additive metrics), or the values themselves (corpus metrics, and metrics
    whose class is not installed).
    """

    metric: AnyMetric
    statistics: Arrays = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    weights: Array | None = None
    # Segment scores that were saved, of a metric whose class is not installed to compute them.
    saved_segments: Arrays = field(default_factory=dict)
    # Reason for values of NaN, unless the input is the reason.
    unknown: str = ""
    # For a part, the segments that count for nothing here, although they may have rows: those that the other
    # system of a pair lacks.
    left_out: Arrays = field(default_factory=dict)
    # True if the segments with a score were chosen by a test that stopped when it was significant.
    stopped: bool = False

    @property
    def additive(self) -> bool:
        """True if there are rows, and thus segment scores, intervals and tests."""
        return isinstance(self.metric, Metric)

    def outputs(self) -> list[Output]:
        """Return every output of every part; for a corpus metric without named outputs, its return value."""
        named = [output for outputs in self.metric.outputs().values() for output in outputs]
        return named or [
            Output(name, None) for name, value in self.values.items() if isinstance(value, int | float)
        ]

    def leading(self) -> list[Output]:
        """Return the leading outputs of the metric: the first of each part."""
        return [outputs[0] for outputs in self.metric.outputs().values()] or self.outputs()[:1]

    def scores(self) -> dict[str, Any]:
        """Return the corpus score of every output, "score" first."""
        return dict(self._scores)

    @lazy
    def _scores(self) -> dict[str, Any]:
        if not self.additive:
            return with_score(dict(self.values))
        sums = np.zeros(self.width)
        for rows in weighted_blocks([self], self.weights):
            sums += rows.sum(axis=0)
        (found,) = unstacked([self], sums[None])
        return with_score({name: float(value[0]) for name, value in found.items()})

    @property
    def width(self) -> int:
        """The number of columns of all parts together."""
        return sum(rows.shape[1] for rows in self.statistics.values())

    def segments(self) -> Arrays:
        """Return every output for every segment; nothing for a corpus metric."""
        return dict(self._segments)

    @lazy
    def _segments(self) -> Arrays:
        found = list(self._segments_in_blocks())
        return (
            found[0]
            if len(found) == 1
            else {name: np.concatenate([block[name] for block in found]) for name in found[0]}
        )

    @property
    def has_segments(self) -> bool:
        """True if there are segment scores."""
        return self.additive or bool(self.saved_segments)

    def segments_of(self, output: str) -> Array:
        """Return one output for every segment."""
        if "_segments" in self.__dict__:
            return self._segments[output]
        return np.concatenate([block[output] for block in self._segments_in_blocks()])

    def segment_block(self, start: int, stop: int) -> Arrays:
        """Return every output for some neighboring segments; nothing for a corpus metric."""
        if not isinstance(self.metric, Metric):
            return {name: values[start:stop] for name, values in self.saved_segments.items()}
        found = outputs_of(
            self.metric.for_segments(),
            {part: rows[start:stop] for part, rows in self.statistics.items()},
            (stop - start,),
        )
        let_go(*self.statistics.values())
        return found

    def missing(self, part: str) -> Array:
        """Return which segments have no value of the first output of a part."""
        return self._missing[part]

    @lazy
    def _missing(self) -> Arrays:
        metric = self.metric
        assert isinstance(metric, Metric)
        found = {}
        for part, rows in self.statistics.items():
            found[part] = np.concatenate(
                [metric.missing(part, rows[start:stop]) for start, stop in blocks(len(rows))]
            )
            let_go(rows)
        return found

    def undefined(self) -> dict[str, int]:
        """Return the number of segments without a value of each output, if any; they are excluded from its
        corpus score.
        """
        return dict(self._undefined)

    @lazy
    def _undefined(self) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for found in self._segments_in_blocks():
            counts.update({name: int(np.isnan(values).sum()) for name, values in found.items()})
        return {name: count for name, count in counts.items() if count}

    def _segments_in_blocks(self) -> Iterator[Arrays]:
        if not isinstance(self.metric, Metric):
            yield self.saved_segments
            return
        for start, stop in blocks(len(next(iter(self.statistics.values())))):
            yield self.segment_block(start, stop)


def outputs_of(metric: AnyMetric, statistics: Arrays, shape: tuple[int, ...]) -> Arrays:
    """Return every output of every part, from statistics over the last axis; raise MetricError if they differ
    from the declared outputs.
    """
    assert isinstance(metric, Metric)
    usable = PROGRAMS and len(shape) == 1 and chosen() == "native"
    program = PROGRAMS.get((type(metric), metric)) if usable else None
    if program is not None and len(statistics) == len(program.parts):
        return program.run(statistics)
    found: Arrays = {}
    outputs = metric.outputs()
    # A score is NaN if only segments of weight 0 were drawn, or nothing is defined.
    with np.errstate(divide="ignore", invalid="ignore"):
        for part, rows in statistics.items():
            scores: Any = metric.score(part, np.ascontiguousarray(rows, dtype=np.float64))
            names = [output.name for output in outputs[part]]
            if not isinstance(scores, Mapping):
                raise MetricError(
                    f"{metric.name}: score() of {part!r} must return a dictionary with {names}, but returned"
                    f" {scores!r:.60}."
                )
            if list(scores) != names or any(np.shape(value) != shape for value in scores.values()):
                got = {name: np.shape(value) for name, value in scores.items()}
                raise MetricError(
                    f"{metric.name}: score() of {part!r} must return {names}, each of shape {shape}, but returned"
                    f" {got}."
                )
            found |= scores
    return found


def with_score(outputs: dict[str, Any]) -> dict[str, Any]:
    """Return the outputs with the first of them also as "score"."""
    return (
        outputs if "score" in outputs or not outputs else {"score": next(iter(outputs.values())), **outputs}
    )


def weighted_blocks(tables: Sequence[Table], weights: Array | None) -> Iterator[Array]:
    """Return all statistics of several tables side by side, in blocks of segments, each row as heavy as its
    segment.
    """
    every = [(rows, table.left_out.get(part)) for table in tables for part, rows in table.statistics.items()]
    for start, stop in blocks(len(every[0][0])):
        found = np.hstack(
            [
                _without(rows[start:stop], None if left_out is None else left_out[start:stop])
                for rows, left_out in every
            ]
        )
        let_go(*(rows for rows, _ in every))
        yield found if weights is None else found * weights[start:stop, None]


def _without(rows: Array, left_out: Array | None) -> Array:
    """Return the rows with zeros for those that are left out."""
    return rows if left_out is None else np.where(left_out[:, None], 0.0, rows)


def unstacked(tables: list[Table], sums: Array) -> list[Arrays]:
    """Return the outputs of each table, from sums of `stacked` rows: (resamples, all columns)."""
    found = []
    column = 0
    for table in tables:
        parts = {}
        for part, rows in table.statistics.items():
            parts[part] = sums[:, column : column + rows.shape[1]]
            column += rows.shape[1]
        found.append(outputs_of(table.metric, parts, (len(sums),)))
    return found
