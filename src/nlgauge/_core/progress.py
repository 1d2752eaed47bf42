"""A progress bar on standard error for work of more than 1.5 seconds, if standard error is a terminal."""

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
    """A progress bar that appears when the work takes longer than `_PATIENCE` seconds."""

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
            # Rich's notebook bar needs ipywidgets; notebooks also show the terminal bar.
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
    """Show the progress that `report` gets inside the block; by default if stderr is a terminal."""
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
    """Update the progress bar, if one is shown; `total` is None if it is unknown."""
    bar = _active.get()
    if bar is not None:
        bar.report(what, done, total)
