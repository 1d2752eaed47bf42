"""The classes of Unicode's characters that decide where tokens begin and end: one table for plain and
compiled tokenizers.

It is of one version of Unicode, whatever the installed Python and its packages know, so that tokens are the
same everywhere. `tools/character_classes.py` makes it.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from nlgauge._core.package_data import data_text
from nlgauge._core.ragged import Array

LETTER, MARK, NUMBER, OTHER, WORD, SPACE, UNSPACED = (1 << bit for bit in range(7))
_BITS = dict(zip("lmnowsu", (LETTER, MARK, NUMBER, OTHER, WORD, SPACE, UNSPACED), strict=True))


@cache
def character_classes() -> Array:
    """Return the classes of each code point as bits.

    >>> bool(character_classes()[ord("猫")] & UNSPACED), bool(character_classes()[ord("é")] & UNSPACED)
    (True, False)
    """
    _, *lines = data_text("character_classes.txt").splitlines()
    found = np.full(0x110000, OTHER, dtype=np.uint8)
    bits = {"": 0}
    for line in lines:
        first, last, *rest = line.split(" ")
        letters = "".join(rest)
        if letters not in bits:
            bits[letters] = sum(_BITS[letter] for letter in letters)
        found[int(first, 16) : int(last, 16) + 1] = bits[letters]
    found.flags.writeable = False
    return found


@cache
def _outlines() -> Array:
    found = character_classes() | 0x80
    found[:0x80] = np.arange(0x80)
    found[ord("’")] = ord("'")
    return found


def outline(text: str) -> str:
    """Return the text with a character of U+0080 to U+00FF for each character that is not ASCII: its classes
    above 0x80; ’ becomes an apostrophe.

    So a pattern of classes has at most 256 characters, which `re` looks up quickly.
    """
    if text.isascii():
        return text
    found: Array = _outlines()[code_points(text)]
    return found.tobytes().decode("latin-1")


def outlined(wanted: int, unwanted: int = 0) -> str:
    """Return the characters of outlines that are of one of the classes `wanted` and of none of the classes
    `unwanted`, for the set of a pattern.

    >>> outlined(NUMBER, 0x7F & ~NUMBER & ~WORD)[:40]
    '\\\\x30\\\\x31\\\\x32\\\\x33\\\\x34\\\\x35\\\\x36\\\\x37\\\\x38\\\\x39'
    """
    classes = [*character_classes()[:0x80].tolist(), *range(0x80)]
    return "".join(f"\\x{sign:02x}" for sign, of in enumerate(classes) if of & wanted and not of & unwanted)


def code_points(text: str) -> Array:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.int32)
