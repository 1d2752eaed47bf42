"""Compiled look-ups in WordNet against those in plain Python."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from twins import assert_twins, needs_native

from nlgauge.features.lexical.wordnet import _DETACHMENTS, _PARTS, _index, accepted_stems, synset_column

pytestmark = needs_native

ENDINGS = [
    "",
    "ss",
    "ves",
    "S",
    "é",
    "es ",
    *(ending for rules in _DETACHMENTS.values() for ending, _ in rules),
]
BASES = [
    "car",
    "auto",
    "automobile",
    "fight",
    "combat",
    "glass",
    "box",
    "Paris",
    "paris",
    "kni",
    "wol",
    "fox",
    "church",
    "wo",
    "fly",
    "go",
    "fast",
]
WORDS = st.tuples(st.sampled_from(BASES), st.sampled_from(ENDINGS)).map("".join)
NASTY = [
    "",
    "a",
    "As",
    "ss",
    "us",
    "gas",
    "men",
    "went",
    "better",
    "standing",
    "down",
    "\u212aing",
    "İ",
    "dog 1",
    "dog\n",
    "\0",
    "'s",
    "axes",
    "lives",
]


@pytest.mark.parametrize("pooled", [False, True])
@given(words=st.lists(WORDS | st.sampled_from(NASTY) | st.text(max_size=5), max_size=12))
@example(words=NASTY)
def test_synsets(pooled, words):
    assert_twins(synset_column, words, pooled)


@given(st.lists(WORDS | st.sampled_from(NASTY) | st.text(max_size=5), max_size=12))
@example(NASTY)
@example(["Paris", "paris", "PARIS", "paris"])
@example(["reves", "referee", "ref"])
def test_accepted_stems(stems):
    assert_twins(accepted_stems, stems)


def test_words_of_the_index():
    words = list(_index().words)[::8]
    inflected = [form for part in _PARTS for form in _index().exceptions[part]]
    made = [word + ENDINGS[number % len(ENDINGS)] for number, word in enumerate(words)]
    spelt = [line.split(" ", 1)[0] for lines in list(_index().words.values())[::8] for line in lines]
    assert len(words) > 8_000
    assert len(inflected) > 4_000
    for pooled in (False, True):
        assert_twins(synset_column, words + inflected + made + spelt, pooled)
    assert_twins(accepted_stems, words + inflected + made + spelt)
