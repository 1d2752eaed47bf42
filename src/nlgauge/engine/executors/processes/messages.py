"""What workers are told and what they answer, as plain data: a task before the first chunk, then chunks,
and the rows or the error of each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nlgauge.corpus import Corpus
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
    """The task with the metrics that can be computed anywhere, and with those that have to stay in this
    process.

    What stays are metrics that cannot be written down (own model objects, functions and classes of the
    calling script), metrics that are fitted on a system's rows, and everything where the rule of reduction is
    a function.
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
    remote, local = (replace(task, job=replace(task.job, metrics=part)) for part in parts)
    return remote, local


def of_task(task: Task) -> dict[str, Any]:
    """The task as a message; its metrics must be ones that another process can make."""
    options, reducer = task.job.options, task.reducer
    return {
        "stage": task.stage,
        "metrics": {label: describe(metric) for label, metric in task.job.metrics.items()},
        "reducer": [reducer.rule, reducer.many_references, reducer.many_predictions],
        "options": [options.seed, options.batch_size, options.device],
        "cache": task.job.cache,
        "fits": [
            [label, system, arrays]
            for (label, system), arrays in task.job.fits.items()
            if label in task.job.metrics
        ],
    }


def to_task(message: dict[str, Any]) -> Task:
    """The task of a message."""
    fits = {(label, system): arrays for label, system, arrays in message["fits"]}
    metrics = {label: _metric(described) for label, described in message["metrics"].items()}
    job = Job(metrics, options=RunOptions(*message["options"]), fits=fits, cache=message["cache"])
    return Task(message["stage"], job, Reducer(*message["reducer"]))


def of_chunk(chunk: Chunk) -> dict[str, Any]:
    """The texts of a chunk as a message."""
    corpus = chunk.alone()
    return {"records": corpus.records(), "lang": corpus.lang}


def to_corpus(message: dict[str, Any]) -> Corpus:
    """Return the corpus of a message of `of_chunk`."""
    columns = columns_of(message["records"])
    predictions = columns_of(columns["predictions"])
    return Corpus.read(
        predictions,
        columns.get("references"),
        columns.get("source"),
        ids=columns["id"],
        lang=message["lang"],
    )


def answer(task: Task, message: dict[str, Any]) -> dict[str, Any]:
    """What the task gives for the chunk of a message, or the error of ours that it ended with."""
    try:
        corpus = to_corpus(message)
        rows, costs = task.run(Chunk(corpus, np.arange(len(corpus)), task.job.options))
    except NlgaugeError as error:
        return refusal(error)
    found = [[system, label, arrays] for (system, label), arrays in rows.items()]
    spent = {"metrics": costs.metrics, "features": costs.features, "used": costs.used, "reads": costs.reads}
    return {"rows": found, **spent, "memory": tuple(peak())}


def refusal(error: NlgaugeError) -> dict[str, Any]:
    """Return an error of nlgauge as an answer."""
    return {"error": [type(error).__name__, error.message, error.python, error.cli]}


def found_in(answer: dict[str, Any], where: str) -> tuple[Rows, Costs]:
    """The rows and costs of an answer; raises the error that it holds, with where it happened before its
    message.
    """
    if "error" in answer:
        kind, message, python, cli = answer["error"]
        raise _ERRORS.get(kind, NlgaugeError)(f"in {where}: {message}", python=python, cli=cli)
    costs = Costs(answer["metrics"], answer["features"], answer["used"], answer["reads"], *answer["memory"])
    return {(system, label): arrays for system, label, arrays in answer["rows"]}, costs


def with_local(local: Task, chunk: Chunk, remote: tuple[Rows, Costs]) -> tuple[Rows, Costs]:
    """What workers found for a chunk, and what the task that stays here gives for it."""
    rows, costs = remote
    if not local.job.metrics:
        return rows, costs
    more, further = local.run(chunk)
    costs.add(further)
    return {**rows, **more}, costs


def _metric(described: dict[str, Any]) -> AnyMetric:
    metric = restore(**described)
    if metric is None:
        raise NlgaugeError(f"the metric {described['name']!r} cannot be made in this process.")
    return metric
