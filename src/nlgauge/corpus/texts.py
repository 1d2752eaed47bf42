"""Texts: each distinct text once, by integer id."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import chain, filterfalse, repeat
from typing import Any

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array


@compiled
def are_texts(items: list[Any]) -> bool:
    """Whether all items are plain strings that any text can hold."""
    if not set(map(type, items)) <= {str}:
        return False
    try:
        deque(map(str.encode, filterfalse(str.isascii, items)), maxlen=0)
    except UnicodeEncodeError:
        return False
    return True


@compiled
def flattened(items: list[Any]) -> tuple[list[Any], Array | None] | None:
    """What is in lists and tuples, one after the other, and how much is in each (None: one each); None
    where an item is something else.
    """
    if not set(map(type, items)) <= {list, tuple}:
        return None
    lengths = np.fromiter(map(len, items), np.int64, len(items))
    return list(chain.from_iterable(items)), None if (lengths == 1).all() else lengths


@compiled
def text_lengths(texts: list[str]) -> Array:
    """How many characters each text has."""
    return np.fromiter(map(len, texts), np.int64, len(texts))


@compiled
def any_has_lines(texts: list[str]) -> bool:
    """Whether any text has more than one line."""
    return any("\n" in text for text in texts)


@compiled
def number_texts(texts: list[str], ids: dict[str, int], strings: list[str]) -> Array:
    """The numbers of texts; one that has none yet gets the next one, and stands in `strings` from then on."""
    for text in dict.fromkeys(texts):
        if text not in ids:
            ids[text] = len(strings)
            strings.append(text)
    return np.fromiter(map(ids.__getitem__, texts), np.int64, len(texts))


class Texts:
    """Distinct texts by integer id, in order of first appearance."""

    def __init__(self) -> None:
        self.strings: list[str] = []
        # Small features of these texts, by feature; see `nlgauge.features`.
        self.kept: dict[Any, Any] = {}
        self._ids: dict[str, int] = {}

    def intern(self, text: str) -> int:
        """The id of a text, a new one at its first appearance."""
        found = self._ids.setdefault(text, len(self.strings))
        if found == len(self.strings):
            self.strings.append(text)
        return found

    def intern_all(self, texts: list[str]) -> Array:
        """The ids of texts, new ones in order of first appearance."""
        return number_texts(texts, self._ids, self.strings)

    def many(self, numbers: Array) -> list[str]:
        """The texts with these ids."""
        return list(map(self.strings.__getitem__, numbers.tolist()))

    def find(self, text: str) -> int | None:
        """The id of a text; None where it is not here."""
        return self._ids.get(text)

    def find_all(self, texts: Sequence[str]) -> Array:
        """The ids of texts; -1 where one is not here."""
        return np.fromiter(map(self._ids.get, texts, repeat(-1)), np.int64, len(texts))

    def __getitem__(self, text_id: int) -> str:
        return self.strings[text_id]

    def __len__(self) -> int:
        return len(self.strings)


class DerivedTexts:
    """Texts with those that features derive from them (lines, sentences, words), which go when the chunk
    goes.
    """

    def __init__(self, texts: Texts) -> None:
        self.kept = texts.kept
        self._texts = texts
        # How many texts were given; the ids of derived ones begin there.
        self.given = len(texts)
        self._derived = Texts()

    def intern(self, text: str) -> int:
        """The id of a text: that of the given one, else one behind all of those."""
        found = self._texts.find(text)
        return found if found is not None and found < self.given else self.given + self._derived.intern(text)

    def intern_all(self, texts: Sequence[str]) -> Array:
        """The ids of texts, new ones in order of first appearance."""
        ids = self._texts.find_all(texts)
        new = (ids < 0) | (ids >= self.given)
        if new.any():
            ids[new] = self.given + self._derived.intern_all([texts[i] for i in np.flatnonzero(new).tolist()])
        return ids

    def strings_of(self, text_ids: Array) -> list[str]:
        """The texts with these ids."""
        if len(text_ids) and text_ids.max() >= self.given:
            return [self[text_id] for text_id in text_ids.tolist()]
        return self._texts.many(text_ids)

    def __getitem__(self, text_id: int) -> str:
        return self._texts[text_id] if text_id < self.given else self._derived[text_id - self.given]
