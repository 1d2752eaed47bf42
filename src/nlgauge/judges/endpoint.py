"""Endpoint: one request to an OpenAI-compatible server, sent again where that may help. The key is in the request's header and nowhere else."""

from __future__ import annotations

import os
import random
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

import msgspec

from nlgauge.errors import JudgeError, MissingExtraError, ParameterError
from nlgauge.judges.calls import Calls
from nlgauge.judges.clients import Client
from nlgauge.judges.limits import Bucket, Ledger, estimated_tokens
from nlgauge.judges.requests import Failure, Request

_WORTH_ANOTHER_TRY = (408, 409, 429, 500, 502, 503, 504, 529)
# What holds for one request holds for all: no key, no such model.
_HOPELESS = (401, 402, 403, 404, 405, 407)
_LONGEST_WAIT = 60.0
_LONGEST_ASKED_WAIT = 600.0
_TOO_LONG = (
    "exceed_context_size",
    "context_length_exceeded",
    "context length",
    "context size",
    "maximum context",
    "too many tokens",
    "string_above_max",
)
_REFUSED = ("content_filter", "content_policy", "content management policy", "safety")


class Unanswered(Exception):
    """A request that got no reply, for good."""

    def __init__(self, failure: Failure, why: str) -> None:
        super().__init__(why)
        self.failure: Failure = failure


class _Again(Exception):
    """A request that may be answered if it is sent again, and after how many seconds, where the server said so."""

    def __init__(self, why: str, after: float | None = None) -> None:
        super().__init__(why)
        self.after = after


def checked_url(given: str) -> str:
    """The address of an endpoint without a slash at its end; one that carries a secret is refused, since addresses are shown."""
    parts = urlsplit(given)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ParameterError(f"base_url must be an address such as 'http://localhost:8000/v1', got {given!r:.80}.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ParameterError(
            "base_url must not hold a name, a password or a query; the key is read from the environment variable of calls='key_env=...'."
        )
    return given.rstrip("/")


def host_of(url: str) -> str:
    """The host and port of an address, as signatures show it."""
    return urlsplit(url).netloc


