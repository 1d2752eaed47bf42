"""Access control: only a browser that opened a printed address gets answers, each token in its role.

All answers carry headers that protect the page.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from starlette.responses import PlainTextResponse, RedirectResponse, Response

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}


# The role of a request, in its scope.
ROLE = "nlgauge.role"


class Access(NamedTuple):
    """Permissions of a server by role.

    `role_of` returns the role of a token, "" if it is unknown. `hosts` are the hosts that the server answers
    as; `origins` the pages that may ask, by default those hosts. Only POST requests to `writes` change
    something, with at most `longest` bytes. A refusal for a wrong token waits `delay` seconds. `command` printed
    the address.
    """

    role_of: Callable[[str], str]
    hosts: frozenset[str]
    cookie: str
    origins: frozenset[str] | None = None
    writes: frozenset[str] = frozenset()
    longest: int = 0
    secure: bool = False
    delay: float = 0.0
    command: str = "nlgauge serve"


def single(token: str) -> Callable[[str], str]:
    """Return the roles of a server with one token."""
    return lambda other: "reader" if same(other, token) else ""


class Guard:
    """Refuses requests of other hosts and pages, those that would change something and may not, and those
    without a token; the role of the token is in the scope of the request.
    """

    def __init__(self, app: Any, access: Access) -> None:
        self._app = app
        self._access = access
        self._origins = access.origins or frozenset(f"http://{host}" for host in access.hosts)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or let the page answer it."""
        if scope["type"] != "http":
            return

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *own]
            await send(message)

        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
        answer = self._refusal(scope, headers)
        if answer is not None and answer.status_code == 403 and self._access.delay:
            await asyncio.sleep(self._access.delay)
        await (self._app if answer is None else answer)(scope, receive, with_headers)

    def _refusal(self, scope: Any, headers: Mapping[str, list[str]]) -> Response | None:
        access = self._access
        hosts = [host.lower() for host in headers.get("host", [])]
        if len(hosts) != 1 or hosts[0] not in access.hosts:
            return PlainTextResponse(
                f"The server answers only at the address that `{access.command}` printed.", 421
            )
        is_write = scope["method"] == "POST" and scope["path"] in access.writes
        if scope["method"] not in ("GET", "HEAD") and not is_write:
            return PlainTextResponse(
                "The server accepts only GET and HEAD requests here.", 405, {"allow": "GET, HEAD"}
            )
        foreign = any(origin not in self._origins for origin in headers.get("origin", []))
        if foreign or any(site not in ("none", "same-origin") for site in headers.get("sec-fetch-site", [])):
            return PlainTextResponse("Requests from other sites are refused.", 403)
        if is_write and (refusal := self._write_refusal(headers)):
            return refusal
        role = next(filter(None, map(access.role_of, self._tokens(headers))), "")
        if role:
            scope[ROLE] = role
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["path"] == "/" and given and access.role_of(given):
            # The token leaves the address, so that it is in no history and no picture of the screen.
            answer = RedirectResponse("/", 303)
            answer.set_cookie(
                access.cookie, given, httponly=True, samesite="strict", path="/", secure=access.secure
            )
            return answer
        if role:
            return None
        return PlainTextResponse(
            f"Open the address that `{access.command}` printed; it contains the token.", 403
        )

    def _write_refusal(self, headers: Mapping[str, list[str]]) -> Response | None:
        """Return the refusal of a request that would change something and is not from our page."""
        # A form of another site can send neither this header nor this type of content.
        if len(headers.get("origin", [])) != 1 or headers.get("x-nlgauge") != ["1"]:
            return PlainTextResponse("Only the page itself can save something.", 403)
        kinds = [kind.partition(";")[0].strip().lower() for kind in headers.get("content-type", [])]
        if kinds != ["application/json"]:
            return PlainTextResponse("The content must be JSON.", 415)
        lengths = headers.get("content-length", [])
        # With a transfer encoding, the length is not that of the body.
        if (
            "transfer-encoding" in headers
            or len(lengths) != 1
            or not (lengths[0].isascii() and lengths[0].isdecimal())
        ):
            return PlainTextResponse("The request has no length.", 411)
        if len(lengths[0]) > 12 or int(lengths[0]) > self._access.longest:
            return PlainTextResponse(f"At most {self._access.longest:,} bytes can be saved at once.", 413)
        return None

    def _tokens(self, headers: Mapping[str, list[str]]) -> list[str]:
        """Return the values of the server's cookie.

        Cookies of other programs, whatever their form, are ignored.
        """
        pairs = [pair.partition("=") for header in headers.get("cookie", []) for pair in header.split(";")]
        return [value.strip() for name, _, value in pairs if name.strip() == self._access.cookie]


def same(text: str, secret: str) -> bool:
    """Return whether a text is a secret, in a time that does not depend on the place of a difference."""
    return hmac.compare_digest(text.encode("utf-8", "replace"), secret.encode())
