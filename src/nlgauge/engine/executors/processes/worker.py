"""The worker process of `Processes`: a set-up message, then chunks in and rows out, until the input ends.
Then the parent is gone, perhaps killed, and what is being computed is for nobody."""

from __future__ import annotations

import os
import signal
import traceback
from queue import SimpleQueue
from threading import Thread
from typing import Any

from nlgauge.engine.executors.processes.messages import answer, to_task
from nlgauge.engine.executors.processes.wire import receive, send
from nlgauge.models.loader import held


def main() -> None:
    """Serves one parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer: it ends its workers
    # What libraries print must not end up between the messages.
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
        os._exit(0)  # the parent is gone, and nobody waits for what is left in the buffer


def _read(messages: SimpleQueue[Any]) -> None:
    """Hands messages on, and ends the process with the last of them."""
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
