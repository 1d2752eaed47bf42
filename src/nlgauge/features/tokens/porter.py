"""Stems of English words: Porter's stemmer as NLTK has it, and as the ROUGE-1.5.5 script has it; the shortest
words stay unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from nlgauge._core.backend import compiled

# Number of words whose stem, digest, synsets or syllables a process remembers: more than a large test set
# has; 6 to 26 MB for each kind when full.
MOST_WORDS = 1 << 16
_STEP_4 = tuple("al ance ence er ic able ible ant ement ou ism ate iti ous ive ize".split())


@compiled
def nltk_stems(words: list[str], shortest: int = 4) -> list[str]:
    """Return the stems of words by Porter's stemmer with NLTK's extensions; rouge-score leaves words of up to
    three letters unchanged.

    >>> nltk_stems(["gas", "Dying", "relational"]), nltk_stems(["gas"], 3)
    (['gas', 'die', 'relat'], ['ga'])
    """
    stem = nltk_stemmer()
    return [stem(word) if len(word) >= shortest else word for word in words]


@compiled
def rouge155_stems(words: list[str]) -> list[str]:
    """Return the stems of words as the ROUGE-1.5.5 script has them, without its exceptions.

    >>> rouge155_stems(["gas", "governmental", "relational"])
    ['gas', 'govern', 'relat']
    """
    stem = _rouge155_stemmer()
    return [stem(word) if len(word) > 3 else word for word in words]


@cache
def nltk_stemmer() -> Callable[[str], str]:
    """Return NLTK's stemmer, with a memory."""
    return lru_cache(MOST_WORDS)(_porter("NLTK_EXTENSIONS").stem)


@cache
def _porter(mode: str) -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer(mode=mode)


@cache
def _rouge155_stemmer() -> Callable[[str], str]:
    porter = _porter("MARTIN_EXTENSIONS")

    def without(word: str, *endings: str) -> str:
        """Return the word without its longest known ending, if the rest has a measure above 1."""
        ending = max((ending for ending in endings if word.endswith(ending)), key=len, default="")
        stem = word.removesuffix(ending)
        return stem if porter._measure(stem) > 1 else word

    def stem(word: str) -> str:
        for step in (porter._step1a, porter._step1b, porter._step1c, porter._step2, porter._step3):
            word = step(word)
        # Unlike Porter's fourth step, the script's may take off several endings, one after the other.
        word = without(without(word, *_STEP_4), "ment")
        if word.endswith("ent"):
            word = without(word, "ent")
        elif word.endswith(("sion", "tion")):
            word = without(word, "ion")
        return str(porter._step5b(porter._step5a(word)))

    return lru_cache(MOST_WORDS)(stem)
