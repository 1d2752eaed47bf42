"""Embeddings by a public call: against the mean of the model's own vectors, and against GloVe's rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ResultError
from nlgauge.meta.papers.embeddings import cosines, embeddings

torch = pytest.importorskip("torch")

TEXTS = ["cat sat on the mat", "", "dog ran far", "cat sat on the mat"]


def by_hand(directory: Path, text: str) -> np.ndarray:
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(directory)
    with torch.no_grad():
        found = AutoModel.from_pretrained(directory).eval()(**tokenizer(text, return_tensors="pt"))
    return found.last_hidden_state[0].mean(dim=0).numpy()


def test_vectors_are_means_of_the_models_last_vectors(tiny_models: dict[str, Path]) -> None:
    model = str(tiny_models["encoder"])
    plain, unit = nlgauge.embed(TEXTS, model, unit=False), nlgauge.embed(TEXTS, model)
    assert plain.dtype == unit.dtype == np.float32
    assert np.isnan(plain[1]).all() and np.isnan(unit[1]).all()
    for place in (0, 2):
        expected = by_hand(tiny_models["encoder"], TEXTS[place])
        np.testing.assert_allclose(plain[place], expected, atol=1e-5)
        np.testing.assert_allclose(unit[place], expected / np.linalg.norm(expected), atol=1e-5)
    np.testing.assert_array_equal(plain[0], plain[3])
    assert nlgauge.embed([], model).shape == (0, plain.shape[1])


def test_a_causal_model_is_an_encoder_too(tiny_models: dict[str, Path]) -> None:
    model = str(tiny_models["causal"])
    expected = by_hand(tiny_models["causal"], TEXTS[0])
    np.testing.assert_allclose(nlgauge.embed(TEXTS[:1], model, unit=False)[0], expected, atol=1e-5)


def test_a_long_text_is_cut_with_a_warning(tiny_models: dict[str, Path]) -> None:
    long = "cat " * 5000
    with pytest.warns(UserWarning, match=r"1 text cut to the window of the model \(1 of 2 texts\)"):
        nlgauge.embed([long, "cat"], str(tiny_models["encoder"]))
    corpus = Corpus.read({"a": ["cat", long], "b": ["cat", "dog"]}, sources=[long, "cat"])
    with pytest.warns(UserWarning, match="1 of 2 sources, 1 of 2 a"):
        found = embeddings(corpus, str(tiny_models["encoder"]))
    assert found.cut == {"sources": 1, "a": 1, "b": 0}


def test_word_vectors_are_averaged(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    rows = np.array([[3, 4], [1, 0], [0, 2]], dtype=np.float32)
    save_file({"vectors": rows}, tmp_path / "vectors.safetensors")
    (tmp_path / "words.txt").write_text("cat\nsat\ndog\n")
    found = nlgauge.embed(["Cat sat purple", "dog", "purple"], str(tmp_path), unit=False)
    np.testing.assert_allclose(found, [[2, 2], [0, 2], [np.nan, np.nan]])
    unit = nlgauge.embed(["Cat sat purple"], str(tmp_path))
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1, atol=1e-6)


def test_embeddings_of_a_result(tiny_models: dict[str, Path], tmp_path: Path) -> None:
    model = str(tiny_models["encoder"])
    systems = {"a": ["cat sat", "dog ran"], "b": ["dog ran", ""]}
    result = nlgauge.score(systems, ["x", "y"], sources=["cat sat", "big dog"], metrics="exact_match")
    found = embeddings(result, model)
    assert found.sources is not None
    np.testing.assert_allclose(found.sources, nlgauge.embed(["cat sat", "big dog"], model), atol=1e-6)
    np.testing.assert_array_equal(found.predictions["a"][1], found.predictions["b"][0])
    near = cosines(found)
    assert near["a"][0] == pytest.approx(1, abs=1e-6)
    assert np.isnan(near["b"][1])
    result.save(tmp_path / "bare", texts=False)
    with pytest.raises(ResultError, match="without its texts"):
        embeddings(nlgauge.load(tmp_path / "bare"), model)


def test_what_embeddings_need(tiny_models: dict[str, Path]) -> None:
    model = str(tiny_models["encoder"])
    with pytest.raises(InputError, match="list of texts"):
        nlgauge.embed("cat", model)
    with pytest.raises(InputError, match="'system' has several"):
        embeddings(Corpus.read([["a", "b"], ["b"]]), model)
    with pytest.raises(InputError, match="need sources"):
        cosines(embeddings(Corpus.read(["cat", "dog"]), model))
