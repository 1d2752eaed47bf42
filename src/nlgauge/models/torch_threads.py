"""The number of threads of torch while nlgauge computes with it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nlgauge._core.locks import ForkedLock
from nlgauge._core.threads import Forks, given_threads


@contextmanager
def pass_threads(torch: Any) -> Iterator[None]:
    """Set torch's number of threads to NLGAUGE_THREADS, if it is set, until the block ends.

    In a process that was forked after torch was imported the number is 1, because OpenMP would wait forever
    for the threads of the parent.
    """
    count = 1 if Forks.with_torch else given_threads()
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
        self._lock = ForkedLock()
        self._passes = 0
        self._before = 1

    def enter(self, torch: Any) -> int:
        with self._lock.taken():
            if not self._passes:
                self._before = int(torch.get_num_threads())
            self._passes += 1
            return self._before

    def leave(self) -> None:
        with self._lock.taken():
            self._passes -= 1


class _Inside(threading.local):
    passes = 0


_TORCH = _Torch()
_INSIDE = _Inside()
