"""The resident memory of this process at its highest."""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_STATUS = "/proc/self/status"
_NOT_SAID = f"the memory of a process is not read on {sys.platform}"
_EARLIER = "no more than this: the process had reached it before the run"


class Memory(NamedTuple):
    """Bytes, NaN where they cannot be had, and what is to be said of them."""

    bytes: float
    note: str = ""


def peak() -> Memory:
    """The resident memory of this process at its highest so far.

    Linux says it of the program that runs now; what getrusage says there may be that of the process which started this one.
    """
    try:
        with open(_STATUS, "rb") as stream:  # noqa: PTH123 (a path object costs half as much again, at every run)
            _, found, rest = stream.read().partition(b"VmHWM:")
        if found:
            return Memory(1024.0 * int(rest.split(None, 1)[0]))
    except (OSError, ValueError, IndexError):
        pass
    return Memory(math.nan, _NOT_SAID) if resource is None else Memory(float(mark()))


def peak_since(before: int) -> Memory:
    """As `peak`, with a note where the process had used as much before it was marked."""
    found = peak()
    return Memory(found.bytes, _EARLIER) if not found.note and mark() == before else found


def mark() -> int:
    """The highest resident memory that getrusage knows, in bytes (macOS counts bytes, others kilobytes); 0 where there is none."""
    if resource is None:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
