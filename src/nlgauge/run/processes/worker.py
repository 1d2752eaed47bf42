"""The worker process of `Processes`: a set-up message, then chunks in and rows out, until the input ends."""

from __future__ import annotations

import os
import signal
import sys

from nlgauge.models.loader import held
from nlgauge.run.processes.messages import answer, to_task
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
        with held():
            while (message := receive(sys.stdin.buffer)) is not None:
                send(answers, answer(task, message))
    except BrokenPipeError:
        os._exit(0)  # the parent is gone, and nobody waits for what is left in the buffer


if __name__ == "__main__":
    main()
