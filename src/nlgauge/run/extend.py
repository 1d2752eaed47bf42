"""A result with more metrics or more systems; only what is new is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nlgauge.corpus import Corpus
from nlgauge.corpus.stored import at_once, is_stored
from nlgauge.errors import InputError, ParameterError, ResultError
from nlgauge.metric import AnyMetric, Metric
from nlgauge.results.result import Result
from nlgauge.results.storage import NotHere
from nlgauge.run import engine
from nlgauge.run.checks import warn_about_languages
from nlgauge.run.chunk import Fits, Job
from nlgauge.run.costs import Costs
from nlgauge.run.executors import Executor, default_executor, executor_of
from nlgauge.run.prepare import labelled, prepared, signatures
from nlgauge.run.progress import progress
from nlgauge.run.reduction import Reducer


def extended(result: Result, metrics: Sequence[Any], predictions: Mapping[str, Any] | None, executor: str | Executor | None, cache: bool) -> Result:
    """The result with these metrics, or with these systems on the metrics it has."""
    result = replace(result, job=replace(result.job, cache=cache))
    if bool(metrics) == bool(predictions):
        raise ParameterError("add takes metrics or predictions={name: texts}, one of the two.")
    if metrics:
        return _with_metrics(result, metrics, executor)
    assert predictions is not None
    return _with_systems(result, predictions, executor)


def _with_metrics(result: Result, metrics: Sequence[Any], executor: str | Executor | None) -> Result:
    new = prepared(labelled(metrics), result.corpus.lang, result.job.reduce_fn)
    warn_about_languages(result.corpus, new)
    twice = [label for label in new if label in result.labels]
    if twice:
        raise ParameterError(f"{twice[0]!r} is in the result already.")
    job = replace(result.job, metrics=new, fits=_shared_fits(result.job, new))
    return _computed(result, result.corpus, job, executor, whole=result.corpus)


def _with_systems(result: Result, predictions: Mapping[str, Any], executor: str | Executor | None) -> Result:
    lost = [label for label, metric in result.job.metrics.items() if isinstance(metric, NotHere)]
    if lost:
        raise ResultError(f"cannot add a system: the class of {lost[0]!r} is not here; import what defines it, then load the result again.")
    if is_stored(result.corpus):
        result = replace(result, corpus=at_once(result.corpus, "a result that a system is added to"))
    corpus = result.corpus.adding(predictions)
    whole = replace(result.corpus, predictions={**result.corpus.predictions, **corpus.predictions})
    if Reducer.of(result.job.reduce_fn, whole) != Reducer.of(result.job.reduce_fn, result.corpus):
        raise InputError("the new system has several predictions for a segment, the others have one: score them together.")
    return _computed(result, corpus, result.job, executor, whole)


def _computed(result: Result, corpus: Corpus, job: Job, executor: str | Executor | None, whole: Corpus) -> Result:
    """The result with what the job finds on this corpus; the whole corpus has the systems of both."""
    computing = default_executor(job.metrics.values()) if executor is None else executor_of(executor)
    with progress():
        tracked = result.costs.carbon
        tables, fits, costs = engine.run(corpus, job, computing, None if tracked is None else tracked.country)
    metrics = {**result.job.metrics, **job.metrics}
    total = Costs()
    total.add(result.costs)
    total.add(costs)
    merged = {**result.tables, **tables}
    return replace(
        result,
        corpus=whole,
        tables={(system, label): merged[system, label] for system in whole.systems for label in metrics},
        signatures={**result.signatures, **signatures(whole, job)},
        costs=total,
        job=replace(job, metrics=metrics, fits={**result.job.fits, **fits}),
        _last=[],
    )


def _shared_fits(job: Job, new: Mapping[str, AnyMetric]) -> Fits:
    """What the new metrics are fitted to, as far as an equal metric of the result has it already."""
    found: Fits = {}
    for label, metric in new.items():
        for known, other in job.metrics.items():
            if isinstance(metric, Metric) and isinstance(other, Metric) and metric.fit() is not None and metric.fit() == other.fit():
                found |= {(label, system): arrays for (owner, system), arrays in job.fits.items() if owner == known}
    return found
