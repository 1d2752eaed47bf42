"""HTTP requests with a time limit for the whole request and a size limit for the reply.

`timeout` limits a request from the connection to the last byte of the reply. The requests run in an event
loop in a separate thread, because a request can be canceled there at any moment, even while a server sends
one byte at a time. A read in a plain thread cannot be canceled.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

from nlgauge.errors import MissingExtraError, ParameterError
from nlgauge.judges.calls import Calls

# Maximum size in bytes; twenty long replies with the alternatives of all tokens are smaller.
_LARGEST_REPLY = 64_000_000
_Result = TypeVar("_Result")


class Answer(NamedTuple):
    """Status, headers and body that a server sent."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class NoAnswer(Exception):
    """Request without an answer.

    `sent` is True if the server may have read the request, and `again` if another try may help.
    """

    def __init__(self, why: str, sent: bool, again: bool = True) -> None:
        super().__init__(why)
        self.sent, self.again = sent, again


class Session:
    """Connections to one server, for several threads."""

    def __init__(self, key: str, calls: Calls) -> None:
        self._timeout = calls.timeout
        self._httpx = _httpx()
        self._loop = asyncio.new_event_loop()
        try:
            self._client = self._httpx.AsyncClient(
                headers={"Authorization": f"Bearer {key}"} if key else {},
                timeout=calls.timeout,
                follow_redirects=False,
                limits=self._httpx.Limits(max_connections=calls.concurrency),
            )
        except (UnicodeError, ValueError):
            self._loop.close()
            raise ParameterError(
                f"the key in the environment variable {calls.key_env} contains characters that are not allowed"
                " in a key; set it again."
            ) from None
        self._thread = threading.Thread(target=self._loop.run_forever, name="nlgauge judge", daemon=True)
        self._thread.start()

    def post(self, url: str, body: Mapping[str, Any]) -> Answer:
        """Send JSON and wait for the answer."""
        return self._run(self._post(url, body))

    def close(self) -> None:
        """Close every connection and end the thread."""
        self._run(self._client.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _post(self, url: str, body: Mapping[str, Any]) -> Answer:
        try:
            async with asyncio.timeout(self._timeout), self._client.stream("POST", url, json=body) as answer:
                data = bytearray()
                async for part in answer.aiter_bytes():
                    data += part
                    if len(data) > _LARGEST_REPLY:
                        raise NoAnswer(
                            f"the reply is larger than {_LARGEST_REPLY // 10**6} MB", sent=True, again=False
                        )
                return Answer(answer.status_code, answer.headers, bytes(data))
        except (self._httpx.InvalidURL, UnicodeError) as error:
            raise ParameterError(
                f"base_url must be an address such as 'http://localhost:8000/v1'; it cannot be used: {error}."
            ) from None
        except TimeoutError:
            raise NoAnswer(
                f"the reply was not complete after {self._timeout:g} seconds (timeout)", sent=True
            ) from None
        except (self._httpx.TransportError, self._httpx.DecodingError) as error:
            sent = not isinstance(error, self._httpx.ConnectError | self._httpx.ConnectTimeout)
            raise NoAnswer(f"{type(error).__name__} {error}".rstrip(), sent) from None


def _httpx() -> Any:
    try:
        return import_module("httpx")
    except ImportError:
        raise MissingExtraError("httpx", "judge", "asking a judge at an endpoint") from None
