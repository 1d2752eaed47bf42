"""Tokens, lines and sentences of a text.

A text in which a metric's tokeniser finds no token is the empty text to that metric, whatever stands in it: white space, zero-width characters, a
lone byte order mark, or punctuation where the tokeniser leaves that out. Two such texts score as two empty ones, equal or not. To
tokenisers that split at white space alone (jiwer's, sacreBLEU's, Tercom's) a zero-width character is a token like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any, ClassVar, Literal

import numpy as np
import regex

from nlgauge.corpus.columns import Ragged
from nlgauge.corpus.language import code
from nlgauge.errors import MissingExtraError, ParameterError
from nlgauge.features import Feature, Work

# sacrebleu's tokenisers that need no download; the two of MeCab need a dictionary package beside them.
SACREBLEU_TOKENIZERS = ("13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab")
# How many words a process remembers the stem, digest, synsets or syllables of: more than a large test set has; 6 to 26 MB for each kind when full.
MOST_WORDS = 1 << 16
_LANGUAGE_TOKENIZERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
# What metrics on one text, or on a text and its source, let one choose from.
TEXT_TOKENIZERS = ("punctuated", "unicode", "whitespace", "13a")
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}"
_UNICODE_WORD = regex.compile(rf"[{_UNSPACED}]\p{{M}}*|[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+", regex.V1)
_PUNCTUATED_WORD = regex.compile(
    rf"['’](?:s|re|ve|ll|d|m)(?!\w)|n['’]t(?!\w)|\p{{N}}+(?:[.,]\p{{N}}+)+|[{_UNSPACED}]\p{{M}}*"
    rf"|(?:(?!n['’]t(?!\w))[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]])+|[^\p{{L}}\p{{M}}\p{{N}}\p{{C}}\s]",
    regex.V1,
)
_GOOGLE_WORD = re.compile(r"[a-z0-9]+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_SPACE_RUN = re.compile(r"\s\s+")
_ARTICLE = re.compile(r"\b(a|an|the)\b")
_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def _unicode(text: str) -> list[str]:
    """Runs of letters, marks and digits in lower case, each character of an unspaced script alone; no script is lost."""
    return list(_UNICODE_WORD.findall(text.lower()))


def _punctuated(text: str) -> list[str]:
    """As "unicode", but each punctuation mark or symbol is a token, 3,000.5 is one, and English 's, 're, n't and the like are split off."""
    return list(_PUNCTUATED_WORD.findall(text.lower()))


def _google(text: str) -> list[str]:
    """rouge-score's rule: runs of ASCII letters and digits in lower case; everything else is lost."""
    return _GOOGLE_WORD.findall(text.lower())


def _ascii_words(text: str) -> list[str]:
    """ROUGE-1.5.5's rule: as Google's, but only A to Z have a lower case, so no other letter turns into one of them."""
    return [word.lower() for word in _ASCII_WORD.findall(text)]


def _jiwer_words(text: str) -> list[str]:
    """jiwer's default: white space of two or more becomes a space, words are split at spaces (not at a lone tab)."""
    return [word for word in _SPACE_RUN.sub(" ", text.strip()).split(" ") if word]


def _squad_words(text: str) -> list[str]:
    """SQuAD's normalisation: lower case, without ASCII punctuation and without the articles a, an, the; split at white space."""
    return _ARTICLE.sub(" ", "".join(character for character in text.lower() if character not in _ASCII_PUNCTUATION)).split()


def _spaced_words(text: str) -> list[str]:
    """NLG-Metricverse's rule: ASCII punctuation becomes a space, the rest is lower-cased and split at white space."""
    return "".join(" " if character in _ASCII_PUNCTUATION else character for character in text).lower().split()


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
    "punctuated": _punctuated,
    "google": _google,
    "1.5.5": _ascii_words,
    "jiwer": _jiwer_words,
    "chrf-words": _chrf_words,
    "squad": _squad_words,
    "nlg-metricverse": _spaced_words,
    "whitespace": str.split,
    "characters": list,
    "stripped-characters": lambda text: list(text.strip()),
    "visible-characters": lambda text: list("".join(text.split())),
}


