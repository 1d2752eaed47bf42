"""Keys of words, by which METEOR matches them: integers that are equal for equal stems."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

import numpy as np

from nlgauge._core.ragged import Ragged
from nlgauge.features.tokens.porter import MOST_WORDS, nltk_stems


def meteor_stems(words: list[str], version: str) -> list[str]:
    """Return the stems of words: Snowball's for version 1.5, else Porter's, which METEOR also uses for words
    of three letters.

    >>> meteor_stems(["was", "generously"], "2005"), meteor_stems(["was", "generously"], "1.5")
    (['wa', 'gener'], ['was', 'generous'])
    """
    if version == "1.5":
        return [_snowball()(word) for word in words]
    return nltk_stems(words, 3)


@cache
def _snowball() -> Callable[[str], str]:
    from nltk.stem import SnowballStemmer

    return lru_cache(MOST_WORDS)(SnowballStemmer("english").stem)


def numbered(words: list[str]) -> Ragged:
    """Return one key for each word, in order of first appearance."""
    numbers: dict[str, int] = {}
    return Ragged.single(np.array([numbers.setdefault(word, len(numbers)) for word in words], dtype=np.int32))


def no_keys(words: list[str]) -> Ragged:
    """Return a column in which words have no key."""
    return Ragged(np.empty(0, dtype=np.int32), np.zeros(len(words) + 1, dtype=np.int64))
