"""Limits on the number, cost and rate of requests, and the ledger of requests, costs and cache hits."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from nlgauge._core.numbers import counted
from nlgauge.errors import JudgeError
from nlgauge.judges.calls import Calls
from nlgauge.judges.requests import Request, Response

# The run ends after this number of failed requests in a row: the endpoint is down, or it never answers such
# requests.
_FAILURES = 5
# Bytes of text per token; a low number, so that estimated costs are too high rather than too low.
_BYTES_PER_TOKEN = 3
# Maximum plausible number of tokens of a request.
_MOST_TOKENS = 10**9
_STOPPED = "Nothing more was sent, and the next run uses the replies that are in the cache."


class LimitReached(JudgeError):
    """Error for requests that would exceed a limit: their number, and their estimated cost."""

    def __init__(self, message: str, requests: int, estimate: float) -> None:
        super().__init__(message)
        self.requests, self.estimate = requests, estimate


class BudgetReached(JudgeError):
    """Error for a request that could exceed the budget of a run."""


@dataclass
class Budget:
    """Money that all requests of a run may cost together, whatever metric or part of the corpus they are for.

    `ratio` is the largest ratio of the cost of a request to its estimate; None until the first request is billed.
    """

    limit: float
    spent: float = 0.0
    ratio: float | None = None
    _reserved: float = 0.0
    _is_used_up: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def reserve(self, amount: float) -> None:
        """Reserve the cost of a request; wait for other requests if only their reservations are in the way.

        Raise BudgetReached if the request could exceed the budget.
        """
        with self._changed:
            while not self._is_used_up and self.spent + self._reserved + amount > self.limit:
                if self._reserved <= 1e-9 * self.limit:
                    self._is_used_up = True
                    self._changed.notify_all()
                else:
                    self._changed.wait()
            if self._is_used_up:
                raise BudgetReached(f"{self.spent:.4g} of the budget {self.limit:.4g} was spent. {_STOPPED}")
            self._reserved += amount

    def settle(self, reserved: float, cost: float, ratio: float | None) -> None:
        """Replace a reservation by the cost of the request."""
        with self._changed:
            self._reserved -= reserved
            self.spent += cost
            self.ratio = ratio if self.ratio is None else max(self.ratio, ratio or 1.0)
            self._changed.notify_all()


_BUDGET: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def within(budget: Budget | None) -> Iterator[None]:
    """Limit the cost of all requests in the block."""
    token = _BUDGET.set(budget)
    try:
        yield
    finally:
        _BUDGET.reset(token)


class Usage(NamedTuple):
    """Tokens of a request, as the server counted them."""

    prompt: int
    reply: int
    cached: int


@dataclass
class Ledger:
    """Requests and costs of a metric on one corpus, and observations about the server."""

    used: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    fingerprints: set[str] = field(default_factory=set)
    # True if the server returned fewer replies than one request specified.
    ignores_choices: bool = False
    warned: set[str] = field(default_factory=set)
    _reserved: float = 0.0
    _in_flight: int = 0
    # Largest ratio of the cost of a request to its estimate; None until the first request is billed.
    _ratio: float | None = None
    _failures: int = 0
    _budget: Budget | None = None
    _lock: threading.Condition = field(default_factory=threading.Condition)

    def join_budget(self) -> None:
        """Take the cost of all further requests from the budget of the block, if there is one."""
        self._budget = _BUDGET.get()
        if self._budget is not None:
            self._ratio = self._budget.ratio

    def check(self, requests: list[Request], calls: Calls) -> None:
        """Raise LimitReached if these requests, or their estimated cost, exceed a limit.

        Call this before any of the requests is sent.
        """
        with self._lock:
            self._check(len(requests), sum(estimated_cost(request, calls) for request in requests), calls)

    def reserve(self, request: Request, calls: Calls) -> float:
        """Count a request before it is sent and reserve its cost; raise LimitReached beyond a limit.

        If the cost is limited, or part of a budget, the first request is sent and billed before all others: if its bill is above the
        estimate, the reservations of all others are increased by the same factor.
        """
        is_limited = calls.max_cost is not None or self._budget is not None
        with self._lock:
            while is_limited and self._ratio is None and self._in_flight:
                self._lock.wait()
            estimate = estimated_cost(request, calls)
            self._check(1, estimate, calls)
            amount = estimate * (self._ratio or 1.0)
            self._count(request, amount, 1)
        if self._budget is not None:
            try:
                self._budget.reserve(amount)
            except BudgetReached:
                with self._lock:
                    self._count(request, amount, -1)
                    self._lock.notify_all()
                raise
        return amount

    def _count(self, request: Request, amount: float, times: int) -> None:
        """Count a request before it is sent; or, with -1, one that is not sent."""
        self.used["requests"] += times
        self.used["characters"] += times * request.characters
        self._in_flight += times
        self._reserved += times * amount

    def _check(self, requests: int, estimate: float, calls: Calls) -> None:
        estimate *= self._ratio or 1.0
        too_many = calls.max_requests is not None and self.used["requests"] + requests > calls.max_requests
        too_dear = (
            calls.max_cost is not None and self.used["cost"] + self._reserved + estimate > calls.max_cost
        )
        if too_many or too_dear:
            raise LimitReached(self._exceeded(requests, estimate, calls, too_many), requests, estimate)

    def exceeded(self, limit: LimitReached, calls: Calls) -> JudgeError:
        """Return the error of a run that a limit stopped, with the numbers after the last request."""
        with self._lock:
            too_many = (
                calls.max_requests is not None and self.used["requests"] + limit.requests > calls.max_requests
            )
            return JudgeError(self._exceeded(limit.requests, limit.estimate, calls, too_many))

    def _exceeded(self, requests: int, estimate: float, calls: Calls, too_many: bool) -> str:
        retries, needed = int(self.used.get("retries", 0)), counted(requests, "more request", spec=",")
        again = f" (with {counted(retries, 'retry', 'retries', ',')})" if retries else ""
        if too_many:
            sent = int(self.used["requests"])
            return (
                f"{needed} {'is' if requests == 1 else 'are'} needed, {sent:,} {'was' if sent == 1 else 'were'}"
                f" sent{again}, and max_requests is"
                f" {calls.max_requests:,}; raise max_requests. {_STOPPED}"
            )
        spent = self.used["cost"] + self._reserved
        return (
            f"{needed} would cost about {estimate:.4g}, {spent:.4g} was spent{again}, and"
            f" max_cost is {calls.max_cost:.4g}; raise max_cost. {_STOPPED}"
        )

    def settle(self, reserved: float, response: Response | None, billed: bool, calls: Calls) -> None:
        """Add the usage of a request, and release its reservation.

        If a server may charge for the request without reporting its usage, the reservation counts as its
        cost.
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
            if self._budget is not None:
                self._budget.settle(reserved, cost, self._ratio)
            self._lock.notify_all()

    def add(self, what: str, amount: float = 1) -> None:
        """Add an amount to a count."""
        if amount:
            with self._lock:
                self.used[what] += amount

    def fail(self, why: str) -> None:
        """Count a failed request; raise JudgeError if too many failed in a row."""
        with self._lock:
            self._failures += 1
            if self._failures >= _FAILURES:
                raise JudgeError(
                    f"{self._failures} requests in a row failed; the last failure: {why.rstrip('.')}."
                    f" {_STOPPED}"
                )


