"""A task as plain data, and back: what a worker process is told before the first chunk."""

from __future__ import annotations

from typing import Any

from nlgauge.errors import NlgaugeError
from nlgauge.features import RunOptions
from nlgauge.metric import AnyMetric
from nlgauge.metric.saved import describe, restore
from nlgauge.run.chunk import Job, Task
from nlgauge.run.reduction import Reducer


def of_task(task: Task) -> dict[str, Any]:
    """The task as a message; its metrics must be ones that another process can make."""
    options, reducer = task.job.options, task.reducer
    return {
        "stage": task.stage,
        "metrics": {label: describe(metric) for label, metric in task.job.metrics.items()},
        "reducer": [reducer.rule, reducer.many_references, reducer.many_predictions],
        "options": [options.seed, options.batch_size, options.device],
        "cache": task.job.cache,
        "fits": [[label, system, arrays] for (label, system), arrays in task.job.fits.items() if label in task.job.metrics],
    }


def to_task(message: dict[str, Any]) -> Task:
    """The task of a message."""
    fits = {(label, system): arrays for label, system, arrays in message["fits"]}
    metrics = {label: _metric(described) for label, described in message["metrics"].items()}
    job = Job(metrics, options=RunOptions(*message["options"]), fits=fits, cache=message["cache"])
    return Task(message["stage"], job, Reducer(*message["reducer"]))


def _metric(described: dict[str, Any]) -> AnyMetric:
    metric = restore(**described)
    if metric is None:
        raise NlgaugeError(f"the metric {described['name']!r} cannot be made in this process.")
    return metric
