"""From a corpus and metrics to Tables: fits, chunks, features once, statistics, reduction.

The engine makes the rows (prediction with reference, with all references, or alone), asks each metric for the statistics of
the distinct ones, and reduces them to one row a segment and system. It has no special case for any metric.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array
from nlgauge.features import Features
from nlgauge.metric import Arrays, Fit, Metric, View, WholeMetric
from nlgauge.results.table import Table
from nlgauge.run.checks import check
from nlgauge.run.chunk import Fits, Job
from nlgauge.run.costs import Costs
from nlgauge.run.executors import Executor
from nlgauge.run.progress import report
from nlgauge.run.reduction import Reducer, rule_name


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


def _fit_view(corpus: Corpus, segments: Array, fit: Fit, system: str, features: Features) -> View:
    """What a fit sees of a chunk: its segments' references, and their sources or, with the source of each, a system's predictions."""
    sources = None if corpus.sources is None else corpus.sources[segments]
    references = None if corpus.references is None else corpus.references.take(segments)
    if fit.over == "system":
        predictions = corpus.predictions[system].take(segments)
        return View(features, predictions.values, references, None if sources is None else sources[predictions.owners], None, corpus.lang)
    return View(features, np.empty(0, dtype=np.int64), references, sources, None, corpus.lang)


def describe(job: Job) -> dict[str, Any]:
    """The job's options as plain data, for the saved configuration."""
    return {"reduce_fn": None if job.reduce_fn is None else rule_name(job.reduce_fn), **asdict(job.options)}
