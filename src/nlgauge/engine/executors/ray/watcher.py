"""Watcher of a cluster that nlgauge started; a program that imports nothing from nlgauge.

Its standard input contains the directory of the cluster, and ends when the process at the other end closes it
or ends for any reason. The watcher then kills the processes of the cluster and removes the directory. A line
feed after the directory means that the cluster was shut down normally.

Processes are found only on systems that list them in /proc, such as Linux; on other systems, Ray has to end
them.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# Environment variable that marks the processes of a cluster; its value is the directory.
MARK = "NLGAUGE_CLUSTER"
# A process that starts while others are killed shows its environment only after some moments, on a busy machine
# after some seconds.
_PAUSE_SECONDS, _SECONDS, _SECONDS_IN_ORDER = 0.05, 5.0, 0.15


def main() -> None:
    """Wait for the end of the input, then kill the processes and remove the directory of the cluster."""
    message = sys.stdin.buffer.read().decode()
    directory = message.removesuffix("\n")
    if not directory:
        return
    end = time.monotonic() + (_SECONDS if directory == message else _SECONDS_IN_ORDER)
    while (running := list(processes_of(directory))) or time.monotonic() < end:
        for process in running:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        if not running:
            shutil.rmtree(directory, ignore_errors=True)
        time.sleep(_PAUSE_SECONDS)
    shutil.rmtree(directory, ignore_errors=True)


def processes_of(directory: str) -> Iterator[int]:
    """Yield the ids of the processes of the cluster in a directory."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or belongs to another user
            if _has_mark(process, directory) or _writes_to(process, directory):
                yield int(process.name)


def _has_mark(process: Path, directory: str) -> bool:
    return f"{MARK}={directory}".encode() in (process / "environ").read_bytes().split(b"\0")


def _writes_to(process: Path, directory: str) -> bool:
    """Return True if the output of a process goes to a file in the directory.

    A process can have overwritten its environment with its title.
    """
    return any(str((process / "fd" / number).readlink()).startswith(f"{directory}/") for number in "12")


if __name__ == "__main__":
    main()
