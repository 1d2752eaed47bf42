"""Access control: only a browser of this machine that opened the printed address gets answers.

All answers carry headers that protect the page.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any
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


class Guard:
    """Refuses requests of other hosts and pages, those that would change something, and those without the
    token.
    """

    def __init__(self, app: Any, hosts: frozenset[str], token: str, cookie: str) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token
        self._cookie = cookie

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
        await (self._app if answer is None else answer)(scope, receive, with_headers)

    def _refusal(self, scope: Any, headers: Mapping[str, list[str]]) -> Response | None:
        hosts = [host.lower() for host in headers.get("host", [])]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return PlainTextResponse("The explorer answers only at the address that it printed.", 421)
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse(
                "The explorer accepts only GET and HEAD requests.", 405, {"allow": "GET, HEAD"}
            )
        origins = {f"http://{host}" for host in self._hosts}
        foreign = any(origin not in origins for origin in headers.get("origin", []))
        if foreign or any(site not in ("none", "same-origin") for site in headers.get("sec-fetch-site", [])):
            return PlainTextResponse("Requests from other sites are refused.", 403)
        if any(_same(value, self._token) for value in self._held(headers)):
            return None
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["path"] == "/" and _same(given, self._token):
            # The token leaves the address, so that it is in no history and no picture of the screen.
            answer = RedirectResponse("/", 303)
            answer.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", path="/")
            return answer
        return PlainTextResponse("Open the address that `nlgauge serve` printed; it contains the token.", 403)

    def _held(self, headers: Mapping[str, list[str]]) -> list[str]:
        """Return the values of the explorer's cookie.

        Cookies of other programs, whatever their form, are ignored.
        """
        pairs = [pair.partition("=") for header in headers.get("cookie", []) for pair in header.split(";")]
        return [value.strip() for name, _, value in pairs if name.strip() == self._cookie]


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())
