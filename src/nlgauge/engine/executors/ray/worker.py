"""The worker of a cluster: one task after the other, and for each the chunks that it is given.

Bytes in, bytes out.
"""

from __future__ import annotations

import os
from contextlib import ExitStack

from nlgauge.corpus import Corpus
from nlgauge.engine.chunk import Task
from nlgauge.engine.executors.processes.messages import answer, of_task, refusal, to_task
from nlgauge.engine.executors.processes.wire import decode, encode
from nlgauge.errors import NlgaugeError
from nlgauge.models.loader import held


def setup_of(task: Task) -> bytes:
    """What workers are told of a task: the task, and which numbers it is to give."""
    return encode({**of_task(task), "signatures": _signatures(task)})


class Worker:
    """Computes chunks on a node; the models that they need are loaded once and stay."""

    def __init__(self, threads: int, environment: dict[str, str]) -> None:
        os.environ.update(environment, NLGAUGE_THREADS=str(threads))
        self._models = ExitStack()
        self._models.enter_context(held())
        self._task: Task | None = None

    def begin(self, setup: bytes) -> bytes:
        """Takes a task on; the answer holds an error where this node would make other numbers of it."""
        message = decode(setup)
        expected = message.pop("signatures")
        try:
            self._task = to_task(message)
            for label, signature in _signatures(self._task).items():
                if signature != expected[label]:
                    raise NlgaugeError(
                        f"{label} is another number on this node ({signature}) than where the run was started"
                        f" ({expected[label]}); install the same versions and models on every node."
                    )
        except NlgaugeError as error:
            return encode(refusal(error))
        return encode({})

    def compute(self, chunk: bytes) -> bytes:
        """What the task gives for a chunk."""
        assert self._task is not None
        return encode(answer(self._task, decode(chunk)))


def _signatures(task: Task) -> dict[str, str]:
    """Versions of libraries and weights of models included; all on one corpus, so that two machines can
    compare them.
    """
    corpus = Corpus.read(["a"], [["a"]], ["a"])
    return {label: metric.signature(corpus) for label, metric in task.job.metrics.items()}
