"""Pairwise accuracy and soft pairwise accuracy against the specification's vectors and explicit sign
flips.
"""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nlgauge.errors import InputError, ParameterError
from nlgauge.stats.soft import (
    pairwise_accuracy,
    pooled_pairwise_accuracy,
    sign_flips,
    soft_pairwise_accuracy,
    superiority,
)

HUMAN = np.array([[1.0, 2, 3, 2], [2, 3, 4, 3], [2, 2, 3, 3]])
METRIC = np.array([[2.0, 2, 4, 2], [1, 3, 5, 4], [2, 2, 4, 4]])
SCORES = st.one_of(st.integers(0, 3).map(float), st.just(math.nan))


def test_the_vectors_of_the_specification() -> None:
    signs = sign_flips(4)
    assert superiority(HUMAN, signs).tolist() == [
        [0.5, 0.96875, 0.875],
        [0.03125, 0.5, 0.125],
        [0.125, 0.875, 0.5],
    ]
    assert superiority(METRIC, signs).tolist() == [
        [0.5, 0.84375, 0.75],
        [0.15625, 0.5, 0.3125],
        [0.25, 0.6875, 0.5],
    ]
    for order in ([0, 1, 2], [2, 1, 0]):
        assert float(soft_pairwise_accuracy(METRIC[order], HUMAN[order])) == pytest.approx(0.8541666666666666)
    assert float(soft_pairwise_accuracy(METRIC, HUMAN, rule=">=")) == pytest.approx(0.8958333333333334)
    assert float(soft_pairwise_accuracy(METRIC[::-1], HUMAN[::-1], rule=">=")) == pytest.approx(0.8125)
    assert float(pairwise_accuracy(METRIC.mean(axis=1), HUMAN.mean(axis=1))) == 1


def test_a_system_is_as_good_as_its_double() -> None:
    assert superiority([[1, 2, 3]] * 2, sign_flips(3)).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert superiority([[1, 2, 3]] * 2, sign_flips(3), ">=")[0, 1] == 1


@given(arrays(np.float64, (3, 4), elements=SCORES))
def test_superiority_as_explicit_sign_flips(scores: np.ndarray) -> None:
    found = superiority(scores, sign_flips(4))
    for i, j in combinations(range(3), 2):
        difference = scores[i] - scores[j]
        difference = difference[~np.isnan(difference)]
        if not len(difference):
            assert math.isnan(found[i, j])
            continue
        null = [float(np.dot(signs, difference)) for signs in product((-1, 1), repeat=len(difference))]
        expected = np.mean([(one > difference.sum()) + 0.5 * (one == difference.sum()) for one in null])
        assert found[i, j] == pytest.approx(expected)
        assert found[i, j] + found[j, i] == pytest.approx(1)


def test_drawn_signs_come_with_their_negatives_and_approach_enumeration() -> None:
    signs = sign_flips(40, 999, 7)
    assert signs.shape == (1000, 40)
    assert (signs[:500] == -signs[500:]).all()
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(4, 12)) + np.arange(4)[:, None] * 0.3
    many = np.random.default_rng(2).integers(0, 2, (20000, 12)) * 2.0 - 1
    assert np.abs(superiority(scores, sign_flips(12)) - superiority(scores, many)).max() < 0.02


def test_metrics_in_a_batch_and_missing_cells() -> None:
    rng = np.random.default_rng(3)
    z, x = rng.normal(size=(4, 30)), rng.normal(size=(2, 4, 30))
    x[0, 1, :10] = np.nan
    found = soft_pairwise_accuracy(x, z, seed=5)
    assert found.tolist() == pytest.approx([float(soft_pairwise_accuracy(one, z, seed=5)) for one in x])
    cut = x[0][[0, 1]][:, 10:], z[[0, 1]][:, 10:]
    assert float(soft_pairwise_accuracy(*cut, resamples=20000)) == pytest.approx(
        float(soft_pairwise_accuracy(x[0][:2], z[:2], resamples=20000)), abs=0.02
    )
    assert math.isnan(soft_pairwise_accuracy(x[0][:1], z[:1]))


def test_pairwise_accuracy_counts_a_tie_where_both_are_tied() -> None:
    assert float(pairwise_accuracy([1, 1, 2], [3, 3, 4])) == 1
    assert float(pairwise_accuracy([1, 1, 2], [3, 4, 5])) == pytest.approx(2 / 3)
    assert math.isnan(pairwise_accuracy([1], [2]))
    pooled = pooled_pairwise_accuracy([([1, 2], [1, 2]), ([1, 2, 3], [3, 2, 1])])
    assert float(pooled) == pytest.approx(1 / 4)


def test_options_out_of_their_domain() -> None:
    with pytest.raises(ParameterError, match="rule must be"):
        soft_pairwise_accuracy(METRIC, HUMAN, rule=">")
    with pytest.raises(InputError, match="segment scores"):
        soft_pairwise_accuracy([1, 2], [1, 2])
    with pytest.raises(InputError, match="one group"):
        pooled_pairwise_accuracy([])
