"""The worker process of `Processes`: a set-up message, then chunks in and rows out, until the input ends."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.errors import NlgaugeError
from nlgauge.features import RunOptions
from nlgauge.metric.registry import parse
from nlgauge.run.chunk import Job, run_chunk
from nlgauge.run.processes.wire import receive, send
from nlgauge.run.reduction import Reducer


def main() -> None:
    """Serves one parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer: it ends its workers
    # What libraries print must not end up between the messages.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    setup = receive(sys.stdin.buffer)
    if setup is None:
        return
    job = Job(
        {label: parse(text) for label, text in setup["metrics"].items()},
        options=RunOptions(*setup["options"]),
        fits={(name, system): arrays for name, system, arrays in setup["fits"]},
    )
    reducer = Reducer(*setup["reducer"])
    while (message := receive(sys.stdin.buffer)) is not None:
        send(answers, _answer(message, job, reducer))


def _answer(message: dict[str, Any], job: Job, reducer: Reducer) -> dict[str, Any]:
    try:
        corpus = Corpus.from_saved(message["records"], message["lang"])
        rows, costs = run_chunk(corpus, np.arange(len(corpus)), job, reducer)
    except NlgaugeError as error:
        return {"error": [type(error).__name__, str(error)]}
    return {"rows": [[system, label, arrays] for (system, label), arrays in rows.items()], "metrics": costs.metrics, "features": costs.features}


if __name__ == "__main__":
    main()
