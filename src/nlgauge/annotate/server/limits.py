"""Limits: how often a role may save something."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable

_MINUTE = 60.0


class Limits:
    """At most a number of events per minute and role.

    >>> now = iter([0.0, 1.0, 2.0, 60.0])
    >>> limits = Limits(2, lambda: next(now))
    >>> [limits.wait("ana") for _ in range(4)]
    [0, 0, 58, 0]
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = per_minute, clock
        self._times: dict[str, deque[float]] = {}

    def wait(self, role: str) -> int:
        """Return 0 and count an event, or the seconds to wait."""
        now, times = self._clock(), self._times.setdefault(role, deque())
        while times and now - times[0] >= _MINUTE:
            times.popleft()
        if len(times) >= self._most:
            return max(1, math.ceil(times[0] + _MINUTE - now))
        times.append(now)
        return 0
