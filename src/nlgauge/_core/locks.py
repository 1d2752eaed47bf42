"""Locks that survive a fork."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# Seconds that a fork waits for a lock.
_PATIENCE = 10.0


class ForkedLock:
    """A re-entrant lock that a forked child starts anew, because the thread that held it in the parent is not
    there to release it.

    With `awaited` a fork waits a while for the lock: its holder may be importing a library, and half of one
    is of no use to the child.
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
        """Holds the lock meanwhile."""
        lock = self._lock  # a thread that forks inside releases the one that it took
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
