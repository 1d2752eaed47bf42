"""One chunk of a corpus: its rows, the statistics of the distinct ones, and their reduction to one row per segment and system."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array, Ragged
from nlgauge.explain import Explanation
from nlgauge.features import Features, RunOptions
from nlgauge.metric import AnyMetric, Arrays, Metric, View
from nlgauge.run.costs import Costs
from nlgauge.run.reduction import ReduceFn, Reducer

Fits = dict[tuple[str, str], Arrays]


@dataclass(frozen=True)
class Job:
    """What is to be computed on a corpus; a chunk of it can be computed anywhere."""

    metrics: Mapping[str, AnyMetric]
    reduce_fn: ReduceFn = None
    options: RunOptions = field(default_factory=RunOptions)
    fits: Fits = field(default_factory=dict)


Rows = dict[tuple[str, str], Arrays]


def run_chunk(corpus: Corpus, segments: Array, job: Job, reducer: Reducer) -> tuple[Rows, Costs]:
    """The reduced statistics of one chunk of a corpus, for every system and metric."""
    features = Features(corpus.texts, job.options)
    costs = Costs()
    rows: Rows = {}
    for label, metric in job.metrics.items():
        assert isinstance(metric, Metric)
        started, before = time.perf_counter(), sum(features.seconds.values())
        for systems, view, inverse in _views(corpus, segments, metric, features):
            fitted = _fitted(metric, systems[0], job.fits)
            statistics = metric.statistics(view, fitted)
            for system, places in inverse.items():
                occurrences = {part: values[places] for part, values in statistics.items()}
                groups = _groups(corpus, segments, system, metric)
                rows[system, label] = reducer.reduce(metric, occurrences, *groups)
        shared = sum(features.seconds.values()) - before
        costs.spend(label, time.perf_counter() - started - shared)
    costs.features.update(features.seconds)
    return rows, costs


def explain(corpus: Corpus, segment: int, system: str, metric: Metric, job: Job) -> list[Explanation]:
    """Why a segment got its score: the explanation of the row that decided it."""
    one = np.array([segment])
    view_of = _views(corpus.only(system), one, metric, Features(corpus.texts, job.options))
    ((_, view, inverse),) = view_of
    fitted = _fitted(metric, system, job.fits)
    explanations = metric.explain(view, fitted)
    if not explanations:
        return []
    statistics = {part: values[inverse[system]] for part, values in metric.statistics(view, fitted).items()}
    winner = Reducer.of(job.reduce_fn, corpus).winner(metric, statistics, *_groups(corpus, one, system, metric))
    return explanations if winner is None else [explanations[inverse[system][winner]]]


def _fitted(metric: Metric, system: str, fits: Fits) -> Arrays:
    fit = metric.fit()
    return {} if fit is None else fits[str(fit), system if fit.over == "system" else ""]


def _views(corpus: Corpus, segments: Array, metric: Metric, features: Features) -> list[tuple[list[str], View, dict[str, Array]]]:
    """The distinct rows that a metric must score, and for each system where its own rows are among them.

    One view serves all systems, but for metrics fitted on a system's rows, which get a view a system with every row in it.
    """
    fit = metric.fit()
    if fit is not None and fit.over == "system":
        views = []
        for system in corpus.systems:
            rows = _occurrences(corpus, segments, system, metric)
            start = corpus.predictions[system].offsets[segments[0]]
            view = _view(corpus, segments, metric, features, rows, start + np.arange(len(rows)))
            views.append(([system], view, {system: np.arange(len(rows))}))
        return views
    by_system = [_occurrences(corpus, segments, system, metric) for system in corpus.systems]
    distinct, inverse = np.unique(np.concatenate(by_system), axis=0, return_inverse=True)
    places = np.split(inverse.reshape(-1), np.cumsum([len(rows) for rows in by_system])[:-1])
    view = _view(corpus, segments, metric, features, distinct, None)
    return [(list(corpus.systems), view, dict(zip(corpus.systems, places, strict=True)))]


def _occurrences(corpus: Corpus, segments: Array, system: str, metric: Metric) -> Array:
    """One line a row of a system: prediction id, reference id ("pair") or segment ("joint"), source id."""
    predictions = corpus.predictions[system].take(segments)
    ids, owners = predictions.values, predictions.owners
    second = np.zeros(len(ids), dtype=np.int64)
    if metric.takes == "joint":
        second = owners
    elif metric.takes == "pair":
        assert corpus.references is not None
        references = corpus.references.take(segments).take(owners)
        ids, owners, second = ids[references.owners], owners[references.owners], references.values
    third = corpus.sources[segments][owners] if metric.source and corpus.sources is not None else np.zeros(len(ids), dtype=np.int64)
    return np.column_stack([ids, second, third])


def _view(corpus: Corpus, segments: Array, metric: Metric, features: Features, rows: Array, positions: Array | None) -> View:
    references = None
    if metric.takes == "pair":
        references = Ragged.single(rows[:, 1])
    elif metric.takes == "joint":
        assert corpus.references is not None
        references = corpus.references.take(segments[rows[:, 1]])
    return View(features, rows[:, 0], references, rows[:, 2] if metric.source else None, positions, corpus.lang)


def _groups(corpus: Corpus, segments: Array, system: str, metric: Metric) -> tuple[Array, Array]:
    """How many rows each prediction has, and how many predictions each segment has."""
    predictions = corpus.predictions[system].take(segments)
    if metric.takes != "pair":
        return np.ones(len(predictions.values), dtype=np.int64), predictions.lengths
    assert corpus.references is not None
    return corpus.references.take(segments).lengths[predictions.owners], predictions.lengths
