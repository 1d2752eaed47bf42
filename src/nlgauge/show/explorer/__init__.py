"""The explorer: the report's page over HTTP on this machine, with every segment explained when it is
looked at. It reads and never writes.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
import socket
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from nlgauge.errors import MissingExtraError, ParameterError

if TYPE_CHECKING:
    from nlgauge.results.result import Result

_TOKEN = re.compile(r"[A-Za-z0-9_-]{8,}")
# The longest address: 20,000 characters of a text of the user, each up to four bytes, each byte three
# characters.
_LONGEST_REQUEST = 300_000
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


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
        import uvicorn

        from nlgauge.show.explorer.app import application
        from nlgauge.show.explorer.guard import Guard
        from nlgauge.show.explorer.protocol import PatientProtocol
    except ImportError:
        raise MissingExtraError("starlette and uvicorn", "web", "the explorer") from None
    from nlgauge.results.runs.alignment import aligned
    from nlgauge.show.explorer.served import Served

    if not results:
        raise ParameterError("serve needs at least one result, got none.")
    if _is_every_address(host):
        raise ParameterError(
            f"{host!r} stands for every address of this machine, but the explorer answers at one",
            python="pass the address that other machines use as host",
            cli="name the address that other machines use with --host",
        )
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
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as opened:
        try:
            opened.bind((host, port))
        except OSError as error:
            raise ParameterError(
                f"cannot use port {port} of {host}: {error.strerror}",
                python="pass port=0 for a free port",
                cli="use --port 0 for a free port",
            ) from None
        # From now on requests wait, so that `ready` receives the address before the first answer.
        opened.listen()
        found = opened.getsockname()[1]
        names = _LOOPBACK if is_loopback(host) else (*_LOOPBACK, f"[{host}]" if ":" in host else host)
        guard = Guard(
            application([Served(result, name, human, old, pairs) for name, result in results.items()]),
            frozenset(f"{name}:{found}" for name in names),
            held,
            f"nlgauge-{found}",
        )
        address = f"http://{names[-1] if not is_loopback(host) else '[::1]' if ':' in host else '127.0.0.1'}:{found}/?token={held}"
        ready(address)
        if browser:
            webbrowser.open(address)
        config = uvicorn.Config(
            guard,
            # The HTTP protocol of uvicorn whose longest request can be set, whatever else is installed.
            http=PatientProtocol,
            h11_max_incomplete_event_size=_LONGEST_REQUEST,
            # Its own configuration would close the handlers of every other logger in the process.
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            lifespan="off",
        )
        uvicorn.Server(config).run(sockets=[opened])


def _is_every_address(host: str) -> bool:
    """Return True for the addresses 0.0.0.0 and ::, which a browser cannot open on another machine."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach the host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
