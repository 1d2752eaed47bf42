"""The counts of readability formulas (words, sentences, syllables, letters, hard words), and common code of
the indices.

Sentence: what sentencex ends, if there is a word in it; it takes a quotation of several sentences for a part
of one, so the text between quotation marks is split once more. Word: a run of letters and digits, with single
apostrophes, hyphens and full stops, and commas between digits, inside it. Letters: the letters and digits of
words. Syllables: the rule of `syllables`. Polysyllable: a word of three syllables or more. Complex word
(Gunning): a polysyllable that still is one without its ending -es, -ed or -ing, that has a polysyllabic part
if hyphens join several parts, and that is not a name: no capital begins it, unless it begins the sentence.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import ClassVar, NamedTuple

import numpy as np
import regex

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged
from nlgauge.features import Feature, Work
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.features.tokens.text import MOST_WORDS
from nlgauge.features.tokens.token_ids import vocabulary
from nlgauge.features.tokens.tokenizers import tokenizer

_LETTER = regex.compile(r"[\p{L}\p{N}]")
# The tokenizer whose tokens are words if they have a letter or digit.
_WORDS = "joined"
_HYPHEN = re.compile("[-‐‑]")
_ENDING = re.compile(r"(?:es|ed|ing)\Z")
_PART = re.compile("[a-z']*[a-z][a-z']*")

# A vowel sound: a run of vowels; y is a vowel except before a vowel: there it is a consonant or, after a
# consonant, a separate sound.
_NUCLEUS = re.compile(r"(?<=[^aeiouwy])y(?=[aeiou])|(?:[aeiou]|y(?![aeiou]))+")
# Silent: an e at the end, or before -s, -d and some suffixes, but in hous-es, want-ed, ta-ble, cen-tre; ue in
# league.
_SILENT = re.compile(
    r"(?<=[^aeiou])(?<![^aeiouyl]l)(?<![^aeiouyr']r)(?:e|(?<!ch)(?<!sh)(?<![scgxz])es|(?<![dt])ed|e(?:ly|ty|ful|less|ments?|ness))$|(?<=[aeiou][gq])ues?$"
)
# Vowels spoken apart (med-ia, per-iod, stad-ium, vid-eo, us-ual, cl-ient, earl-ier, cre-ate, go-ing), and m
# or n as a syllable (pris-m, did-n't).
_APART = re.compile(
    r"(?<![ctgs])(?<!ll)(?<!sh)ia(?!ge)|(?<![ctgsx])(?<!ll)(?<!sh)io|iu|(?<![gp])eo|(?<![gq])ua|uou|(?<![ct])ien(?:ce|t)|ie(?:r|st)$|creat(?!ure)"
    r"|[aeou]ing|(?:is|th)ms?$|[^aeiouy]n't$"
)
_EXCEPTIONS = {
    **dict.fromkeys(
        ["business", "people", "premier", "science", "someone", "something", "sometimes", "wednesday"], 2
    ),
    **dict.fromkeys(["area", "everyone", "everything", "idea"], 3),
}


# Between double marks anything but these; between single ones, which are apostrophes too, what ends as speech
# does.
_QUOTED = regex.compile(
    r"""["][^"]{2,5000}["]|“[^”]{2,5000}”|«[^»]{2,5000}»|„[^“”]{2,5000}[“”]|(?<!\w)['‘].{2,5000}?[.!?,…]['’](?!\w)""",
    regex.DOTALL,
)
# Any quotation has a double mark that begins it or a single one that ends speech, and these are found more
# quickly.
_MARK = re.compile(r"""["“«„'’](?<![^.!?,…]['’])""")


def sentences(text: str, lang: str) -> list[str]:
    """Return the sentences of a text, with quoted sentences separate; the first has the text before the
    quotation, the last the text after it.

    >>> sentences('"Go home. It is late!" she said. He went.', "en")
    ['"Go home.', 'It is late!" she said.', 'He went.']
    """
    found = Sentences(lang).of(text)
    return (
        [part for sentence in found for part in _speech_apart(sentence, lang)]
        if _MARK.search(text)
        else found
    )


def _speech_apart(sentence: str, lang: str) -> list[str]:
    if _MARK.search(sentence) is None or _QUOTED.search(sentence) is None:
        return [sentence]
    cuts = [0]
    for found in _QUOTED.finditer(sentence):
        place = found.start() + 1
        for number, said in enumerate(Sentences(lang).of(sentence[place : found.end() - 1])):
            place = sentence.index(said, place)
            if number:
                cuts.append(place)
            place += len(said)
    return [sentence[start:end].strip() for start, end in pairwise([*cuts, len(sentence)])]