def language_tokenizer(lang: str | None) -> str | None:
    """The tokeniser of sacreBLEU's that a language asks for; None where its default will do.

    >>> language_tokenizer("zh-CN"), language_tokenizer("de"), language_tokenizer(None)
    ('zh', None, None)
    """
    return _LANGUAGE_TOKENIZERS.get(code(lang))


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


def token_libraries(name: str, stem: bool = False) -> tuple[str, ...]:
    """The packages that decide what the tokens of a tokeniser are, stemmed or not.

    >>> token_libraries("13a"), token_libraries("unicode", stem=True), token_libraries("whitespace")
    (('sacrebleu',), ('regex', 'nltk'), ())
    """
    splitting = "sacrebleu" if name in SACREBLEU_TOKENIZERS else "regex" if name in ("unicode", "punctuated") else None
    return (*([splitting] if splitting else []), *(["nltk"] if stem else []))


@cache
def _stemmer() -> Callable[[str], str]:
    """Porter's stemmer with NLTK's extensions, which is rouge-score's."""
    from nltk.stem.porter import PorterStemmer

    return lru_cache(MOST_WORDS)(PorterStemmer().stem)


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

    def compute(self, keys: list[str], work: Work) -> Ragged:
        return Ragged.of([[work.memory.setdefault(token, len(work.memory)) for token in self.of(text)] for text in keys])


@lru_cache(MOST_WORDS)
def _token_key(token: str) -> int:
    return int.from_bytes(blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


@dataclass(frozen=True)
class TokenKeys(Tokens):
    """The tokens of a text as 64-bit hashes, which are the same in every chunk: for what is counted over the whole corpus."""

    def compute(self, keys: list[str], work: Work) -> Ragged:
        return Ragged.of([[_token_key(token) for token in self.of(text)] for text in keys], dtype=np.uint64)


class _Derived(Feature):
    """A feature whose values are texts again."""

    derives_texts: ClassVar[bool] = True

    def of(self, text: str) -> list[str]:
        """The texts that a text is made of."""
        raise NotImplementedError

    def compute(self, keys: list[str], work: Work) -> Ragged:
        found = Ragged.of([self.of(text) for text in keys], dtype=object)
        return Ragged(np.asarray(found.values, dtype=object), found.offsets)


@dataclass(frozen=True)
class Lines(_Derived):
    """The lines of a text that are not empty."""

    def of(self, text: str) -> list[str]:
        return [line for line in text.split("\n") if line]


@dataclass(frozen=True)
class Words(_Derived):
    """The tokens of a text in lower case as texts of their own, for what must know how a word is spelt."""

    tokenizer: str

    def of(self, text: str) -> list[str]:
        return tokenizer(self.tokenizer)(text.lower())


@dataclass(frozen=True)
class Sentences(_Derived):
    """The sentences of a text, without white space around them; sentencex decides where they end."""

    lang: str = "en"

    def of(self, text: str) -> list[str]:
        from sentencex import segment

        return [stripped for sentence in _segments(segment, self.lang, text) if (stripped := sentence.strip())]


def _segments(segment: Any, lang: str, text: str) -> list[str]:
    return list(segment(lang, text))


@dataclass(frozen=True)
class CodePoints(Feature):
    """The code points of a text: "padded" with a space on either side, or of its "words" with one space between them."""

    form: Literal["padded", "words"]

    def of(self, text: str) -> str:
        """The text whose code points they are."""
        return f" {text} " if self.form == "padded" else " ".join(text.split())

    def compute(self, keys: list[str], work: Work) -> Ragged:
        return Ragged.of([[ord(character) for character in self.of(text)] for text in keys])
