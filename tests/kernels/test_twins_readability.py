"""The compiled rule of syllables, and what else is counted of a word, against the rule in plain Python."""

from __future__ import annotations

import gzip
from itertools import product

import numpy as np
import pytest
from human_judgments import FOLDER
from hypothesis import example, given
from hypothesis import strategies as st
from marks import thorough
from twins import assert_twins, column, needs_native

from nlgauge.features.lexical.readability import _EXCEPTIONS, _MARK, _QUOTED, readability_counts, word_facts
from nlgauge.features.tokens.token_ids import vocabulary
from nlgauge.features.tokens.tokenizers import tokenizer

pytestmark = needs_native

# What the patterns of the rule speak of, so that words put together from it meet every alternative and what
# excludes it.
PIECES = [
    *"aeiouywlrstcghdnxzqpmbk'’-‐‑.2A",
    *(
        "ia",
        "io",
        "iu",
        "eo",
        "ua",
        "uou",
        "ience",
        "ient",
        "ier",
        "iest",
        "creat",
        "ure",
        "ing",
        "ism",
        "thm",
        "n't",
        "iage",
    ),
    *(
        "es",
        "ed",
        "ely",
        "ety",
        "eful",
        "eless",
        "ement",
        "ements",
        "eness",
        "ue",
        "ues",
        "ch",
        "sh",
        "ll",
        "le",
        "re",
        "ment",
    ),
    *("é", "E\u0301", "ﬁ", "ｅ", "İ", "猫", "ж", "٣", "𝐞", "\n", " "),
    *_EXCEPTIONS,
]


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), max_size=8))
@example([])
@example([""])
@example([*_EXCEPTIONS, *map(str.title, _EXCEPTIONS)])
def test_words_of_nasty_pieces(words):
    assert_twins(word_facts, words)


@given(st.lists(st.text(max_size=6), max_size=4))
def test_any_words(words):
    assert_twins(word_facts, words)


@pytest.mark.parametrize(
    ("alphabet", "longest"),
    [
        ("aeiouywlrsgqp'", 4),
        *thorough(("eysdtl'-", 5), ("iaoeuctgshlx", 4), ("uegqsa", 6), ("isthmn'", 5), ("inecgrsto", 5)),
    ],
)
def test_all_short_words(alphabet, longest):
    assert_twins(
        word_facts,
        ["".join(letters) for size in range(longest + 1) for letters in product(alphabet, repeat=size)],
    )


def test_all_words_of_three_pieces():
    pieces = [piece for piece in PIECES if piece.isascii() and piece.isalpha() and piece not in _EXCEPTIONS]
    assert_twins(word_facts, ["".join(word) for word in product(pieces, repeat=3)])


@pytest.mark.parametrize("step", [10, *thorough(1)])
def test_words_of_the_human_judgment_sets(step):
    """Compare the words of every line, or of a part of the lines."""
    if not FOLDER.is_dir():
        pytest.skip("the human-judgment sets are not here")
    words = vocabulary(tokenizer("joined"))
    for path in sorted(FOLDER.glob("*.jsonl.gz")):
        if "." not in path.name.removesuffix(".jsonl.gz"):  # else scores of other metrics
            words.tokens(gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()[::step])
    assert len(words.words()) > 30_000 / step
    assert_twins(word_facts, words.words())


FACTS = np.array(
    [
        [letters, syllables, hard, capital]
        for letters, syllables, hard, capital in product((0, 1, 5), (1, 2, 3, 4), (0, 1), (0, 1))
    ]
)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(0, len(FACTS) - 1), max_size=6)), max_size=8)
)
def test_counts(sentences):
    assert_twins(
        readability_counts,
        column([words for _, words in sentences]),
        np.array([text for text, _ in sentences], dtype=np.int64),
        4,
        FACTS.astype(np.int64),
    )


@given(st.text("ab²é_. ,!\"'“”«»„‘’…?\n", max_size=14))
@example("(‘so.’")
def test_nothing_is_quoted_without_a_mark(text):
    assert _MARK.search(text) or not _QUOTED.search(text)
