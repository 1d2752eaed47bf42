"""Tokens as integers: a vocabulary numbers the different tokens of a chunk in order of first appearance.

`native/token_ids.cpp` has the twin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from nlgauge._core.backend import NATIVE, chosen
from nlgauge._core.ragged import Array, Ragged
from nlgauge.features.tokens.porter import MOST_WORDS, nltk_stems
from nlgauge.features.tokens.tokenizers import Tokenizer

# The forms of distinct words, such as their stems; None for a word that is left out.
Form = Callable[[list[str]], Sequence[str | None]]


class Vocabulary:
    """The different tokens of texts, numbered from 0 on in order of first appearance."""

    def __init__(self, split: Tokenizer, lowercase: bool = False, form: Form | None = None) -> None:
        self._split, self._lowercase, self._form = split, lowercase, form
        self._ids: dict[str, int] = {}
        # The id of each word before it got its form; -1 if it is left out.
        self._formed: dict[str, int] = {} if form else self._ids

    def tokens(self, texts: list[str]) -> Ragged:
        """Return the tokens of each text."""
        return Ragged.of([self._numbers(text) for text in texts], dtype=np.int32)

    def split(self, text: str) -> list[str]:
        """Return the tokens of a text as strings."""
        numbers, words = self._numbers(text), self.words()
        return [words[number] for number in numbers]

    def places(self, text: str) -> list[tuple[int, int]]:
        """Return the start and end of each token in a text."""
        self._numbers(text)
        words = self._split(text.lower() if self._lowercase else text)
        return [
            place
            for word, place in zip(words, self._split.places(text, self._lowercase), strict=True)
            if self._formed[word] >= 0
        ]

    def words(self) -> list[str]:
        """Return the tokens by their number."""
        return list(self._ids)

    def keys(self) -> Array:
        """Return a 64-bit hash of each token by its number; it is the same in every vocabulary."""
        return np.fromiter(map(_token_key, self._ids), dtype=np.uint64, count=len(self._ids))

    def _numbers(self, text: str) -> list[int]:
        words = self._split(text.lower() if self._lowercase else text)
        if self._form is None:
            return [self._ids.setdefault(word, len(self._ids)) for word in words]
        new = [word for word in dict.fromkeys(words) if word not in self._formed]
        for word, form in zip(new, self._form(new) if new else (), strict=True):
            self._formed[word] = -1 if form is None else self._ids.setdefault(form, len(self._ids))
        return [number for word in words if (number := self._formed[word]) >= 0]


@lru_cache(MOST_WORDS)
def _token_key(token: str) -> int:
    from hashlib import blake2b

    return int.from_bytes(blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def vocabulary(split: Tokenizer, lowercase: bool = False, form: Form | None = None) -> Any:
    """Return a new vocabulary, compiled or in plain Python."""
    if chosen() == "python":
        return Vocabulary(split, lowercase, form)
    stem = form is nltk_stems
    return NATIVE.Vocabulary(split, lowercase, None if stem else form, stem)
