"""Compiled n-gram matches of every prediction with every reference against the Python kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import ROWS, assert_twins, column, needs_native

from nlgauge._core.ragged import Ragged
from nlgauge.kernels.ngram_square import mean_ngram_matches, ngram_square
from nlgauge.kernels.ngrams import ngram_matches

pytestmark = needs_native
# NLGAUGE_SIMD: the best instructions, the second best, and those that every processor has.
SIMD = ["", "popcnt", "baseline"]


@pytest.mark.parametrize("simd", SIMD)
@given(rows=ROWS, orders=st.integers(0, 7), data=st.data())
def test_ngram_square(simd, rows, orders, data):
    places = st.lists(st.integers(0, len(rows) - 1), max_size=8)
    predictions, references = (np.array(data.draw(places), dtype=np.int64) for _ in range(2))
    everything = np.arange(len(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NLGAUGE_SIMD", simd)
        assert_twins(ngram_square, column(rows), predictions, references, orders)
        assert_twins(ngram_square, column(rows), everything, everything, orders)


@pytest.mark.parametrize("simd", SIMD)
@pytest.mark.parametrize(("texts", "kinds", "longest"), [(70, 4, 60), (200, 30, 90), (130, 3000, 40)])
def test_ngram_square_of_many_texts(texts, kinds, longest, simd, monkeypatch):
    monkeypatch.setenv("NLGAUGE_SIMD", simd)
    rng = np.random.default_rng(texts)
    rows = column([rng.integers(0, kinds, length).tolist() for length in rng.integers(0, longest, texts)])
    numbers = np.arange(texts)
    assert_twins(ngram_square, rows, numbers, numbers, 6)
    assert_twins(ngram_square, rows, numbers[: texts // 3], numbers[texts // 4 :], 6)


@pytest.mark.parametrize("kernel", ["native", "python"])
def test_ngram_square_has_the_matches_of_pairs(kernel):
    rng = np.random.default_rng(5)
    rows = column([rng.integers(0, 5, length).tolist() for length in (0, 1, 3, 30, 70, 31)])
    first, second = np.repeat(np.arange(6), 6), np.tile(np.arange(6), 6)
    matches = getattr(ngram_matches, kernel)(rows, first, Ragged.single(second), 4)
    square = getattr(ngram_square, kernel)(rows, np.arange(6), np.arange(6), 4)
    assert square.reshape(36, 4).tolist() == matches.tolist()
    assert matches.max() > 10


@given(rows=ROWS, orders=st.integers(0, 7), data=st.data())
def test_mean_ngram_matches(rows, orders, data):
    places = st.lists(st.integers(0, len(rows) - 1), max_size=8)
    predictions, references = (np.array(data.draw(places), dtype=np.int64) for _ in range(2))
    weights = np.array([data.draw(st.floats(0, 1)) for _ in references])
    assert_twins(mean_ngram_matches, column(rows), predictions, references, weights, orders)


def test_the_mean_of_one_reference_is_the_reference():
    rows = column([[1, 2, 1, 2, 3], [1, 2, 2, 3], [3], []])
    numbers, one = np.arange(4), np.ones(1)
    square = ngram_square(rows, numbers, numbers, 3)
    for reference in range(4):
        matches = mean_ngram_matches(rows, numbers, np.array([reference]), one, 3)
        assert matches.tolist() == square[:, reference].tolist()


@pytest.mark.parametrize("row", [-1, 4, 2**40])
def test_a_row_that_does_not_exist_is_refused(row):
    rows, numbers, wrong = column([[1], [2], [], [3]]), np.array([0]), np.array([row])
    for predictions, references in ((numbers, wrong), (wrong, numbers)):
        with pytest.raises(IndexError, match="a row was asked for that the column does not have"):
            ngram_square.native(rows, predictions, references, 2)
        with pytest.raises(IndexError, match="a row was asked for that the column does not have"):
            mean_ngram_matches.native(rows, predictions, references, np.ones(1), 2)
    with pytest.raises(ValueError, match="a weight for every reference"):
        mean_ngram_matches.native(rows, numbers, numbers, np.ones(2), 2)
