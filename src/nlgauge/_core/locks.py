"""Locks that survive a fork."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# Seconds that a fork waits for a lock.
_PATIENCE = 10.0


class ForkedLock:
    """A re-entrant lock that is replaced by a free lock in a forked process.

    The thread that had the lock in the parent does not exist in the forked process, so it cannot release it.
    With `awaited`, a fork waits for the lock for a limited time: the owner may be importing a library, and
    a partly imported library is of no use in the forked process.
    """

    def __init__(self, awaited: bool = False) -> None:
        self._lock = threading.RLock()
        self._waited = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)
            if awaited:
                os.register_at_fork(before=self._wait, after_in_parent=self._resume)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Acquire the lock, and release it when the block ends."""
        lock = self._lock  # a thread that forks inside the block must release the lock that it acquired
        with lock:
            yield

    def _wait(self) -> None:
        self._waited = self._lock.acquire(timeout=_PATIENCE)

    def _resume(self) -> None:
        if self._waited:
            self._lock.release()

    def _renew(self) -> None:
        if self._waited:
            self._lock.release()
        self._lock = threading.RLock()
