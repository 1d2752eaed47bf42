"""Peak resident memory of this process."""

from __future__ import annotations

import math
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_STATUS = "/proc/self/status"
# Two readings of the same memory differ a little.
_TOLERANCE = 1.05
_UNREADABLE = f"the memory of a process is not measured on {sys.platform}"
_EARLIER = "an upper bound: the process had reached this size before the run"


class Memory(NamedTuple):
    """Number of bytes (NaN if it cannot be read), and a note on it."""

    bytes: float
    note: str = ""


def peak() -> Memory:
    """Return the peak resident memory of this process so far."""
    if resource is None:
        return Memory(math.nan, _UNREADABLE)
    return Memory(float(_of_usage() if _usage_is_own() else _of_status()))


def peak_since(before: Memory) -> Memory:
    """Return the peak so far, with a note if the process had already reached it before."""
    memory = peak()
    return Memory(memory.bytes, _EARLIER) if memory.bytes == before.bytes else memory


@cache
def _usage_is_own() -> bool:
    """Return True if getrusage describes this program.

    On Linux it may describe a larger process that started this program. It is preferred to /proc, because it
    takes a twentieth of the time.
    """
    return _of_usage() < _TOLERANCE * _of_status()


def _of_usage() -> int:
    """Return the peak from getrusage in bytes; the system counts kilobytes, except for macOS."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _of_status() -> int:
    """Return the peak in bytes that Linux reports for this program, elsewhere the peak from getrusage."""
    try:
        _, mark, rest = Path(_STATUS).read_bytes().partition(b"VmHWM:")
    except OSError:
        mark = b""
    return 1024 * int(rest.split(None, 1)[0]) if mark else _of_usage()
