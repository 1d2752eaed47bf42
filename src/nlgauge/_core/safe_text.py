"""Text of users, made safe to print."""

from __future__ import annotations

import re

# Control characters could steer the terminal, direction overrides could make a text look like another.
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""The text with everything that would steer a terminal written as an escape.

    >>> print(visible("a\x1b[2Jb\nc"))
    a\x1b[2Jb\nc
    """
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def escaped(text: str) -> str:
    r"""Return lines of a table or of JSON with what would steer a terminal written as JSON writes it; line
    breaks and tabs stay.

    >>> print(escaped("a\x9b2J\tb"))
    a\u009b2J	b
    """
    return _UNSAFE.sub(lambda found: found[0] if found[0] in "\n\t" else f"\\u{ord(found[0]):04x}", text)
