"""Shared functions that separate parameters from options of the run and return plain results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from nlgauge._core.language import checked
from nlgauge.compat.custom import MetricForNLG
from nlgauge.errors import InputError, ParameterError, did_you_mean
from nlgauge.metric import AnyMetric
from nlgauge.metric.reduction import ReduceFn
from nlgauge.metric.registry import spelt
from nlgauge.metric.table import Table
from nlgauge.results.result import Result
from nlgauge.scoring import Scorer

RUN_OPTIONS = ("lang", "seed", "batch_size", "device")


def split(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split keyword arguments into parameters of metrics and options of the run."""
    parameters = {name: value for name, value in arguments.items() if name not in RUN_OPTIONS}
    return parameters, {name: value for name, value in arguments.items() if name in RUN_OPTIONS}


def scored(
    metrics: Mapping[str, AnyMetric],
    predictions: Any,
    references: Any = None,
    sources: Any = None,
    *,
    reduce_fn: ReduceFn = None,
    run_concurrent: bool = False,
    carbon: str | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Result:
    """Return the Result for the predictions of one system.

    `arguments` are options of the run and parameters of metrics; each metric gets the parameters that it has.
    """
    if isinstance(predictions, Mapping):
        raise InputError(
            "predictions is a mapping of systems, which this call does not support; use nlgauge.score()."
        )
    parameters, options = split(arguments or {})
    # The language is set here, so that it does not become part of the labels.
    specs = [
        {"path": metric.for_language(checked(options.get("lang"))), "resulting_name": label}
        for label, metric in adjusted(metrics, parameters).items()
    ]
    scorer = Scorer(specs, run_concurrent=run_concurrent, carbon=carbon)
    set_options = {name: value for name, value in options.items() if value is not None}
    return scorer(predictions, references, sources, reduce_fn=reduce_fn, **set_options)


def adjusted(metrics: Mapping[str, AnyMetric], parameters: Mapping[str, Any]) -> dict[str, AnyMetric]:
    """Return the metrics with changed parameters; raise ParameterError if no metric has a parameter."""
    accepted = {
        label: [name for name in parameters if _accepts(metric, name)] for label, metric in metrics.items()
    }
    for parameter in parameters:
        if not any(parameter in names for names in accepted.values()):
            all_names = [
                field.name
                for metric in metrics.values()
                if not isinstance(metric, MetricForNLG)
                for field in fields(metric)  # type: ignore[arg-type]
            ]
            near = did_you_mean(parameter, [*all_names, *RUN_OPTIONS])
            raise ParameterError(
                f"none of {', '.join(metrics)} has a parameter {parameter!r}{near}; `nlgauge card NAME` lists"
                " the parameters of a metric."
            )
    changed: dict[str, AnyMetric] = {}
    for label, metric in metrics.items():
        values = {name: parameters[name] for name in accepted[label]}
        if isinstance(metric, MetricForNLG):
            changed[label] = metric.bound(values)
        else:
            named = spelt(type(metric), values)
            changed[label] = replace(
                metric, **{name: tuple(v) if isinstance(v, list) else v for name, v in named.items()}
            )  # type: ignore[type-var]
    return changed


def plain(
    result: Result,
    labels: Mapping[str, Any],
    forms: Mapping[str, Callable[[Table], dict[str, Any]]] | None = None,
) -> dict[str, Any]:
    """Return every output of a result with one system, under the labels of the caller.

    `forms` has functions, by label, that return the outputs of a table in another form.
    """
    tables = {
        label: result._tables[result.systems[0], ours]
        for label, ours in zip(labels, result.labels, strict=True)
    }
    return {label: (forms or {}).get(label, Table.scores)(table) for label, table in tables.items()}


def _accepts(metric: AnyMetric, parameter: str) -> bool:
    if isinstance(metric, MetricForNLG):
        return metric.accepts(parameter)
    spelling = metric.spellings.get(parameter, parameter).removeprefix("not ")
    return any(field.name in (parameter, spelling) for field in fields(metric))  # type: ignore[arg-type]
