"""Listening: a socket of this machine, and the server that answers its requests."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from nlgauge.errors import ParameterError
from nlgauge.show.explorer.hosts import is_loopback
from nlgauge.show.explorer.protocol import PatientProtocol

# The longest address: 20,000 characters of a text of the user, each up to four bytes, each byte three
# characters.
_LONGEST_REQUEST = 300_000
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@contextmanager
def bound(host: str, port: int) -> Iterator[socket.socket]:
    """Yield a socket that listens; requests wait until they are answered.

    Raises
    ------
    ParameterError
        If the port cannot be used.
    """
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as opened:
        if os.name != "nt":
            # The port of a server that was killed can be used again at once.
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((host, port))
        except OSError as error:
            raise ParameterError(
                f"cannot use port {port} of {host}: {error.strerror}",
                python="pass port=0 for a free port",
                cli="use --port 0 for a free port",
            ) from None
        opened.listen()
        yield opened


def hosts_of(host: str, port: int) -> list[str]:
    """Return the values of the header Host that the server accepts, the host of its printed address last."""
    bracketed = f"[{host}]" if ":" in host else host
    if is_loopback(host):
        others = [name for name in _LOOPBACK if name != ("[::1]" if ":" in host else "127.0.0.1")]
        names = [*others, "[::1]" if ":" in host else "127.0.0.1"]
    else:
        names = [*_LOOPBACK, bracketed]
    return [f"{name}:{port}" for name in names]


def answer(app: Any, opened: socket.socket) -> None:
    """Answer requests until interrupted."""
    config = uvicorn.Config(
        app,
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
