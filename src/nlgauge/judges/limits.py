"""Limits: how much may be asked for in all, and how fast; and the ledger of what was asked, paid and found in the cache."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nlgauge.errors import JudgeError
from nlgauge.judges.calls import Calls
from nlgauge.judges.requests import Request

# So many requests in a row that fail for good end the run: the endpoint is down, or the request is one it never answers.
_FAILURES = 5
# The bytes of a text that make a token, on the small side, so that costs are rather estimated too high.
_BYTES_PER_TOKEN = 3
_KEPT = "nothing more was sent, and every reply so far is in the cache."


@dataclass
class Ledger:
    """What a metric has asked its judge for on one corpus, and paid; and what was seen of the server meanwhile."""

    used: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    fingerprints: set[str] = field(default_factory=set)
    # Whether the server gave fewer replies than it was asked for at once.
    ignores_choices: bool = False
    warned: set[str] = field(default_factory=set)
    _reserved: float = 0.0
    _failures: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self, requests: list[Request], calls: Calls) -> None:
        """Raises where these requests, or their estimated cost, are more than may be used; to be asked before any of them is sent."""
        with self._lock:
            self._check(len(requests), sum(estimated_cost(request, calls) for request in requests), calls)

    def reserve(self, request: Request, calls: Calls) -> None:
        """Counts a request that is about to be sent, or raises where it is one too many."""
        estimate = estimated_cost(request, calls)
        with self._lock:
            self._check(1, estimate, calls)
            self.used["requests"] += 1
            self.used["characters"] += request.characters
            self._reserved += estimate

    def _check(self, requests: int, estimate: float, calls: Calls) -> None:
        sent, spent = int(self.used["requests"]), self.used["cost"] + self._reserved
        if calls.max_requests is not None and sent + requests > calls.max_requests:
            raise JudgeError(f"{requests:,} more requests are needed, {sent:,} were sent, and max_requests is {calls.max_requests:,}; {_KEPT}")
        if calls.max_cost is not None and spent + estimate > calls.max_cost:
            raise JudgeError(
                f"about {estimate:.4g} more would be spent on {requests:,} requests, {spent:.4g} was, and max_cost is {calls.max_cost:.4g}; {_KEPT}"
            )

    def settle(self, request: Request, response: Mapping[str, Any] | None, calls: Calls) -> None:
        """Adds what a request used in truth; nothing where there is no response."""
        usage: Any = (response or {}).get("usage") or {}
        prompt, reply = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        cached = _count(usage.get("prompt_tokens_details") if isinstance(usage, Mapping) else None, "cached_tokens")
        with self._lock:
            self._reserved -= estimated_cost(request, calls)
            for name, amount in (("prompt_tokens", prompt), ("reply_tokens", reply), ("cached_prompt_tokens", cached)):
                if amount:
                    self.used[name] += amount
            if calls.prices is not None:
                self.used["cost"] += _cost(prompt, reply, calls.prices)
            if response is not None:
                self._failures = 0

    def add(self, what: str, amount: float = 1) -> None:
        """Adds to one of the counts."""
        if amount:
            with self._lock:
                self.used[what] += amount

    def fail(self, why: str) -> None:
        """Counts a request that failed for good; raises where too many did in a row."""
        with self._lock:
            self._failures += 1
            if self._failures >= _FAILURES:
                raise JudgeError(f"{self._failures} requests in a row failed, the last one so: {why} {_KEPT[0].upper()}{_KEPT[1:]}")


def estimated_tokens(request: Request) -> tuple[float, float]:
    """About how many tokens the prompt has, and how many the replies may have."""
    return request.size / _BYTES_PER_TOKEN + 4 * len(request.messages), float(request.max_tokens * request.choices)


def estimated_cost(request: Request, calls: Calls) -> float:
    """About what a request costs at most; 0 where prices are not known."""
    return 0.0 if calls.prices is None else _cost(*estimated_tokens(request), calls.prices)


def _cost(prompt: float, reply: float, prices: tuple[float, float]) -> float:
    return (prompt * prices[0] + reply * prices[1]) / 1e6


def _count(usage: Any, name: str) -> int:
    value = usage.get(name) if isinstance(usage, Mapping) else None
    return value if isinstance(value, int) and value > 0 else 0


class Bucket:
    """A token bucket: so many units per minute, a minute's worth of them at once."""

    def __init__(self, per_minute: float | None) -> None:
        self._rate = None if per_minute is None else per_minute / 60
        self._room = self._size = per_minute or 0.0
        self._last = time.monotonic()
        self._lock = threading.Lock()

    def take(self, amount: float) -> float:
        """Takes so many units, and gives the seconds to wait before they may be used."""
        if self._rate is None:
            return 0.0
        with self._lock:
            now = time.monotonic()
            self._room = min(self._size, self._room + (now - self._last) * self._rate) - amount
            self._last = now
            return max(0.0, -self._room / self._rate)
