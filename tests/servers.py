"""Servers in threads of the tests, which end with their module."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import uvicorn


@contextmanager
def stopped() -> Iterator[None]:
    """Stop, at the end, the servers that were started meanwhile: each wakes up ten times a second."""
    import uvicorn

    servers: list[uvicorn.Server] = []
    run = uvicorn.Server.run

    def noted(server: uvicorn.Server, *arguments: Any, **options: Any) -> None:
        servers.append(server)
        run(server, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uvicorn.Server, "run", noted)
        yield
    for server in servers:
        server.should_exit = True
