"""Texts: stores of distinct texts, each with an integer id."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import chain, filterfalse, repeat
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array


@compiled
def are_texts(items: list[Any]) -> bool:
    """Return True if all items are of type str (no subclass) and can be encoded in UTF-8."""
    if not set(map(type, items)) <= {str}:
        return False
    try:
        deque(map(str.encode, filterfalse(str.isascii, items)), maxlen=0)
    except UnicodeEncodeError:
        return False
    return True


@compiled
def flattened(items: list[Any]) -> tuple[list[Any], Array | None] | None:
    """Return the concatenated content of lists and tuples, and the length of each.

    The lengths are None if all of them are 1. The result is None if an item is neither a list nor a tuple.
    """
    if not set(map(type, items)) <= {list, tuple}:
        return None
    lengths = np.fromiter(map(len, items), np.int64, len(items))
    return list(chain.from_iterable(items)), None if (lengths == 1).all() else lengths


@compiled
def text_lengths(texts: list[str]) -> Array:
    """Return the number of characters of each text."""
    return np.fromiter(map(len, texts), np.int64, len(texts))


@compiled
def any_has_lines(texts: list[str]) -> bool:
    """Return True if any text contains a line feed."""
    return any("\n" in text for text in texts)


@compiled
def number_texts(texts: list[str], ids: dict[str, int], strings: list[str]) -> Array:
    """Return the ids of texts; a new text gets the next id and is added to `ids` and `strings`."""
    for text in dict.fromkeys(texts):
        if text not in ids:
            ids[text] = len(strings)
            strings.append(text)
    return np.fromiter(map(ids.__getitem__, texts), np.int64, len(texts))


class Texts:
    """Distinct texts by integer id, in order of first appearance."""

    # True if the texts are on disk.
    stored: ClassVar[bool] = False

    def __init__(self) -> None:
        self.strings: list[str] = []
        # Small features of these texts, by feature; see `nlgauge.features`.
        self.kept: dict[Any, Any] = {}
        self._ids: dict[str, int] = {}

    def intern(self, text: str) -> int:
        """Return the id of a text; a new text is added and gets the next id."""
        text_id = self._ids.setdefault(text, len(self.strings))
        if text_id == len(self.strings):
            self.strings.append(text)
        return text_id

    def intern_all(self, texts: list[str]) -> Array:
        """Return the ids of texts; new texts are added and get ids in order of first appearance."""
        return number_texts(texts, self._ids, self.strings)

    def many(self, numbers: Array) -> list[str]:
        """Return the texts with these ids."""
        return list(map(self.strings.__getitem__, numbers.tolist()))

    def find(self, text: str) -> int | None:
        """Return the id of a text; None if the text is unknown."""
        return self._ids.get(text)

    def find_all(self, texts: Sequence[str]) -> Array:
        """Return the ids of texts; -1 for an unknown text."""
        return np.fromiter(map(self._ids.get, texts, repeat(-1)), np.int64, len(texts))

    def __getitem__(self, text_id: int) -> str:
        return self.strings[text_id]

    def __len__(self) -> int:
        return len(self.strings)


class DerivedTexts:
    """Texts of a corpus, and texts that features derive from them (lines, sentences, words).

    The derived texts are stored here, not in the corpus, so they are freed with the chunk that needs them.
    """

    def __init__(self, texts: Texts) -> None:
        self.kept = texts.kept
        self._texts = texts
        # Number of texts of the corpus; the ids of derived texts start at this number.
        self.given = len(texts)
        self._derived = Texts()

    def intern(self, text: str) -> int:
        """Return the id of a text; new texts get ids after all texts of the corpus."""
        text_id = self._texts.find(text)
        if text_id is not None and text_id < self.given:
            return text_id
        return self.given + self._derived.intern(text)

    def intern_all(self, texts: Sequence[str]) -> Array:
        """Return the ids of texts; new texts get ids in order of first appearance."""
        ids = self._texts.find_all(texts)
        new = (ids < 0) | (ids >= self.given)
        if new.any():
            ids[new] = self.given + self._derived.intern_all([texts[i] for i in np.flatnonzero(new).tolist()])
        return ids

    def strings_of(self, text_ids: Array) -> list[str]:
        """Return the texts with these ids."""
        if len(text_ids) and text_ids.max() >= self.given:
            return [self[text_id] for text_id in text_ids.tolist()]
        return self._texts.many(text_ids)

    def __getitem__(self, text_id: int) -> str:
        return self._texts[text_id] if text_id < self.given else self._derived[text_id - self.given]
