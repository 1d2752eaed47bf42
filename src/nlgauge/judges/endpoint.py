"""Endpoint: sends requests to an OpenAI-compatible server, and repeats a request if that may help.

The key is in the header of a request and nowhere else.
"""

from __future__ import annotations

import html
import os
import random
import re
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import unquote, urlsplit

import msgspec

from nlgauge._core.numbers import counted
from nlgauge.errors import JudgeError, ParameterError
from nlgauge.judges.calls import Calls
from nlgauge.judges.clients import Client
from nlgauge.judges.http import NoAnswer, Session
from nlgauge.judges.limits import Bucket, Ledger, estimated_tokens
from nlgauge.judges.requests import BrokenReply, Failure, Request, Response, response_of

_WORTH_ANOTHER_TRY = (408, 409, 429, 500, 502, 503, 504, 529)
# These statuses apply to all requests, as for a missing key or an unknown model.
_HOPELESS = (401, 402, 403, 404, 405, 407)
_LONGEST_WAIT = 60.0
_LONGEST_ASKED_WAIT = 600.0
# Number of characters of a server's message that are shown, and the number that is searched for the key
# before that.
_SHOWN = 300
_LOOKED_AT = 10_000
_SHORTEST_KEY = 4
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
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
    """Request that got no reply and is not repeated; `billed` is True if the server may charge for it."""

    def __init__(self, failure: Failure, why: str, billed: bool = False) -> None:
        super().__init__(why)
        self.failure: Failure = failure
        self.billed = billed


class _Again(Exception):
    """Request that may be answered if it is sent again, after `after` seconds if the server sets them.

    `billed` is True if the server may charge for the request.
    """

    def __init__(self, why: str, after: float | None = None, billed: bool = False) -> None:
        super().__init__(why)
        self.after = after
        self.billed = billed


