"""One chunk of a corpus: its rows, the statistics of the distinct ones, and their reduction to one row per segment and system.

A row is a prediction with one reference, with all references of its segment, or alone. Equal rows of several systems are scored once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array, Ragged
from nlgauge.errors import MetricError
from nlgauge.explain import Explanation
from nlgauge.features import Features, RunOptions
from nlgauge.metric import AnyMetric, Arrays, Fit, Metric, View
from nlgauge.run.costs import Costs
from nlgauge.run.reduction import ReduceFn, Reducer

# What was fitted, by metric label and, for fits on a system's rows, by system (else "").
Fits = dict[tuple[str, str], Arrays]
# Arrays by system and metric label.
Rows = dict[tuple[str, str], Arrays]


@dataclass(frozen=True)
class Job:
    """What is to be computed on a corpus; a chunk of it can be computed anywhere."""

    metrics: Mapping[str, AnyMetric]
    reduce_fn: ReduceFn = None
    options: RunOptions = field(default_factory=RunOptions)
    fits: Fits = field(default_factory=dict)

    def fitted(self, label: str, system: str) -> Arrays:
        """What a metric was fitted to; nothing for a metric without a fit."""
        metric = self.metrics[label]
        fit = metric.fit() if isinstance(metric, Metric) else None
        return {} if fit is None else self.fits[label, system if fit.over == "system" else ""]


def describe(job: Job) -> dict[str, Any]:
    """The job's options as plain data, for the saved configuration."""
    rule = job.reduce_fn
    return {"reduce_fn": {"callable": Reducer.name(rule)} if callable(rule) else rule, **asdict(job.options)}


class ScoredRows(NamedTuple):
    """The rows that a metric is asked to score, and for each system where its own rows are among them."""

    view: View
    places: dict[str, Array]


@dataclass(eq=False)
class Chunk:
    """Some segments of a corpus with all their systems: the unit of work, memory, progress and distribution."""

    corpus: Corpus
    segments: Array
    options: RunOptions
    _distinct: dict[tuple[str, bool], ScoredRows] = field(default_factory=dict)

    @cached_property
    def features(self) -> Features:
        """The features of the chunk's texts."""
        return Features(self.corpus.texts, self.options)

    def forget(self) -> None:
        """Lets the features go."""
        self.__dict__.pop("features", None)
        self._distinct.clear()

    def alone(self) -> Corpus:
        """The chunk as a corpus of its own, without what scoring its rows does not need."""
        return replace(self.corpus, weights=None, documents=None).take(self.segments)

    def rows(self, metric: Metric) -> list[ScoredRows]:
        """The rows of all systems: each distinct one once, shared by all metrics that read the same columns.

        A metric that is fitted on a system's rows gets one view per system, duplicates included.
        """
        fit = metric.fit()
        if fit is not None and fit.over == "system":
            return [self._every_row(metric, system) for system in self.corpus.systems]
        shape = (metric.takes, metric.source)
        if shape not in self._distinct:
            self._distinct[shape] = self._distinct_rows(metric)
        return [self._distinct[shape]]

    def groups(self, metric: Metric, system: str) -> tuple[Array, Array]:
        """How many rows each prediction has, and how many predictions each segment has."""
        predictions = self.corpus.predictions[system].take(self.segments)
        if metric.takes != "pair":
            return np.ones(len(predictions.values), dtype=np.int64), predictions.lengths
        assert self.corpus.references is not None
        return self.corpus.references.take(self.segments).lengths[predictions.owners], predictions.lengths

    def fit_view(self, fit: Fit, system: str) -> View:
        """What a fit sees: the segments' references, and their sources or, with the source of each, a system's predictions."""
        corpus = self.corpus
        sources = None if corpus.sources is None else corpus.sources[self.segments]
        references = None if corpus.references is None else corpus.references.take(self.segments)
        if fit.over == "system":
            predictions = corpus.predictions[system].take(self.segments)
            sources = None if sources is None else sources[predictions.owners]
            return View(self.features, predictions.values, references, sources, None, corpus.lang)
        return View(self.features, np.empty(0, dtype=np.int64), references, sources, None, corpus.lang)

    def _every_row(self, metric: Metric, system: str) -> ScoredRows:
        rows, owners = self._occurrences(metric, system)
        # Fits number the system's predictions from its first segment on.
        first = self.corpus.predictions[system].offsets[self.segments[0]]
        return ScoredRows(self._view(metric, rows, first + owners), {system: np.arange(len(rows))})

    def _distinct_rows(self, metric: Metric) -> ScoredRows:
        by_system = [self._occurrences(metric, system)[0] for system in self.corpus.systems]
        distinct, inverse = np.unique(np.concatenate(by_system), axis=0, return_inverse=True)
        places = np.split(inverse.reshape(-1), np.cumsum([len(rows) for rows in by_system])[:-1])
        return ScoredRows(self._view(metric, distinct, None), dict(zip(self.corpus.systems, places, strict=True)))

    def _occurrences(self, metric: Metric, system: str) -> tuple[Array, Array]:
        """(rows, 3) prediction id, reference id ("pair") or segment ("joint"), source id; and which prediction each row is of."""
        corpus = self.corpus
        predictions = corpus.predictions[system].take(self.segments)
        ids, segments, owners = predictions.values, predictions.owners, np.arange(len(predictions.values))
        second = np.zeros(len(ids), dtype=np.int64)
        if metric.takes == "joint":
            second = segments
        elif metric.takes == "pair":
            assert corpus.references is not None
            references = corpus.references.take(self.segments).take(segments)
            owners, second = references.owners, references.values
            ids, segments = ids[owners], segments[owners]
        third = np.zeros(len(ids), dtype=np.int64)
        if metric.source and corpus.sources is not None:
            third = corpus.sources[self.segments][segments]
        return np.column_stack([ids, second, third]), owners

    def _view(self, metric: Metric, rows: Array, positions: Array | None) -> View:
        references = None
        if metric.takes == "pair":
            references = Ragged.single(rows[:, 1])
        elif metric.takes == "joint":
            assert self.corpus.references is not None
            references = self.corpus.references.take(self.segments[rows[:, 1]])
        return View(self.features, rows[:, 0], references, rows[:, 2] if metric.source else None, positions, self.corpus.lang)


