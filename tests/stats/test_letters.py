from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.stats.letters import cluster_ranks, letters, not_beaten, rank_ranges, wins

UPPER = np.array(
    [[0.0, 0.2, 0.01, 0.001], [0.0, 0.0, 0.06, 0.02], [0.0, 0.0, 0.0, 0.3], [0.0, 0.0, 0.0, 0.0]]
)
P = UPPER + UPPER.T
SCORES = np.array([0.9, 0.8, 0.7, 0.6])


def test_the_clusters_of_the_wmt_rule():
    assert cluster_ranks(SCORES, UPPER) == [1, 1, 2, 2]
    assert cluster_ranks(SCORES, P) == [1, 1, 2, 2]
    assert cluster_ranks(SCORES[::-1], P[::-1, ::-1]) == [2, 2, 1, 1]
    assert cluster_ranks(SCORES, P, alpha=0.0005) == [1, 1, 1, 1]


def test_letters_show_what_clusters_hide():
    # The second is not better than the third, though their clusters differ.
    assert letters(SCORES, P) == ["a", "ab", "bc", "c"]
    assert not_beaten(SCORES, P) == [True, True, False, False]
    assert wins(SCORES, P).sum(axis=1).tolist() == [2, 1, 0, 0]


def test_what_is_unknown_claims_nothing():
    scores, p = np.array([0.5, np.nan, 0.1]), np.full((3, 3), 0.001)
    assert cluster_ranks(scores, p) == [1, None, 2]
    assert letters(scores, p) == ["a", None, "b"]
    assert not_beaten(scores, p) == [True, False, False]
    assert cluster_ranks(scores, np.full((3, 3), np.nan)) == [1, None, 1]
    assert letters(np.array([]), np.zeros((0, 0))) == []


def test_more_sets_than_letters():
    scores = -np.arange(60.0)
    shown = letters(scores, np.zeros((60, 60)))
    assert shown[:2] == ["a", "b"]
    assert shown[52] == "(53)"
    assert len(set(shown)) == 60


@given(st.integers(1, 8), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_two_metrics_share_a_letter_exactly_if_neither_beats_the_other(count, chance, seed):
    rng = np.random.default_rng(seed)
    scores = rng.permutation(count).astype(float)
    p = np.where(rng.random((count, count)) < chance, 0.01, 0.5)
    p = np.triu(p, 1) + np.triu(p, 1).T
    shown = letters(scores, p)
    for i, j in combinations(range(count), 2):
        assert bool(set(shown[i]) & set(shown[j])) == (p[i, j] > 0.05)
    assert all(shown)
    assert "a" in shown[int(np.argmax(scores))]


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_clusters_by_the_definition(count, seed):
    rng = np.random.default_rng(seed)
    scores, p = rng.normal(size=count), rng.choice([0.01, 0.5, np.nan], (count, count))
    ranks, order = cluster_ranks(scores, p), np.argsort(-scores)
    expected, current, rank = {}, [], 1
    for i in order:
        if any(p[j, i] <= 0.05 for j in current):
            rank, current = rank + 1, []
        current.append(i)
        expected[i] = rank
    assert ranks == pytest.approx([expected[i] for i in range(count)])


def test_rank_ranges_count_those_before_and_behind():
    p = np.array([[1, 0.01, 0.01], [0.01, 1, 0.5], [0.01, 0.5, 1]])
    assert rank_ranges(np.array([3.0, 2.0, 1.0]), p) == [(1, 1), (2, 3), (2, 3)]
    assert rank_ranges(np.array([3.0, np.nan, 1.0]), p) == [(1, 1), None, (2, 2)]
