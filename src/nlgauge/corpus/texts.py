"""Texts: each distinct text once, by integer id."""

from __future__ import annotations

from typing import Any


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

    def find(self, text: str) -> int | None:
        """The id of a text; None where it is not here."""
        return self._ids.get(text)

    def __getitem__(self, text_id: int) -> str:
        return self.strings[text_id]

    def __len__(self) -> int:
        return len(self.strings)


class DerivedTexts:
    """Texts with those that features derive from them (lines, sentences, words), which go when the chunk goes."""

    def __init__(self, texts: Texts) -> None:
        self.kept = texts.kept
        self._given = texts
        self._count = len(texts)
        self._derived = Texts()

    def intern(self, text: str) -> int:
        """The id of a text: that of the given one, else one behind all of those."""
        found = self._given.find(text)
        return found if found is not None and found < self._count else self._count + self._derived.intern(text)

    def __getitem__(self, text_id: int) -> str:
        return self._given[text_id] if text_id < self._count else self._derived[text_id - self._count]
