"""Reduction: from all rows of a segment to one, first over references, then over predictions.

"best" (the default), "max" and "min" choose a row and keep its statistics, part by part, so the corpus score
stays a true corpus score. Anything else (mean, median, another NumPy name, a callable) averages the scores
that are defined; the row becomes the averages, the corpus score their mean over the segments for which they
are defined, and the signature shows the function.

Predictions that are repeats (`Corpus.repeats`) are always averaged; the rule then acts on references only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged, offsets_of
from nlgauge.errors import NlgaugeError, ParameterError, ResultError
from nlgauge.metric import Arrays, Metric, Output
from nlgauge.metric.mean import means_of_defined, values_and_defined
from nlgauge.metric.table import outputs_of

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus

ReduceFn = str | Callable[[Any], Any] | None
_CHOOSERS = ("best", "max", "min")


@dataclass(frozen=True)
class Averaged(Metric):
    """A metric whose rows were averaged: its statistics are its outputs (0 if undefined), then 1 if each is
    defined.
    """

    metric: Metric
    function: str

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.metric.name

    @property
    def missing_reason(self) -> str:  # type: ignore[override]
        return self.metric.missing_reason

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return self.metric.outputs()

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return self.metric.facts(corpus)

    def score(self, part: str, statistics: Array) -> Arrays:
        outputs = self.outputs()[part]
        means = means_of_defined(statistics, [output.name for output in outputs])
        # Counts, such as texts that were cut, are sums over segments.
        return means | {output.name: statistics[..., i] for i, output in enumerate(outputs) if output.note}

    def missing(self, part: str, statistics: Array) -> Array:
        undefined: Array = statistics[..., len(self.outputs()[part])] == 0
        return undefined

    def is_mean(self, output: Output) -> bool:
        return not output.note

    def __str__(self) -> str:
        return str(self.metric)


class LostFunction:
    """A placeholder for a function that averaged the rows of a saved result; functions are not saved, only
    their names.
    """

    def __init__(self, function: str) -> None:
        self.function = self.__name__ = function

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LostFunction) and other.function == self.function

    def __hash__(self) -> int:
        return hash(self.function)

    def __call__(self, scores: Any) -> Any:
        raise ResultError(
            f"the custom function {self.function!r} that averaged the scores of this result is not saved with it; score"
            " all systems and metrics again with that function."
        )


class Reducer(NamedTuple):
    """A rule of reduction, for a corpus whose shape determines if anything is averaged."""

    rule: ReduceFn
    many_references: bool
    many_predictions: bool
    repeats: bool = False

    @classmethod
    def of(cls, rule: ReduceFn, corpus: Corpus) -> Reducer:
        """Return the reducer for a corpus; raise ParameterError if the rule is invalid."""
        averaging_function(rule)
        many_references = corpus.references is not None and _has_many(corpus.references)
        return cls(rule, many_references, any(map(_has_many, corpus.predictions.values())), corpus.repeats)

    @staticmethod
    def name(rule: ReduceFn) -> str:
        """Return the name of a rule in signatures and saved configurations."""
        return (
            rule
            if isinstance(rule, str)
            else "default"
            if rule is None
            else getattr(rule, "__name__", "callable")
        )

    def _rule(self, metric: Metric) -> str | Callable[[Any], Any]:
        return metric.reduce if self.rule is None else self.rule

    def _acts_on(self, metric: Metric) -> bool:
        return self.many_predictions or (self.many_references and metric.takes == "pair")

    def _averages(self, metric: Metric) -> Callable[[Any], Any] | None:
        """Return the function that averages the predictions of a segment; None if a row is chosen."""
        if self.repeats and self.many_predictions:
            return np.mean
        return averaging_function(self._rule(metric)) if self._acts_on(metric) else None

    def facts(self, metric: Metric) -> dict[str, str]:
        """Return the text of the rule in a signature: empty if it chooses the best, or had nothing to act
        on.
        """
        rule = self._rule(metric)
        named = f"callable {self.name(rule)}" if callable(rule) else rule
        repeats = {"repeats": "mean"} if self.repeats and self.many_predictions else {}
        acts = self.many_references and metric.takes == "pair" if repeats else self._acts_on(metric)
        return repeats | ({"reduce": named} if acts and named != "best" else {})

    def reduced(self, metric: Metric) -> Metric:
        """Return the metric of the reduced rows."""
        if self._averages(metric) is None:
            return metric
        return Averaged(metric, "mean" if self.repeats else self.name(self._rule(metric)))

    def reduce(self, metric: Metric, statistics: Arrays, references: Array, predictions: Array) -> Arrays:
        """Return one row per segment; `references` counts the rows of a prediction, `predictions` those of a
        segment.
        """
        function = self._averages(metric)
        if function is None:
            if all(len(values) == len(predictions) for values in statistics.values()):
                return statistics
            return {
                part: values[self._chosen(metric, part, values, references, predictions)]
                for part, values in statistics.items()
            }
        of_references = averaging_function(self._rule(metric))
        segment_metric = metric.for_segments()
        found = {}
        for part, rows in statistics.items():
            values = rows if of_references else rows[self._chosen(metric, part, rows, references)]
            scores = np.column_stack(
                list(outputs_of(segment_metric, {part: values}, (len(values),)).values())
            )
            over_references = [] if of_references is None else [(of_references, references)]
            for average, sizes in [*over_references, (function, predictions)]:
                groups = (scores[a:b] for a, b in pairwise(offsets_of(sizes)))
                scores = np.array([[_average(average, column) for column in group.T] for group in groups])
            found[part] = values_and_defined(scores)
        return found

    def winners(
        self, metric: Metric, statistics: Arrays, references: Array, predictions: Array
    ) -> dict[str, int] | None:
        """Return for each part the row of a single segment that decides its score; None if rows are averaged."""
        if self._averages(metric) is not None:
            return None
        return {
            part: int(self._chosen(metric, part, values, references, predictions)[0])
            for part, values in statistics.items()
        }

    def _chosen(self, metric: Metric, part: str, values: Array, *steps: Array) -> Array:
        """Return the row that the rule chooses in each group; `steps` has the sizes of the groups, inner first."""
        if len(values) == len(steps[-1]):
            return np.arange(len(values))
        first = metric.outputs()[part][0]
        scores = outputs_of(metric.for_segments(), {part: values}, (len(values),))[first.name]
        rule = self._rule(metric)
        higher = first.higher_is_better is not False if rule == "best" else rule == "max"
        # An undefined score never wins against a defined one.
        cost = np.where(np.isnan(scores), np.inf, -scores if higher else scores)
        chosen = np.arange(len(values))
        for sizes in steps:
            owners = np.repeat(np.arange(len(sizes)), sizes)
            order = np.lexsort((np.isnan(scores[chosen]), cost[chosen], owners))
            chosen = chosen[order[offsets_of(sizes)[:-1]]]
        return chosen


def _has_many(column: Ragged) -> bool:
    return not column.is_single and bool((column.lengths > 1).any())


def _average(function: Callable[[Any], Any], scores: Array) -> float:
    """Return the average of the defined scores; NaN if none is defined."""
    defined = scores[~np.isnan(scores)]
    if not len(defined):
        return math.nan
    try:
        found = function(defined)
    except NlgaugeError:
        raise
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"reduce_fn {Reducer.name(function)!r} must take an array of scores and return one number, but"
            f" raised: {error}"
        ) from error
    try:
        return float(found)
    except (TypeError, ValueError):
        raise ParameterError(
            f"reduce_fn {Reducer.name(function)!r} must turn several scores into one number, but returned"
            f" {found!r:.60}."
        ) from None


def averaging_function(rule: ReduceFn) -> Callable[[Any], Any] | None:
    """Return the averaging function of a rule; None for rules that choose a row."""
    if rule is None or (isinstance(rule, str) and rule in _CHOOSERS):
        return None
    if callable(rule):
        return rule
    function = getattr(np, rule, None) if isinstance(rule, str) and rule.isidentifier() else None
    if not callable(function) or isinstance(function, type):
        raise ParameterError(
            f"unknown reduction rule {rule!r:.60}",
            python="pass reduce_fn='best', 'max', 'min', the name of a NumPy function such as 'mean', or a function",
            cli="choose best, max, min, mean or median",
        )
    found: Callable[[Any], Any] = function
    return found
