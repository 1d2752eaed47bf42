"""Marks: spans of a text that an annotator has marked as errors or as evidence, decoded strictly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from nlgauge._core.numbers import counted

MOST_MARKS = 200
LONGEST_NOTE = 2000


class Mark(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A marked part of a text, in code points with an exclusive end; without a place if something is missing."""

    severity: str
    start: int | None = None
    end: int | None = None
    category: str = ""
    side: str = "target"
    note: str = ""


class MarkRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The marks that a protocol allows.

    `missing` allows marks without a place, `overlap` marks that share characters. `limit` is the largest number
    of marks of a text, 0 for any number. `weights` are the rules of `nlgauge.spans` by which marks become a
    score.
    """

    severities: tuple[str, ...] = ("minor", "major")
    sides: tuple[str, ...] = ("target",)
    categories: tuple[str, ...] = ()
    missing: bool = True
    overlap: bool = False
    limit: int = 0
    weights: str = ""

    def problem(self, marks: Sequence[Mark], texts: Mapping[str, str]) -> str:
        """Return the reason why these are not marks of the texts, by side; "" if they are."""
        most = self.limit or MOST_MARKS
        if len(marks) > most:
            return f"there are {len(marks)} marks; at most {most} are allowed"
        for mark in marks:
            if reason := self._problem(mark, texts):
                return reason
        placed = sorted((mark.side, mark.start, mark.end) for mark in marks if mark.start is not None)
        if not self.overlap and any(
            one[0] == other[0] and other[1] < (one[2] or 0) for one, other in pairwise(placed)
        ):
            return "two marks overlap"
        return ""

    def _problem(self, mark: Mark, texts: Mapping[str, str]) -> str:
        if mark.severity not in self.severities:
            return f"a mark has the severity {mark.severity!r}; use {', '.join(self.severities)}"
        if mark.side not in self.sides or mark.side not in texts:
            return f"a mark is in the text {mark.side!r}; use {', '.join(self.sides)}"
        if mark.category and mark.category not in self.categories:
            return f"a mark has the unknown category {mark.category!r}"
        if len(mark.note) > LONGEST_NOTE:
            return f"a note has more than {LONGEST_NOTE:,} characters"
        if mark.start is None or mark.end is None:
            valid = self.missing and mark.start is None and mark.end is None
            return "" if valid else "a mark has no place"
        length = len(texts[mark.side])
        if not 0 <= mark.start < mark.end <= length:
            return (
                f"the mark {mark.start} to {mark.end} is not within the text ({counted(length, 'character')})"
            )
        return ""


def decoded(content: Any) -> list[Mark]:
    """Return marks from plain data; raise msgspec.ValidationError if they are of other types."""
    return msgspec.convert(content, list[Mark])


def plain(marks: Sequence[Mark]) -> list[dict[str, Any]]:
    """Return marks as plain data, for the log."""
    return [msgspec.to_builtins(mark) for mark in marks]
