"""The watcher of a cluster of our own, a program that imports nothing of nlgauge: when its standard input
ends, which happens however the process at the other end does, the cluster's processes are killed and its
directory, which stands in the input, is removed. A line feed behind it says that the cluster was ended in
order.

Processes are found where the system shows them as files, as Linux does; elsewhere their end is left to Ray.
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

# What tells a cluster's processes from others: this in their environment, with the directory.
MARK = "NLGAUGE_CLUSTER"
# A process that is being started while others are killed shows its environment only some moments later, on a
# busy machine some seconds.
_PAUSE_SECONDS, _SECONDS, _SECONDS_IN_ORDER = 0.05, 5.0, 0.15


def main() -> None:
    """Waits, and clears away."""
    given = sys.stdin.buffer.read().decode()
    directory = given.removesuffix("\n")
    if not directory:
        return
    end = time.monotonic() + (_SECONDS if directory == given else _SECONDS_IN_ORDER)
    while (found := list(processes_of(directory))) or time.monotonic() < end:
        for process in found:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        if not found:
            shutil.rmtree(directory, ignore_errors=True)
        time.sleep(_PAUSE_SECONDS)
    shutil.rmtree(directory, ignore_errors=True)


def processes_of(directory: str) -> Iterator[int]:
    """The processes of the cluster in a directory."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile, or is somebody else's
            if _has_mark(process, directory) or _writes_to(process, directory):
                yield int(process.name)


def _has_mark(process: Path, directory: str) -> bool:
    return f"{MARK}={directory}".encode() in (process / "environ").read_bytes().split(b"\0")


def _writes_to(process: Path, directory: str) -> bool:
    """Whether what a process prints goes to a file in the directory.

    A title that it gave itself may stand where its environment was.
    """
    return any(str((process / "fd" / number).readlink()).startswith(f"{directory}/") for number in "12")


if __name__ == "__main__":
    main()
