"""Places: offsets of files as code points of the text that is stored.

Offsets may count UTF-16 units or name the last character, and the text of the file may differ from the stored text by
its Unicode form or by white space around it. All other differences are errors.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.errors import InputError

_LAST_OF_ONE_UNIT = 0xFFFF


def code_points(text: str, units: int) -> int | None:
    """Return the number of code points before an offset in UTF-16 units; None inside a character.

    An offset after the end of the text stays as far after it.

    >>> [code_points("a😀b", units) for units in range(6)]
    [0, 1, None, 2, 3, 4]
    """
    if text.isascii() or units <= 0:
        return units
    place = 0
    for number, character in enumerate(text):
        if place >= units:
            return number if place == units else None
        place += 1 + (ord(character) > _LAST_OF_ONE_UNIT)
    return len(text) + units - place if units >= place else None


def utf16_units(text: str, place: int) -> int:
    """Return the number of UTF-16 units before a code point.

    >>> utf16_units("a😀b", 2)
    3
    """
    return place + sum(ord(character) > _LAST_OF_ONE_UNIT for character in text[:place])


class Mapping:
    """Offsets of one text as offsets of an equal text in another Unicode form or with other outer white space."""

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = _marks(old), _marks(new)
        self._length = len(new)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return start and end in the new text; a character that is half marked is marked."""
        low, high = self._old[min(start, len(self._old) - 1)], self._old[min(end, len(self._old) - 1)]
        first = int(np.searchsorted(self._new, low, side="right")) - 1
        last = int(np.searchsorted(self._new, high, side="left"))
        return max(first, 0), min(last, self._length)


def same_text(old: str, new: str) -> bool:
    """Return True if two texts differ at most by Unicode form and outer white space."""
    return unicodedata.normalize("NFC", old.strip()) == unicodedata.normalize("NFC", new.strip())


def first_difference(old: str, new: str) -> int:
    """Return the number of characters before two texts differ.

    >>> first_difference("the cat", "the dog")
    4
    """
    return next(
        (place for place, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new))
    )


def _marks(text: str) -> Array:
    """Return for each place the number of decomposed characters before it, negative before the first letter."""
    lead = len(text) - len(text.lstrip())
    lengths = [len(unicodedata.normalize("NFD", character)) for character in text]
    marks = np.array([0, *accumulate(lengths)])
    return marks - int(marks[lead]) if lead < len(text) else marks


def clipped(start: int, end: int, text: str | None, what: str) -> tuple[int, int, bool]:
    """Return a span within its text, and whether it was outside by one; raise InputError if it is outside by more."""
    low, high = max(start, 0), end if text is None else min(end, len(text))
    if end < start:
        raise InputError(f"{what}: the span {start} to {end} ends before it starts.")
    if start < -1:
        raise InputError(f"{what}: the span {start} to {end} starts before the text.")
    if text is not None and (end > len(text) + 1 or start > len(text) + 1):
        raise InputError(
            f"{what}: the span {start} to {end} is past the end of the text ({counted(len(text), 'character')})."
        )
    low = min(low, high)
    return low, high, (low, high) != (start, end)


def word_ends(texts_and_ends: Sequence[tuple[str, int]]) -> int:
    """Return how many ends are the end of a word.

    >>> word_ends([("a cat sat", 5), ("a cat sat", 4)])
    1
    """
    return sum(
        0 < end <= len(text) and text[end - 1].isalnum() and (end == len(text) or not text[end].isalnum())
        for text, end in texts_and_ends
    )
