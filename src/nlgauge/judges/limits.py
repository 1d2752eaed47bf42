"""Limits: how much may be asked for in all, and how fast; and the ledger of what was asked, paid and
found in the cache.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from nlgauge.errors import JudgeError
from nlgauge.judges.calls import Calls
from nlgauge.judges.requests import Request, Response

# So many requests in a row that fail for good end the run: the endpoint is down, or the request is one it
# never answers.
_FAILURES = 5
# The bytes of a text that make a token, on the small side, so that costs are rather estimated too high.
_BYTES_PER_TOKEN = 3
# No request has more tokens than this.
_MOST_TOKENS = 10**9
_KEPT = "nothing more was sent, and every reply so far is in the cache."


class LimitReached(JudgeError):
    """Requests that would exceed a limit: how many, and their estimated cost."""

    def __init__(self, message: str, requests: int, estimate: float) -> None:
        super().__init__(message)
        self.requests, self.estimate = requests, estimate


class Usage(NamedTuple):
    """The tokens of a request as the server counted them."""

    prompt: int
    reply: int
    cached: int


@dataclass
class Ledger:
    """What a metric has asked its judge for on one corpus, and paid; and what was seen of the server
    meanwhile.
    """

    used: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    fingerprints: set[str] = field(default_factory=set)
    # Whether the server gave fewer replies than it was asked for at once.
    ignores_choices: bool = False
    warned: set[str] = field(default_factory=set)
    _reserved: float = 0.0
    _in_flight: int = 0
    # The largest cost of a request in units of its estimate; None until the first request has a bill.
    _ratio: float | None = None
    _failures: int = 0
    _lock: threading.Condition = field(default_factory=threading.Condition)

    def check(self, requests: list[Request], calls: Calls) -> None:
        """Raise if these requests, or their estimated cost, exceed a limit; to be called before any of
        them is sent.
        """
        with self._lock:
            self._check(len(requests), sum(estimated_cost(request, calls) for request in requests), calls)

    def reserve(self, request: Request, calls: Calls) -> float:
        """Count a request that is about to be sent and reserve its cost, or raise if it exceeds a limit.

        If there is a limit of cost, the first request is sent alone: if its bill is above the estimate, so
        are the reservations of all others.
        """
        with self._lock:
            while calls.max_cost is not None and self._ratio is None and self._in_flight:
                self._lock.wait()
            estimate = estimated_cost(request, calls)
            self._check(1, estimate, calls)
            self.used["requests"] += 1
            self.used["characters"] += request.characters
            self._in_flight += 1
            self._reserved += estimate * (self._ratio or 1.0)
            return estimate * (self._ratio or 1.0)

    def _check(self, requests: int, estimate: float, calls: Calls) -> None:
        estimate *= self._ratio or 1.0
        too_many = calls.max_requests is not None and self.used["requests"] + requests > calls.max_requests
        too_dear = (
            calls.max_cost is not None and self.used["cost"] + self._reserved + estimate > calls.max_cost
        )
        if too_many or too_dear:
            raise LimitReached(self._exceeded(requests, estimate, calls, too_many), requests, estimate)

    def exceeded(self, limit: LimitReached, calls: Calls) -> JudgeError:
        """Make the error of a run that a limit ended, with the numbers after the last request in flight."""
        with self._lock:
            too_many = (
                calls.max_requests is not None and self.used["requests"] + limit.requests > calls.max_requests
            )
            return JudgeError(self._exceeded(limit.requests, limit.estimate, calls, too_many))

    def _exceeded(self, requests: int, estimate: float, calls: Calls, too_many: bool) -> str:
        again = f" ({int(self.used['retries']):,} of them again)" if self.used.get("retries") else ""
        if too_many:
            sent = int(self.used["requests"])
            return (
                f"{requests:,} more requests are needed, {sent:,} were sent{again}, and max_requests is"
                f" {calls.max_requests:,}; {_KEPT}"
            )
        more, spent = (
            f"about {estimate:.4g} more would be spent on {requests:,} requests",
            self.used["cost"] + self._reserved,
        )
        return f"{more}, {spent:.4g} was{again}, and max_cost is {calls.max_cost:.4g}; {_KEPT}"

    def settle(self, reserved: float, response: Response | None, billed: bool, calls: Calls) -> None:
        """Add what a request used; the reservation counts as its cost if a server may charge for it
        without saying how much.
        """
        usage = None if response is None else usage_of(response.usage)
        billed = billed or response is not None
        cost = (
            0.0
            if calls.prices is None or not billed
            else reserved
            if usage is None
            else _cost(usage.prompt, usage.reply, calls.prices)
        )
        with self._lock:
            self._in_flight -= 1
            self._reserved -= reserved
            for name, amount in zip(
                ("prompt_tokens", "reply_tokens", "cached_prompt_tokens"), usage or (), strict=False
            ):
                if amount:
                    self.used[name] += amount
            if calls.prices is not None:
                self.used["cost"] += cost
            if billed:
                estimate = reserved / (self._ratio or 1.0)
                self._ratio = max(self._ratio or 1.0, cost / estimate if estimate else 1.0)
            if response is not None:
                self._failures = 0
            self._lock.notify_all()

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
                raise JudgeError(
                    f"{self._failures} requests in a row failed; the last failure: {why}"
                    f" {_KEPT[0].upper()}{_KEPT[1:]}"
                )


def estimated_tokens(request: Request) -> tuple[float, float]:
    """About how many tokens the prompt has, and how many the replies may have."""
    return request.size / _BYTES_PER_TOKEN + 4 * len(request.messages), float(
        request.max_tokens * request.choices
    )


def estimated_cost(request: Request, calls: Calls) -> float:
    """About what a request costs at most; 0 where prices are not known."""
    return 0.0 if calls.prices is None else _cost(*estimated_tokens(request), calls.prices)


def _cost(prompt: float, reply: float, prices: tuple[float, float]) -> float:
    return (prompt * prices[0] + reply * prices[1]) / 1e6


def usage_of(counted: Any) -> Usage | None:
    """Read the tokens that a server counted; None if it counted none, or in a way that cannot be right."""
    prompt, reply = _count(counted, "prompt_tokens"), _count(counted, "completion_tokens")
    if prompt is None or reply is None:
        return None
    details = counted.get("prompt_tokens_details")
    return Usage(prompt, reply, _count(details, "cached_tokens") or 0)


def _count(counted: Any, name: str) -> int | None:
    value = counted.get(name) if isinstance(counted, Mapping) else None
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
        else None
    )


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
