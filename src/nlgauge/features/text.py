"""Tokens, lines and sentences of a text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
import regex

from nlgauge.columns import Ragged
from nlgauge.errors import MissingExtraError, ParameterError
from nlgauge.features import Feature, RunOptions

# sacrebleu's tokenisers that need no download; the two of MeCab need a dictionary package beside them.
SACREBLEU_TOKENIZERS = ("13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab")
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}"
_UNICODE_WORD = regex.compile(rf"[{_UNSPACED}]\p{{M}}*|[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+", regex.V1)
_GOOGLE_WORD = re.compile(r"[a-z0-9]+")
_SPACE_RUN = re.compile(r"\s\s+")
_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def _unicode(text: str) -> list[str]:
    """Runs of letters, marks and digits in lower case, each character of an unspaced script alone; no script is lost."""
    return list(_UNICODE_WORD.findall(text.lower()))


def _google(text: str) -> list[str]:
    """rouge-score's rule: runs of ASCII letters and digits in lower case; everything else is lost."""
    return _GOOGLE_WORD.findall(text.lower())


def _jiwer_words(text: str) -> list[str]:
    """jiwer's default: white space of two or more becomes a space, words are split at spaces (not at a lone tab)."""
    return [word for word in _SPACE_RUN.sub(" ", text.strip()).split(" ") if word]


def _chrf_words(text: str) -> list[str]:
    """chrF++'s rule: one ASCII punctuation mark is split off a word's end, else off its start."""
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _ASCII_PUNCTUATION:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _ASCII_PUNCTUATION:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


_TOKENIZERS: dict[str, Callable[[str], list[str]]] = {
    "unicode": _unicode,
    "google": _google,
    "jiwer": _jiwer_words,
    "chrf-words": _chrf_words,
    "whitespace": str.split,
    "characters": list,
    "stripped-characters": lambda text: list(text.strip()),
    "visible-characters": lambda text: list("".join(text.split())),
}


@cache
def tokenizer(name: str) -> Callable[[str], list[str]]:
    """The tokeniser of a name."""
    if name in _TOKENIZERS:
        return _TOKENIZERS[name]
    if name not in SACREBLEU_TOKENIZERS:
        raise ParameterError(f"there is no tokeniser {name!r}; choose one of {', '.join([*SACREBLEU_TOKENIZERS, *_TOKENIZERS])}.")
    from sacrebleu.metrics.bleu import _get_tokenizer

    try:
        tokenize: Callable[[str], str] = _get_tokenizer(name)()
    except (ImportError, RuntimeError):
        raise MissingExtraError(f"sacrebleu's {name[:2]} dictionary", name[:2], f"the tokeniser {name!r}") from None
    return lambda text: tokenize(text.rstrip()).split()


@cache
def _stemmer() -> Callable[[str], str]:
    """Porter's stemmer with NLTK's extensions, which is rouge-score's; a word is stemmed once a process."""
    from nltk.stem.porter import PorterStemmer

    return cache(PorterStemmer().stem)


@dataclass(frozen=True)
class Tokens(Feature):
    """The tokens of a text as integers that are equal where the tokens are, within a chunk."""

    tokenizer: str
    lowercase: bool = False
    stem: bool = False

    def of(self, text: str) -> list[str]:
        """The tokens themselves."""
        tokens = tokenizer(self.tokenizer)(text.lower() if self.lowercase else text)
        return [_stemmer()(token) if len(token) > 3 else token for token in tokens] if self.stem else tokens

    def compute(self, keys: list[str], memory: dict[str, int], options: RunOptions) -> Ragged:
        return Ragged.of([[memory.setdefault(token, len(memory)) for token in self.of(text)] for text in keys])


class _Derived(Feature):
    """A feature whose values are texts again."""

    derives_texts: ClassVar[bool] = True

    def of(self, text: str) -> list[str]:
        """The texts that a text is made of."""
        raise NotImplementedError

    def compute(self, keys: list[str], memory: dict[str, int], options: RunOptions) -> Ragged:
        found = Ragged.of([self.of(text) for text in keys], dtype=object)
        return Ragged(np.asarray(found.values, dtype=object), found.offsets)


@dataclass(frozen=True)
class Lines(_Derived):
    """The lines of a text that are not empty."""

    def of(self, text: str) -> list[str]:
        return [line for line in text.split("\n") if line]


@dataclass(frozen=True)
class Sentences(_Derived):
    """The sentences of a text, without white space around them; sentencex decides where they end."""

    lang: str = "en"

    def of(self, text: str) -> list[str]:
        from sentencex import segment

        return [stripped for sentence in _segments(segment, self.lang, text) if (stripped := sentence.strip())]


def _segments(segment: Any, lang: str, text: str) -> list[str]:
    return list(segment(lang, text))
