"""The number of threads and processes that nlgauge may use."""

from __future__ import annotations

import os
import sys

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


class Forks:
    """A flag that is true in processes forked after torch was imported."""

    with_torch = False

    @classmethod
    def note(cls) -> None:
        """Note a fork, in the forked process."""
        cls.with_torch = cls.with_torch or "torch" in sys.modules


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=Forks.note)
