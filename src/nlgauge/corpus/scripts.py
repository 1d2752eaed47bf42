"""Scripts without spaces between words: in which of them a text is written, and whether a tokeniser
splits it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from string import ascii_letters

import regex

_ASCII_LETTERS = ascii_letters.encode()
_BEYOND_ASCII = bytes(range(128, 256))
_LATIN = regex.compile(r"\p{Latin}")
_HANGUL = regex.compile(r"\p{Hangul}")
_KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}]")


@dataclass(frozen=True)
class Script:
    """A script without spaces between words, the languages that are written in it, and the most letters
    that their words have on average.
    """

    signs: str
    languages: tuple[str, ...]
    letters_per_word: int

    def count(self, text: str) -> int:
        """How many letters of this script a text has."""
        return len(_letters(self.signs).findall(text))

    def is_split(self, texts: Sequence[str], tokenize: Callable[[str], list[str]]) -> bool:
        """Whether the tokens of texts in this script are about as long as words, rather than sentences or
        nothing at all.
        """
        counts = [count for text in texts for token in tokenize(text) if (count := self.count(token))]
        return bool(counts) and sum(counts) <= self.letters_per_word * len(counts)


# Signs for vowels and tones are no letters, so that words of these scripts have few.
UNSPACED = (
    Script(
        r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}",
        ("zh", "ja", "yue", "wuu", "nan", "hak", "gan", "lzh"),
        4,
    ),
    Script(r"\p{Thai}", ("th", "pi"), 6),
    Script(r"\p{Lao}", ("lo", "pi"), 6),
    Script(r"\p{Khmer}", ("km", "pi"), 4),
    Script(r"\p{Myanmar}", ("my", "shn", "mnw", "pi"), 5),
    Script(r"\p{Tibetan}", ("bo", "dz"), 10),
)


@cache
def _letters(signs: str) -> regex.Pattern[str]:
    return regex.compile(rf"[[{signs}]&&\p{{L}}]", regex.V1)


def is_mostly_ascii(text: str) -> bool:
    """Whether a text has at least as many ASCII letters as characters beyond ASCII, so that it is in
    Latin letters and no script without spaces.
    """
    within = text.encode().translate(None, _BEYOND_ASCII)
    return len(text) - len(within) <= len(within) - len(within.translate(None, _ASCII_LETTERS))


def unspaced_script(text: str) -> Script | None:
    """The script without spaces that most letters of a text are in."""
    letters = sum(map(str.isalpha, text))
    return next((script for script in UNSPACED if 2 * script.count(text) > letters), None)


def is_mostly_not_latin(text: str) -> bool:
    """Whether fewer than half of a text's letters are Latin."""
    return 2 * len(_LATIN.findall(text)) < sum(map(str.isalpha, text))


def is_mostly_korean(text: str) -> bool:
    """Whether more than half of a text's letters are Korean."""
    return 2 * len(_HANGUL.findall(text)) > sum(map(str.isalpha, text))


def language_of(text: str, script: Script) -> str:
    """The language that a text in this script is most likely in: kana, which Chinese has none of, are a
    third or more of Japanese.
    """
    return (
        "ja"
        if "ja" in script.languages and 10 * len(_KANA.findall(text)) > script.count(text)
        else script.languages[0]
    )
