"""MoverScore: the numbers of the authors' programs on MiniLM, and a slow form of them, with a linear
program, on a random model.
"""

from __future__ import annotations

import string
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.explanations import Transport
from nlgauge.features.encoders.word_starts import _word_starts
from nlgauge.metrics.moverscore import MoverScore
from nlgauge.models.loader import load
from nlgauge.models.weights import store

MODEL_KIND = "encoder"
CHANGED_PARAMETERS = {"version": "v1", "similarity": "linear"}
# Of a text without a known token nothing can be said; start and end mark of empty texts are equal.
NOT_BEST_WHEN_EQUAL = {"right to left", "emoji", "not a character"}
TEXTS = ["the cat is on the mat", "hello there, cats.", "a mat on cats sitting !", "the the sat", ""]
OTHERS = ["the cat sat on the mat", "hello their general kenobi", "sitting on a mat", "cat", "the cat"]


def rows(metric: MoverScore, predictions: list[str] = TEXTS, references: list[str] = OTHERS) -> Any:
    (table,) = nlgauge.score(predictions, references, metrics=metric)._tables.values()
    return table.segments()["moverscore"]


@pytest.mark.parametrize(
    ("parameters", "expected", "tolerance"),
    [
        ({}, [0.7200728, 0.5071629, 0.4682794], 2e-7),
        ({"version": "v1"}, [0.8175621, 0.2799091], 2e-6),
        ({"version": "v1", "n_gram": 2}, [0.8481191], 2e-6),
    ],
)
def test_on_minilm(parameters: dict[str, Any], expected: list[float], tolerance: float) -> None:
    """Made by moverscore_v2.py and moverscore.py of emnlp19-moverscore at commit 0459a3b, with equal
    weights, run on MiniLM; v1 adds 1e-5 to sums.
    """
    pytest.importorskip("torch")
    if store.location("minilm") is None:
        pytest.skip("the model minilm is not in the cache; run: nlgauge models get minilm")
    predictions = ["the cat is on the mat", "hello there", ""]
    references = ["the cat sat on the mat", "hello their general kenobi", "the cat"]
    found = rows(MoverScore("minilm", **parameters), predictions, references)
    np.testing.assert_allclose(found[: len(expected)], expected, atol=tolerance)


def slow(place: Path, version: str, n: int, weights: dict[int, float] | None) -> list[float]:
    """The program's steps, text by text, with scipy's linear program for the transport."""
    torch = pytest.importorskip("torch")
    loaded = load(str(place), "encoder", "cpu")

    def points(text: str) -> tuple[np.ndarray, np.ndarray]:
        encoded = loaded.tokenizer(text, return_tensors="pt")
        with torch.inference_mode():
            states = (
                torch.stack(loaded.model(**encoded, output_hidden_states=True).hidden_states)[1:, 0]
                .double()
                .numpy()
            )
        states /= np.linalg.norm(states, axis=-1, keepdims=True)
        last = states[-5:]
        vectors = (
            states[-1]
            if version == "v2"
            else np.concatenate([last.min(axis=0), last.mean(axis=0), last.max(axis=0)], axis=1)
        )
        ids = encoded.input_ids[0].tolist()
        tokens = loaded.tokenizer.convert_ids_to_tokens(ids)
        kept = [i for i, token in enumerate(tokens) if token not in string.punctuation and "##" not in token]
        heavy = [1.0 if weights is None else weights.get(token, np.log(len(OTHERS) + 1)) for token in ids]
        size = min(n, len(kept))
        found = []
        for start in range(len(kept) - size + 1):
            window = kept[start : start + size]
            total = sum(heavy[i] for i in window)
            found.append((sum(heavy[i] * vectors[i] for i in window) / (total or 1), total))
        places, masses = np.array([place for place, _ in found]), np.array([mass for _, mass in found])
        return places / np.maximum(
            np.linalg.norm(places, axis=1, keepdims=True), 1e-30
        ), masses / masses.sum() if masses.any() else masses

    scores = []
    for text, other in zip(TEXTS, OTHERS, strict=True):
        (one, first), (two, second) = points(text), points(other)
        distances = np.linalg.norm(one[:, None] - two[None], axis=-1) ** (1 if version == "v2" else 2)
        if not first.any() or not second.any():
            scores.append(np.nan)
            continue
        cost = least_cost(distances, first, second)
        scores.append(1 / (1 + cost) if version == "v2" else 1 - cost)
    return scores


