"""From a corpus and metrics to Tables: fits, chunks, features once, statistics, reduction.

The engine makes the rows (prediction with reference, with all references, or alone), asks each metric for the statistics of
the distinct ones, and reduces them to one row a segment and system. It has no special case for any metric.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from nlgauge.columns import Array, Ragged
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError
from nlgauge.executors import Executor
from nlgauge.explain import Explanation
from nlgauge.features import Features, RunOptions
from nlgauge.metric import AnyMetric, Arrays, Fit, Metric, View, WholeMetric
from nlgauge.progress import report
from nlgauge.reduction import ReduceFn, Reducer, rule_name
from nlgauge.table import Table

Fits = dict[tuple[str, str], Arrays]


@dataclass(frozen=True)
class Job:
    """What is to be computed on a corpus; a chunk of it can be computed anywhere."""

    metrics: Mapping[str, AnyMetric]
    reduce_fn: ReduceFn = None
    options: RunOptions = field(default_factory=RunOptions)
    fits: Fits = field(default_factory=dict)


@dataclass
class Costs:
    """Seconds spent, by metric label and by feature."""

    metrics: dict[str, float] = field(default_factory=dict)
    features: dict[str, float] = field(default_factory=dict)

    def spend(self, label: str, seconds: float) -> None:
        """Adds to what a metric has cost."""
        self.metrics[label] = self.metrics.get(label, 0.0) + seconds

    def add(self, other: Costs) -> None:
        for ours, theirs in ((self.metrics, other.metrics), (self.features, other.features)):
            for key, seconds in theirs.items():
                ours[key] = ours.get(key, 0.0) + seconds


Rows = dict[tuple[str, str], Arrays]


def check(corpus: Corpus, metrics: Mapping[str, AnyMetric]) -> None:
    """Raises where a metric needs references or sources that the corpus lacks."""
    for label, metric in metrics.items():
        if metric.takes != "alone":
            if corpus.references is None:
                raise InputError(f"{label} needs references, none were given.")
            bare = np.flatnonzero(corpus.references.lengths == 0)
            if bare.size:
                raise InputError(f"{label} needs a reference for every segment; segment {corpus.ids[bare[0]]!r} has none.")
        if metric.source and corpus.sources is None:
            raise InputError(f"{label} needs sources, none were given; pass sources=[...] (on the command line -s FILE).")


def run(corpus: Corpus, job: Job, executor: Executor) -> tuple[dict[tuple[str, str], Table], Fits, Costs]:
    """A Table for each (system, label), the fits that were made or given, and what it cost."""
    check(corpus, job.metrics)
    costs = Costs()
    chunks = corpus.chunks(executor.characters)
    fits = _fits(corpus, chunks, job, costs)
    additive = {label: metric for label, metric in job.metrics.items() if isinstance(metric, Metric)}
    ready = Job(additive, job.reduce_fn, job.options, fits)
    parts: dict[tuple[str, str], list[Arrays]] = defaultdict(list)
    reducer = Reducer.of(job.reduce_fn, corpus)
    if additive:
        for done, (rows, cost) in enumerate(executor.map(corpus, chunks, ready, reducer), 1):
            report("scoring", done, len(chunks))
            costs.add(cost)
            for key, arrays in rows.items():
                parts[key].append(arrays)
    tables: dict[tuple[str, str], Table] = {}
    for label, metric in job.metrics.items():
        started = time.perf_counter()
        features = Features(corpus.texts, job.options)
        for system in corpus.systems:
            if isinstance(metric, WholeMetric):
                tables[system, label] = Table(metric, values=metric.whole(corpus, system, features))
            else:
                joined = {part: np.concatenate([chunk[part] for chunk in parts[system, label]]) for part in metric.outputs()}
                tables[system, label] = Table(reducer.reduced(metric), joined)
        if isinstance(metric, WholeMetric):
            costs.spend(label, time.perf_counter() - started)
    return tables, fits, costs


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


def _fits(corpus: Corpus, chunks: Sequence[Array], job: Job, costs: Costs) -> Fits:
    fits = dict(job.fits)
    wanted: dict[tuple[Fit, str], str] = {}
    for label, metric in job.metrics.items():
        fit = metric.fit() if isinstance(metric, Metric) else None
        if fit is not None:
            for system in corpus.systems if fit.over == "system" else ("",):
                if (str(fit), system) not in fits:
                    wanted.setdefault((fit, system), label)
    if not wanted:
        return fits
    partials: dict[tuple[Fit, str], list[Arrays]] = defaultdict(list)
    for done, segments in enumerate(chunks, 1):
        features = Features(corpus.texts, job.options)
        for (fit, system), label in wanted.items():
            started = time.perf_counter()
            partials[fit, system].append(fit.partial(_fit_view(corpus, segments, fit, system, features)))
            costs.spend(label, time.perf_counter() - started)
        report("fitting", done, len(chunks))
    for (fit, system), label in wanted.items():
        started = time.perf_counter()
        fits[str(fit), system] = fit.combine(partials[fit, system], job.options)
        costs.spend(label, time.perf_counter() - started)
    return fits


def _fitted(metric: Metric, system: str, fits: Fits) -> Arrays:
    fit = metric.fit()
    return {} if fit is None else fits[str(fit), system if fit.over == "system" else ""]


def _fit_view(corpus: Corpus, segments: Array, fit: Fit, system: str, features: Features) -> View:
    """What a fit sees of a chunk: its segments' references, and their sources or, with the source of each, a system's predictions."""
    sources = None if corpus.sources is None else corpus.sources[segments]
    references = None if corpus.references is None else corpus.references.take(segments)
    if fit.over == "system":
        predictions = corpus.predictions[system].take(segments)
        return View(features, predictions.values, references, None if sources is None else sources[predictions.owners], None, corpus.lang)
    return View(features, np.empty(0, dtype=np.int64), references, sources, None, corpus.lang)


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


def describe(job: Job) -> dict[str, Any]:
    """The job's options as plain data, for the saved configuration."""
    return {"reduce_fn": None if job.reduce_fn is None else rule_name(job.reduce_fn), **asdict(job.options)}
