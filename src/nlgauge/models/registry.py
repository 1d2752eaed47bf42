"""The loaded models of this process.

Each model is loaded once. Models remain loaded during a run; outside of runs only the last few remain.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Generic, TypeVar

from nlgauge._core.locks import ForkedLock

Item = TypeVar("Item")


class Registry(Generic[Item]):
    """Items by key: all items during a run, otherwise the `kept` most recently used items."""

    def __init__(self, kept: int) -> None:
        self.lock = ForkedLock(awaited=True)
        self._kept = kept
        self._items: OrderedDict[Hashable, Item] = OrderedDict()
        # The current runs, each with its thread.
        self._runs: dict[object, int] = {}
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget_other_threads)

    def get(self, key: Hashable, make: Callable[[], Item]) -> Item:
        """Return the item of a key; the first caller makes it, and other callers wait."""
        item = self._items.get(key)
        if item is not None:
            with suppress(KeyError):  # another thread may be dropping it
                self._items.move_to_end(key)
            return item
        with self.lock.taken():
            if key not in self._items:
                self._items[key] = make()
            item = self._items[key]
            self._trim()
        return item

    @contextmanager
    def held(self) -> Iterator[None]:
        """Retain all items until the block ends, in all threads; blocks may be nested."""
        run = object()
        self._runs[run] = threading.get_ident()
        try:
            yield
        finally:
            self._runs.pop(run, None)
            with self.lock.taken():
                self._trim()

    def clear(self) -> None:
        """Drop all items."""
        with self.lock.taken():
            self._items.clear()

    def _trim(self) -> None:
        while not self._runs and len(self._items) > self._kept:
            self._items.popitem(last=False)

    def _forget_other_threads(self) -> None:
        self._runs = {run: thread for run, thread in self._runs.items() if thread == threading.get_ident()}


# The loaded models; four of them remain loaded when no run needs them.
MODELS: Registry[Any] = Registry(4)


def held() -> AbstractContextManager[None]:
    """Return a context in which no loaded model is dropped, so that a run loads each model once.

    Afterwards only the most recently used models remain loaded. Contexts may be nested or in parallel
    threads.
    """
    return MODELS.held()
