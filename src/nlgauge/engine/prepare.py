"""What a run is made of, before it runs: metrics by label, with the language and the rule of reduction
filled in, and their signatures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nlgauge.corpus import Corpus
from nlgauge.engine.chunk import Job
from nlgauge.errors import ParameterError, UnknownMetricError
from nlgauge.metric import AnyMetric, CorpusMetric, Metric
from nlgauge.metric.complete import check_value
from nlgauge.metric.reduction import ReduceFn, Reducer
from nlgauge.metric.registry import make, name_and_parameters

MetricSpec = str | AnyMetric | Mapping[str, Any]


def labelled(
    metrics: MetricSpec | Iterable[MetricSpec], allow_remote_code: bool = False
) -> dict[str, AnyMetric]:
    """Metrics by label, from names, values and dictionaries; names that nlgauge does not know are
    evaluate's where code of others may run.
    """
    if (
        isinstance(metrics, type)
        or not isinstance(metrics, str | Metric | CorpusMetric | Iterable)
        or getattr(metrics, "ndim", 1) == 0
    ):
        raise ParameterError(
            f"metrics is {metrics!r:.60}; pass names, Metric values or dictionaries with"
            f" 'path'{_hint(metrics)}."
        )
    specs = [metrics] if isinstance(metrics, str | Metric | CorpusMetric | Mapping) else list(metrics)
    found: dict[str, AnyMetric] = {}
    for spec in specs:
        label, metric = _one(spec, allow_remote_code)
        if label in found:
            raise ParameterError(f"two metrics have the label {label!r}; set the resulting_name of one.")
        found[label] = metric
    if not found:
        raise ParameterError("no metrics were given; name at least one, `nlgauge list` shows all.")
    return found


def _one(spec: MetricSpec, allow_remote_code: bool) -> tuple[str, AnyMetric]:
    if isinstance(spec, str):
        metric = _named(*name_and_parameters(spec), allow_remote_code)
        return _own_label(metric), metric
    if isinstance(spec, Metric | CorpusMetric):
        check_value(spec)
        return _own_label(spec), spec
    if isinstance(spec, Mapping) and "path" in spec:
        path, label, given = spec["path"], spec.get("resulting_name"), spec.get("compute_kwargs")
        known = ("path", "resulting_name", "task", "compute_kwargs")
        _check_spec(isinstance(path, str | Metric | CorpusMetric), "path", "a name or a Metric", path)
        _check_spec(label is None or isinstance(label, str), "resulting_name", "a string", label)
        _check_spec(given is None or isinstance(given, Mapping), "compute_kwargs", "a dictionary", given)
        parameters = {**(given or {}), **{key: value for key, value in spec.items() if key not in known}}
        _check_spec(
            all(isinstance(key, str) for key in parameters),
            "parameters",
            "named by strings",
            list(parameters),
        )
        metric = _named(path, parameters, allow_remote_code) if isinstance(path, str) else path
        check_value(metric)
        return label or _own_label(metric), metric
    raise ParameterError(
        f"a metric is a name, a Metric or a dictionary with 'path'; got {spec!r:.60}{_hint(spec)}."
    )


def _own_label(metric: AnyMetric) -> str:
    return getattr(metric, "resulting_name", None) or str(metric)


def _named(name: str, parameters: dict[str, Any], allow_remote_code: bool) -> AnyMetric:
    """The metric of a name, or that which evaluate has."""
    try:
        return make(name, parameters)
    except UnknownMetricError as error:
        from nlgauge.compat.from_evaluate import from_evaluate, looks_like_one

        if allow_remote_code:
            return from_evaluate(name, parameters, error)
        if looks_like_one(name):
            raise UnknownMetricError(
                f"{error.message.removesuffix('.')}; Hugging Face evaluate may have it, as a script to run",
                python="pass allow_remote_code=True to permit that",
                cli="use --allow-remote-code to permit that",
            ) from None
        raise


def _hint(given: Any) -> str:
    if isinstance(given, type):
        return (
            f"; a Metric value is made of its class, {given.__name__}()"
            if issubclass(given, Metric | CorpusMetric)
            else ""
        )
    return "; nlgauge.metric_from(f) makes a metric of a function" if callable(given) else ""


def _check_spec(holds: bool, key: str, domain: str, value: Any) -> None:
    if not holds:
        raise ParameterError(f"a metric's {key} must be {domain}, got {value!r:.60}.")


def prepared(metrics: Mapping[str, AnyMetric], lang: str | None, reduce_fn: ReduceFn) -> dict[str, AnyMetric]:
    """The metrics with what depends on the language and the rule of reduction filled in; a label that is
    the metric as printed follows it.
    """
    found: dict[str, AnyMetric] = {}
    for label, metric in metrics.items():
        filled = metric.for_language(lang).for_reduction(reduce_fn)
        name = str(filled) if label == str(metric) else label
        if name in found:
            raise ParameterError(
                f"two metrics have the label {name!r} for the language {lang!r}; set the resulting_name of one."
            )
        found[name] = filled
    return found


def signatures(corpus: Corpus, job: Job) -> dict[str, str]:
    """One line for each label that says which number it is."""
    reducer = Reducer.of(job.reduce_fn, corpus)
    found = {}
    for label, metric in job.metrics.items():
        reduction = reducer.facts(metric) if isinstance(metric, Metric) else {}
        found[label] = metric.signature(
            corpus, {**reduction, **({"seed": str(job.options.seed)} if metric.seeded else {})}
        )
    return found
