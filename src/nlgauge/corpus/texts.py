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

    def __getitem__(self, text_id: int) -> str:
        return self.strings[text_id]

    def __len__(self) -> int:
        return len(self.strings)
