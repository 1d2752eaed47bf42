"""Repeats: several predictions of a system for the same segment, each with its own row of statistics.

A table has one row per segment, so the predictions of each segment are scored again, one by one, with the fits
of the result. Judge replies and statistics of costly metrics come from their caches.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged, offsets_of
from nlgauge.corpus.store.layout import at_once, is_stored
from nlgauge.engine import engine
from nlgauge.engine.executors import Serial
from nlgauge.errors import ParameterError
from nlgauge.metric import Metric
from nlgauge.metric.imported import Imported, ScoreValues
from nlgauge.metric.table import Table
from nlgauge.results.imported.building import is_imported, single_scores

if TYPE_CHECKING:
    from nlgauge.results.result import Result


class Repeats(NamedTuple):
    """The table of single predictions of a system, and the offsets of each segment's predictions in it."""

    table: Table
    offsets: Array

    @property
    def counts(self) -> Array:
        """Number of predictions of each segment."""
        return np.diff(self.offsets)

    def values(self, output: str) -> list[list[float]]:
        """Return the scores of each segment's predictions."""
        scores = self.table.segments_of(output).tolist()
        return [scores[start:stop] for start, stop in pairwise(self.offsets.tolist())]


def repeats_of(result: Result, system: str, label: str) -> Repeats:
    """Return the statistics of each prediction of a system; the saved statistics if each segment has one."""
    table, column = result._tables[system, label], result.corpus.predictions[system]
    if not isinstance(result._job.metrics[label], Metric):
        raise ParameterError(
            f"{label} is not computed from per-segment statistics, so its repeats cannot be separated; use"
            " another metric."
        )
    if is_imported(result, label):
        return _imported(result, system, label)
    if not (column.lengths > 1).any():
        return Repeats(table, np.arange(len(result.corpus) + 1))
    result._need_texts("separate the repeats of")
    corpus = result.corpus.only(system)
    if is_stored(corpus):
        corpus = at_once(corpus, "scoring single predictions")
    owners = np.repeat(np.arange(len(corpus)), column.lengths)
    single = {system: Ragged.single(np.concatenate([column[row] for row in range(len(column))]))}
    flat = replace(corpus.take(owners), ids=range(len(owners)), predictions=single)
    job = replace(result._job, metrics={label: result._job.metrics[label]})
    tables, _, _ = engine.run(flat, job, Serial())
    return Repeats(tables[system, label], offsets_of(column.lengths))


def _imported(result: Result, system: str, label: str) -> Repeats:
    """Return the imported scores of each answer."""
    metric = result._job.metrics[label]
    assert isinstance(metric, Imported)
    segments = single_scores(result, label)[system]
    answers = [runs for of_segment in segments for runs in of_segment]
    sizes = np.array([len(runs) for runs in answers], dtype=np.int64)
    values = np.array([value for runs in answers for value in runs], dtype=np.float64)
    scores = ScoreValues(
        len(answers), values, np.repeat(np.arange(len(answers)), sizes), np.arange(len(answers))
    )
    counts = np.array([len(of_segment) for of_segment in segments], dtype=np.int64)
    return Repeats(Table(metric, {label: metric.rows(scores)}), offsets_of(counts))


def has_repeats(result: Result, system: str, label: str) -> bool:
    """Return True if some segment has several predictions, or several imported scores, of a system."""
    if is_imported(result, label):
        return any(len(of_segment) > 1 for of_segment in single_scores(result, label)[system])
    return bool((result.corpus.predictions[system].lengths > 1).any())
