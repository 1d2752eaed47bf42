"""Compiled kernels that count n-grams, and fragments, against the Python kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import ROWS, assert_twins, column, needs_native, pairs

from nlgauge._core.ragged import Ragged
from nlgauge.kernels.edits.operations import operation_counts, operation_shares
from nlgauge.kernels.fragments import fragment_column
from nlgauge.kernels.leave_one_out import matches_with_the_others
from nlgauge.kernels.ngram_keys import count_keys, keys_once_each, look_up, ngram_keys, weighted_matches
from nlgauge.kernels.ngram_sets import (
    different_ngrams,
    js_divergences,
    moving_ratios,
    novel_ngrams,
    repeated_ngrams,
)
from nlgauge.kernels.tfidf import tfidf_similarity

pytestmark = needs_native

ORDERS = st.integers(1, 5)
KEY = st.sampled_from([0, 1, 2, 2**31, 2**63, 2**64 - 1])
KEYS = st.lists(
    st.one_of(st.lists(KEY, max_size=9), st.lists(st.integers(0, 2**64 - 1), max_size=30)),
    min_size=1,
    max_size=5,
)


@st.composite
def groups(draw, rows, of):
    """For each of the pairs some rows as its references."""
    places = st.integers(0, len(rows) - 1)
    return Ragged.of([draw(st.lists(places, min_size=1, max_size=3)) for _ in of])


@pytest.mark.parametrize("exhaustive", [False, True])
@given(ROWS)
def test_fragments(exhaustive, rows):
    assert_twins(fragment_column, column(rows), *pairs(rows), exhaustive)


@given(ROWS, ORDERS)
def test_repeated_and_different_ngrams(rows, orders):
    texts = np.arange(len(rows))[::-1].copy()
    assert_twins(repeated_ngrams, column(rows), texts, orders)
    assert_twins(different_ngrams, column(rows), texts, orders)


@pytest.mark.parametrize("distinct", [False, True])
@given(ROWS, ORDERS)
def test_novel_ngrams(distinct, rows, orders):
    assert_twins(novel_ngrams, column(rows), *pairs(rows), orders, distinct)


@given(ROWS, ORDERS, st.sampled_from([0.0, 0.1, 1.0, 1e5]))
def test_js_divergences(rows, order, smoothing):
    assert_twins(js_divergences, column(rows), *pairs(rows), order, smoothing)


@given(ROWS, st.integers(1, 80))
def test_moving_ratios(rows, window):
    assert_twins(moving_ratios, column(rows), np.arange(len(rows)), window)


@given(ROWS, ORDERS, st.data())
def test_edit_operations(rows, orders, data):
    sources, predictions = pairs(rows)
    references = data.draw(groups(rows, sources))
    assert_twins(operation_counts, column(rows), sources, predictions, references, orders)
    assert_twins(operation_shares, column(rows), sources, predictions, references, orders)


@given(ROWS, ORDERS)
def test_matches_with_the_others(rows, orders):
    assert_twins(matches_with_the_others, column(rows), np.arange(len(rows)), orders)
    assert_twins(matches_with_the_others, column(rows), np.arange(len(rows)).repeat(2), orders)


@given(KEYS, st.integers(1, 5), st.integers(0, 5))
def test_ngram_keys(rows, n, first):
    assert_twins(ngram_keys, column(rows, np.uint64), n)
    assert_twins(ngram_keys, column(rows, np.uint64), n, min(first, n))


@given(st.lists(st.tuples(st.one_of(KEY, st.integers(0, 2**64 - 1)), st.integers(1, 9)), max_size=60))
def test_count_keys(counted):
    keys, counts = ([pair[i] for pair in counted] for i in (0, 1))
    assert_twins(count_keys, np.array(keys, dtype=np.uint64), np.array(counts, dtype=np.float64))


def test_many_keys_that_begin_alike_or_not():
    keys = np.random.default_rng(1).integers(0, 2**64, 3000, dtype=np.uint64)
    for some in (keys, keys >> np.uint64(50), np.concatenate([keys, keys[::2]])):
        assert_twins(count_keys, some, np.arange(1.0, len(some) + 1))
        known = np.unique(some)
        assert_twins(look_up, np.concatenate([some, keys]), known, np.arange(len(known)) / 7, -1.5)


@given(KEYS, st.data())
def test_keys_once_each(rows, data):
    assert_twins(keys_once_each, column(rows, np.uint64), data.draw(groups(rows, rows)))


@given(
    st.lists(st.one_of(KEY, st.integers(0, 2**64 - 1)), unique=True, max_size=60), st.lists(KEY, max_size=9)
)
def test_look_up(known, keys):
    known = np.array(sorted(known), dtype=np.uint64)
    keys = np.concatenate([known[::2], np.array(keys, dtype=np.uint64)])
    assert_twins(look_up, keys, known, np.arange(len(known)) / 7, -1.5)


def weights_of(data, rows):
    """Any weight for each key of each row, zeros among them."""
    weight = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 20))
    count = sum(map(len, rows))
    return np.array(data.draw(st.lists(weight, min_size=count, max_size=count)), dtype=np.float64)


@given(KEYS, st.data())
def test_weighted_matches(rows, data):
    predictions, _ = pairs(rows)
    assert_twins(
        weighted_matches,
        column(rows, np.uint64),
        weights_of(data, rows),
        predictions,
        data.draw(groups(rows, predictions)),
    )


@pytest.mark.parametrize("clipped", [False, True])
@given(KEYS, st.data())
def test_tfidf_similarity(clipped, rows, data):
    assert_twins(tfidf_similarity, column(rows, np.uint64), weights_of(data, rows), *pairs(rows), clipped)
