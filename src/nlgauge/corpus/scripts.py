"""Scripts without spaces between words: detection, and a check whether a tokenizer splits such texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import regex

_ASCII_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BEYOND_ASCII = bytes(range(128, 256))
_LATIN, _HANGUL, _KANA = r"\p{Latin}", r"\p{Hangul}", r"[\p{Hiragana}\p{Katakana}]"


class Script(NamedTuple):
    """Script without spaces between words, its languages, and the maximum of letters per word on average."""

    signs: str
    languages: tuple[str, ...]
    letters_per_word: int

    def letters(self, text: str) -> int:
        """Return the number of letters of this script in a text."""
        return _count(rf"[[{self.signs}]&&\p{{L}}]", text)

    def is_split(self, texts: Sequence[str], tokenize: Callable[[str], list[str]]) -> bool:
        """Return True if the tokens of texts in this script are about as long as words.

        The result is False if tokens are as long as sentences, or if no token has letters of this script.
        """
        counts = [count for text in texts for token in tokenize(text) if (count := self.letters(token))]
        return bool(counts) and sum(counts) <= self.letters_per_word * len(counts)


# Signs for vowels and tones do not count as letters, so words of these scripts have few letters.
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
def _pattern(signs: str) -> regex.Pattern[str]:
    import regex

    return regex.compile(signs, regex.V1)


def _count(signs: str, text: str) -> int:
    """Return the number of characters of a text that are in a set."""
    return len(_pattern(signs).findall(text))


def is_mostly_ascii(text: str) -> bool:
    """Return True if a text has at least as many ASCII letters as non-ASCII characters.

    Such a text is written in Latin letters and not in a script without spaces.
    """
    within = text.encode().translate(None, _BEYOND_ASCII)
    return len(text) - len(within) <= len(within) - len(within.translate(None, _ASCII_LETTERS))


def unspaced_script(text: str) -> Script | None:
    """Return the script without spaces that has more than half of the letters of a text, or None."""
    letters = sum(map(str.isalpha, text))
    return next((script for script in UNSPACED if 2 * script.letters(text) > letters), None)


def is_mostly_not_latin(text: str) -> bool:
    """Return True if fewer than half of the letters of a text are Latin."""
    return 2 * _count(_LATIN, text) < sum(map(str.isalpha, text))


def is_mostly_korean(text: str) -> bool:
    """Return True if more than half of the letters of a text are Korean."""
    return 2 * _count(_HANGUL, text) > sum(map(str.isalpha, text))


def language_of(text: str, script: Script) -> str:
    """Return the most likely language of a text in this script.

    A text is Japanese if more than a tenth of its letters are kana: kana are a third or more of a Japanese
    text, and Chinese has none.
    """
    return (
        "ja"
        if "ja" in script.languages and 10 * _count(_KANA, text) > script.letters(text)
        else script.languages[0]
    )
