"""score and Scorer: the two ways to ask for a Result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError
from nlgauge.features import RunOptions
from nlgauge.metric import AnyMetric, Metric, WholeMetric
from nlgauge.metric.registry import make, parse
from nlgauge.metrics.unknown_tokens import warn_about_unknown_tokens
from nlgauge.models.loader import held
from nlgauge.results.result import Result
from nlgauge.results.table import Table
from nlgauge.run import engine
from nlgauge.run.checks import warn_about_languages
from nlgauge.run.chunk import Job
from nlgauge.run.costs import Costs
from nlgauge.run.environment import environment
from nlgauge.run.executors import Executor, Serial
from nlgauge.run.processes import Processes
from nlgauge.run.progress import progress
from nlgauge.run.reduction import ReduceFn, Reducer

MetricSpec = str | AnyMetric | Mapping[str, Any]
DEFAULT_METRICS = ("bleu", "chrf", "rouge")


class Scorer:
    """A reusable set of metrics; call it with texts.

    >>> scorer = Scorer(["bleu", "chrf(word_order=2)"])
    >>> result = scorer(["the cat sat on the mat"], ["the cat sat on the mat"])
    >>> list(result)
    ['bleu', 'chrf(word_order=2)']
    """

    def __init__(self, metrics: MetricSpec | Iterable[MetricSpec] | None = None, *, run_concurrent: bool = False) -> None:
        self.metrics = labelled(DEFAULT_METRICS if metrics is None else metrics)
        self._executor: Executor = Processes() if run_concurrent else Serial()

    def __call__(
        self,
        predictions: Any,
        references: Any = None,
        sources: Any = None,
        *,
        reduce_fn: ReduceFn = None,
        ids: Iterable[Any] | None = None,
        weights: Iterable[float] | None = None,
        documents: Iterable[Any] | None = None,
        lang: str | None = None,
        seed: int = 12345,
        batch_size: int | None = None,
        device: str | None = None,
        show_progress: bool | None = None,
    ) -> Result:
        """The Result of scoring these texts; see `nlgauge.score` for the arguments."""
        corpus = Corpus.read(predictions, references, sources, ids=ids, weights=weights, documents=documents, lang=lang)
        return self.score_corpus(corpus, reduce_fn, RunOptions(_checked(seed, "seed", 0), _batch(batch_size), device), show_progress)

    def score_corpus(self, corpus: Corpus, reduce_fn: ReduceFn, options: RunOptions, show_progress: bool | None = None) -> Result:
        """The Result of scoring a corpus that was read already."""
        job = Job(_prepared(self.metrics, corpus.lang, reduce_fn), reduce_fn, options)
        warn_about_languages(corpus, job.metrics)
        with progress(show_progress), held():
            tables, fits, costs = engine.run(corpus, job, self._executor)
        warn_about_unknown_tokens(tables)
        return Result(corpus, tables, _signatures(corpus, job), costs, fits, job, engine.describe(job), environment())


def score(
    predictions: Any,
    references: Any = None,
    sources: Any = None,
    metrics: MetricSpec | Iterable[MetricSpec] | None = None,
    *,
    reduce_fn: ReduceFn = None,
    run_concurrent: bool = False,
    ids: Iterable[Any] | None = None,
    weights: Iterable[float] | None = None,
    documents: Iterable[Any] | None = None,
    lang: str | None = None,
    seed: int = 12345,
    batch_size: int | None = None,
    device: str | None = None,
    show_progress: bool | None = None,
) -> Result:
    """The Result of scoring predictions against references and sources, in any of the shapes of `nlgauge.corpus`.

    metrics: names, such as "bleu" or "chrf(word_order=2)", Metric values, or {"path": name, "resulting_name": label,
    "compute_kwargs": {...}}. reduce_fn: "best" (default), "max", "min", a NumPy name or a callable, for several references or
    predictions. documents: one label a segment; segments of a document are resampled together. weights: how much each segment
    counts. lang: an ISO code, for tokenisers, sentence splitters and default models. device: "cpu", "cuda", ...

    >>> score(["the cat"], [["the cat", "a cat"]], metrics="exact_match")["exact_match"]["score"]
    1.0
    """
    return Scorer(metrics, run_concurrent=run_concurrent)(
        predictions,
        references,
        sources,
        reduce_fn=reduce_fn,
        ids=ids,
        weights=weights,
        documents=documents,
        lang=lang,
        seed=seed,
        batch_size=batch_size,
        device=device,
        show_progress=show_progress,
    )


def labelled(metrics: MetricSpec | Iterable[MetricSpec]) -> dict[str, AnyMetric]:
    """Metrics by label, from names, values and dictionaries."""
    specs = [metrics] if isinstance(metrics, str | Metric | WholeMetric | Mapping) else list(metrics)
    found: dict[str, AnyMetric] = {}
    for spec in specs:
        label, metric = _one(spec)
        if label in found:
            raise ParameterError(f"two metrics are labelled {label!r}; give one of them a resulting_name.")
        found[label] = metric
    if not found:
        raise ParameterError("no metrics were given; name at least one, `nlgauge list` shows all.")
    return found


def _one(spec: MetricSpec) -> tuple[str, AnyMetric]:
    if isinstance(spec, str):
        metric = parse(spec)
        return str(metric), metric
    if isinstance(spec, Metric | WholeMetric):
        return getattr(spec, "resulting_name", None) or str(spec), spec
    if isinstance(spec, Mapping) and "path" in spec:
        known = ("path", "resulting_name", "task", "compute_kwargs")
        parameters = {**(spec.get("compute_kwargs") or {}), **{key: value for key, value in spec.items() if key not in known}}
        metric = make(str(spec["path"]), parameters)
        return str(spec.get("resulting_name") or metric), metric
    raise ParameterError(f"a metric is a name, a Metric or a dictionary with 'path'; got {spec!r:.60}.")


def extended(result: Result, metrics: Sequence[MetricSpec], predictions: Mapping[str, Any] | None) -> Result:
    """A result with more metrics or more systems; only what is new is computed."""
    if bool(metrics) == bool(predictions):
        raise ParameterError("add takes metrics or predictions={name: texts}, one of the two.")
    job = replace(result.job, fits=result.fits)
    if metrics:
        corpus = result.corpus
        new = _prepared(labelled(metrics), corpus.lang, job.reduce_fn)
        warn_about_languages(corpus, new)
        twice = [label for label in new if label in result.labels]
        if twice:
            raise ParameterError(f"{twice[0]!r} is in the result already.")
        job, all_metrics = replace(job, metrics=new), {**result.job.metrics, **new}
        whole = corpus
    else:
        assert predictions is not None
        corpus = result.corpus.adding(predictions)
        whole = replace(result.corpus, predictions={**result.corpus.predictions, **corpus.predictions}, named_systems=True)
        if Reducer.of(job.reduce_fn, whole) != Reducer.of(job.reduce_fn, result.corpus):
            raise InputError("the new system has several predictions for a segment, the others have one: score them together.")
        all_metrics = dict(job.metrics)
    with progress(), held():
        tables, fits, costs = engine.run(corpus, job, Serial())
    warn_about_unknown_tokens(tables)
    total = Costs()
    total.add(result.costs)
    total.add(costs)
    merged: dict[tuple[str, str], Table] = {**result.tables, **tables}
    ordered = {(system, label): merged[system, label] for system in whole.systems for label in all_metrics}
    complete = replace(job, metrics=all_metrics)
    return replace(
        result, corpus=whole, tables=ordered, signatures={**result.signatures, **_signatures(whole, job)}, costs=total, fits=fits, job=complete
    )


def _signatures(corpus: Corpus, job: Job) -> dict[str, str]:
    reducer = Reducer.of(job.reduce_fn, corpus)
    found = {}
    for label, metric in job.metrics.items():
        reduction = reducer.facts(metric) if isinstance(metric, Metric) else {}
        found[label] = metric.signature(corpus, {**reduction, **({"seed": str(job.options.seed)} if metric.seeded else {})})
    return found


def _prepared(metrics: Mapping[str, AnyMetric], lang: str | None, reduce_fn: ReduceFn) -> dict[str, AnyMetric]:
    """The metrics with what depends on the language and the rule of reduction filled in; a label that is the metric as printed follows it."""
    found: dict[str, AnyMetric] = {}
    for label, metric in metrics.items():
        filled = metric.for_language(lang).for_reduction(reduce_fn)
        name = str(filled) if label == str(metric) else label
        if name in found:
            raise ParameterError(f"two metrics are labelled {name!r} for the language {lang!r}; give one of them a resulting_name.")
        found[name] = filled
    return found


def _checked(value: int, name: str, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ParameterError(f"{name} must be a whole number from {least}, got {value!r}.")
    return value


def _batch(value: int | None) -> int | None:
    return None if value is None else _checked(value, "batch_size", 1)
