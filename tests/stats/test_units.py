"""Sums of resampled rows are exact, whichever type adds them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.stats.units import Clusters, resampled_sums


def drawn(kind: str, units: int, seed: int) -> list[np.ndarray]:
    clusters = Clusters(None, units)
    return list(clusters.bootstrap(30, seed) if kind == "bootstrap" else clusters.swaps(30, seed))


@pytest.mark.parametrize("kind", ["bootstrap", "swaps"])
@given(
    st.integers(2, 40),
    st.sampled_from([10, 1 << 16, (1 << 24) // 40, 1 << 24, 1 << 30]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_sums_of_whole_numbers_are_those_of_integers(kind, units, largest, negative, seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-largest if negative else 0, largest, (units, 3), endpoint=True)
    blocks = drawn(kind, units, seed)
    expected = np.concatenate([block.astype(np.int64) @ rows for block in blocks])
    found = resampled_sums(blocks, rows.astype(np.float64))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, expected)


def test_a_resample_may_have_a_larger_sum_than_all_units():
    rows = np.array([[(1 << 23) + 1.0], [3.0]])
    sums = resampled_sums([np.array([[3.0, 1.0], [1.0, 1.0]])], rows)
    assert sums[:, 0].tolist() == [3 * (1 << 23) + 6, (1 << 23) + 4]
    assert resampled_sums([np.array([[3.0, 0.0]])], rows)[0, 0] == 3 * (1 << 23) + 3


def test_sums_of_fractions_are_those_of_float64():
    rows = np.random.default_rng(3).random((50, 4))
    blocks = drawn("bootstrap", 50, 3)
    np.testing.assert_allclose(resampled_sums(blocks, rows), np.concatenate(blocks) @ rows, rtol=1e-14)


def test_a_missing_number_stays_missing():
    rows = np.array([[1.0, 2.0], [np.nan, 3.0]])
    sums = resampled_sums([np.ones((2, 2))], rows)
    assert np.isnan(sums[:, 0]).all()
    assert (sums[:, 1] == 5).all()
