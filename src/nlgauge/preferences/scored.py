"""Verdicts from a metric of a Result: the prediction with the better score of a segment wins."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError
from nlgauge.preferences.verdicts import Verdicts, check_some, numbered, soft_outcomes
from nlgauge.results.labels import output_named

if TYPE_CHECKING:
    from nlgauge.results.result import Result

# Differences that are this much below the margin are at the margin: only rounding separates them.
_SLACK = 1e-9
REFERENCE = "reference"


def of_result(result: Result, metric: str, margin: float = 0.0) -> Verdicts:
    """Compare all pairs of systems on each segment; scores that differ by less than `margin` are a tie.

    The metric `pairwise` has verdicts already: its score is the probability that a prediction wins against the
    reference.
    """
    from nlgauge.metrics.pairwise import Pairwise

    label, output = output_named(result, metric)
    tables = [result._tables[system, label] for system in result.systems]
    if not all(table.has_segments for table in tables):
        raise ParameterError(f"{label} has no segment scores; choose another metric.")
    if output.higher_is_better is None:
        raise ParameterError(f"{output.name} of {label} has no better direction; choose another output.")
    sign = 1 if output.higher_is_better else -1
    scores = np.stack([sign * table.segments_of(output.name) for table in tables])
    if isinstance(tables[0].metric, Pairwise) and output.name == "pairwise":
        return _against_reference(result, scores)
    pairs = list(combinations(range(len(tables)), 2))
    difference = np.concatenate([scores[i] - scores[j] for i, j in pairs]) if pairs else np.empty(0)
    limit = max(margin - _SLACK * max(1.0, abs(margin)), 0.0)
    is_tie = (np.abs(difference) < limit) | (difference == 0)
    outcomes = np.column_stack([~is_tie & (difference > 0), is_tie, ~is_tie & (difference < 0)]).astype(float)
    return _verdicts(result, result.systems, pairs, outcomes, ~np.isnan(difference))


def _against_reference(result: Result, scores: Array) -> Verdicts:
    systems = (*result.systems, REFERENCE)
    pairs = [(i, len(systems) - 1) for i in range(len(scores))]
    wins = scores.reshape(-1)
    return _verdicts(result, systems, pairs, soft_outcomes(wins), ~np.isnan(wins))


def _verdicts(
    result: Result, names: tuple[str, ...], pairs: list[tuple[int, int]], outcomes: Array, known: Array
) -> Verdicts:
    """Return the verdicts of these pairs, each on all segments."""
    count = len(result.corpus)
    numbers, systems = numbered(names)
    first, second = (
        np.repeat(numbers[[pair[side] for pair in pairs]], count) if pairs else np.empty(0, dtype=np.int64)
        for side in (0, 1)
    )
    documents = result.corpus.documents
    lengths = _lengths(result, names)
    verdicts = Verdicts(
        tuple(systems),
        first,
        second,
        outcomes,
        np.tile(np.arange(count), len(pairs)),
        [str(name) for name in result.corpus.ids],
        None if documents is None else np.tile(numbered([str(name) for name in documents])[0], len(pairs)),
        None
        if lengths is None or not pairs
        else np.column_stack([np.concatenate([lengths[pair[side]] for pair in pairs]) for side in (0, 1)]),
        int((~known).sum()),
    )
    return check_some(verdicts.take(np.flatnonzero(known)))


def _lengths(result: Result, names: tuple[str, ...]) -> Array | None:
    """Return the characters of each system's predictions; None without texts or with several per segment."""
    columns = [result.corpus.predictions.get(name) for name in names]
    if not result.has_texts or any(column is None or not column.is_single for column in columns):
        return None
    return np.array(
        [
            [len(text) for text in result.corpus.texts.many(column.values)]
            for column in columns
            if column is not None
        ],
        dtype=float,
    )
