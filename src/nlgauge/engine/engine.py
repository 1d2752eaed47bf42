"""From a corpus and metrics to tables: fits, chunks, statistics, reduction. No metric is a special case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from nlgauge._core.progress import report
from nlgauge.corpus import Corpus
from nlgauge.engine.carbon import Tracking
from nlgauge.engine.checks import check, warn_about_outputs
from nlgauge.engine.chunk import Fits, Job, Rows, Task, spent_on
from nlgauge.engine.chunks import Chunks, InMemory, RowSink
from nlgauge.engine.costs import Costs
from nlgauge.engine.executors import Executor, opened
from nlgauge.engine.memory import peak, peak_since
from nlgauge.errors import MetricError
from nlgauge.features import Features
from nlgauge.metric import Arrays, CorpusMetric, Fit, Metric
from nlgauge.metric.reduction import Reducer
from nlgauge.metric.table import Table
from nlgauge.models.loader import held

Tables = dict[tuple[str, str], Table]
# So many contributions of chunks to a fit are kept before they are merged, where that is possible.
_MERGED = 16


def run(
    corpus: Corpus, job: Job, executor: Executor, carbon: str | None = None, found: RowSink | None = None
) -> tuple[Tables, Fits, Costs]:
    """A Table for each (system, label), the fits that were made or given, and what it cost.

    `carbon` is the country whose CO2 is tracked; `found` has the rows that need not be computed, and takes
    the others.
    """
    check(corpus, job.metrics)
    before = peak()
    with held(), opened(executor) as running, Tracking(carbon) as tracked:
        tables, fits, costs = _run(corpus, job, running, found or InMemory())
    own = peak_since(before)
    # Executors add the memory of their workers, which is there beside that of this process.
    costs.memory, costs.memory_note = own.bytes + costs.memory, own.note or costs.memory_note
    costs.carbon = tracked.found
    warn_about_outputs(tables)
    return tables, fits, costs


def fits_of(corpus: Corpus, job: Job, executor: Executor) -> Fits:
    """What the metrics of a job are fitted to, without scoring anything."""
    with held(), opened(executor) as running:
        return _fitted(job, Chunks(corpus, job.options, running.characters), running, Costs()).fits


def _run(corpus: Corpus, job: Job, executor: Executor, found: RowSink) -> tuple[Tables, Fits, Costs]:
    costs = Costs()
    reducer = Reducer.of(job.reduce_fn, corpus)
    chunks = Chunks(corpus, job.options, executor.characters)
    fitted = _fitted(job, chunks, executor, costs)
    if fitted is not job:
        found.keep_fits(fitted.fits)
    job = fitted
    tables = {**_additive(job, reducer, chunks, executor, costs, found), **_whole(job, chunks, costs)}
    return (
        {(system, label): tables[system, label] for system in corpus.systems for label in job.metrics},
        job.fits,
        costs,
    )


def _additive(
    job: Job, reducer: Reducer, chunks: Chunks, executor: Executor, costs: Costs, found: RowSink
) -> Tables:
    metrics = {label: metric for label, metric in job.metrics.items() if isinstance(metric, Metric)}
    if metrics:
        task = Task(
            "score", job if len(metrics) == len(job.metrics) else replace(job, metrics=metrics), reducer
        )
        left = chunks if not found.done else replace(chunks, first=found.done)
        for (start, end), rows, cost in _mapped(task, left, executor, costs, "scoring"):
            found.append(rows, end - start, cost)
    return {
        (system, label): Table(reducer.reduced(metrics[label]), arrays, weights=chunks.corpus.weights)
        for (system, label), arrays in found.arrays().items()
    }


def _whole(job: Job, chunks: Chunks, costs: Costs) -> Tables:
    found: Tables = {}
    metrics = {label: metric for label, metric in job.metrics.items() if isinstance(metric, CorpusMetric)}
    if not metrics:
        return found
    whole = chunks.whole
    with costs.features_of(whole.features):
        for label, metric in metrics.items():
            with spent_on(label, costs, whole.features):
                for system in whole.corpus.systems:
                    found[system, label] = Table(
                        metric, values=whole_scores(metric, whole.corpus, system, whole.features)
                    )
    return found


def whole_scores(metric: CorpusMetric, corpus: Corpus, system: str, features: Features) -> dict[str, Any]:
    """The metric's outputs for a system, or an error that says which of them are missing."""
    found = metric.whole(corpus, system, features)
    names = [output.name for outputs in metric.outputs().values() for output in outputs]
    if not isinstance(found, dict) or (names and list(found) != names):
        raise MetricError(
            f"{metric.name}: whole() must return the outputs {names} in this order, but returned {found!r:.100}."
        )
    return found


def _fitted(job: Job, chunks: Chunks, executor: Executor, costs: Costs) -> Job:
    """The job with the fits of all labels; what equal metrics are fitted to is computed once."""
    labels: dict[Fit, list[str]] = defaultdict(list)
    for label, metric in job.metrics.items():
        if (fit := metric.fit()) is not None:
            labels[fit].append(label)
    missing = [
        (fit, names, system)
        for fit, names in labels.items()
        for system in _fitted_on(fit, chunks.corpus)
        if (names[-1], system) not in job.fits
    ]
    if not missing:
        return job
    fits = dict(job.fits)
    metrics = {names[-1]: job.metrics[names[-1]] for fit, names, _ in missing if fit.over != "system"}
    task = Task("fit", replace(job, metrics=metrics), Reducer.of(None, chunks.corpus))
    partials: dict[str, list[Arrays]] = defaultdict(list)
    for _, rows, _ in _mapped(task, chunks, executor, costs, "fitting") if metrics else ():
        for (_, label), arrays in rows.items():
            partials[label].append(arrays)
            if len(partials[label]) == _MERGED:
                partials[label] = _merged(job, label, partials[label])
    whole = chunks.whole
    with costs.features_of(whole.features):
        for fit, names, system in missing:
            with spent_on(names[-1], costs, whole.features):
                # What is fitted on a system's rows sees all of them at once, so that how they were cut into
                # chunks changes no bit.
                parts = (
                    partials[names[-1]]
                    if fit.over != "system"
                    else [fit.partial(whole.fit_view(fit, system))]
                )
                fits |= dict.fromkeys([(name, system) for name in names], fit.combine(parts, job.options))
    return replace(job, fits=fits)


def _merged(job: Job, label: str, partials: list[Arrays]) -> list[Arrays]:
    fit = job.metrics[label].fit()
    merged = None if fit is None else fit.merge(partials)
    return partials if merged is None else [merged]


def _fitted_on(fit: Fit, corpus: Corpus) -> tuple[str, ...]:
    return corpus.systems if fit.over == "system" else ("",)


def _mapped(
    task: Task, chunks: Chunks, executor: Executor, costs: Costs, what: str
) -> Iterator[tuple[tuple[int, int], Rows, Costs]]:
    """The bounds of each chunk with what a task gives for it and what that cost, in the order of the
    chunks.
    """
    for bounds, (rows, cost) in zip(chunks.bounds, executor.map(task, chunks), strict=True):
        report(f"{what} segments", bounds[1], len(chunks.corpus))
        costs.add(cost)
        yield bounds, rows, cost
