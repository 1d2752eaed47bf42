"""The worker process of `Processes`: a set-up message, then chunks in and rows out, until the input ends."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.errors import NlgaugeError
from nlgauge.run.chunk import Chunk, Task
from nlgauge.run.memory import peak
from nlgauge.run.processes.messages import to_task
from nlgauge.run.processes.wire import receive, send


def main() -> None:
    """Serves one parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer: it ends its workers
    # What libraries print must not end up between the messages.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    setup = receive(sys.stdin.buffer)
    if setup is None:
        return
    task = to_task(setup)
    try:
        while (message := receive(sys.stdin.buffer)) is not None:
            send(answers, _answer(message, task))
    except BrokenPipeError:
        os._exit(0)  # the parent is gone, and nobody waits for what is left in the buffer


def _answer(message: dict[str, Any], task: Task) -> dict[str, Any]:
    try:
        corpus = Corpus.from_saved(message["records"], message["lang"])
        rows, costs = task.run(Chunk(corpus, np.arange(len(corpus)), task.job.options))
    except NlgaugeError as error:
        return {"error": [type(error).__name__, str(error)]}
    found = [[system, label, arrays] for (system, label), arrays in rows.items()]
    spent = {"metrics": costs.metrics, "features": costs.features, "used": costs.used, "reads": costs.reads}
    return {"rows": found, **spent, "memory": tuple(peak())}


if __name__ == "__main__":
    main()
