"""WordNet 3.0: the synsets of an English word, by WordNet's morphology.

The index `data/wordnet.txt.gz` is read at the first use; `tools/build_wordnet.py` describes its
content.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Ragged
from nlgauge.features.tokens.porter import MOST_WORDS

_PARTS = ("noun", "verb", "adj", "adv")
# The rules of detachment of WordNet's manual page morphy(7WN): an ending, and its replacement.
_DETACHMENTS = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
# The same by the last letter of the ending.
_RULES = {
    part: {letter: [rule for rule in rules if rule[0][-1] == letter] for letter in "dgnrst"}
    for part, rules in _DETACHMENTS.items()
}


class _Index(NamedTuple):
    # For each part of speech and inflected form the bases, entry by entry: a few forms have two.
    exceptions: dict[str, dict[str, list[list[str]]]]
    # For each word in lower case its spellings with their synsets, unparsed, because most are never used.
    words: dict[str, list[str]]
    # The numbers of each part of speech's synsets.
    ranges: dict[str, range]
    # For synsets at the same place of the files of two parts of speech, the number of the first synset.
    pooled: dict[int, int]


def index_bytes() -> bytes:
    """Return the text of the index."""
    return gzip.decompress(files("nlgauge").joinpath("data", "wordnet.txt.gz").read_bytes())


@cache
def _index() -> _Index:
    head, body, shared = index_bytes().decode("ascii").split("\n\n")
    counts, *lines = head.split("\n")
    bounds = pairwise(accumulate(map(int, counts.split()), initial=0))
    exceptions: dict[str, dict[str, list[list[str]]]] = {part: {} for part in _PARTS}
    for line in lines:
        part, inflected, *bases = line.split()
        exceptions[part].setdefault(inflected, []).append(bases)
    words = defaultdict(list)
    for line in body.split("\n"):
        words[line[: line.index(" ")].lower()].append(line)
    pooled = {
        number: numbers[0]
        for numbers in ([int(number) for number in line.split()] for line in shared.split("\n"))
        for number in numbers
    }
    return _Index(
        exceptions,
        dict(words),
        {part: range(*pair) for part, pair in zip(_PARTS, bounds, strict=True)},
        pooled,
    )


@lru_cache(MOST_WORDS)
def synsets(word: str) -> frozenset[int]:
    """Return the numbers of the synsets of a word in all parts of speech, inflected forms traced to their
    bases; expressions have none.

    >>> bool(synsets("cars") & synsets("automobile")), bool(synsets("cars") & synsets("dog"))
    (True, False)
    """
    form = word.lower()
    return frozenset(
        number for part in _PARTS for base in (form, *_bases(form, part)) for number in _listed(base, part)
    )


@lru_cache(MOST_WORDS)
def pooled_synsets(word: str) -> frozenset[int]:
    """Return the synsets that the METEOR 1.5 program finds for a word, without regard to the part of speech.

    So it looks up exceptions and endings, and identifies synsets at the same place of the files of two parts
    of speech: "standing" and "down" are synonyms to it.

    >>> bool(pooled_synsets("combat") & pooled_synsets("fighter")), bool(synsets("combat") & synsets("fighter"))
    (True, False)
    """
    entries = [entry for part in _PARTS for entry in _index().exceptions[part].get(word, ())]
    bases = [base for entry in entries for base in entry]
    if not entries and not word.endswith("ss") and len(word) > 2:
        bases = [base for part in _PARTS for base in _detached(word, part) if base in _index().words][:1]
    pooled = _index().pooled
    return frozenset(
        pooled.get(number, number)
        for base in (word, *bases)
        for part in _PARTS
        for number in _listed(base, part)
    )


@lru_cache(MOST_WORDS)
def nltk_synonyms(word: str) -> frozenset[str]:
    """Return the words of the synsets that NLTK finds for a word, as WordNet spells them: names have their
    capitals.

    NLTK detaches every ending that leaves a word, also from "as", turns "ves" into "f", and of an exception
    listed twice knows the last.

    >>> sorted(nltk_synonyms("automobiles"))
    ['auto', 'automobile', 'car', 'machine', 'motorcar']
    """
    form = word.lower()
    found: set[str] = set()
    for part in _PARTS:
        detached = _detached(form, part) + (
            [form[:-3] + "f"] if part == "noun" and form.endswith("ves") else []
        )
        bases = _index().exceptions[part].get(form, [detached])[-1]
        found.update(
            spelling
            for base in (form, *bases)
            for number in _listed(base, part)
            for spelling in _members()[number]
        )
    return frozenset(found)


@compiled
def synset_column(words: list[str], pooled: bool) -> Ragged:
    """Return the `synsets` of each word, or its `pooled_synsets`, in ascending order; `native/wordnet.cpp`
    has the twin.
    """
    return Ragged.of(
        [sorted((pooled_synsets if pooled else synsets)(word)) for word in words], dtype=np.int32
    )


@compiled
def accepted_stems(stems: list[str]) -> Ragged:
    """Return for each stem the stems that NLTK takes for its synonyms, numbered in order of first appearance.

    >>> accepted_stems(["auto", "dog", "car", "auto"]).lists()
    [[0, 2], [1], [0, 2], [0, 2]]
    """
    numbers = {stem: number for number, stem in enumerate(dict.fromkeys(stems))}
    accepted = {
        stem: sorted(numbers[one] for one in {stem, *nltk_synonyms(stem)} if one in numbers)
        for stem in numbers
    }
    return Ragged.of([accepted[stem] for stem in stems], dtype=np.int32)


@cache
def exceptions() -> Mapping[str, str]:
    """Return the first base of every irregular form; if parts of speech disagree, the first of adjective,
    adverb, noun, verb.

    >>> exceptions()["mice"], exceptions()["went"]
    ('mouse', 'go')
    """
    found: dict[str, str] = {}
    for part in sorted(_PARTS):
        for inflected, entries in _index().exceptions[part].items():
            found.setdefault(inflected, entries[0][0])
    return MappingProxyType(found)


def _bases(form: str, part: str) -> list[str]:
    """Return the words that a form may be an inflection of: all words of the exception list, otherwise the
    first word that detaching an ending leaves.
    """
    if form in _index().exceptions[part]:
        return [base for entry in _index().exceptions[part][form] for base in entry]
    if part == "noun" and (form.endswith("ss") or len(form) <= 2):
        return []
    return [base for base in _detached(form, part) if _listed(base, part)][:1]


def _detached(form: str, part: str) -> list[str]:
    return [
        form.removesuffix(old) + new for old, new in _RULES[part].get(form[-1:], ()) if form.endswith(old)
    ]


def _listed(form: str, part: str) -> list[int]:
    """Return the synsets of a form in a part of speech."""
    return _by_part(form)[part] if form in _index().words else []


@lru_cache(MOST_WORDS)
def _by_part(form: str) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {part: [] for part in _PARTS}
    ranges = _index().ranges
    for line in _index().words[form]:
        for number in map(int, line.split()[1:]):
            for part in _PARTS:
                if number < ranges[part].stop:
                    found[part].append(number)
                    break
    return found


@cache
def _members() -> dict[int, list[str]]:
    """Return the words of each synset."""
    found = defaultdict(list)
    for lines in _index().words.values():
        for line in lines:
            spelling, *numbers = line.split()
            for number in numbers:
                found[int(number)].append(spelling)
    return dict(found)
