"""Tokens, lines and sentences of a text.

A text in which a metric's tokeniser finds no token is the empty text to that metric, whatever stands in it:
white space, zero-width characters, a lone byte order mark, or punctuation where the tokeniser leaves that
out. Two such texts score as two empty ones, equal or not. To tokenisers that split at white space alone
(jiwer's, sacreBLEU's, Tercom's) a zero-width character is a token like any other.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal

from nlgauge._core.language import code
from nlgauge._core.ragged import Ragged
from nlgauge.errors import ParameterError
from nlgauge.features import Feature, Work
from nlgauge.features.tokens.characters import Characters, character_column, characters_of
from nlgauge.features.tokens.porter import MOST_WORDS, nltk_stems
from nlgauge.features.tokens.token_ids import Form, vocabulary
from nlgauge.features.tokens.tokenizers import (
    CHARACTER_TOKENIZERS,
    SACREBLEU_TOKENIZERS,
    Tokenizer,
    tokenizer,
)

__all__ = [
    "MOST_WORDS",
    "SACREBLEU_TOKENIZERS",
    "SPLITTERS",
    "TEXT_TOKENIZERS",
    "CodePoints",
    "DerivedTextFeature",
    "Lines",
    "Sentences",
    "TokenKeys",
    "Tokens",
    "can_be_seen",
    "language_tokenizer",
    "token_libraries",
    "tokenizer",
]
# Categories of Unicode: separators, controls and format characters.
_UNSEEN = ("Zs", "Zl", "Zp", "Cc", "Cf")

_LANGUAGE_TOKENIZERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
# What may split a text into sentences: "punkt" is what the programs of several papers use.
SPLITTERS = ("sentencex", "punkt")
_PUNKT_LANGUAGES = {
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "fi": "finnish",
    "fr": "french",
    "it": "italian",
    "ml": "malayalam",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ru": "russian",
    "sl": "slovene",
    "sv": "swedish",
    "tr": "turkish",
}
# What metrics on one text, or on a text and its source, let one choose from.
TEXT_TOKENIZERS = ("punctuated", "unicode", "whitespace", "13a")
# Those of sacreBLEU's tokenisers that are rules of our own here.
_OWN = ("13a", "none")


def language_tokenizer(lang: str | None) -> str | None:
    """The tokeniser of sacreBLEU's that a language asks for; None where its default will do.

    >>> language_tokenizer("zh-CN"), language_tokenizer("de"), language_tokenizer(None)
    ('zh', None, None)
    """
    return _LANGUAGE_TOKENIZERS.get(code(lang))


def token_libraries(name: str, stem: bool = False) -> tuple[str, ...]:
    """The packages that decide what the tokens of a tokeniser are, stemmed or not.

    >>> token_libraries("zh"), token_libraries("unicode", stem=True), token_libraries("13a")
    (('sacrebleu',), ('nltk',), ())
    """
    return (
        *(["sacrebleu"] if name in SACREBLEU_TOKENIZERS and name not in _OWN else []),
        *(["nltk"] if stem else []),
    )


@dataclass(frozen=True)
class Tokens(Feature):
    """The tokens of a text as integers that are equal where the tokens are, within a chunk; `new_memory`
    says what a token of a number is.
    """

    tokenizer: str
    lowercase: bool = False
    stem: bool = False

    def splitter(self) -> Tokenizer:
        """What splits a text into tokens."""
        return tokenizer(self.tokenizer)

    def form(self) -> Form | None:
        """What becomes of tokens after the split."""
        return nltk_stems if self.stem else None

    def new_memory(self) -> Any:
        """The vocabulary that numbers tokens; for characters, whose code points are their numbers,
        something like it.
        """
        form = self.form()
        if form is None and self.tokenizer in CHARACTER_TOKENIZERS:
            return Characters(self.tokenizer, self.lowercase)
        return vocabulary(self.splitter(), self.lowercase, form)

    def of(self, text: str) -> list[str]:
        """The tokens themselves."""
        found: list[str] = self.new_memory().split(text)
        return found

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where each of the tokens begins and ends in the text."""
        found: list[tuple[int, int]] = self.new_memory().places(text)
        return found

    def compute(self, keys: list[str], work: Work) -> Ragged:
        found: Ragged = work.memory.tokens(keys)
        return found


@dataclass(frozen=True)
class TokenKeys(Tokens):
    """The tokens of a text as 64-bit hashes, which are the same in every chunk: for what is counted over
    the whole corpus.
    """

    def compute(self, keys: list[str], work: Work) -> Ragged:
        found = work.memory.tokens(keys)
        return Ragged(work.memory.keys()[found.values], found.offsets)


class DerivedTextFeature(Feature):
    """A feature whose values are texts again."""

    derives_texts: ClassVar[bool] = True

    def of(self, text: str) -> list[str]:
        """The texts that a text is made of."""
        raise NotImplementedError

    def compute(self, keys: list[str], work: Work) -> list[list[str]]:
        return [self.of(text) for text in keys]


def can_be_seen(text: str) -> bool:
    """Whether a text has more in it than white space and characters without width; the other texts say
    nothing, whatever a model makes of them.

    >>> can_be_seen("..."), can_be_seen(" \\u200b\\n")
    (True, False)
    """
    return any(unicodedata.category(character) not in _UNSEEN for character in text)


@dataclass(frozen=True)
class Lines(DerivedTextFeature):
    """The lines of a text that are not empty."""

    def of(self, text: str) -> list[str]:
        return [line for line in text.split("\n") if line]


@dataclass(frozen=True)
class Sentences(DerivedTextFeature):
    """The sentences of a text, without white space around them; sentencex decides where they end, or
    NLTK's Punkt.
    """

    lang: str = "en"
    splitter: str = "sentencex"

    def of(self, text: str) -> list[str]:
        found = (
            _segmenter()(self.lang, text)
            if self.splitter == "sentencex"
            else _punkt_sentences(text, self.lang)
        )
        return [stripped for sentence in found if (stripped := sentence.strip())]


@cache
def _segmenter() -> Any:
    from sentencex import segment

    return segment


def _punkt_sentences(text: str, lang: str) -> list[str]:
    from nltk.tokenize import sent_tokenize

    try:
        return list(sent_tokenize(text, _PUNKT_LANGUAGES.get(code(lang), "english")))
    except LookupError:
        raise ParameterError(
            "splitter='punkt' needs NLTK's sentence data, which are not installed; run: python -m nltk.downloader"
            " punkt_tab, or leave splitter out."
        ) from None


@dataclass(frozen=True)
class CodePoints(Feature):
    """The code points of a text: "padded" with a space on either side, or of its "words" with one space
    between them.
    """

    form: Literal["padded", "words"]

    def of(self, text: str) -> str:
        """The text whose code points they are."""
        return characters_of(text, self.form)

    def compute(self, keys: list[str], work: Work) -> Ragged:
        return character_column(keys, self.form, False)
