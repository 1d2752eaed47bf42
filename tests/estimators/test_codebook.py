"""Codebooks do not hang on the last bits of vectors; what they are is tested with MAUVE."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge.estimators.codebook import fit_codebook


def _shaken(vectors: np.ndarray, seed: int) -> np.ndarray:
    return vectors * (1 + 1e-6 * np.random.default_rng(seed).standard_normal(vectors.shape))


@pytest.mark.parametrize("seed", range(5))
def test_a_millionth_moves_no_vector_to_another_bucket(seed: int) -> None:
    vectors = np.random.default_rng(seed).standard_normal((200, 32)) * np.arange(1, 33) ** -0.5
    before, after = (
        fit_codebook(values, np.ones(200), 10).buckets(values) for values in (vectors, _shaken(vectors, seed))
    )
    np.testing.assert_array_equal(before, after)


def test_vectors_that_differ_by_rounding_are_one() -> None:
    vectors = 5 + np.random.default_rng(0).standard_normal((6, 8))
    twins = np.concatenate([vectors, _shaken(vectors, 1)])
    assert len(fit_codebook(twins, np.ones(12), 50).centers) == 6
    assert (
        fit_codebook(np.concatenate([vectors[:1], _shaken(vectors[:1], 2)]), np.ones(2), 50).axes.shape[1]
        == 0
    )
