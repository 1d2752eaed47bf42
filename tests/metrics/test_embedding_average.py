"""The three similarities of word vectors that nlg-eval has: its numbers on GloVe, and slow forms of the
definitions.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from word_vector_cases import CAT, need_glove, rows

from nlgauge.errors import ParameterError
from nlgauge.metrics.embedding_average import EmbeddingAverage
from nlgauge.metrics.greedy_matching import GreedyMatching
from nlgauge.metrics.vector_extrema import VectorExtrema
from nlgauge.models.weights.vectors import load_vectors

pytestmark = pytest.mark.filterwarnings("ignore:.*of the words have no vector")

CHANGED_PARAMETERS = {"tokenizer": "whitespace", "compat": "nlg-eval"}
NOT_BEST_WHEN_EQUAL = {
    "combining marks",
    "emoji",
    "leading mark",
    "mixed scripts",
    "one letter",
    "right to left",
    "zero",
}
ALL = (EmbeddingAverage, VectorExtrema, GreedyMatching)


def test_nlg_evals_numbers_on_glove() -> None:
    """Made by nlg-eval at commit 2ab4528, its functions called on the same vectors."""
    need_glove()
    found = [rows(metric(compat="nlg-eval"), [CAT[0]], [CAT[1]])[0, 0] for metric in ALL]
    np.testing.assert_allclose(found, [0.966590, 0.903042, 0.929332], atol=1e-6)


def test_they_are_the_definitions(tiny_models: dict[str, Path]) -> None:
    place = str(tiny_models["vectors"])
    table = load_vectors(place)
    sides = [["the", "minister", "met", "the", "president"], ["traders", "said", "cat"]]
    one, other = (np.array([table.vectors[table.rows[word]] for word in side], dtype=float) for side in sides)

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    def extrema(vectors: np.ndarray) -> np.ndarray:
        return np.array([max(column, key=abs) for column in vectors.T])

    cosines = np.array([[cosine(a, b) for b in other] for a in one])
    expected = [
        cosine(one.sum(axis=0), other.sum(axis=0)),
        cosine(extrema(one), extrema(other)),
        (cosines.max(axis=0).mean() + cosines.max(axis=1).mean()) / 2,
    ]
    texts = [" ".join(side).title() + " zzz" for side in sides]
    np.testing.assert_allclose(
        [rows(metric(place), [texts[0]], [texts[1]])[0] for metric in ALL],
        [[value, 0.2] for value in expected],
    )


def test_compat_keeps_case_and_takes_the_mean_for_unknown_words(tiny_models: dict[str, Path]) -> None:
    place = str(tiny_models["vectors"])
    table = load_vectors(place)
    mean = table.vectors.astype(float).mean(axis=0)
    cat = table.vectors[table.rows["cat"]].astype(float)
    one, other = cat + 2 * mean, mean
    expected = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    found = rows(EmbeddingAverage(place, compat="nlg-eval"), ["The cat."], ["Zzz"])[0]
    np.testing.assert_allclose(found, [expected, 0.75])


@pytest.mark.parametrize("metric", ALL)
def test_texts_without_known_words(tiny_models: dict[str, Path], metric: type) -> None:
    texts, others = (
        ["", "", "the cat", "zzz", "zzz", "the cat"],
        ["the cat", " ", "", "zzz", "the cat", "the cat zzz"],
    )
    np.testing.assert_allclose(
        rows(metric(str(tiny_models["vectors"])), texts, others)[:, 0], [0, 1, 0, 0, 0, 1], atol=1e-12
    )


@pytest.mark.parametrize("metric", ALL)
@pytest.mark.parametrize("bad", [{"vectors": ""}, {"tokenizer": "x"}, {"compat": "x"}], ids=str)
def test_parameters_outside_their_domain(metric: type, bad: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=f"{metric.name}: {next(iter(bad))} must be"):  # type: ignore[attr-defined]
        metric(**bad)
