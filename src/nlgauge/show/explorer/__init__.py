"""The explorer: the report's page over HTTP on this machine, with every segment explained when it is
looked at. It reads and never writes.
"""

from __future__ import annotations

import re
import secrets
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from nlgauge.errors import MissingExtraError, ParameterError
from nlgauge.show.explorer.hosts import check_host, is_loopback

if TYPE_CHECKING:
    from nlgauge.results.result import Result

_TOKEN = re.compile(r"[A-Za-z0-9_-]{8,}")


def serve(
    results: Mapping[str, Result],
    *,
    human: Sequence[str] | None = None,
    against: tuple[str, Result] | None = None,
    pairs: Mapping[str, str] | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    browser: bool = False,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve results by their names until interrupted; `ready` receives the address to open.

    `human` names human scores, and `against` and `pairs` an older run with its name, as for `Result.report`.

    Port 0 selects a free port. A host other than this machine needs an explicit token, because others can
    then reach the texts.
    """
    try:
        import uvicorn  # noqa: F401

        from nlgauge.show.explorer.app import application
        from nlgauge.show.explorer.guard import Access, Guard, single
        from nlgauge.show.explorer.listening import answer, bound, hosts_of
    except ImportError:
        raise MissingExtraError("starlette and uvicorn", "web", "the explorer") from None
    from nlgauge.results.runs.alignment import aligned
    from nlgauge.show.explorer.served import Served

    if not results:
        raise ParameterError("serve needs at least one result, got none.")
    check_host(host)
    if not is_loopback(host) and not token:
        raise ParameterError(
            f"{host!r} can be reached from other machines, so it needs a token",
            python="pass token",
            cli="set it with --token",
        )
    if token is not None and not _TOKEN.fullmatch(token):
        raise ParameterError(
            f"invalid token {token!r}; use at least 8 letters, digits, - and _, because it is part"
            " of an address."
        )
    old = None if against is None else Served(against[1], against[0], human)
    if against is not None:
        for result in results.values():
            # Runs that cannot be compared are reported before the server starts.
            aligned(result, against[1], pairs, human)
    held = token or secrets.token_urlsafe(24)
    with bound(host, port) as opened:
        number = opened.getsockname()[1]
        hosts = hosts_of(host, number)
        guard = Guard(
            application([Served(result, name, human, old, pairs) for name, result in results.items()]),
            Access(single(held), frozenset(hosts), f"nlgauge-{number}"),
        )
        address = f"http://{hosts[-1]}/?token={held}"
        ready(address)
        if browser:
            webbrowser.open(address)
        answer(guard, opened)
