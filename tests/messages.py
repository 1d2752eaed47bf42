"""Compare messages by the names, values and options in them, so that their wording may change."""

from __future__ import annotations


def mentions(message: str, parts: str) -> bool:
    """Return True if a message contains all parts, which are separated by " ... ", in any order.

    >>> mentions("max_order must be at least 1, got 0", "max_order ... got 0 ... 1")
    True
    """
    return all(part in message for part in parts.split(" ... "))
