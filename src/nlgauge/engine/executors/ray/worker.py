"""Worker on a cluster: one task after another, and the chunks of each; messages are bytes."""

from __future__ import annotations

import os
from contextlib import ExitStack

from nlgauge.corpus import Corpus
from nlgauge.engine.chunk import Task
from nlgauge.engine.executors.processes.messages import answer, of_task, refusal, to_task
from nlgauge.engine.executors.processes.wire import decode, encode
from nlgauge.errors import NlgaugeError
from nlgauge.models.registry import held


def setup_of(task: Task) -> bytes:
    """Return the set-up message of a task: the task, and the signatures of its metrics."""
    return encode({**of_task(task), "signatures": _signatures(task)})


class Worker:
    """Worker on a node, which computes chunks and loads each model once."""

    def __init__(self, threads: int, environment: dict[str, str]) -> None:
        os.environ.update(environment, NLGAUGE_THREADS=str(threads))
        self._models = ExitStack()
        self._models.enter_context(held())
        self._task: Task | None = None

    def begin(self, setup: bytes) -> bytes:
        """Accept a task; the answer is an error if this node would compute other numbers."""
        message = decode(setup)
        expected = message.pop("signatures")
        try:
            self._task = to_task(message)
            for label, signature in _signatures(self._task).items():
                if signature != expected[label]:
                    raise NlgaugeError(
                        f"{label} has another signature on this node ({signature}) than on the machine that"
                        f" started the run ({expected[label]}); install the same versions and models on every"
                        " node."
                    )
        except NlgaugeError as error:
            return encode(refusal(error))
        return encode({})

    def compute(self, chunk: bytes) -> bytes:
        """Return the answer of the task for a chunk."""
        assert self._task is not None
        return encode(answer(self._task, decode(chunk)))


def _signatures(task: Task) -> dict[str, str]:
    """Return the signatures of the metrics on a fixed corpus, so that two machines can compare them.

    Signatures include the versions of libraries and the weights of models.
    """
    corpus = Corpus.read(["a"], [["a"]], ["a"])
    return {label: metric.signature(corpus) for label, metric in task.job.metrics.items()}
