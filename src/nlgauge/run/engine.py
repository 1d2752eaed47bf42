"""From a corpus and metrics to tables: fits, chunks, statistics, reduction. No metric is a special case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.errors import MetricError
from nlgauge.features import Features
from nlgauge.metric import Arrays, CorpusMetric, Fit, Metric
from nlgauge.models.loader import held
from nlgauge.results.table import Table
from nlgauge.run.checks import check, warn_about_outputs
from nlgauge.run.chunk import Chunk, Fits, Job, Task, spent_on
from nlgauge.run.costs import Costs
from nlgauge.run.executors import Executor, opened
from nlgauge.run.progress import report
from nlgauge.run.reduction import Reducer

Tables = dict[tuple[str, str], Table]
# So many contributions of chunks to a fit are kept before they are merged, where that is possible.
_MERGED = 16


def run(corpus: Corpus, job: Job, executor: Executor) -> tuple[Tables, Fits, Costs]:
    """A Table for each (system, label), the fits that were made or given, and what it cost."""
    check(corpus, job.metrics)
    with held(), opened(executor) as computing:
        found = _run(corpus, job, computing)
    warn_about_outputs(found[0])
    return found


def fits_of(corpus: Corpus, job: Job, executor: Executor) -> Fits:
    """What the metrics of a job are fitted to, without scoring anything."""
    with held(), opened(executor) as computing:
        return _fitted(job, *_chunks(corpus, job, computing), computing, Costs()).fits


def _chunks(corpus: Corpus, job: Job, executor: Executor) -> tuple[list[Chunk], Chunk]:
    """The chunks of a corpus, and the whole of it as one."""
    chunks = [Chunk(corpus, segments, job.options) for segments in corpus.chunks(executor.characters)]
    # One chunk is the whole: fits, rows and corpus metrics then share its features.
    return chunks, chunks[0] if len(chunks) == 1 else Chunk(corpus, np.arange(len(corpus)), job.options)


def _run(corpus: Corpus, job: Job, executor: Executor) -> tuple[Tables, Fits, Costs]:
    costs = Costs()
    reducer = Reducer.of(job.reduce_fn, corpus)
    chunks, whole = _chunks(corpus, job, executor)
    job = _fitted(job, chunks, whole, executor, costs)
    tables = {**_additive(job, reducer, chunks, executor, costs), **_whole(job, whole, costs)}
    return {(system, label): tables[system, label] for system in corpus.systems for label in job.metrics}, job.fits, costs


def _additive(job: Job, reducer: Reducer, chunks: Sequence[Chunk], executor: Executor, costs: Costs) -> Tables:
    metrics = {label: metric for label, metric in job.metrics.items() if isinstance(metric, Metric)}
    task = Task("score", job if len(metrics) == len(job.metrics) else replace(job, metrics=metrics), reducer)
    parts = _mapped(task, chunks, executor, costs, "scoring")
    found: Tables = {}
    for (system, label), arrays in parts.items():
        joined = arrays[0] if len(arrays) == 1 else {part: np.concatenate([chunk[part] for chunk in arrays]) for part in arrays[0]}
        found[system, label] = Table(reducer.reduced(metrics[label]), joined, weights=chunks[0].corpus.weights)
    return found


def _whole(job: Job, whole: Chunk, costs: Costs) -> Tables:
    found: Tables = {}
    metrics = {label: metric for label, metric in job.metrics.items() if isinstance(metric, CorpusMetric)}
    if not metrics:
        return found
    with costs.features_of(whole.features):
        for label, metric in metrics.items():
            with spent_on(label, costs, whole.features):
                for system in whole.corpus.systems:
                    found[system, label] = Table(metric, values=whole_scores(metric, whole.corpus, system, whole.features))
    return found


def whole_scores(metric: CorpusMetric, corpus: Corpus, system: str, features: Features) -> dict[str, Any]:
    """The metric's outputs for a system, or an error that says which of them are missing."""
    found = metric.whole(corpus, system, features)
    names = [output.name for outputs in metric.outputs().values() for output in outputs]
    if not isinstance(found, dict) or (names and list(found) != names):
        raise MetricError(f"{metric.name}: whole() must give the outputs {names}, in this order; it gave {found!r:.100}.")
    return found


def _fitted(job: Job, chunks: Sequence[Chunk], whole: Chunk, executor: Executor, costs: Costs) -> Job:
    """The job with the fits of all labels; what equal metrics are fitted to is computed once."""
    labels: dict[Fit, list[str]] = defaultdict(list)
    for label, metric in job.metrics.items():
        fit = metric.fit() if isinstance(metric, Metric) else None
        if fit is not None:
            labels[fit].append(label)
    missing = [
        (fit, names, system) for fit, names in labels.items() for system in _fitted_on(fit, whole.corpus) if (names[-1], system) not in job.fits
    ]
    if not missing:
        return job
    fits = dict(job.fits)
    metrics = {names[-1]: job.metrics[names[-1]] for fit, names, _ in missing if fit.over != "system"}
    partials = _mapped(Task("fit", replace(job, metrics=metrics), Reducer.of(None, whole.corpus)), chunks, executor, costs, "fitting")
    with costs.features_of(whole.features):
        for fit, names, system in missing:
            with spent_on(names[-1], costs, whole.features):
                # What is fitted on a system's rows sees all of them at once, so that how they were cut into chunks changes no bit.
                parts = partials["", names[-1]] if fit.over != "system" else [fit.partial(whole.fit_view(fit, system))]
                fits |= dict.fromkeys([(name, system) for name in names], fit.combine(parts, job.options))
    return replace(job, fits=fits)


def _merged(job: Job, label: str, partials: list[Arrays]) -> list[Arrays]:
    metric = job.metrics[label]
    fit = metric.fit() if isinstance(metric, Metric) else None
    merged = None if fit is None else fit.merge(partials)
    return partials if merged is None else [merged]


def _fitted_on(fit: Fit, corpus: Corpus) -> tuple[str, ...]:
    return corpus.systems if fit.over == "system" else ("",)


def _mapped(task: Task, chunks: Sequence[Chunk], executor: Executor, costs: Costs, what: str) -> dict[tuple[str, str], list[Arrays]]:
    """What a task gives for each chunk, by system and label, in the order of the chunks."""
    found: dict[tuple[str, str], list[Arrays]] = defaultdict(list)
    if task.job.metrics:
        for done, (chunk, (rows, cost)) in enumerate(zip(chunks, executor.map(task, chunks), strict=True), 1):
            report(what, done, len(chunks))
            costs.add(cost)
            for key, arrays in rows.items():
                found[key].append(arrays)
                if task.stage == "fit" and len(found[key]) == _MERGED:
                    found[key] = _merged(task.job, key[1], found[key])
            if len(chunks) > 1:
                chunk.forget()
    return found
