"""Fréchet distance: closed forms, scipy's matrix root as an oracle, and the metric on texts."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.frechet import Frechet, frechet_distance

linalg = pytest.importorskip("scipy.linalg")


def oracle(first: np.ndarray, second: np.ndarray) -> float:
    covariances = [np.atleast_2d(np.cov(side, rowvar=False)) for side in (first, second)]
    root = linalg.sqrtm(covariances[0] @ covariances[1]).real
    return float(
        ((first.mean(axis=0) - second.mean(axis=0)) ** 2).sum()
        + np.trace(covariances[0] + covariances[1] - 2 * root)
    )


@given(st.integers(1, 6), st.integers(20, 40), st.integers(20, 40), st.integers(0, 1000))
def test_equals_the_formula_with_a_matrix_root(d: int, n: int, m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = (
        rng.standard_normal((n, d)) @ rng.standard_normal((d, d)),
        1 + rng.standard_normal((m, d)) @ rng.standard_normal((d, d)),
    )
    assert frechet_distance(first, second) == pytest.approx(oracle(first, second), rel=1e-6, abs=1e-6)


def test_closed_form_of_diagonal_gaussians() -> None:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    first, second = corners * [1, 2, 3], corners * [4, 2, 0] + [1, 0, 2]
    expected = 1 + 4 + (8 / 7) * ((1 - 4) ** 2 + 0 + 3**2)
    assert frechet_distance(first, second) == pytest.approx(expected)


@given(st.integers(2, 8), st.integers(2, 8), st.integers(0, 1000))
def test_fewer_rows_than_columns_are_no_trouble(n: int, m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.standard_normal((n, 12)), rng.standard_normal((m, 12))
    value = frechet_distance(first, second)
    # Turned by any rotation, or padded with columns of zeros, it is the same.
    rotation = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    assert frechet_distance(first @ rotation, second @ rotation) == pytest.approx(value)
    assert frechet_distance(second, first) == pytest.approx(value)
    assert frechet_distance(
        np.pad(first, [(0, 0), (0, 5)]), np.pad(second, [(0, 0), (0, 5)])
    ) == pytest.approx(value)
    assert frechet_distance(first, first) == pytest.approx(0, abs=1e-12)
    assert value >= ((first.mean(axis=0) - second.mean(axis=0)) ** 2).sum() - 1e-9


@pytest.mark.parametrize("second", [[1.0, 2.0], [[1.0]], [[1.0, 2.0], [3.0, 4.0]]], ids=str)
def test_matrices_must_fit(second: list[object]) -> None:
    with pytest.raises(ParameterError, match="got the shapes"):
        frechet_distance([[1.0], [2.0]], second)


def test_texts(tiny_models: dict[str, Path]) -> None:
    from nlgauge.features import RunOptions, Work
    from nlgauge.features.encoders.embeddings import TextEmbedding

    place = str(tiny_models["encoder"])
    rng = np.random.default_rng(0)
    words = ["the", "cat", "sat", "on", "mat", "a", "dog"]
    predictions, first, second = ([" ".join(rng.choice(words, 5)) for _ in range(70)] for _ in range(3))
    result = nlgauge.score(
        predictions, list(map(list, zip(first, second, strict=True))), metrics=Frechet(place)
    )
    embed = TextEmbedding(place).compute
    expected = oracle(
        *(
            embed(texts, Work(RunOptions())).vectors.values.astype(np.float64)
            for texts in (predictions, first + second)
        )
    )
    assert result["frechet"]["score"] == pytest.approx(expected, rel=1e-4)
    twice = nlgauge.score(
        predictions, [[a, b, a] for a, b in zip(first, second, strict=True)], metrics=Frechet(place)
    )
    assert twice["frechet"]["score"] == pytest.approx(expected, rel=1e-4)
    interval = result.intervals(resamples=10)[str(Frechet(place))]["score"]
    assert interval.low < interval.high


def test_few_texts_are_warned_of_and_one_is_too_few(tiny_models: dict[str, Path]) -> None:
    metric = Frechet(str(tiny_models["encoder"]))
    with pytest.warns(UserWarning, match=r"2 texts.*32 dimensions"):
        assert nlgauge.score(["the cat", "a cat"], ["the cat", "a cat"], metrics=metric)["frechet"][
            "score"
        ] == pytest.approx(0, abs=1e-9)
    with pytest.warns(UserWarning, match="1 text .*undefined"):
        result = nlgauge.score(["the cat"], ["the cat"], metrics=metric)
    assert math.isnan(result["frechet"]["score"])
    assert "two predictions" in result.reasons()["system", str(metric), "frechet"]


def test_truncation_is_counted_on_both_sides(tiny_models: dict[str, Path]) -> None:
    with pytest.warns(UserWarning):
        result = nlgauge.score(
            ["cat " * 150, "a"], ["dog " * 150, "b"], metrics=Frechet(str(tiny_models["encoder"]))
        )
    assert result["frechet"]["truncated"] == 2


def test_a_model_must_be_named() -> None:
    with pytest.raises(ParameterError, match="frechet: model must be"):
        Frechet("")
