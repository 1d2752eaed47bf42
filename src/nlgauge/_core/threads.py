"""The number of threads and processes that nlgauge may use."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nlgauge._core.locks import ForkedLock
from nlgauge.errors import ParameterError


def threads() -> int:
    """Return the number of threads or processes to use: NLGAUGE_THREADS, by default one per core."""
    return given_threads() or os.cpu_count() or 1


def given_threads() -> int | None:
    """Return the value of NLGAUGE_THREADS; None if it is not set."""
    value = os.environ.get("NLGAUGE_THREADS", "")
    if value and not (value.isdecimal() and int(value) > 0):
        raise ParameterError(f"NLGAUGE_THREADS must be a whole number from 1, got {value!r:.60}.")
    return int(value) if value else None


@contextmanager
def pass_threads(torch: Any) -> Iterator[None]:
    """Set torch's number of threads to NLGAUGE_THREADS, if it is set, until the block ends.

    In a process that was forked after torch was imported the number is 1, because OpenMP would wait forever
    for the threads of the parent.
    """
    count = 1 if _TORCH.forked else given_threads()
    if count is None or _INSIDE.passes:
        yield
        return
    before = _TORCH.enter(torch)
    _INSIDE.passes = 1
    torch.set_num_threads(count)
    try:
        yield
    finally:
        _INSIDE.passes = 0
        _TORCH.leave()
        torch.set_num_threads(before)


class _Torch:
    """The number of threads of torch before nlgauge changed it.

    It is read once for all threads that are inside `pass_threads`: a thread that enters later would read the
    changed number.
    """

    def __init__(self) -> None:
        self.forked = False
        self._lock = ForkedLock()
        self._passes = 0
        self._before = 1
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._fork)

    def enter(self, torch: Any) -> int:
        with self._lock.taken():
            if not self._passes:
                self._before = int(torch.get_num_threads())
            self._passes += 1
            return self._before

    def leave(self) -> None:
        with self._lock.taken():
            self._passes -= 1

    def _fork(self) -> None:
        self.forked = self.forked or "torch" in sys.modules


class _Inside(threading.local):
    passes = 0


_TORCH = _Torch()
_INSIDE = _Inside()
