"""Addition of metrics or systems to a result; only the new scores are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nlgauge.corpus import Corpus
from nlgauge.corpus.store.layout import at_once, is_stored
from nlgauge.engine import engine
from nlgauge.engine.checks import warn_about_languages
from nlgauge.engine.chunk import Fits, Job
from nlgauge.engine.costs import Costs
from nlgauge.engine.executors import Executor, default_executor, executor_of
from nlgauge.engine.prepare import labeled, prepared, signatures
from nlgauge.errors import InputError, ParameterError, ResultError
from nlgauge.metric import AnyMetric, Metric
from nlgauge.metric.reduction import Reducer
from nlgauge.results.result import Result
from nlgauge.results.storage.checkpoint import Checkpoint
from nlgauge.results.storage.not_here import NotHere
from nlgauge.results.storage.resume import readable, scored

# A function that extends a result; it saves rows in the checkpoint if it gets one.
Step = Callable[[Result, Checkpoint | None], Result]


@dataclass(frozen=True)
class Addition:
    """An addition to a result: systems on the metrics that it has, then metrics on all systems."""

    result: Result
    metrics: Mapping[str, AnyMetric]
    # The segments of the result with the predictions of only the new systems.
    systems: Corpus | None
    executor: str | Executor | None

    @classmethod
    def of(
        cls,
        result: Result,
        metrics: Sequence[Any],
        predictions: Mapping[str, Any] | None,
        executor: str | Executor | None,
    ) -> Addition:
        """Return the addition of these metrics and predictions, or raise an error for one that cannot be added."""
        if not metrics and not predictions:
            raise ParameterError("add needs metrics, predictions={name: texts}, or both; got neither.")
        if predictions and is_stored(result.corpus):
            result = replace(result, corpus=at_once(result.corpus, "adding a system to a result"))
        new = _new_metrics(result, metrics) if metrics else {}
        return cls(result, new, _new_systems(result, predictions) if predictions else None, executor)

    def steps(self) -> list[Step]:
        """Return the steps in their order."""
        return [
            *([] if self.systems is None else [self._with_systems]),
            *([self._with_metrics] if self.metrics else []),
        ]

    def in_memory(self) -> Result:
        """Return the extended result without writing it."""
        result = self.result
        for step in self.steps():
            result = step(result, None)
        return result

    def _with_metrics(self, result: Result, checkpoint: Checkpoint | None) -> Result:
        warn_about_languages(result.corpus, self.metrics)
        job = replace(result._job, metrics=self.metrics, fits=_shared_fits(result._job, self.metrics))
        return self._computed(result, result.corpus, job, result.corpus, checkpoint)

    def _with_systems(self, result: Result, checkpoint: Checkpoint | None) -> Result:
        assert self.systems is not None
        return self._computed(
            result, self.systems, result._job, _both(result.corpus, self.systems), checkpoint
        )

    def _computed(
        self, result: Result, corpus: Corpus, job: Job, whole: Corpus, checkpoint: Checkpoint | None
    ) -> Result:
        """Return the result extended by the tables of the job on this corpus; the whole corpus has the
        systems of both.
        """
        computing = (
            default_executor(job.metrics.values()) if self.executor is None else executor_of(self.executor)
        )
        country = None if result.costs.carbon is None else result.costs.carbon.country
        read = readable(corpus, job.metrics)
        if checkpoint is None:
            tables, fits, costs = engine.run(read, job, computing, country)
        else:
            new = scored(corpus, read, job, computing, checkpoint, country)
            tables, fits, costs = dict(new._tables), new._job.fits, new.costs
        metrics = {**result._job.metrics, **job.metrics}
        total = Costs()
        total.add(result.costs)
        total.add(costs)
        merged = {**result._tables, **tables}
        return replace(
            result,
            corpus=whole,
            _tables={(system, label): merged[system, label] for system in whole.systems for label in metrics},
            signatures={**result.signatures, **signatures(whole, job)},
            costs=total,
            _job=replace(job, metrics=metrics, fits={**result._job.fits, **fits}),
            _last=[],
        )


def _new_metrics(result: Result, metrics: Sequence[Any]) -> dict[str, AnyMetric]:
    new = prepared(labeled(metrics), result.corpus.lang, result._job.reduce_fn)
    twice = [label for label in new if label in result.labels]
    if twice:
        raise ParameterError(f"{twice[0]!r} is already in the result; omit it, or change its parameters.")
    return new


def _new_systems(result: Result, predictions: Mapping[str, Any]) -> Corpus:
    lost = [label for label, metric in result._job.metrics.items() if isinstance(metric, NotHere)]
    if lost:
        raise ResultError(
            f"cannot add a system: the class of the metric {lost[0]!r} is not imported; import the module that"
            " defines it and load the result again."
        )
    corpus = result.corpus.adding(predictions)
    before, alone, together = (
        Reducer.of(result._job.reduce_fn, each)
        for each in (result.corpus, corpus, _both(result.corpus, corpus))
    )
    if before != together:
        raise InputError(
            "the new system has several predictions per segment, the other systems have one; score all systems"
            " together."
        )
    if any(
        alone.reduced(metric) != together.reduced(metric)
        for metric in result._job.metrics.values()
        if isinstance(metric, Metric)
    ):
        raise InputError(
            "the systems of the result have several predictions per segment, whose scores are averaged, and the"
            " new system has one; score all systems together."
        )
    return corpus


def _both(corpus: Corpus, more: Corpus) -> Corpus:
    """Return the corpus with the systems of another corpus, which shares its texts."""
    return replace(corpus, predictions={**corpus.predictions, **more.predictions})


def _shared_fits(job: Job, new: Mapping[str, AnyMetric]) -> Fits:
    """Return the fits of the new metrics that an equal metric of the result already has."""
    shared: Fits = {}
    for label, metric in new.items():
        for known, other in job.metrics.items():
            if (
                isinstance(metric, Metric)
                and isinstance(other, Metric)
                and metric.fit() is not None
                and metric.fit() == other.fit()
            ):
                shared |= {
                    (label, system): arrays for (owner, system), arrays in job.fits.items() if owner == known
                }
    return shared