def estimated_tokens(request: Request) -> tuple[float, float]:
    """Estimate the tokens of the prompt; return them with the maximum tokens of the replies."""
    return request.size / _BYTES_PER_TOKEN + 4 * len(request.messages), float(
        request.max_tokens * request.choices
    )


def estimated_cost(request: Request, calls: Calls) -> float:
    """Estimate the maximum cost of a request; 0 if the prices are unknown."""
    return 0.0 if calls.prices is None else _cost(*estimated_tokens(request), calls.prices)


def _cost(prompt: float, reply: float, prices: tuple[float, float]) -> float:
    return (prompt * prices[0] + reply * prices[1]) / 1e6


def usage_of(counted: Any) -> Usage | None:
    """Return the tokens that a server counted; None if a count is missing or not plausible."""
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
    """Token bucket: a number of units per minute, all of which may be taken at once."""

    def __init__(self, per_minute: float | None) -> None:
        self._rate = None if per_minute is None else per_minute / 60
        self._room = self._size = per_minute or 0.0
        self._last = time.monotonic()
        self._lock = threading.Lock()

    def take(self, amount: float) -> float:
        """Take units, and return the seconds to wait before they may be used."""
        if self._rate is None:
            return 0.0
        with self._lock:
            now = time.monotonic()
            self._room = min(self._size, self._room + (now - self._last) * self._rate) - amount
            self._last = now
            return max(0.0, -self._room / self._rate)
