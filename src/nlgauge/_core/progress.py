"""A progress bar on standard error for work over a second or two; none where that is not a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_PATIENCE = 1.5
_active: ContextVar[_Bar | None] = ContextVar("nlgauge_progress", default=None)


class _Bar:
    """A bar that appears once the work has taken longer than a user waits gladly."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._shown: Any = None
        self._tasks: dict[str, Any] = {}

    def report(self, what: str, done: int, total: int | None) -> None:
        if self._shown is None:
            if time.monotonic() - self._started < _PATIENCE:
                return
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[count]}"),
                TimeRemainingColumn(),
            )
            # Rich's own bar for notebooks needs ipywidgets; notebooks show the bar of a terminal too.
            notebook = Console().is_jupyter
            console = Console(stderr=True, force_jupyter=False, force_terminal=True if notebook else None)
            self._shown = Progress(*columns, console=console, transient=True)
            self._shown.start()
        count = f"{done:,}" if total is None else f"{done:,}/{total:,}"
        if what not in self._tasks:
            self._tasks[what] = self._shown.add_task(what, total=total, count=count)
        self._shown.update(self._tasks[what], completed=done, total=total, count=count)

    def close(self) -> None:
        if self._shown is not None:
            self._shown.stop()


@contextmanager
def progress(wanted: bool | None = None) -> Iterator[None]:
    """Shows what `report` says meanwhile; by default where standard error is a terminal."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield
        return
    bar = _Bar()
    token = _active.set(bar)
    try:
        yield
    finally:
        _active.reset(token)
        bar.close()


def report(what: str, done: int, total: int | None) -> None:
    """Show how far a piece of work is, of an unknown total if None; this is free if nothing is shown."""
    bar = _active.get()
    if bar is not None:
        bar.report(what, done, total)
