"""Results of format 1, in which metrics and fits were kept as they print, without default parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from nlgauge.errors import NlgaugeError
from nlgauge.metric import AnyMetric, Arrays, Metric
from nlgauge.metric.mean import values_and_defined
from nlgauge.metric.registry import parse
from nlgauge.metric.saved import describe
from nlgauge.metric.table import outputs_of
from nlgauge.results.storage.saved_run import SavedFit, SavedMetric, SavedRun, SavedTable

_REVISION = 1


class _Table(msgspec.Struct):
    system: str
    label: str
    key: str
    averaged: str | None
    scores: dict[str, Any]


class _Run(msgspec.Struct):
    texts: bool
    lang: str | None
    config: dict[str, Any]
    metrics: dict[str, str]
    signatures: dict[str, str]
    tables: list[_Table]
    fits: list[tuple[str, str]]
    seconds: dict[str, dict[str, float]]
    environment: dict[str, str]


def upgraded(data: bytes, statistics: dict[str, Arrays]) -> SavedRun:
    """The run in the present format; rows that were averaged are put into their present form in place.

    A metric that has changed since, so that its statistics or its fit cannot be read any more, keeps its
    scores alone.
    """
    run = msgspec.json.decode(data, type=_Run)
    found = {label: _readable(printed, label, run, statistics) for label, printed in run.metrics.items()}
    metrics = {
        label: _saved(metric, run.metrics[label], label, run.tables) for label, metric in found.items()
    }
    labels: dict[int, list[str]] = {}
    for label, metric in found.items():
        for number in () if metric is None else _numbers(metric, run):
            labels.setdefault(number, []).append(label)
    fits = [
        SavedFit(system, labels.get(number, []), str(number)) for number, (_, system) in enumerate(run.fits)
    ]
    for table in run.tables:
        if table.averaged is not None and found[table.label] is not None:
            statistics[table.key] = {
                part: values_and_defined(rows[:, :-1]) for part, rows in statistics[table.key].items()
            }
    tables = [
        SavedTable(table.system, table.label, table.key, table.averaged, table.scores) for table in run.tables
    ]
    return SavedRun(
        1,
        run.texts,
        run.lang,
        run.config,
        metrics,
        run.signatures,
        tables,
        fits,
        run.seconds,
        run.environment,
    )


def _readable(printed: str, label: str, run: _Run, statistics: Mapping[str, Arrays]) -> AnyMetric | None:
    """The metric, if it still is what it was: of its first revision, with statistics and fits that it can
    read.
    """
    try:
        metric = parse(printed)
        if metric.revision != _REVISION:
            return None
        for table in run.tables:
            if isinstance(metric, Metric) and table.label == label and table.averaged is None:
                outputs_of(
                    metric, {part: statistics[table.key][part].sum(axis=0) for part in metric.outputs()}, ()
                )
    except (NlgaugeError, ValueError, LookupError, TypeError):
        return None
    wants_fit = isinstance(metric, Metric) and metric.fit() is not None
    return metric if not wants_fit or _numbers(metric, run) else None


def _numbers(metric: AnyMetric, run: _Run) -> list[int]:
    """The fits of a metric: those that print as its own, else those of its class where they all print
    alike.
    """
    fit = metric.fit() if isinstance(metric, Metric) else None
    exact = [number for number, (printed, _) in enumerate(run.fits) if printed == str(fit)]
    alike = [
        number
        for number, (printed, _) in enumerate(run.fits)
        if printed.partition("(")[0] == type(fit).__name__
    ]
    return exact or (alike if len({run.fits[number][0] for number in alike}) == 1 else [])


def _saved(metric: AnyMetric | None, printed: str, label: str, tables: list[_Table]) -> SavedMetric:
    if metric is not None:
        return SavedMetric(**describe(metric), printed=printed, outputs={})
    names = next(list(table.scores) for table in tables if table.label == label)
    outputs = [
        {"name": name, "higher_is_better": None} for name in names if name != "score" or len(names) == 1
    ]
    return SavedMetric(printed.partition("(")[0], "", 0, {}, printed, {label: outputs})