def checked_url(url: str) -> str:
    """Return the address of an endpoint without a final slash; raise ParameterError if it is not valid.

    An address that contains a secret is refused, because addresses are shown.
    """
    try:
        parts = urlsplit(url)
        whole = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and url.isprintable()
            and parts.port != 0
        )
        (parts.hostname or "").encode("idna")
    except ValueError:
        whole = False
    if not whole:
        raise ParameterError(
            f"base_url must be an address such as 'http://localhost:8000/v1', got {url!r:.80}."
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ParameterError(
            "base_url must not contain a name, a password or a query; the key is read from the environment"
            " variable of calls='key_env=...'."
        )
    return url.rstrip("/")


def host_of(url: str) -> str:
    """Return the host and port of an address, as signatures show them."""
    return urlsplit(url).netloc


@dataclass
class Endpoint:
    """Destination of requests: an address or a client of the user, at the allowed rate."""

    model: str
    base_url: str
    client: Client | None
    calls: Calls
    ledger: Ledger
    # Set when the run ends early, so that no thread waits for the next try.
    stopped: threading.Event = field(default_factory=threading.Event)
    _random: random.Random = field(default_factory=random.Random)

    def __post_init__(self) -> None:
        self._requests, self._tokens = (
            Bucket(self.calls.requests_per_minute),
            Bucket(self.calls.tokens_per_minute),
        )
        self._key = os.environ.get(self.calls.key_env, "") if self.client is None else ""
        self._session = Session(self._key, self.calls) if self.client is None else None

    def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            self._session.close()

    def ask(self, request: Request) -> Response:
        """Send a request, several times if that may help, and return the response.

        Raise Unanswered if this request gets no reply, and JudgeError if no request can be answered.
        """
        for attempt in range(1, self.calls.tries + 1):
            self._wait(max(self._requests.take(1), self._tokens.take(sum(estimated_tokens(request)))))
            try:
                return self._billed(request)
            except _Again as again:
                if attempt == self.calls.tries:
                    raise Unanswered(
                        "failed",
                        f"{str(again).rstrip('.')}. The request was sent {counted(attempt, 'time')}.",
                    ) from None
                self.ledger.add("retries")
                longest = min(_LONGEST_WAIT, self.calls.first_wait * 2 ** (attempt - 1))
                self._wait(
                    self._random.uniform(0, longest)
                    if again.after is None
                    else min(again.after, _LONGEST_ASKED_WAIT)
                )
        raise AssertionError("tries is at least 1")

    def _billed(self, request: Request) -> Response:
        """Send a request once; its cost is reserved before, and settled after."""
        reserved = self.ledger.reserve(request, self.calls)
        response: Response | None = None
        billed = False
        try:
            response = self._sent(request)
            return response
        except (_Again, Unanswered) as error:
            billed = error.billed
            raise
        finally:
            self.ledger.settle(reserved, response, billed, self.calls)

    def _wait(self, seconds: float) -> None:
        if self.stopped.wait(seconds) if seconds > 0 else self.stopped.is_set():
            raise Unanswered("not_asked", "the run was stopped before this request was sent.")

    def _sent(self, request: Request) -> Response:
        if self._session is None:
            return self._of_client(request)
        host = host_of(self.base_url)
        try:
            answer = self._session.post(
                f"{self.base_url}/chat/completions", request.body(self.model, self.calls.limit_field)
            )
        except NoAnswer as nothing:
            why = f"{host}: {self._hidden(str(nothing)).rstrip('.')}."
            raise (
                _Again(why, billed=nothing.sent) if nothing.again else Unanswered("failed", why, nothing.sent)
            ) from None
        if answer.status != 200:
            text = answer.body.decode(errors="replace")
            raise self._refused(
                answer.status,
                text,
                _seconds(answer.headers.get("retry-after")),
                answer.headers.get("location", ""),
            )
        try:
            return self._checked(response_of(self._without_key(answer.body)))
        except BrokenReply as broken:
            beginning = self._hidden(answer.body[:_LOOKED_AT].decode(errors="replace"))[:120]
            raise _Again(
                f"{host} answered with something that is not a chat completion ({broken}): {beginning!r}.",
                billed=True,
            ) from None

    def _of_client(self, request: Request) -> Response:
        assert self.client is not None
        try:
            response = self.client.respond(request, self.calls.limit_field)
        except JudgeError:
            raise
        except Exception as error:  # a client may raise any exception
            status = getattr(error, "status_code", None)
            if isinstance(status, int):
                raise self._refused(status, str(error), None, "") from None
            raise Unanswered("failed", f"the client raised {type(error).__name__}: {error!s:.300}") from None
        try:
            return self._checked(response_of(response))
        except BrokenReply as broken:
            raise Unanswered(
                "failed",
                f"{self.client!r} returned something that is not a chat completion: {broken}.",
                billed=True,
            ) from None

    def _checked(self, response: Response) -> Response:
        if not response.choices:
            raise BrokenReply("it has no choices")
        return response

    def _refused(self, status: int, body: str, after: float | None, location: str) -> Exception:
        """Return the exception for a status other than 200: try again, no reply, or end of the run."""
        where = repr(self.client) if self.client is not None else host_of(self.base_url)
        message = f"{where} answered {status}: {self._hidden(_message(body))[:_SHOWN]}"
        if status in _WORTH_ANOTHER_TRY:
            return _Again(message, after)
        low = body.lower()
        if status in (400, 413, 422) and (status == 413 or any(sign in low for sign in _TOO_LONG)):
            return Unanswered("too_long", message)
        if status in (400, 403, 422) and any(sign in low for sign in _REFUSED):
            return Unanswered("refused", message)
        if status in _HOPELESS or 300 <= status < 400:
            advice = {
                401: f"check the key in the environment variable {self.calls.key_env}.",
                404: f"check base_url (it often ends in /v1) and the model {self.model!r}.",
            }
            if self.client is not None:
                advice = {
                    401: "check the key of the client.",
                    404: f"check the address of the client and its model {self.client.model!r}.",
                }
            if 300 <= status < 400:
                advice[status] = (
                    f"it redirects to {_place(self._hidden(location))[:_SHOWN]!r}; nothing is sent there unless"
                    " base_url names it."
                )
            return JudgeError(f"{message.rstrip('.')}; {advice[status]}" if status in advice else message)
        return Unanswered("failed", message)

    def _hidden(self, text: str) -> str:
        """Hide the key in a text of the server, also in an escaped form or in other letter case."""
        if len(self._key) < _SHORTEST_KEY:
            return text
        text = re.sub(re.escape(self._key), "***", text, flags=re.IGNORECASE)
        forms = (
            html.unescape(text),
            unquote(text),
            _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text).replace("\\", ""),
        )
        return (
            "(a text that contains the key and is not shown)"
            if any(self._key.casefold() in form.casefold() for form in forms)
            else text
        )

    def _without_key(self, body: bytes) -> bytes:
        """Hide the key in a reply before it is read and cached, in every form that JSON has for it."""
        return (
            body
            if len(self._key) < _SHORTEST_KEY
            else re.sub(_in_json(self._key), b"***", body, flags=re.IGNORECASE)
        )


def _in_json(text: str) -> bytes:
    """Return a pattern of all forms that a text may have in JSON."""
    signs = (re.escape(sign.encode()) for sign in text)
    return b"".join(
        rb"(?:\\?%s|\\u%04x)" % (escaped, ord(sign)) for sign, escaped in zip(text, signs, strict=True)
    )


def _message(body: str) -> str:
    """Return the error message in the body of a response; the body itself if it has none."""
    try:
        error = msgspec.json.decode(body)["error"]
        return str(error["message"] if isinstance(error, dict) else error)[:_LOOKED_AT]
    except (msgspec.DecodeError, UnicodeError, RecursionError, KeyError, TypeError, ValueError):
        return body[:_LOOKED_AT] or "without a reason."


def _place(location: str) -> str:
    """Shorten an address to its host, if it has one."""
    try:
        return urlsplit(location).netloc or location[:_LOOKED_AT]
    except ValueError:
        return location[:_LOOKED_AT]


def _seconds(header: str | None) -> float | None:
    """Return the seconds of a Retry-After header, which contains seconds or a date."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError, OverflowError):
        return None
