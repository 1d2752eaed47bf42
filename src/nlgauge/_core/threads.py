"""How many threads and processes nlgauge may use."""

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
    """How many threads or processes to use: NLGAUGE_THREADS, else one per core."""
    return given_threads() or os.cpu_count() or 1


def given_threads() -> int | None:
    """NLGAUGE_THREADS; None where it is not set."""
    given = os.environ.get("NLGAUGE_THREADS", "")
    if given and not (given.isdigit() and int(given) > 0):
        raise ParameterError(f"NLGAUGE_THREADS must be a whole number from 1, got {given!r}.")
    return int(given) if given else None


@contextmanager
def pass_threads(torch: Any) -> Iterator[None]:
    """Runs what is inside with NLGAUGE_THREADS threads of torch, and puts torch's own number back; without
    NLGAUGE_THREADS that number stays.

    In a forked child one thread is used: OpenMP waits for ever for the threads that its parent had.
    """
    wanted = 1 if _TORCH.forked else given_threads()
    if wanted is None or _INSIDE.passes:
        yield
        return
    before = _TORCH.enter(torch)
    _INSIDE.passes = 1
    torch.set_num_threads(wanted)
    try:
        yield
    finally:
        _INSIDE.passes = 0
        _TORCH.leave()
        torch.set_num_threads(before)


class _Torch:
    """Torch's own number of threads.

    A thread that starts while another has it changed would take the changed one for torch's own.
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
