"""YiSi-1: the numbers of a toy by the definition, its weights, and what it has in common with BERTScore."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge._core.ragged import Ragged
from nlgauge.errors import ModelError, ParameterError
from nlgauge.estimators import idf
from nlgauge.explanations import Alignment
from nlgauge.features.encoders.encoder_layers import Hidden
from nlgauge.metrics.yisi import Yisi

CHANGED_PARAMETERS = {"layer": 1, "alpha": 0.8, "n_gram": 2}
MODEL_KIND = "encoder"
# A text without a known token scores 0, even against itself.
NOT_BEST_WHEN_EQUAL = {"empty", "only spaces", "newline", "right to left", "emoji", "not a character"}


def _toy() -> Hidden:
    half = 0.5**0.5
    vectors = Ragged.of(
        [np.array([[1, 0], [0, 1]], dtype=float), np.array([[1, 0], [half, half], [-1, 0]], dtype=float)],
        dtype=np.float64,
    )
    ids = Ragged.of([[0, 1], [0, 1, 2]])
    return Hidden(vectors, ids, Ragged(np.zeros(5, dtype=bool), ids.offsets), Ragged.of([[0], [0]]))


@pytest.mark.parametrize(("alpha", "expected"), [(0.8, 0.6096809933), (0.5, 0.6828427125)])
def test_the_toy_of_the_specification(alpha: float, expected: float) -> None:
    equal = {"ids": np.arange(3), "weights": np.zeros(3), "unseen": np.array([9.0])}
    f, p, r, _, _ = Yisi("x", 1, alpha)._match(_toy(), 0, 1, equal)
    assert (p, r, f) == pytest.approx((0.8535533906, 0.5690355937, expected), abs=1e-9)


def test_weights_are_those_of_the_definition() -> None:
    """log2(1 + (N + 1) / (df + 1)) for N = 4 and df = 1, 2, 4, 0."""
    table = idf.inverse([idf.document_frequencies(Ragged.of([[1, 2, 3], [2, 3], [3], [3]]))])
    ids = Ragged.of([[1, 2, 3, 4, 3]])
    hidden = Hidden(ids, ids, Ragged.of([[0, 0, 0, 0, 1]], dtype=bool), ids)
    weights, uniform = Yisi("x", 1).weights(hidden, 0, table)
    np.testing.assert_allclose(weights, [1.8073549221, 1.4150374993, 1, 2.5849625007, 0], atol=1e-9)
    assert not uniform


def test_negative_cosines_count_as_zero() -> None:
    ids = Ragged.of([[0], [1]])
    hidden = Hidden(
        Ragged.of([np.array([[1.0, 0.0]]), np.array([[-1.0, 0.0]])], dtype=np.float64),
        ids,
        Ragged.of([[0], [0]], dtype=bool),
        ids,
    )
    fitted = {"ids": np.arange(3), "weights": np.zeros(3), "unseen": np.array([9.0])}
    assert Yisi("x", 1)._match(hidden, 0, 1, fitted)[:3] == (0, 0, 0)


def test_rare_tokens_weigh_more(tiny_models: dict[str, Path]) -> None:
    place = str(tiny_models["encoder"])
    references = ["the cat sat on the mat", "the cat", "the mat on the cat"]
    result = nlgauge.score(["the cat sat", "the", "mat"], references, metrics=Yisi(place, 2))
    (shown,) = result.explain(result.labels[0], 0)
    assert isinstance(shown, Alignment)
    weight = dict(zip(shown.reference, shown.reference_weights, strict=True))
    assert (weight["the"], weight["sat"], weight["[CLS]"]) == pytest.approx((1, np.log2(1 + 4 / 2), 0))
    assert shown.similarity.min() >= 0
    best = shown.similarity.max(axis=0)
    assert (best @ shown.reference_weights) / shown.reference_weights.sum() == pytest.approx(
        shown.statistics["recall"][0]
    )


def test_empty_texts_score_zero(tiny_models: dict[str, Path]) -> None:
    rows = rows_by_label(
        nlgauge.score(["", "", "the cat"], ["the cat", "", ""], metrics=Yisi(str(tiny_models["encoder"]), 2))
    )
    assert [list(row.values())[2] for row in rows] == [0, 0, 0]


def test_models_and_parameters(tiny_models: dict[str, Path]) -> None:
    assert Yisi().model_used == "bert-base-uncased"
    assert Yisi().for_language("de").model_used == "bert-base-multilingual-cased"
    assert Yisi().layer_used == 9
    with pytest.raises(ParameterError, match="alpha must be"):
        Yisi(alpha=1.5)
    with pytest.raises(ParameterError, match=r"yisi.*layer"):
        Yisi(str(tiny_models["encoder"])).layer_used  # noqa: B018
    with pytest.raises(ModelError, match=r"model.*'x'"):
        Yisi("x").layer_used  # noqa: B018


@pytest.mark.parametrize("n_gram", [2, 3, 9])
def test_runs_of_tokens_are_matched_by_the_definition(tiny_models: dict[str, Path], n_gram: int) -> None:
    place = str(tiny_models["encoder"])
    references = ["the cat sat on the mat", "the cat", "the mat on the cat"]
    predictions = ["the cat sat", "the cat sat on", "mat on the cat"]
    result = nlgauge.score(predictions, references, metrics=[Yisi(place, 2), Yisi(place, 2, n_gram=n_gram)])
    assert "n_gram" in str(result.signatures[result.labels[1]])
    assert "n_gram" not in str(result.signatures[result.labels[0]])
    for segment in range(len(predictions)):
        (shown,) = result.explain(result.labels[1], segment)
        assert isinstance(shown, Alignment)
        inside = [
            np.flatnonzero(np.array(side)) for side in (shown.prediction_weights, shown.reference_weights)
        ]
        cosines = shown.similarity[np.ix_(*inside)]
        sides = [
            np.array(w)[i]
            for w, i in zip((shown.prediction_weights, shown.reference_weights), inside, strict=True)
        ]
        n = min(n_gram, *cosines.shape)
        found = []
        for matrix, weights in ((cosines, sides[0]), (cosines.T, sides[1])):
            total = mass = 0.0
            for i in range(matrix.shape[0] - n + 1):
                window = weights[i : i + n]
                best = max(
                    (window * [matrix[i + k, j + k] for k in range(n)]).sum() / window.sum()
                    for j in range(matrix.shape[1] - n + 1)
                )
                total, mass = total + window.sum() * best, mass + window.sum()
            found.append(total / mass)
        precision, recall = found
        row = shown.statistics
        assert row["precision"][0] == pytest.approx(precision)
        assert row["recall"][0] == pytest.approx(recall)
        assert row["yisi"][0] == pytest.approx(precision * recall / (0.5 * precision + 0.5 * recall))
