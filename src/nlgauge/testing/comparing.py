"""Scores of a metric on texts, and whether two of them are the same."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.metric import AnyMetric, Output
from nlgauge.results.result import Result
from nlgauge.scoring import score


@dataclass(frozen=True)
class Terms:
    """What a metric may be granted, and what must be known to check it.

    exact: numbers must be the same bit for bit, else to `tolerance` (to 1e-12 where they hang on a fit on the
    system's rows); models cannot be exact. not_best_when_equal: the names of `ODD` texts that do not get the
    best score although prediction and reference are equal. other_values: for parameters whose default does
    not suggest another valid value (texts, None, tuples), one that is valid. tolerance: what numbers that are
    not exact may differ by; more for a ratio of differences, of which rounding makes more. judged: a model
    judges the prediction, so that one that equals its reference need not get the best score, nor a better one
    than others.
    """

    exact: bool = True
    not_best_when_equal: Collection[str] = ()
    other_values: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float = 1e-5
    judged: bool = False


def require(holds: bool, metric: AnyMetric, what: str) -> None:
    """Raises AssertionError, with the metric's name and what is wrong, unless something holds."""
    if not holds:
        raise AssertionError(f"{metric.name}: {what}.")


def scored(metric: AnyMetric, predictions: Any, references: Any, sources: Any, **options: Any) -> Result:
    """The result of one metric."""
    return score(predictions, references, sources, metrics=metric, cache=False, **options)


def scores_of(result: Result, system: str | None = None) -> dict[str, Any]:
    """The corpus scores of a system, by default of the first."""
    return result._tables[system or result.systems[0], result.labels[0]].scores()


def rows_of(result: Result, system: str | None = None) -> list[dict[str, float]]:
    """The segment scores of a system; none for a corpus metric."""
    segments = result._tables[system or result.systems[0], result.labels[0]].segments()
    return (
        [{name: float(values[i]) for name, values in segments.items()} for i in range(len(result.corpus))]
        if segments
        else []
    )


def outputs_of(metric: AnyMetric) -> list[Output]:
    """Every output of every part."""
    return [output for part in metric.outputs().values() for output in part]


def best(output: Output) -> float:
    """The best score there can be."""
    return output.high if output.higher_is_better else output.low


def better(output: Output, one: float, other: float) -> bool:
    """Whether the one score is better than the other."""
    return one > other if output.higher_is_better else one < other


def fitted_on_a_system(metric: AnyMetric) -> bool:
    """Whether the metric's fit is over the rows of a system."""
    fit = metric.fit()
    return fit is not None and fit.over == "system"


def same_results(
    metric: AnyMetric, terms: Terms, one: Result, other: Result, what: str, system: str | None = None
) -> None:
    """Raises unless segments and corpus have the same scores in two results; of the other result for this
    system.
    """
    for ours, theirs in zip(rows_of(one), rows_of(other, system), strict=True):
        same_scores(metric, terms, ours, theirs, what)
    same_scores(metric, terms, scores_of(one), scores_of(other, system), what)


def same_scores(
    metric: AnyMetric,
    terms: Terms,
    ours: Mapping[str, float],
    theirs: Mapping[str, float],
    what: str,
    sums: bool = False,
) -> None:
    """Raises unless scores are equal as the terms say; sums that were made in another order may differ in
    their last bits.
    """
    require(ours.keys() == theirs.keys(), metric, f"{what}: {list(ours)} and {list(theirs)}")
    if terms.exact and not sums:
        for name, value in ours.items():
            require(
                np.array_equal(value, theirs[name], equal_nan=True),
                metric,
                f"{what}: {name} is {value} and {theirs[name]}",
            )
    else:
        # What is fitted on a system's rows gets the same bits of a model whatever the batches, and must not
        # make more of them.
        close(
            metric,
            ours,
            theirs,
            1e-12 if terms.exact or fitted_on_a_system(metric) else terms.tolerance,
            what,
        )


def same_arrays(metric: AnyMetric, terms: Terms, ours: Array, theirs: Array, what: str) -> None:
    """Raises unless arrays are equal as the terms say."""
    require(ours.shape == theirs.shape, metric, f"{what}: shapes are {ours.shape} and {theirs.shape}")
    one, other = (
        {f"number {i}": value for i, value in enumerate(array.ravel().tolist())} for array in (ours, theirs)
    )
    same_scores(metric, terms, one, other, what)


def close(
    metric: AnyMetric, ours: Mapping[str, float], theirs: Mapping[str, float], tolerance: float, what: str
) -> None:
    """Raises unless numbers are equal but for a tolerance."""
    for name, value in ours.items():
        near = np.allclose(value, theirs[name], rtol=tolerance, atol=tolerance, equal_nan=True)
        require(near, metric, f"{what}: {name} is {value} and {theirs[name]}")


def arrays_of(value: Any) -> Any:
    """The arrays of a column, and nothing of what else a view holds."""
    return (
        (value.values, value.offsets)
        if hasattr(value, "offsets")
        else value
        if isinstance(value, np.ndarray)
        else None
    )


def contents_of(corpus: Corpus) -> Any:
    """A copy of all that a corpus holds."""
    columns = {name: arrays_of(value) for name, value in vars(corpus).items()}
    return copy.deepcopy(
        [
            list(corpus.texts.strings),
            columns,
            {system: arrays_of(column) for system, column in corpus.predictions.items()},
        ]
    )


def identical(one: Any, other: Any) -> bool:
    """Whether nested lists and dictionaries of arrays are the same."""
    try:
        np.testing.assert_equal(one, other)
    except AssertionError:
        return False
    return True
