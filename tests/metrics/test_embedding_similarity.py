"""Embedding similarity against mean pooling done by hand, one text at a time."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from segment_rows import rows_by_label
from strategies import SENTENCES

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.features.encoders.embeddings import TextEmbedding
from nlgauge.metrics.embedding_similarity import EmbeddingSimilarity
from nlgauge.models.weights import store

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

# Texts without a token that the tiny model knows.
NOT_BEST_WHEN_EQUAL = {"right to left", "emoji", "not a character"}

PREDICTIONS = [prediction for prediction, _ in SENTENCES if prediction]
REFERENCES = [references for prediction, references in SENTENCES if prediction]


@cache
def loaded(place: Path) -> tuple[Any, Any]:
    return transformers.AutoTokenizer.from_pretrained(place), transformers.AutoModel.from_pretrained(
        place
    ).eval()


def embedding(place: Path, text: str) -> np.ndarray:
    tokenizer, model = loaded(place)
    with torch.no_grad():
        return (
            model(**tokenizer(text, return_tensors="pt", truncation=True, max_length=128))
            .last_hidden_state[0]
            .mean(dim=0)
            .double()
            .numpy()
        )


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


@pytest.mark.parametrize("which", ["tiny", "minilm"])
def test_equals_the_cosine_of_mean_vectors_and_takes_the_best_reference(
    which: str, tiny_models: dict[str, Path]
) -> None:
    place = tiny_models["encoder"] if which == "tiny" else store.location("minilm")
    if place is None:
        pytest.skip("minilm is not in the cache; run: nlgauge models get minilm")
    some = slice(None) if which == "tiny" else slice(2)
    rows = rows_by_label(
        nlgauge.score(PREDICTIONS[some], REFERENCES[some], metrics=EmbeddingSimilarity(str(place)))
    )
    found = [next(value for name, value in row.items() if name.startswith("embedding")) for row in rows]
    pairs = zip(PREDICTIONS[some], REFERENCES[some], strict=True)
    expected = [
        max(cosine(embedding(place, prediction), embedding(place, reference)) for reference in group)
        for prediction, group in pairs
    ]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_blank_texts_are_like_nothing_but_each_other(tiny_models: dict[str, Path]) -> None:
    metric = EmbeddingSimilarity(str(tiny_models["encoder"]))
    rows = rows_by_label(
        nlgauge.score(
            ["", " \n", "the cat", "", "the cat"], ["the cat", "the cat", "", "  ", "the cat"], metrics=metric
        )
    )
    assert [row[str(metric)] for row in rows] == pytest.approx([0, 0, 0, 1, 1], abs=1e-6)


def test_truncation_is_counted(tiny_models: dict[str, Path]) -> None:
    result = nlgauge.score(
        ["cat " * 150, "the cat"],
        ["the cat", "the cat"],
        metrics=EmbeddingSimilarity(str(tiny_models["encoder"])),
    )
    assert result["embedding_similarity"]["truncated"] == 1


@pytest.mark.parametrize("name", ["sentence_cosine", "sbert_cosine", "semantic_similarity"])
def test_names_that_people_know(name: str) -> None:
    assert nlgauge.metric.registry.parse(name) == EmbeddingSimilarity()


def test_a_model_must_be_named() -> None:
    with pytest.raises(ParameterError, match="embedding_similarity: model must be"):
        EmbeddingSimilarity("")


def test_every_metric_of_a_run_shares_the_embeddings(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[tuple[str, bool]] = []
    compute = TextEmbedding.compute

    def counted(self: TextEmbedding, keys: list[str], *rest: Any) -> Any:
        read.extend((key, self.alone) for key in keys)
        return compute(self, keys, *rest)

    monkeypatch.setattr(TextEmbedding, "compute", counted)
    model = str(tiny_models["encoder"])
    texts = [f"the cat sat on mat {i}" for i in range(6)]
    metrics = [f"{name}(model={model!r})" for name in ("embedding_similarity", "frechet")] + [
        f"cosmic(model={model!r}, folds=2, modes=1, seeds=1)"
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        result = nlgauge.score(
            texts, [[text[::-1]] for text in texts], [f"{text}." for text in texts], metrics=metrics
        )
        result.intervals(resamples=20)
    # Predictions and references in batches; predictions and sources alone, because what is trained on vectors
    # must not hang on batches.
    assert len(read) == len(set(read)) == 12 + 12
