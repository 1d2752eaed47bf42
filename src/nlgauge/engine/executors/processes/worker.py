"""Worker process of `Processes`: it reads a set-up message, then chunks, and writes their rows.

When its input ends, the parent process has closed it or was killed. The worker then exits at once, because
nothing needs the chunk that it is computing.
"""

from __future__ import annotations

import os
import signal
import traceback
from queue import SimpleQueue
from threading import Thread
from typing import Any

from nlgauge.engine.executors.processes.messages import answer, to_task
from nlgauge.engine.executors.processes.wire import receive, send
from nlgauge.models.registry import held


def main() -> None:
    """Serve one parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C and ends its workers
    # The output of libraries must not mix with the messages.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    messages: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_read, args=(messages,), daemon=True).start()
    task = to_task(messages.get())
    try:
        with held():
            while True:
                send(answers, answer(task, messages.get()))
    except BrokenPipeError:
        os._exit(0)  # the parent has ended, and nothing reads the rest of the buffer


def _read(messages: SimpleQueue[Any]) -> None:
    """Put messages into the queue, and end the process when the input ends."""
    try:
        with os.fdopen(os.dup(0), "rb") as stream:
            while (message := receive(stream)) is not None:
                messages.put(message)
    except Exception:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()
