"""Scoring: from a corpus and metrics to tables, through fits, chunks, statistics and reduction.

No metric is a special case.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nlgauge._core.progress import report
from nlgauge.corpus import Corpus
from nlgauge.corpus.text_fields import text_field
from nlgauge.engine.checks import check, warn_about_outputs
from nlgauge.engine.chunk import Fits, Job, Rows, Task, spent_on
from nlgauge.engine.chunks import Chunks, InMemory, RowSink
from nlgauge.engine.costs import Costs
from nlgauge.engine.executors import Executor, opened
from nlgauge.engine.memory import peak, peak_since
from nlgauge.engine.prepare import models_held
from nlgauge.errors import MetricError
from nlgauge.features import Features
from nlgauge.metric import Arrays, CorpusMetric, Fit, Metric
from nlgauge.metric.reduction import Reducer
from nlgauge.metric.table import Table

if TYPE_CHECKING:
    from nlgauge.engine.carbon import Tracking

Tables = dict[tuple[str, str], Table]
# Number of partial fits that are collected before they are merged, if the fit can merge them.
_MERGED = 16


def run(
    corpus: Corpus, job: Job, executor: Executor, carbon: str | None = None, found: RowSink | None = None
) -> tuple[Tables, Fits, Costs]:
    """Return a Table for each (system, label), the fits of all metrics, and the costs.

    `carbon` is the country code for tracking CO2; None tracks nothing. `found` has rows that need not be
    computed, and receives the other rows.
    """
    check(corpus, job.metrics)
    before = peak()
    with models_held(job.metrics.values()), opened(executor) as running, _tracking(carbon) as tracked:
        tables, fits, costs = _run(corpus, job, running, found or InMemory())
    memory = peak_since(before)
    # Executors report the memory of their workers, which is added to the memory of this process.
    costs.memory, costs.memory_note = memory.bytes + costs.memory, memory.note or costs.memory_note
    costs.carbon = None if tracked is None else tracked.found
    warn_about_outputs(tables)
    return tables, fits, costs


def fits_of(corpus: Corpus, job: Job, executor: Executor) -> Fits:
    """Fit the metrics of a job on a corpus, without scoring."""
    with models_held(job.metrics.values()), opened(executor) as running:
        return _fitted(
            job, Chunks(_read_by(corpus, job), job.options, running.characters), running, Costs()
        ).fits


def _read_by(corpus: Corpus, job: Job) -> Corpus:
    """Return the corpus with only the fields that a metric of the job reads."""
    names = {name for metric in job.metrics.values() for name in metric.record_fields}
    return corpus.with_fields({text_field(corpus, name).name for name in names})


def _tracking(country: str | None) -> AbstractContextManager[Tracking | None]:
    """Return the context that tracks the energy of a run; without a country it tracks nothing."""
    if country is None:
        return nullcontext()
    from nlgauge.engine.carbon import Tracking

    return Tracking(country)


def _run(corpus: Corpus, job: Job, executor: Executor, found: RowSink) -> tuple[Tables, Fits, Costs]:
    costs = Costs()
    reducer = Reducer.of(job.reduce_fn, corpus)
    chunks = Chunks(_read_by(corpus, job), job.options, executor.characters)
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
    tables: Tables = {}
    metrics = {label: metric for label, metric in job.metrics.items() if isinstance(metric, CorpusMetric)}
    if not metrics:
        return tables
    whole = chunks.whole
    with costs.features_of(whole.features):
        for label, metric in metrics.items():
            with spent_on(label, costs, whole.features):
                for system in whole.corpus.systems:
                    tables[system, label] = Table(
                        metric, values=whole_scores(metric, whole.corpus, system, whole.features)
                    )
    return tables


def whole_scores(metric: CorpusMetric, corpus: Corpus, system: str, features: Features) -> dict[str, Any]:
    """Return the metric's outputs for a system; raise MetricError if they are not the declared outputs."""
    scores = metric.whole(corpus, system, features)
    names = [output.name for outputs in metric.outputs().values() for output in outputs]
    if not isinstance(scores, dict) or (names and list(scores) != names):
        needed = f"a dictionary with the outputs {names} in this order" if names else "a dictionary"
        raise MetricError(f"{metric.name}: whole() must return {needed}, but returned {scores!r:.100}.")
    return scores


def _fitted(job: Job, chunks: Chunks, executor: Executor, costs: Costs) -> Job:
    """Return the job with the fits of all labels; equal fits are computed once."""
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
                # A fit on a system's rows sees all of them at once, so that chunk bounds change no number.
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
    """Yield the bounds, rows and costs of each chunk in order; report progress, and add to `costs`."""
    for bounds, (rows, cost) in zip(chunks.bounds, executor.map(task, chunks), strict=True):
        report(f"{what} segments", bounds[1], len(chunks.corpus))
        costs.add(cost)
        yield bounds, rows, cost
