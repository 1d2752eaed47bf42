"""How many threads and processes nlgauge may use."""

from __future__ import annotations

import os

from nlgauge.errors import ParameterError


def threads() -> int:
    """How many threads or processes to use: NLGAUGE_THREADS, else one a core."""
    given = os.environ.get("NLGAUGE_THREADS", "")
    if given and not (given.isdigit() and int(given) > 0):
        raise ParameterError(f"NLGAUGE_THREADS must be a whole number from 1, got {given!r}.")
    return int(given) if given else os.cpu_count() or 1
