"""Messages to and from workers as plain data: a task, then chunks, and the rows or error of each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.corpus.fields import kept
from nlgauge.corpus.records import columns_of
from nlgauge.engine.chunk import Chunk, Job, Rows, Task
from nlgauge.engine.costs import Costs
from nlgauge.engine.memory import peak
from nlgauge.errors import InputError, JudgeError, MetricError, ModelError, NlgaugeError, ParameterError
from nlgauge.features import RunOptions
from nlgauge.metric import AnyMetric
from nlgauge.metric.reduction import Reducer
from nlgauge.metric.saved import can_run_remotely, describe, restore

_ERRORS = {kind.__name__: kind for kind in (InputError, JudgeError, MetricError, ModelError, ParameterError)}


def divided(task: Task) -> tuple[Task, Task]:
    """Split a task into metrics that workers can compute and metrics that stay in this process.

    A metric stays if it cannot be described as data (custom model objects, functions and classes of the
    calling script), if it is fitted on a system's rows, or if `may_leave` returns False. If the rule of
    reduction is a function, all metrics stay.
    """
    metrics = task.job.metrics
    leaving = (
        set()
        if callable(task.reducer.rule)
        else {label for label, metric in metrics.items() if can_run_remotely(metric)}
    )
    parts = [
        {label: metric for label, metric in metrics.items() if (label in leaving) is away}
        for away in (True, False)
    ]
    remote, local = (task._replace(job=replace(task.job, metrics=part)) for part in parts)
    return remote, local


def of_task(task: Task) -> dict[str, Any]:
    """Return the task as a message; another process must be able to create its metrics."""
    options, reducer = task.job.options, task.reducer
    return {
        "stage": task.stage,
        "metrics": {label: describe(metric) for label, metric in task.job.metrics.items()},
        "reducer": list(reducer),
        "options": [options.seed, options.batch_size, options.device],
        "cache": task.job.cache,
        "fits": [
            [label, system, arrays]
            for (label, system), arrays in task.job.fits.items()
            if label in task.job.metrics
        ],
    }


def to_task(message: dict[str, Any]) -> Task:
    """Return the task of a message."""
    fits = {(label, system): arrays for label, system, arrays in message["fits"]}
    metrics = {label: _metric(described) for label, described in message["metrics"].items()}
    job = Job(metrics, options=RunOptions(*message["options"]), fits=fits, cache=message["cache"])
    return Task(message["stage"], job, Reducer(*message["reducer"]))


def of_chunk(chunk: Chunk) -> dict[str, Any]:
    """Return the texts of a chunk as a message."""
    corpus = chunk.alone()
    return {"records": corpus.records(), "lang": corpus.lang}


def to_corpus(message: dict[str, Any]) -> Corpus:
    """Return the corpus of a message of `of_chunk`."""
    columns = columns_of(message["records"])
    predictions = columns_of(columns["predictions"])
    corpus = Corpus.read(
        predictions,
        columns.get("references"),
        columns.get("source"),
        ids=columns["id"],
        lang=message["lang"],
        fields=columns_of(columns.get("fields", [])),
    )
    by_field = columns_of(columns.get("system_fields", []))
    return replace(
        corpus,
        system_fields={
            name: {system: kept(values) for system, values in columns_of(rows).items()}
            for name, rows in by_field.items()
        },
    )


def answer(task: Task, message: dict[str, Any]) -> dict[str, Any]:
    """Return the rows and costs of the chunk in a message, or the nlgauge error that the task raised."""
    try:
        corpus = to_corpus(message)
        rows, costs = task.run(Chunk(corpus, np.arange(len(corpus)), task.job.options))
    except NlgaugeError as error:
        return refusal(error)
    entries = [[system, label, arrays] for (system, label), arrays in rows.items()]
    spent = {"metrics": costs.metrics, "features": costs.features, "used": costs.used, "reads": costs.reads}
    return {"rows": entries, **spent, "memory": tuple(peak())}


def refusal(error: NlgaugeError) -> dict[str, Any]:
    """Return an error of nlgauge as an answer."""
    return {"error": [type(error).__name__, error.message, error.python, error.cli]}


def found_in(answer: dict[str, Any], where: str) -> tuple[Rows, Costs]:
    """Return the rows and costs of an answer; if it is an error, raise it with `where` in its message."""
    if "error" in answer:
        kind, message, python, cli = answer["error"]
        raise _ERRORS.get(kind, NlgaugeError)(f"in {where}: {message}", python=python, cli=cli)
    costs = Costs(answer["metrics"], answer["features"], answer["used"], answer["reads"], *answer["memory"])
    return {(system, label): arrays for system, label, arrays in answer["rows"]}, costs


def with_local(local: Task, chunk: Chunk, remote: tuple[Rows, Costs]) -> tuple[Rows, Costs]:
    """Return the rows from workers together with the rows of the metrics that stay in this process."""
    rows, costs = remote
    if not local.job.metrics:
        return rows, costs
    more, further = local.run(chunk)
    costs.add(further)
    return {**rows, **more}, costs


def _metric(described: dict[str, Any]) -> AnyMetric:
    metric = restore(**described)
    if metric is None:
        raise NlgaugeError(
            f"the metric {described['name']!r} is unknown in this process; install the same packages on every node."
        )
    return metric