@lru_cache(MOST_WORDS)
def syllables(word: str) -> int:
    """Return the number of syllables of an English word, by rule; at least 1, and 1 for a number.

    >>> [syllables(word) for word in ("cat", "created", "table", "readability", "didn't", "2003")]
    [1, 3, 2, 5, 2, 1]
    """
    plain = word.lower().replace("’", "'")
    if not plain.isascii():
        plain = "".join(
            sign for sign in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(sign)
        )
    parts = _PART.findall(plain)
    return max(1, sum(_EXCEPTIONS.get(part) or _counted(part) for part in parts))


def _counted(part: str) -> int:
    return max(
        1, len(_NUCLEUS.findall(part)) + len(_APART.findall(part)) - (_SILENT.search(part) is not None)
    )


class Word(NamedTuple):
    """A word and its contribution to each count."""

    text: str
    syllables: int
    letters: int
    polysyllables: int
    complex_words: int


class _Facts(NamedTuple):
    """Return the facts of a word that do not depend on its place; a token without letters is not a word.

    A hard word is complex unless it is a name.
    """

    letters: int
    syllables: int
    hard: bool
    capital: bool


@lru_cache(MOST_WORDS)
def _facts(text: str) -> _Facts:
    lower = text.lower()
    count = syllables(lower)
    hard = count >= 3 and any(
        syllables(part) >= 3 and syllables(_ENDING.sub("", part)) >= 3 for part in _HYPHEN.split(lower)
    )
    letters = len(text) if text.isascii() and text.isalnum() else len(_LETTER.findall(text))
    return _Facts(letters, count, hard, text[:1].isupper())


@compiled
def word_facts(words: list[str]) -> Array:
    """Return for each word its letters, its syllables, whether it is hard and whether a capital begins it, in
    a row; `native/readability.cpp` has the twin.

    >>> word_facts(["Readability", "created", "U.S"]).tolist()
    [[11, 5, 1, 1], [7, 3, 0, 0], [2, 2, 0, 1]]
    """
    return np.array([_facts(word) for word in words], dtype=np.int64).reshape(-1, len(_Facts._fields))


@compiled
def readability_counts(words: Ragged, texts: Array, count: int, facts: Array) -> Array:
    """Return a row of counts for each text, from the words of sentences, the text of each sentence and the
    facts of each word.
    """
    facts = facts[words.values]
    real = facts[:, 0] > 0
    sentence, (letters, syllables, hard, capital) = words.owners[real], facts[real].T
    begins = np.diff(sentence, prepend=-1) > 0
    counted = [real[real], begins, syllables, letters, syllables >= 3, (hard > 0) & ((capital == 0) | begins)]
    return np.column_stack([np.bincount(texts[sentence], values, count) for values in counted]).astype(
        np.float64
    )


@dataclass(frozen=True)
class ReadabilityCounts(Feature):
    """The counts of a text, in the order of `NAMES`."""

    NAMES: ClassVar[tuple[str, ...]] = (
        "words",
        "sentences",
        "syllables",
        "letters",
        "polysyllables",
        "complex_words",
    )

    lang: str = "en"

    def of(self, text: str) -> list[list[Word]]:
        """Return the words of each sentence that has any."""
        words_of = (
            [word for word in tokenizer(_WORDS)(sentence) if _facts(word).letters]
            for sentence in sentences(text, self.lang)
        )
        return [[_word(word, begins=i == 0) for i, word in enumerate(words)] for words in words_of if words]

    def compute(self, keys: list[str], work: Work) -> Ragged:
        parts = [sentences(text, self.lang) for text in keys]
        texts = np.repeat(np.arange(len(keys)), [len(part) for part in parts])
        known = vocabulary(tokenizer(_WORDS))
        words = known.tokens(list(chain.from_iterable(parts)))
        found = readability_counts(words, texts, len(keys), word_facts(known.words()))
        return Ragged(found.ravel(), np.arange(len(keys) + 1) * len(self.NAMES))


def _word(text: str, begins: bool) -> Word:
    facts = _facts(text)
    return Word(
        text,
        facts.syllables,
        facts.letters,
        int(facts.syllables >= 3),
        int(facts.hard and (begins or not facts.capital)),
    )
