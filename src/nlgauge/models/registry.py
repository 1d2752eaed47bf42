"""The loaded models of this process: each is made once, and stays for as long as a run holds it; outside
of runs the last few stay.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from typing import Generic, TypeVar

from nlgauge._core.locks import ForkedLock

Item = TypeVar("Item")


class Registry(Generic[Item]):
    """What was made, by key: everything while a run holds it, else the `kept` most recently used."""

    def __init__(self, kept: int) -> None:
        self.lock = ForkedLock(awaited=True)
        self._kept = kept
        self._found: OrderedDict[Hashable, Item] = OrderedDict()
        # The runs under way, and the thread that each of them is in.
        self._runs: dict[object, int] = {}
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget_other_threads)

    def get(self, key: Hashable, make: Callable[[], Item]) -> Item:
        """The item of a key, made by the first who asks for it; everybody else waits."""
        found = self._found.get(key)
        if found is not None:
            with suppress(KeyError):  # another thread may be dropping it
                self._found.move_to_end(key)
            return found
        with self.lock.taken():
            if key not in self._found:
                self._found[key] = make()
            found = self._found[key]
            self._trim()
        return found

    @contextmanager
    def held(self) -> Iterator[None]:
        """Drops nothing meanwhile, in any thread; may be nested."""
        run = object()
        self._runs[run] = threading.get_ident()
        try:
            yield
        finally:
            self._runs.pop(run, None)
            with self.lock.taken():
                self._trim()

    def clear(self) -> None:
        """Drops everything."""
        with self.lock.taken():
            self._found.clear()

    def _trim(self) -> None:
        while not self._runs and len(self._found) > self._kept:
            self._found.popitem(last=False)

    def _forget_other_threads(self) -> None:
        self._runs = {run: thread for run, thread in self._runs.items() if thread == threading.get_ident()}
