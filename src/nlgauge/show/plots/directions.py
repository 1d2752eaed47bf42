"""Directions of writing: which words are written from right to left, and the order of words on a line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

# Characters around a text whose direction is its own, and that does not change the order of what is around it.
ISOLATE, POP = "\u2068", "\u2069"
_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
# Words from right to left with the blanks between them.
LEFTWARDS = re.compile(f"[{_LETTERS}][{_LETTERS}\\u0300-\\u036f]*(?:[ -]+[{_LETTERS}]+)*")


def direction(text: str) -> str:
    """Return the direction of the first letter of a text: "R", "L", or "" if it has none.

    >>> direction("abc"), direction("12."), direction("\u05d0\u05d1"), direction("3 \u0627")
    ('L', '', 'R', 'R')
    """
    for sign in text:
        kind = unicodedata.bidirectional(sign)
        if kind in ("L", "R", "AL"):
            return "L" if kind == "L" else "R"
    return ""


def is_mixed(text: str) -> bool:
    """Return True if some line of a text has words of both directions."""
    return any({"L", "R"} <= {direction(sign) for sign in line} for line in text.split("\n"))


def in_order(words: Sequence[str], base: str) -> list[int]:
    """Return the numbers of the words of a line in the order from left to right; `base` is the direction of
    the paragraph.

    A word without letters belongs to its neighbors if these have one direction, else to the paragraph. Numbers
    keep their order, as in the bidirectional algorithm of Unicode.

    >>> in_order(["a", "\u05d0", "\u05d1", "b"], "L"), in_order(["\u05d0", "a", "b", "."], "R")
    ([0, 2, 1, 3], [3, 1, 2, 0])
    """
    base = base or "L"
    kinds = [
        "L" if any(map(str.isdigit, word)) and not direction(word) else direction(word) for word in words
    ]
    for place, kind in enumerate(kinds):
        if not kind:
            before = next((other for other in reversed(kinds[:place]) if other), base)
            after = next((other for other in kinds[place + 1 :] if other), base)
            kinds[place] = before if before == after else base
    runs: list[list[int]] = []
    for place, kind in enumerate(kinds):
        if runs and kinds[runs[-1][0]] == kind:
            runs[-1].append(place)
        else:
            runs.append([place])
    ordered = [run if kinds[run[0]] == "L" else run[::-1] for run in runs]
    return [place for run in (ordered if base == "L" else ordered[::-1]) for place in run]
