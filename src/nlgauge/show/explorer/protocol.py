"""HTTP as uvicorn speaks it, but a connection on which no whole request arrives is closed after a while
instead of never.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

# Seconds within which a request must be complete.
PATIENCE = 15.0


class PatientProtocol(H11Protocol):  # type: ignore[misc]
    """One connection of a browser."""

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._limit = self.loop.call_later(PATIENCE, transport.close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if is_answering and self._limit is not None:
            self._limit.cancel()
            self._limit = None
        elif not is_answering and self._limit is None:
            self._limit = self.loop.call_later(PATIENCE, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._limit is not None:
            self._limit.cancel()
        super().connection_lost(exc)
