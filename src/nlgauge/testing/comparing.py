"""Scoring of texts by a metric, and comparison of the scores."""

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
    """Exceptions from the contract that a metric may have, and settings of the checks.

    Parameters
    ----------
    exact : bool
        If True, numbers must be equal bit for bit. Otherwise they may differ by `tolerance`, or by 1e-12 if
        they depend on a fit on the system's rows. Numbers of models cannot be exact.
    not_best_when_equal : collection of str
        Names of `ODD` texts that do not get the best score although prediction and reference are equal.
    other_values : mapping
        A valid value for each parameter whose default does not suggest another valid value (texts, None,
        tuples).
    tolerance : float
        Allowed difference of numbers that are not exact. A ratio of differences needs a larger tolerance,
        because it amplifies rounding errors.
    judged : bool
        True if a model judges the prediction. A prediction that equals its reference then need not get the
        best score, nor a better score than other predictions.
    """

    exact: bool = True
    not_best_when_equal: Collection[str] = ()
    other_values: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float = 1e-5
    judged: bool = False


def require(condition: bool, metric: AnyMetric, what: str) -> None:
    """Raise AssertionError with the metric's name and the problem, unless the condition is true."""
    if not condition:
        raise AssertionError(f"{metric.name}: {what}.")


def scored(metric: AnyMetric, predictions: Any, references: Any, sources: Any, **options: Any) -> Result:
    """Return the result of one metric, without the statistics cache."""
    fields = fields_of(metric, sources)
    return score(predictions, references, sources, metrics=metric, cache=False, fields=fields, **options)


def fields_of(metric: AnyMetric, sources: Any) -> dict[str, Any] | None:
    """Return the sources as the fields of records that a metric reads."""
    return dict.fromkeys(metric.record_fields, sources) or None


def scores_of(result: Result, system: str | None = None) -> dict[str, Any]:
    """Return the corpus scores of a system, by default of the first system."""
    return result._tables[system or result.systems[0], result.labels[0]].scores()


def rows_of(result: Result, system: str | None = None) -> list[dict[str, float]]:
    """Return the segment scores of a system, as one dictionary per segment; none for a corpus metric."""
    segments = result._tables[system or result.systems[0], result.labels[0]].segments()
    return (
        [{name: float(values[i]) for name, values in segments.items()} for i in range(len(result.corpus))]
        if segments
        else []
    )


def outputs_of(metric: AnyMetric) -> list[Output]:
    """Return every output of every part."""
    return [output for part in metric.outputs().values() for output in part]


def best(output: Output) -> float:
    """Return the best possible score."""
    return output.high if output.higher_is_better else output.low


def better(output: Output, first: float, second: float) -> bool:
    """Return True if the first score is better than the second."""
    return first > second if output.higher_is_better else first < second


def fitted_on_a_system(metric: AnyMetric) -> bool:
    """Return True if the metric is fitted on the rows of a system."""
    fit = metric.fit()
    return fit is not None and fit.over == "system"


def same_results(
    metric: AnyMetric, terms: Terms, first: Result, second: Result, what: str, system: str | None = None
) -> None:
    """Raise AssertionError unless two results have equal scores, of segments and of the corpus.

    `system` selects the system of the second result; the default is its first system.
    """
    for ours, theirs in zip(rows_of(first), rows_of(second, system), strict=True):
        same_scores(metric, terms, ours, theirs, what)
    same_scores(metric, terms, scores_of(first), scores_of(second, system), what)


def same_scores(
    metric: AnyMetric,
    terms: Terms,
    ours: Mapping[str, float],
    theirs: Mapping[str, float],
    what: str,
    sums: bool = False,
) -> None:
    """Raise AssertionError unless scores are equal under the terms.

    If `sums` is True, the last bits may differ, because the scores are sums in another order.
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
        # A fit on a system's rows sees the same bits of a model for any batches, so it must not increase the
        # differences.
        close(
            metric,
            ours,
            theirs,
            1e-12 if terms.exact or fitted_on_a_system(metric) else terms.tolerance,
            what,
        )


def same_arrays(metric: AnyMetric, terms: Terms, ours: Array, theirs: Array, what: str) -> None:
    """Raise AssertionError unless arrays are equal under the terms."""
    require(ours.shape == theirs.shape, metric, f"{what}: shapes are {ours.shape} and {theirs.shape}")
    first, second = (
        {f"number {i}": value for i, value in enumerate(array.ravel().tolist())} for array in (ours, theirs)
    )
    same_scores(metric, terms, first, second, what)


def close(
    metric: AnyMetric, ours: Mapping[str, float], theirs: Mapping[str, float], tolerance: float, what: str
) -> None:
    """Raise AssertionError unless numbers are equal up to a tolerance."""
    for name, value in ours.items():
        near = np.allclose(value, theirs[name], rtol=tolerance, atol=tolerance, equal_nan=True)
        require(near, metric, f"{what}: {name} is {value} and {theirs[name]}")


def arrays_of(value: Any) -> Any:
    """Return the arrays of a column of a view or corpus; None for any other attribute."""
    return (
        (value.values, value.offsets)
        if hasattr(value, "offsets")
        else value
        if isinstance(value, np.ndarray)
        else None
    )


def contents_of(corpus: Corpus) -> Any:
    """Return a copy of all texts and columns of a corpus."""
    columns = {name: arrays_of(value) for name, value in vars(corpus).items()}
    return copy.deepcopy(
        [
            list(corpus.texts.strings),
            columns,
            {system: arrays_of(column) for system, column in corpus.predictions.items()},
        ]
    )


def identical(first: Any, second: Any) -> bool:
    """Return True if nested lists and dictionaries of arrays are equal."""
    try:
        np.testing.assert_equal(first, second)
    except AssertionError:
        return False
    return True