@dataclass
class Endpoint:
    """Where requests go: an address or a client of the user's own, at the pace that is allowed."""

    model: str
    base_url: str
    client: Client | None
    calls: Calls
    ledger: Ledger
    # Set when the run ends early, so that nobody waits for the next try.
    stopped: threading.Event = field(default_factory=threading.Event)
    _random: random.Random = field(default_factory=random.Random)

    def __post_init__(self) -> None:
        self._requests, self._tokens = Bucket(self.calls.requests_per_minute), Bucket(self.calls.tokens_per_minute)
        self._key = os.environ.get(self.calls.key_env, "") if self.client is None else ""
        self._http = self._session() if self.client is None else None

    def close(self) -> None:
        """Closes every connection."""
        if self._http is not None:
            self._http.close()

    def ask(self, request: Request) -> dict[str, Any]:
        """The response to a request, or `Unanswered`; raises JudgeError where no request can be answered."""
        self.ledger.reserve(request, self.calls)
        response: dict[str, Any] | None = None
        try:
            response = self._tried(request)
            return response
        finally:
            self.ledger.settle(request, response, self.calls)

    def _tried(self, request: Request) -> dict[str, Any]:
        for attempt in range(1, self.calls.tries + 1):
            self._wait(max(self._requests.take(1), self._tokens.take(sum(estimated_tokens(request)))))
            try:
                return self._sent(request)
            except _Again as again:
                if attempt == self.calls.tries:
                    raise Unanswered("failed", f"{again} It was sent {attempt} times.") from None
                self.ledger.add("retries")
                longest = min(_LONGEST_WAIT, self.calls.first_wait * 2 ** (attempt - 1))
                self._wait(self._random.uniform(0, longest) if again.after is None else min(again.after, _LONGEST_ASKED_WAIT))
        raise AssertionError("tries is at least 1")

    def _wait(self, seconds: float) -> None:
        if self.stopped.wait(seconds) if seconds > 0 else self.stopped.is_set():
            raise Unanswered("not_asked", "the run was stopped before this was sent.")

    def _sent(self, request: Request) -> dict[str, Any]:
        if self.client is not None:
            return self._of_client(request)
        assert self._http is not None
        httpx = import_module("httpx")
        try:
            answer = self._http.post(f"{self.base_url}/chat/completions", json=request.body(self.model, self.calls.limit_field))
        except httpx.TransportError as error:
            raise _Again(f"{host_of(self.base_url)}: {type(error).__name__} {self._hidden(str(error))}".rstrip() + ".") from None
        body = self._hidden(answer.text)
        if answer.status_code != 200:
            raise self._refused(answer.status_code, body, _seconds(answer.headers.get("retry-after")), answer.headers.get("location", ""))
        try:
            found = msgspec.json.decode(body)
        except msgspec.DecodeError:
            raise _Again(f"{host_of(self.base_url)} answered with something that is not JSON: {body[:80]!r}.") from None
        if not isinstance(found, dict) or not isinstance(found.get("choices"), list) or not found["choices"]:
            raise _Again(f"{host_of(self.base_url)} answered without choices: {body[:120]!r}.")
        return found

    def _of_client(self, request: Request) -> dict[str, Any]:
        assert self.client is not None
        try:
            return self.client.respond(request, self.calls.limit_field)
        except JudgeError:
            raise
        except Exception as error:  # whatever somebody else's client does
            status = getattr(error, "status_code", None)
            if isinstance(status, int):
                raise self._refused(status, str(error), None, "") from None
            raise Unanswered("failed", f"the client raised {type(error).__name__}: {error!s:.300}") from None

    def _refused(self, status: int, body: str, after: float | None, location: str) -> Exception:
        """What a status other than 200 means: to try again, a row without a reply, or the end."""
        where = repr(self.client) if self.client is not None else host_of(self.base_url)
        said = f"{where} answered {status}: {_message(body)}"
        if status in _WORTH_ANOTHER_TRY:
            return _Again(said, after)
        low = body.lower()
        if status in (400, 413, 422) and (status == 413 or any(sign in low for sign in _TOO_LONG)):
            return Unanswered("too_long", said)
        if status in (400, 403, 422) and any(sign in low for sign in _REFUSED):
            return Unanswered("refused", said)
        if status in _HOPELESS or 300 <= status < 400:
            advice = {
                401: f"is the right key in the environment variable {self.calls.key_env}?",
                404: f"does base_url end as it should (often in /v1), and is there a model {self.model!r}?",
            }
            if 300 <= status < 400:
                advice[status] = f"it leads to {urlsplit(location).netloc or location[:80]!r}; nothing is sent there unless base_url names it."
            return JudgeError(f"{said} {advice.get(status, '')}".rstrip())
        return Unanswered("failed", said)

    def _hidden(self, text: str) -> str:
        """A text of the server's without the key, which some servers repeat."""
        return text.replace(self._key, "***") if len(self._key) > 3 else text

    def _session(self) -> Any:
        try:
            httpx = import_module("httpx")
        except ImportError:
            raise MissingExtraError("httpx", "judge", "asking a judge at an endpoint") from None
        try:
            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            limits = httpx.Limits(max_connections=self.calls.concurrency)
            return httpx.Client(headers=headers, timeout=self.calls.timeout, follow_redirects=False, limits=limits)
        except (UnicodeError, ValueError):
            raise ParameterError(f"the key in the environment variable {self.calls.key_env} has characters that no key has.") from None


def _message(body: str) -> str:
    """What the server says went wrong."""
    try:
        error = msgspec.json.decode(body)["error"]
        return str(error["message"] if isinstance(error, dict) else error)[:300]
    except (msgspec.DecodeError, KeyError, TypeError):
        return repr(body[:120]) if body else "no reason was given."


def _seconds(header: str | None) -> float | None:
    """The seconds of a Retry-After header, which holds seconds or a date."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
