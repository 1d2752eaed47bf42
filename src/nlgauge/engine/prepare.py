"""Preparation of a run: metrics by label, adapted to language and reduction; their signatures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from nlgauge.engine.chunk import Job
from nlgauge.errors import ParameterError, UnknownMetricError
from nlgauge.metric import AnyMetric, CorpusMetric, Metric
from nlgauge.metric.complete import check_value
from nlgauge.metric.registry import make, name_and_parameters

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.metric.reduction import ReduceFn

MetricSpec = str | AnyMetric | Mapping[str, Any]
_NAME = r"\w[\w-]*"


def labeled(
    metrics: MetricSpec | Iterable[MetricSpec], allow_remote_code: bool = False
) -> dict[str, AnyMetric]:
    """Return metrics by label, from names, Metric objects and dictionaries; "polite=yes_no" has the label polite.

    If `allow_remote_code` is True, names that nlgauge does not know are names of Hugging Face evaluate.
    """
    if (
        isinstance(metrics, type)
        or not isinstance(metrics, str | Metric | CorpusMetric | Iterable)
        or getattr(metrics, "ndim", 1) == 0
    ):
        raise ParameterError(
            f"metrics is {metrics!r:.60}; pass names, Metric objects or dictionaries with"
            f" 'path'{_hint(metrics)}."
        )
    specs = [metrics] if isinstance(metrics, str | Metric | CorpusMetric | Mapping) else list(metrics)
    by_label: dict[str, AnyMetric] = {}
    for spec in specs:
        label, metric = _label_and_metric(spec, allow_remote_code)
        if label in by_label:
            raise _same_label(f"two metrics have the label {label!r}", metric)
        by_label[label] = metric
    if not by_label:
        raise ParameterError(
            "no metric was specified; name at least one (`nlgauge list` prints all metrics)."
        )
    return by_label


def _same_label(problem: str, metric: AnyMetric) -> ParameterError:
    import shlex

    return ParameterError(
        problem,
        python=f"leave one out, or name it: {f'NAME={metric}'!r}",
        cli=f"leave one out, or name it: -m {shlex.quote(f'NAME={metric}')}",
    )


def checked_name(name: str) -> str:
    """Return the name of a metric; raise ParameterError if it is not one word."""
    if not re.fullmatch(_NAME, name):
        raise ParameterError(
            f"the name {name!r:.60} of a metric must consist of letters, digits, _ and -, for example:"
            " polite=yes_no(question='Is it polite?')"
        )
    return name


def split_name(text: str) -> tuple[str, str]:
    """Return the name before the equals sign of a metric, empty if it has none, and the metric.

    >>> split_name("polite=yes_no(question='Is it polite?')"), split_name("chrf(word_order=2)")
    (('polite', "yes_no(question='Is it polite?')"), ('', 'chrf(word_order=2)'))
    """
    before = text.partition("(")[0]
    if "=" not in before:
        return "", text
    name, _, metric = map(str.strip, text.partition("="))
    checked_name(name)
    if not metric or "=" in metric.partition("(")[0]:
        raise ParameterError(
            f"cannot read {text!r:.60}; write NAME=METRIC, for example long=chrf(word_order=2)."
        )
    return name, metric


def _label_and_metric(spec: MetricSpec, allow_remote_code: bool) -> tuple[str, AnyMetric]:
    if isinstance(spec, str):
        name, text = split_name(spec)
        metric = _named(*name_and_parameters(text), allow_remote_code)
        return name or _own_label(metric), metric
    if isinstance(spec, Metric | CorpusMetric):
        check_value(spec)
        return _own_label(spec), spec
    if isinstance(spec, Mapping) and "path" in spec:
        path, label, keywords = spec["path"], spec.get("resulting_name"), spec.get("compute_kwargs")
        reserved = ("path", "resulting_name", "task", "compute_kwargs")
        _check_spec(isinstance(path, str | Metric | CorpusMetric), "path", "a name or a Metric", path)
        _check_spec(label is None or isinstance(label, str), "resulting_name", "a string", label)
        _check_spec(
            keywords is None or isinstance(keywords, Mapping), "compute_kwargs", "a dictionary", keywords
        )
        parameters = {
            **(keywords or {}),
            **{key: value for key, value in spec.items() if key not in reserved},
        }
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
        f"a metric must be a name, a Metric or a dictionary with 'path', got {spec!r:.60}{_hint(spec)}."
    )


def as_spec(label: str, metric: AnyMetric) -> dict[str, Any]:
    """Return the specification of a metric with this label."""
    return {"path": metric, "resulting_name": label}


def _own_label(metric: AnyMetric) -> str:
    return getattr(metric, "resulting_name", None) or str(metric)


def _named(name: str, parameters: dict[str, Any], allow_remote_code: bool) -> AnyMetric:
    """Return the metric of a name, from nlgauge or, if remote code is allowed, from evaluate."""
    try:
        return make(name, parameters)
    except UnknownMetricError as error:
        from nlgauge.compat.from_evaluate import from_evaluate, looks_like_one

        if allow_remote_code:
            return from_evaluate(name, parameters, error)
        if looks_like_one(name):
            raise UnknownMetricError(
                f"{error.message.removesuffix('.')}; Hugging Face evaluate may have it, as a script to run",
                python="score(..., allow_remote_code=True) permits that",
                cli="`nlgauge score --allow-remote-code` permits that",
            ) from None
        raise


def _hint(spec: Any) -> str:
    if isinstance(spec, type):
        return (
            f"; create a metric from its class: {spec.__name__}()"
            if issubclass(spec, Metric | CorpusMetric)
            else ""
        )
    return "; nlgauge.metric_from(f) turns a function into a metric" if callable(spec) else ""


def _check_spec(is_valid: bool, key: str, domain: str, value: Any) -> None:
    if not is_valid:
        raise ParameterError(f"a metric's {key} must be {domain}, got {value!r:.60}.")


def prepared(metrics: Mapping[str, AnyMetric], lang: str | None, reduce_fn: ReduceFn) -> dict[str, AnyMetric]:
    """Return the metrics adapted to the language and the rule of reduction.

    If a label is the printed metric, the new label is the printed adapted metric.
    """
    by_label: dict[str, AnyMetric] = {}
    for label, metric in metrics.items():
        filled = metric.for_language(lang).for_reduction(reduce_fn)
        name = str(filled) if label == str(metric) else label
        if name in by_label:
            raise _same_label(f"two metrics have the label {name!r} for the language {lang!r}", metric)
        by_label[name] = filled
    return by_label


def signatures(corpus: Corpus, job: Job) -> dict[str, str]:
    """Return the signature of each label: a line that identifies how its scores were computed."""
    from nlgauge.metric.reduction import Reducer

    reducer = Reducer.of(job.reduce_fn, corpus)
    lines = {}
    for label, metric in job.metrics.items():
        reduction = reducer.facts(metric) if isinstance(metric, Metric) else {}
        lines[label] = metric.signature(
            corpus, {**reduction, **({"seed": str(job.options.seed)} if metric.seeded else {})}
        )
    return lines


def models_held(metrics: Iterable[AnyMetric]) -> AbstractContextManager[None]:
    """Return a context that retains loaded models if a metric can have one."""
    if not any(getattr(metric, "costly", True) or hasattr(metric, "judge") for metric in metrics):
        return nullcontext()
    from nlgauge.models.registry import held

    return held()
