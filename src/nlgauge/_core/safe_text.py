"""Escapes for text of users that is printed in a terminal."""

from __future__ import annotations

import re

# Control characters could control the terminal, and direction overrides could make a text look like another.
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Return the text with escapes instead of characters that could control a terminal.

    >>> print(visible("a\x1b[2Jb\nc"))
    a\x1b[2Jb\nc
    """
    return _UNSAFE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def escaped(text: str) -> str:
    r"""Return the text with JSON escapes instead of characters that could control a terminal.

    The text may be lines of a table or of JSON; line breaks and tabs do not change.

    >>> print(escaped("a\x9b2J\tb"))
    a\u009b2J	b
    """
    return _UNSAFE.sub(lambda match: match[0] if match[0] in "\n\t" else f"\\u{ord(match[0]):04x}", text)
