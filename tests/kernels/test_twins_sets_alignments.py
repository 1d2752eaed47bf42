"""Compiled alignments of METEOR against the Python kernels."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marks import thorough
from twins import assert_twins, column, needs_native, pairs

from nlgauge.kernels.alignment import BUDGET, word_alignments
from nlgauge.kernels.alignment_compat import beam_alignments, greedy_alignments

pytestmark = needs_native

# Words of which many match: few of them, some long rows, and rows of one or two different words.
WORDS = 12
ROW = st.one_of(
    st.lists(st.integers(0, WORDS - 1), max_size=9),
    st.lists(st.integers(0, 1), min_size=60, max_size=70),
    st.lists(st.integers(0, 11), max_size=80),
)
ROWS = st.lists(ROW, min_size=1, max_size=3)
KEY = st.sampled_from([0, 1, 2, 3, 4, 5, 2**31 - 1])
KEYS = st.lists(st.lists(KEY, max_size=3, unique=True), min_size=WORDS, max_size=WORDS)


def modules(*keys):
    return [column([[word] for word in range(WORDS)]), *map(column, keys)]


@pytest.mark.parametrize("budget", [1, 300, 5_000])
@given(ROWS, KEYS, KEYS)
def test_word_alignments(budget, rows, stems, synonyms):
    assert_twins(word_alignments, column(rows), *pairs(rows), modules(stems, synonyms), budget)


@given(st.lists(st.lists(st.integers(0, WORDS - 1), max_size=12), min_size=1, max_size=3), KEYS, KEYS)
def test_word_alignments_that_are_exact(rows, stems, synonyms):
    assert_twins(word_alignments, column(rows), *pairs(rows), modules(stems, synonyms), BUDGET)


@pytest.mark.parametrize("budget", [1, 300, 5_000])
@given(st.lists(st.lists(st.integers(0, WORDS - 1), min_size=20, max_size=60), min_size=2, max_size=3))
def test_word_alignments_of_words_that_are_done_with_one_by_one(budget, rows):
    assert_twins(word_alignments, column(rows), *pairs(rows), modules(), budget)


@given(st.lists(st.lists(st.integers(0, WORDS - 1), max_size=24), min_size=1, max_size=2), KEYS, KEYS)
def test_beam_alignments(rows, stems, synonyms):
    assert_twins(beam_alignments, column(rows), *pairs(rows), modules(stems, synonyms))


FIRST = ([0, 1, 1, 2] * 17, [0] * 190, [3, 0, 0, 0, 1, 0] * 33)
SECOND = ([1, 2, 0] * 5, [2, 0, 0, 0], [1, *[0] * 11, 1, 3])
PAIRS = list(zip(FIRST, SECOND, strict=True))


@pytest.mark.parametrize(
    ("first", "second"),
    [*PAIRS, *thorough(*(pair for pair in product(FIRST, SECOND) if pair not in PAIRS))],
)
def test_beam_alignments_of_many_equal_words(first, second):
    keys = modules([[word % 2] for word in range(WORDS)], [[word // 2] for word in range(WORDS)])
    assert_twins(beam_alignments, column([first, second]), np.array([0]), np.array([1]), keys)


MANY = st.lists(st.sampled_from([0, 0, 0, 0, 0, 0, 1, 2]), min_size=60, max_size=75)


@settings(max_examples=5)
@given(MANY, MANY, KEYS)
def test_beam_alignments_of_a_word_at_many_places(first, second, stems):
    assert_twins(beam_alignments, column([first, second]), np.array([0]), np.array([1]), modules(stems))


@given(ROWS, st.lists(KEY, min_size=WORDS, max_size=WORDS), KEYS)
def test_greedy_alignments(rows, stems, accepted):
    assert_twins(
        greedy_alignments, column(rows), *pairs(rows), column([[stem] for stem in stems]), column(accepted)
    )
