"""What comes with a later release: an error in plain words, with what to use meanwhile."""

from __future__ import annotations

from nlgauge.errors import NotYetError


def later(name: str, meanwhile: str) -> NotYetError:
    """The error for something that is not here yet."""
    return NotYetError(f"{name} comes with a later release of nlgauge; meanwhile {meanwhile}.")
