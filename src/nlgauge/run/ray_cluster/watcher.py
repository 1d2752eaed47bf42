"""The watcher of a cluster of our own, a program that imports nothing of nlgauge: when its standard input ends, which happens however the process at
the other end does, the cluster's processes are killed and its directory, which is all that stands in the input, is removed.

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
# A process that is being started while others are killed shows its environment only some moments later.
_LOOKS, _PAUSE_SECONDS = 3, 0.05


def main() -> None:
    """Waits, and clears away."""
    directory = sys.stdin.buffer.read().decode()
    if not directory:
        return
    for _ in range(_LOOKS):
        while found := list(processes_of(directory)):
            for process in found:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(_PAUSE_SECONDS)
        time.sleep(_PAUSE_SECONDS)
    shutil.rmtree(directory, ignore_errors=True)


def processes_of(directory: str) -> Iterator[int]:
    """The processes of the cluster in a directory."""
    mark = f"{MARK}={directory}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile, or is somebody else's
            # Its first bytes may be those of a title that the process gave itself.
            if mark in (process / "environ").read_bytes().split(b"\0"):
                yield int(process.name)


if __name__ == "__main__":
    main()
