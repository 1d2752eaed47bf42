"""Compiled kernels of sequences (alignments, subsequences, word order) against the Python kernels."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marks import thorough
from twins import ROW, assert_twins, column, needs_native, pairs

from nlgauge._core.ragged import Ragged
from nlgauge.kernels.edits.character import character_edits
from nlgauge.kernels.edits.distances import edit_counts, edit_distances
from nlgauge.kernels.edits.jumps import JumpCosts, jump_distances
from nlgauge.kernels.edits.tercom import shift_edits
from nlgauge.kernels.lcs import lcs_lengths, lcs_places, union_lcs_hits
from nlgauge.kernels.skip_bigrams import skip_bigram_matches
from nlgauge.kernels.weighted_lcs import weighted_lcs_hits, weighted_lcs_places
from nlgauge.kernels.word_order import ascending_pairs, word_places

pytestmark = [needs_native, pytest.mark.slow]

LENGTHS = st.sampled_from([1, 31, 32, 33, 63, 64, 65, 66, 127, 128, 129, 191, 193])


def drawn(length: int, kinds: int, seed: int) -> list[int]:
    """A row of so many tokens of so many kinds, drawn from a seed; the greatest is the greatest that
    there can be.
    """
    return (2**31 - 1 - np.random.default_rng(seed).integers(0, kinds, length)).tolist()


def changed(row: list[int], share: float, seed: int) -> list[int]:
    """The row with this share of its tokens dropped or doubled."""
    rng = np.random.default_rng(seed)
    kept = np.where(rng.random(len(row)) < share, rng.choice([0, 2], len(row)), 1)
    return np.repeat(row, kept).tolist()


# Rows as long as a word of bits or some, of few kinds of tokens, and rows that differ from them a little.
LONG_ROW = st.builds(drawn, LENGTHS, st.integers(1, 12), st.integers(0, 99))
LIKE = st.builds(changed, LONG_ROW, st.sampled_from([0.02, 0.2]), st.integers(0, 99))
ROWS = st.one_of(
    st.lists(ROW, min_size=1, max_size=5), st.lists(st.one_of(LONG_ROW, LIKE), min_size=1, max_size=4)
)


@given(ROWS)
def test_edit_counts(rows):
    assert_twins(edit_counts, column(rows), *pairs(rows))
    assert_twins(edit_distances, column(rows), *pairs(rows))


@pytest.mark.parametrize("kinds", [2, 30, 5000])
@pytest.mark.parametrize("share", [0.001, 0.03, 0.4, 1.0])
def test_edit_counts_of_long_texts_that_are_aligned_in_halves(kinds, share):
    row = drawn(4500, kinds, 1)
    rows = [row, changed(row, share, 2), drawn(2048, kinds, 3), drawn(70, kinds, 4), drawn(9, kinds, 5)]
    assert_twins(edit_counts, column(rows), *pairs(rows))
    assert_twins(edit_distances, column(rows), *pairs(rows))


@given(ROWS)
def test_lcs_lengths(rows):
    assert_twins(lcs_lengths, column(rows), *pairs(rows))


def test_lcs_lengths_of_long_texts():
    rows = [drawn(3000, kinds, seed) for seed, kinds in enumerate((2, 30, 5000))]
    rows.append(changed(rows[-1], 0.1, 4))
    assert_twins(lcs_lengths, column(rows), *pairs(rows))


def test_a_rare_token_of_a_longer_text_before_leaves_nothing_behind():
    longer, shorter = drawn(4500, 5000, 1), drawn(1500, 30, 2)
    rows = [
        [*drawn(50, 5000, 3), longer[4400], 1],
        longer,
        [7, *drawn(700, 30, 4)],
        [*shorter[:10], 7, *shorter[10:]],
    ]
    for kernel in (lcs_lengths, edit_counts):
        assert_twins(kernel, column(rows), np.array([0, 2]), np.array([1, 3]))


WEIGHTS = st.sampled_from([1.0, 1.2, 2.0, 5.0])
FEW = st.lists(st.integers(0, 3), max_size=20)
PAIR = st.one_of(st.tuples(FEW, FEW), st.tuples(LONG_ROW, LONG_ROW), st.tuples(LONG_ROW, LIKE))


@given(PAIR, WEIGHTS)
def test_places_of_subsequences(pair, weight):
    assert_twins(lcs_places, *pair)
    assert_twins(weighted_lcs_places, *pair, weight)


@pytest.mark.parametrize("kinds", [3, 300])
def test_places_of_a_subsequence_of_texts_whose_table_is_not_kept(kinds):
    row = drawn(12_000, kinds, 1)
    assert_twins(lcs_places, row, changed(row, 0.5, 2))


@st.composite
def texts(draw: st.DrawFn) -> tuple[Ragged, Ragged, Ragged]:
    """A column of sentences, and the sentences of some pairs of texts; sentences come again within a text
    and on both sides.
    """
    sentences = draw(st.lists(st.one_of(ROW, FEW, LIKE), min_size=1, max_size=7))
    text = st.lists(st.integers(0, len(sentences) - 1), max_size=6)
    left = draw(st.lists(text, min_size=1, max_size=4))
    return column(sentences), Ragged.of(left), Ragged.of([draw(text) for _ in left])


@given(texts(), WEIGHTS)
def test_unions_of_subsequences(sides, weight):
    assert_twins(union_lcs_hits, *sides)
    assert_twins(weighted_lcs_hits, *sides, weight)


def shuffled(row: list[int], blocks: int, seed: int) -> list[int]:
    """The row cut into so many blocks at most, and these in another order."""
    rng = np.random.default_rng(seed)
    parts = np.split(np.array(row), np.sort(rng.integers(0, len(row), blocks - 1)))
    return np.concatenate([parts[i] for i in rng.permutation(len(parts))]).tolist()


# Around 64 tokens a row of the grid no longer fits into a word; with more than 20 edits or so the beam begins
# to matter.
SHUFFLED = st.builds(shuffled, st.one_of(LONG_ROW, LIKE).filter(bool), st.integers(1, 9), st.integers(0, 99))


@given(st.lists(st.one_of(ROW, SHUFFLED), min_size=2, max_size=2))
@settings(max_examples=30)
def test_shift_edits(rows):
    assert_twins(shift_edits, column(rows), np.array([0, 1]), np.array([1, 0]))


@pytest.mark.parametrize("kinds", [8, 1000])
@pytest.mark.parametrize("length", [24, 26, 50, 64, 65, 130])
def test_shift_edits_of_blocks_in_another_order(kinds, length):
    row = drawn(length, kinds, 1)
    rows = [
        row,
        shuffled(row, 4, 2),
        shuffled(changed(row, 0.1, 3), 8, 4),
        drawn(20, kinds, 5),
        drawn(1, kinds, 6),
        [],
    ]
    every = np.arange(len(rows))
    assert_twins(shift_edits, column(rows), every, np.roll(every, 1))
    assert_twins(shift_edits, column(rows), np.roll(every, 1), every)


# Texts of which the edits change where one more shift is tried, or where blocks may be one place farther
# apart.
@pytest.mark.parametrize("seed", [49, 128])
def test_shift_edits_at_the_limits_of_the_search(seed):
    row = drawn(64, 8, seed)
    assert_twins(shift_edits, column([row, shuffled(row, 9, seed)]), np.array([1]), np.array([0]))


@pytest.mark.parametrize("length", [49, 51, 103, *thorough(99, 130, 400)])
@pytest.mark.parametrize("place", [0, 3, 40])
def test_shift_edits_of_references_that_are_many_times_longer(length, place):
    reference = list(range(100, 100 + length))
    rows = [
        reference[place:][:1],
        reference[place:][:2],
        [reference[place + 5], reference[place]],
        [1, reference[-1 - place]],
        [1],
    ]
    assert_twins(shift_edits, column([*rows, reference]), np.arange(len(rows)), np.full(len(rows), len(rows)))


@pytest.mark.parametrize("extra", [24, 25, 26, *thorough(22, 23, 27)])
@pytest.mark.parametrize("length", [32, 64])
def test_shift_edits_where_the_beam_cuts_off_the_cheapest_way(extra, length):
    common = list(range(length - extra))
    rows = [[*range(100, 100 + extra), *common], [*common, *range(200, 200 + extra)], common]
    assert_twins(shift_edits, column(rows), *pairs(rows))


# Costs that fit into 16 bits, into 32 bits, into neither; a deletion for nothing; a substitution cheaper than
# an insertion; fractions.
WHOLE_COSTS = [
    JumpCosts(1, 1, 1, 1, 1),
    JumpCosts(200_000, 1_000_000, 1_000_000, 2_000_000, 1_000_000),
    JumpCosts(200_001, 1_000_000, 1_000_000, 2_000_000, 1_000_000),
    JumpCosts(999_999_999, 1_000_000, 1_000_001, 999_999_998, 1_000_000),
    JumpCosts(0, 1, 1, 0, 1),
    JumpCosts(3, 5, 2, 7, 1),
    JumpCosts(90, 100, 130, 240, 7),
]
FRACTIONS = [JumpCosts(0.2, 1.0, 1.0, 2.0, 1.0), JumpCosts(0.1, 1.1, 0.7, 0.3, 0.9)]
SINGLE = [JumpCosts(*map(np.float32, costs)) for costs in FRACTIONS]
LANDINGS = st.sampled_from([None, 0, 1, 2**31 - 1])


@given(ROWS, st.sampled_from([*WHOLE_COSTS, *FRACTIONS, *SINGLE]), LANDINGS, st.booleans())
def test_jump_distances(rows, costs, landing, truncated):
    assert_twins(jump_distances, column(rows), *pairs(rows), costs, landing, truncated)


@pytest.mark.parametrize("kinds", [30, *thorough(2, 40_000)])
@pytest.mark.parametrize("costs", WHOLE_COSTS, ids=str)
def test_jump_distances_of_long_texts(kinds, costs):
    row = drawn(33_000, kinds, 1)
    rows = [row, changed(row[:150], 0.3, 2), drawn(90, kinds, 3)]
    for landing in (None, 2**31 - 1):
        assert_twins(jump_distances, column(rows), np.array([0, 1, 1]), np.array([1, 2, 1]), costs, landing)
    assert_twins(jump_distances, column(rows), np.array([2]), np.array([0]), costs, 2**31 - 1)


def test_jump_distances_of_more_different_tokens_than_16_bits_can_tell_apart():
    rows = [list(range(70_000)), [65_540, 5], [80_000, 4]]
    assert_twins(jump_distances, column(rows), np.array([0, 0]), np.array([1, 2]), JumpCosts(1, 1, 1, 1, 1))


NARROW, *WIDE = ((32, 97, 65_534, 0, 65_533), (32, 97, 65_535), (32, 97, 65_536 + 32))
SHORT, *OTHERS = (
    *WHOLE_COSTS,
    *FRACTIONS,
    JumpCosts(15_000, 14_000, 15_000, 1, 3),
    JumpCosts(200, 300, 300, 1, 300),
)


# Whether tokens are narrow and what jumps cost are told apart one after the other.
@pytest.mark.parametrize(
    ("costs", "tokens"),
    [
        *product((SHORT, *OTHERS), [NARROW]),
        *product([SHORT, OTHERS[-1]], WIDE),
        *thorough(*product(OTHERS[:-1], WIDE)),
    ],
    ids=str,
)
def test_jump_distances_of_many_pairs_of_about_the_same_length(costs, tokens):
    for length in (3, 34, 95):
        row = np.random.default_rng(length).choice(tokens, length).tolist()
        rows = [changed(row, 0.1 + seed / 50, seed) for seed in range(35)]
        longer = [[*row, *tokens[2:3] * 4] for row in rows]
        for landing in (None, 32):
            assert_twins(
                jump_distances, column(rows), np.arange(35), np.roll(np.arange(35), 7), costs, landing
            )
            assert_twins(
                jump_distances, column([*rows, *longer]), np.arange(35), np.arange(35, 70), costs, landing
            )


def spelled(row: list[int], letters: int) -> list[int]:
    """The tokens as words of few letters, one space between them."""
    words = [[97 + (token + k) % letters for k in range(1 + token % 3)] for token in row]
    return [character for word in words for character in (32, *word)][1:]


LETTERS = st.lists(st.sampled_from([32, 97, 98, 0x10FFFF, 2**31 - 1]), max_size=12)
WORDS = st.builds(spelled, st.one_of(LONG_ROW, LIKE.filter(bool), SHUFFLED), st.integers(1, 5))


@given(st.lists(st.one_of(LETTERS, WORDS), min_size=1, max_size=3), st.booleans())
def test_character_edits(rows, rounded):
    assert_twins(character_edits, column(rows), *pairs(rows), rounded)


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("length", [20, 64, 65, 97, 140])
def test_character_edits_of_phrases_in_another_order(length, rounded):
    row = [token % 1000 for token in drawn(length, 800, 1)]
    rows = [row, shuffled(row, 4, 2), shuffled(changed(row, 0.1, 3), 9, 4), [token % 7 for token in row]]
    assert_twins(
        character_edits,
        column([spelled(words, 9) for words in rows]),
        np.arange(4),
        np.array([1, 2, 0, 0]),
        rounded,
    )


DISTANCES = st.sampled_from([None, 0, 1, 4, 70, 10**6])


@given(ROWS, DISTANCES, st.booleans(), st.booleans())
def test_skip_bigram_matches(rows, distance, unigrams, last):
    assert_twins(skip_bigram_matches, column(rows), *pairs(rows), distance, unigrams, last)


@pytest.mark.parametrize("kinds", [3, 400, 5000])
@pytest.mark.parametrize("distance", [None, 0, 4, 300])
def test_skip_bigram_matches_of_long_texts(kinds, distance):
    rows = [drawn(1200, kinds, 1), drawn(900, kinds, 2)]
    assert_twins(skip_bigram_matches, column(rows), *pairs(rows), distance, True, False)


@given(ROWS, st.booleans())
def test_word_places(rows, nltk):
    assert_twins(word_places, column(rows), *pairs(rows), nltk)


@pytest.mark.parametrize("kinds", [1, 3, 400])
def test_word_places_of_long_texts(kinds):
    row = drawn(1500, kinds, 1)
    rows = [row, changed(row, 0.1, 2), shuffled(row, 9, 3), row[:40]]
    assert_twins(word_places, column(rows), *pairs(rows))


# Every text of at most four words of which there are two, and of at most three of which there are three, with
# every other.
SHORT = [
    list(row)
    for kinds, most in ((2, 4), (3, 3))
    for length in range(most + 1)
    for row in product(range(kinds), repeat=length)
]


@pytest.mark.parametrize(
    ("kernel", "arguments"),
    [
        (edit_counts, ()),
        (lcs_lengths, ()),
        (word_places, (False,)),
        (word_places, (True,)),
        (skip_bigram_matches, (0, True, False)),
        (skip_bigram_matches, (1, True, True)),
        (jump_distances, (JumpCosts(1, 1, 1, 1, 1),)),
        (jump_distances, (JumpCosts(2, 10, 10, 20, 10), 1)),
        (shift_edits, ()),
    ],
    ids=lambda given: getattr(given, "__name__", str(given)),
)
def test_every_pair_of_short_texts(kernel, arguments):
    assert_twins(kernel, column(SHORT), *pairs(SHORT), *arguments)


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize(
    "start", [(), (97, 97)], ids=["words of one letter", "words that differ in their third"]
)
def test_character_edits_of_every_pair_of_short_texts(start, rounded):
    """Of shifts that gain the same, the one that gives the greater list of words is taken."""
    rows = [[character for word in row for character in (32, *start, 97 + word)][1:] for row in SHORT[:40]]
    assert_twins(character_edits, column(rows), *pairs(rows), rounded)


@given(st.lists(st.lists(st.integers(-1, 9) | st.integers(0, 2**40), max_size=40), min_size=1, max_size=4))
def test_ascending_pairs(rows):
    assert_twins(ascending_pairs, column(rows, np.int64))


def test_character_edits_of_one_long_pair_after_the_other():
    """The block that is worth moving in one pair is not in the next one, where another is."""
    moved = [50, *range(50), *range(51, 100)]
    other = [50, *range(200, 249), 50, *range(249, 278), 3, *range(278, 297)]
    rows = [
        [character for word in words for character in (32, 97 + word // 10, 97 + word % 10)][1:]
        for words in (range(100), moved, other)
    ]
    assert_twins(character_edits, column(rows), np.array([1, 2]), np.array([0, 0]), False)