def least_cost(distances: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """The cost of the best plan that has these masses in its rows and columns."""
    rows = np.kron(np.eye(len(first)), np.ones(len(second)))
    columns = np.kron(np.ones(len(first)), np.eye(len(second)))
    return float(
        linprog(distances.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([first, second])).fun
    )


@pytest.mark.parametrize(("version", "n"), [("v2", 1), ("v2", 2), ("v1", 1), ("v1", 3)])
@pytest.mark.parametrize("idf", [False, True])
def test_it_is_the_programs_procedure(tiny_models: dict[str, Path], version: str, n: int, idf: bool) -> None:
    place = tiny_models["encoder"]
    weights = None
    if idf:
        ids = [set(load(str(place), "encoder", "cpu").tokenizer(text).input_ids) for text in OTHERS]
        weights = {
            token: np.log((len(OTHERS) + 1) / (sum(token in text for text in ids) + 1))
            for token in set.union(*ids)
        }
    found, expected = rows(MoverScore(str(place), version, idf, n)), slow(place, version, n, weights)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert np.isnan(found).tolist() == [
        False,
        False,
        False,
        False,
        idf,
    ]  # start and end mark are in every reference


def test_weightless_texts_are_undefined_and_never_best(tiny_models: dict[str, Path]) -> None:
    metric = MoverScore(str(tiny_models["encoder"]), idf=True)
    # With one reference every token of it weighs 0; with two, what both have.
    assert np.isnan(rows(metric, ["the cat"], ["the cat"])[0])
    found = rows(metric, ["the cat", "", "!", "the"], ["the cat", "the mat", "the mat", "the mat"])
    assert np.isnan(found).tolist() == [False, True, True, True]
    assert found[0] == pytest.approx(1)


def test_the_published_forms(tiny_models: dict[str, Path]) -> None:
    place = str(tiny_models["encoder"])
    reciprocal, linear = rows(MoverScore(place)), rows(MoverScore(place, similarity="linear"))
    np.testing.assert_allclose(linear, 2 - 1 / reciprocal)
    v1 = rows(MoverScore(place, "v1"))
    np.testing.assert_allclose(rows(MoverScore(place, "v1", similarity="reciprocal")), 1 / (2 - v1))
    lows = [
        MoverScore(place, version, similarity=form).outputs()["moverscore"][0].low
        for version, form in (("v2", None), ("v2", "linear"), ("v1", None))
    ]
    assert lows == [0, -1, -3]
    assert "similarity:reciprocal" in MoverScore(place).signature(nlgauge.Corpus.read(["a"], ["a"]))


@pytest.mark.parametrize(
    ("tokens", "kept"),
    [
        (["[CLS]", "[SEP]", "the", "##s", ".", "a##b"], [True, True, True, False, False, False]),
        (["<s>", "</s>", "Ġthe", "ing", "Ġ.", "Ġ"], [True, True, True, False, False, True]),
        (["<s>", "</s>", "▁the", "ing", "▁.", "▁cat"], [True, True, True, False, False, True]),
        (["<s>", "</s>", "the", "ing", "!", "-"], [True, True, True, True, False, False]),
    ],
)
def test_pieces_that_begin_a_word_are_kept(tokens: list[str], kept: list[bool]) -> None:
    class Tokenizer:
        cls_token_id, sep_token_id, bos_token_id, eos_token_id = 0, 1, None, None

        def __len__(self) -> int:
            return len(tokens)

        def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
            return [tokens[i] for i in ids]

    assert _word_starts(SimpleNamespace(tokenizer=Tokenizer())).tolist() == kept  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore:.*of the tokens are unknown")
def test_explanation_is_the_plan_that_was_scored(tiny_models: dict[str, Path]) -> None:
    metric = MoverScore(str(tiny_models["encoder"]), n_gram=2)
    result = nlgauge.score(["the cats sat.", "\u0633"], ["a cat on mat", "\u0634"], metrics=metric)
    (shown,) = result.explain(result.labels[0], 0)
    assert isinstance(shown, Transport)
    assert shown.prediction == ["[CLS] the", "the cat", "cat sat", "sat [SEP]"]
    assert 1 / (1 + (shown.plan * shown.cost).sum()) == pytest.approx(
        rows(metric, ["the cats sat."], ["a cat on mat"])[0]
    )
    np.testing.assert_allclose(shown.plan.sum(axis=1), 1 / 4)
    assert result.explain(result.labels[0], 1) == []


@pytest.mark.parametrize(
    "bad", [{"model": ""}, {"version": "v3"}, {"idf": 1}, {"n_gram": 0}, {"similarity": "x"}], ids=str
)
def test_parameters_outside_their_domain(bad: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=f"moverscore: {next(iter(bad))} must be"):
        MoverScore(**bad)  # type: ignore[arg-type]
