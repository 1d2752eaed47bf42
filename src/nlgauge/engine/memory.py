"""The resident memory of this process at its highest."""

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
_NOT_SAID = f"the memory of a process is not read on {sys.platform}"
_EARLIER = "no more than this: the process had reached it before the run"


class Memory(NamedTuple):
    """Bytes, NaN where they cannot be had, and what is to be said of them."""

    bytes: float
    note: str = ""


def peak() -> Memory:
    """The resident memory of this process at its highest so far."""
    if resource is None:
        return Memory(math.nan, _NOT_SAID)
    return Memory(float(_of_usage() if _usage_is_own() else _of_status()))


def peak_since(before: Memory) -> Memory:
    """As `peak`, with a note where the process had used as much before."""
    found = peak()
    return Memory(found.bytes, _EARLIER) if found.bytes == before.bytes else found


@cache
def _usage_is_own() -> bool:
    """Whether getrusage, which takes a twentieth of the time, speaks of this program: on Linux a larger
    process that started it may be meant.
    """
    return _of_usage() < _TOLERANCE * _of_status()


def _of_usage() -> int:
    """Bytes; macOS counts these, others kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _of_status() -> int:
    """What Linux says of the program that runs now; elsewhere what getrusage says."""
    try:
        _, found, rest = Path(_STATUS).read_bytes().partition(b"VmHWM:")
    except OSError:
        found = b""
    return 1024 * int(rest.split(None, 1)[0]) if found else _of_usage()
