"""Compiled n-gram matches and lengths of longest common subsequences against the Python kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import ROWS, assert_twins, column, needs_native, pairs

from nlgauge._core.ragged import Ragged
from nlgauge.kernels.lcs import lcs_lengths
from nlgauge.kernels.ngrams import ngram_matches

pytestmark = needs_native


@given(ROWS)
def test_lcs_lengths(rows):
    assert_twins(lcs_lengths, column(rows), *pairs(rows))


@given(ROWS, st.integers(1, 7), st.data())
def test_ngram_matches(rows, orders, data):
    predictions, _ = pairs(rows)
    places = st.integers(0, len(rows) - 1)
    references = [data.draw(st.lists(places, max_size=3)) for _ in predictions]
    assert_twins(ngram_matches, column(rows), predictions, Ragged.of(references), orders)


@pytest.mark.parametrize("kinds", [3, 60, 700])
def test_ngram_matches_of_texts_with_many_different_ngrams(kinds):
    rng = np.random.default_rng(kinds)
    rows = [(2**31 - 1 - rng.integers(0, kinds, length)).tolist() for length in (400, 700, 1500)]
    rows.append([*rows[2][300:900], *rows[0][:200], *rows[2][:300]])
    references = Ragged.of([[0, 1, 2], [3], [3, 2], [2]])
    assert_twins(ngram_matches, column(rows), np.array([3, 2, 0, 3]), references, 6)
