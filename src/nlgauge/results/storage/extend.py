"""Extend a result by metrics or systems, in memory or on disk.

On disk the result stays unchanged until everything is computed, and new rows are in DIRECTORY.unfinished as soon
as they are computed. Then the larger result is written in a directory within it, and moved to its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nlgauge._core.progress import progress
from nlgauge.engine.executors import Executor
from nlgauge.results.result import Result
from nlgauge.results.storage.addition import Addition
from nlgauge.results.storage.checkpoint import FIRST, Checkpoint
from nlgauge.results.storage.resume import Destination, digest, finished, reporting_disk_errors, run_of


def extended(
    result: Result,
    metrics: Sequence[Any],
    predictions: Mapping[str, Any] | None,
    executor: str | Executor | None,
    output: Destination | None,
    show_progress: bool | None,
) -> Result:
    """Return the result with these metrics and these systems, saved to the output if there is one."""
    added = Addition.of(result, metrics, predictions, executor)
    with progress(show_progress):
        return added.in_memory() if output is None else _saved(added, output)


def _saved(added: Addition, output: Destination) -> Result:
    """Return the extended result, saved to the output."""
    with reporting_disk_errors(output), Checkpoint(output.begin(), _run_of(added)) as checkpoint:
        result = added.result
        *first, last = added.steps()
        for step in first:
            with Checkpoint(checkpoint.place / FIRST, {}) as before:
                result = step(result, before)
        return finished(last(result, checkpoint), checkpoint, output)


def _run_of(added: Addition) -> dict[str, Any]:
    """Return the identity of an addition, as plain data."""
    result, systems = added.result, added.systems
    return {
        **run_of(replace(result._job, metrics=added.metrics)),
        "systems": {}
        if systems is None
        else {system: digest(systems.only(system)) for system in systems.systems},
        "earlier metrics": dict(result.signatures),
        "earlier texts": digest(result.corpus),
    }