@dataclass(frozen=True)
class Task:
    """What is done with each chunk: its part of the fits, or the rows of its segments."""

    stage: Literal["fit", "score"]
    job: Job
    reducer: Reducer

    def run(self, chunk: Chunk) -> tuple[Rows, Costs]:
        """The chunk's arrays, and what they cost."""
        costs = Costs()
        rows: Rows = {}
        with costs.features_of(chunk.features):
            for label, metric in self.job.metrics.items():
                assert isinstance(metric, Metric)
                with spent_on(label, costs, chunk.features):
                    rows |= self._partial(chunk, label, metric) if self.stage == "fit" else self._reduced(chunk, label, metric)
        return rows, costs

    def _partial(self, chunk: Chunk, label: str, metric: Metric) -> Rows:
        fit = metric.fit()
        assert fit is not None
        return {("", label): fit.partial(chunk.fit_view(fit, ""))}

    def _reduced(self, chunk: Chunk, label: str, metric: Metric) -> Rows:
        found: Rows = {}
        for view, places in chunk.rows(metric):
            statistics = statistics_of(metric, view, self.job.fitted(label, next(iter(places))))
            for system, own in places.items():
                occurrences = {part: values[own] for part, values in statistics.items()}
                found[system, label] = self.reducer.reduce(metric, occurrences, *chunk.groups(metric, system))
        return found


@contextmanager
def spent_on(label: str, costs: Costs, features: Features) -> Iterator[None]:
    """Books the time spent meanwhile on a metric, less what the features take of it."""
    started, before = time.perf_counter(), sum(features.seconds.values())
    yield
    costs.spend(label, time.perf_counter() - started - (sum(features.seconds.values()) - before))


def statistics_of(metric: Metric, view: View, fitted: Arrays) -> Arrays:
    """The metric's statistics, or an error that says in what they break the contract: a row too many would shift every score behind it."""
    found: Any = metric.statistics(view, fitted)
    parts = metric.outputs()
    if not isinstance(found, Mapping) or list(found) != list(parts):
        names = list(found) if isinstance(found, Mapping) else type(found).__name__
        raise MetricError(f"{metric.name}: statistics() must give the parts {list(parts)}, in this order; it gave {names}.")
    checked = {}
    for part, values in found.items():
        try:
            checked[part] = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise MetricError(f"{metric.name}: the statistics of {part!r} must be numbers; they are {values!r:.60}.") from None
        if checked[part].ndim != 2 or len(checked[part]) != len(view):
            shape = checked[part].shape
            raise MetricError(f"{metric.name}: the statistics of {part!r} must have one row for each of {len(view)} rows; their shape is {shape}.")
    return checked


def explain(corpus: Corpus, segment: int, system: str, label: str, job: Job) -> list[Explanation]:
    """Why a segment got its score: for each part of the metric, the explanation of the row that decided it."""
    metric = job.metrics[label]
    assert isinstance(metric, Metric)
    chunk = Chunk(corpus.only(system), np.array([segment]), job.options)
    ((view, places),) = chunk.rows(metric)
    fitted = job.fitted(label, system)
    own = places[system]
    statistics = {part: values[own] for part, values in statistics_of(metric, view, fitted).items()}
    winners = Reducer.of(job.reduce_fn, corpus).winners(metric, statistics, *chunk.groups(metric, system))
    parts_of_row: dict[int, list[str]] = {int(own[row]): [] for row in (range(len(own)) if winners is None else winners.values())}
    for part in metric.outputs():
        for row in parts_of_row if winners is None else [int(own[winners[part]])]:
            parts_of_row[row].append(part)
    found: list[Explanation] = []
    for row, parts in parts_of_row.items():
        for explanation in metric.explain(view.only(row, tuple(parts)), fitted):
            found.append(replace(explanation, statistics={part: explanation.statistics[part] for part in parts}))
    return found
