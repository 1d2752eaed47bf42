"""Processes: chunks in worker processes, which are started as programs of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from queue import SimpleQueue
from typing import Any

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array
from nlgauge.errors import InputError, ModelError, NlgaugeError, ParameterError
from nlgauge.metric import AnyMetric, Metric
from nlgauge.models.threads import threads
from nlgauge.run.chunk import Job, Rows
from nlgauge.run.costs import Costs
from nlgauge.run.executors import Serial
from nlgauge.run.processes.wire import receive, send
from nlgauge.run.reduction import Reducer

_ERRORS = {kind.__name__: kind for kind in (InputError, ModelError, ParameterError)}


class Processes:
    """Chunks in worker processes, which are started as programs of their own: no `__main__` guard is needed.

    Metrics that cannot be written down (own model objects, classes of the calling script) and metrics fitted on a system's rows
    stay in this process.
    """

    characters = 50_000

    def map(self, corpus: Corpus, chunks: Sequence[Array], job: Job, reducer: Reducer) -> Iterator[tuple[Rows, Costs]]:
        away = {label: metric for label, metric in job.metrics.items() if _travels(metric)}
        home = {label: metric for label, metric in job.metrics.items() if label not in away}
        if callable(reducer.rule) or not away:
            yield from Serial().map(corpus, chunks, job, reducer)
            return
        count = min(threads(), len(chunks))
        setup = {
            "metrics": {label: str(metric) for label, metric in away.items()},
            "reducer": [reducer.rule, reducer.many_references, reducer.many_predictions],
            "options": [job.options.seed, job.options.batch_size, job.options.device],
            "fits": [[name, system, arrays] for (name, system), arrays in job.fits.items() if not system],
        }
        workers = [_Worker(setup, max(1, threads() // count)) for _ in range(count)]
        free: SimpleQueue[_Worker] = SimpleQueue()
        for worker in workers:
            free.put(worker)

        def compute(segments: Array) -> tuple[Rows, Costs]:
            worker = free.get()
            try:
                return worker.compute(replace(corpus, weights=None, documents=None).take(segments))
            finally:
                free.put(worker)

        rest = Serial().map(corpus, chunks, replace(job, metrics=home), reducer)
        pool = ThreadPoolExecutor(count)
        try:
            for (rows, costs), (more, further) in zip(pool.map(compute, chunks), rest, strict=True):
                costs.add(further)
                yield {**rows, **more}, costs
        finally:
            for worker in workers:
                worker.close()
            pool.shutdown(cancel_futures=True)


def _travels(metric: AnyMetric) -> bool:
    from nlgauge.metric.registry import is_importable, parse

    if not isinstance(metric, Metric) or not is_importable(metric) or ((fit := metric.fit()) is not None and fit.over == "system"):
        return False
    try:
        return parse(str(metric)) == metric
    except NlgaugeError:
        return False


class _Worker:
    """A process that computes chunks: `python -m nlgauge.run.processes.worker`, spoken to in framed messages."""

    def __init__(self, setup: Mapping[str, Any], its_threads: int) -> None:
        environment = {**os.environ, "NLGAUGE_THREADS": str(its_threads)}
        # -P: a module in the working directory must not take the place of one that the worker imports.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "nlgauge.run.processes.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._send(setup)

    def compute(self, corpus: Corpus) -> tuple[Rows, Costs]:
        self._send({"records": corpus.records(), "lang": corpus.lang})
        assert self._process.stdout is not None
        answer = receive(self._process.stdout)
        if answer is None:
            raise NlgaugeError(f"a worker process ended with exit code {self._process.wait()}; its message is above.")
        if "error" in answer:
            kind, message = answer["error"]
            raise _ERRORS.get(kind, NlgaugeError)(f"in a worker process: {message}")
        return {(system, label): arrays for system, label, arrays in answer["rows"]}, Costs(answer["metrics"], answer["features"])

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        send(self._process.stdin, message)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):  # what was not sent to a worker that died
                    stream.close()
