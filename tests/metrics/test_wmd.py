"""WMD: against gensim, with vectors of length 1 and as they are; and the numbers of the specification, on
GloVe.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from strategies import SENTENCES
from word_vector_cases import CAT, OBAMA, need_glove, rows

import nlgauge
from nlgauge.compat.nlgmetricverse import load_metric
from nlgauge.errors import MissingExtraError, ParameterError
from nlgauge.explanations import Transport
from nlgauge.features.lexical.stop_words import ENGLISH
from nlgauge.features.tokens.text import Tokens
from nlgauge.metrics.wmd import Wmd
from nlgauge.models.weights.vectors import WordTable, load_vectors

pytestmark = pytest.mark.filterwarnings("ignore:.*of the words have no vector")

CHANGED_PARAMETERS = {"tokenizer": "whitespace", "stop": "english"}
TEXTS = [text for prediction, references in SENTENCES for text in (prediction, *references)]


def gensim_of(table: WordTable, texts: list[str]) -> Any:
    models = pytest.importorskip("gensim.models")
    words = sorted({word for text in texts for word in Tokens("unicode").of(text)} & set(table.rows))
    found = models.KeyedVectors(table.vectors.shape[1])
    found.add_vectors(words, np.array([table.vectors[table.rows[word]] for word in words]))
    return found


def test_distances_are_gensims(tiny_models: dict[str, Path]) -> None:
    place = str(tiny_models["vectors"])
    theirs = gensim_of(load_vectors(place), TEXTS)
    pairs = [(a, b) for a in TEXTS for b in TEXTS[::3]]
    for unit in (True, False):
        found = rows(Wmd(place, unit=unit), [a for a, _ in pairs], [b for _, b in pairs])[:, 0]
        expected = [theirs.wmdistance(*map(Tokens("unicode").of, pair), norm=unit) for pair in pairs]
        known = np.isfinite(expected)
        np.testing.assert_allclose(found[known], np.array(expected)[known], atol=5e-7)
        # gensim's infinity, where a text has no known word, is undefined here, or 0 for equal texts.
        assert all(
            np.isnan(value) or a == b
            for value, (a, b) in zip(found[~known], np.array(pairs)[~known], strict=True)
        )
        assert 0 < (~known).sum() < len(pairs) / 2


def test_on_glove() -> None:
    """Made by gensim 4 on the same vectors: KeyedVectors.wmdistance(prediction.split(),
    reference.split(), norm=True) and norm=False.
    """
    need_glove()
    pytest.importorskip("ot")
    pairs = [list(side) for side in zip(CAT, OBAMA, strict=True)]
    np.testing.assert_allclose(
        rows("wmd(unit=True, tokenizer='whitespace')", *pairs)[:, 0], [0.1954004583, 0.5408950491], atol=5e-8
    )
    np.testing.assert_allclose(
        rows("wmd(tokenizer='whitespace')", *pairs)[:, 0], [1.1045340429, 3.0531133925], atol=5e-8
    )
    theirs = gensim_of(load_vectors("glove"), TEXTS)
    for text, other in pairwise(TEXTS):
        ours, expected = (
            rows("wmd", [text], [other])[0, 0],
            theirs.wmdistance(*map(Tokens("unicode").of, (text, other)), norm=False),
        )
        assert ours == pytest.approx(expected, abs=5e-6) or (
            (np.isnan(ours) or text == other) and np.isinf(expected)
        )


def test_the_order_of_words_does_not_matter_and_it_is_symmetric(tiny_models: dict[str, Path]) -> None:
    place = str(tiny_models["vectors"])
    words = ["the", "cat", "sat", "on", "the", "mat", "the", "minister", "met"]
    shuffled = [words[i] for i in np.random.default_rng(1).permutation(len(words))]
    there = rows(Wmd(place), [" ".join(words)], ["the president met the cat"])[0, 0]
    assert there > 0.1
    assert there == pytest.approx(rows(Wmd(place), [" ".join(shuffled)], ["the president met the cat"])[0, 0])
    assert there == pytest.approx(rows(Wmd(place), ["the president met the cat"], [" ".join(shuffled)])[0, 0])
    assert rows(Wmd(place), [" ".join(words)], [" ".join(shuffled)])[0, 0] == 0


def test_texts_without_known_words(tiny_models: dict[str, Path]) -> None:
    metric = Wmd(str(tiny_models["vectors"]))
    texts = ["", "", "the cat", "zzz qqq", "zzz qqq", "zzz", "  ", "the cat zzz"]
    others = ["the cat", "", "", "zzz qqq", "the cat", "qqq", "?!", "the cat"]
    found = rows(metric, texts, others)
    np.testing.assert_array_equal(found[:, 0], [np.nan, 0, np.nan, 0, np.nan, np.nan, 0, 0])
    np.testing.assert_allclose(found[:, 1], [0, 0, 0, 1, 0.5, 1, 0, 0.2])
    result = nlgauge.score(texts, others, metrics=metric)
    assert result[result.labels[0]]["score"] == 0  # the mean of those that are known
    assert result[result.labels[0]]["unknown"] == pytest.approx(9 / 19)


@pytest.mark.filterwarnings("default")
def test_many_unknown_words_are_worth_a_warning(tiny_models: dict[str, Path]) -> None:
    with pytest.warns(UserWarning, match="50%.*words"):
        rows(Wmd(str(tiny_models["vectors"])), ["the zzz"], ["cat yyy"])


def test_stop_words_may_be_left_out(tiny_models: dict[str, Path]) -> None:
    place = str(tiny_models["vectors"])
    metric = Wmd(place, stop="english")
    assert rows(metric, ["The cat is on the mat"], ["cat mat"])[0].tolist() == [0, 0]
    assert rows(Wmd(place), ["The cat is on the mat"], ["cat mat"])[0, 0] > 0.1
    assert len(ENGLISH) == 198


def test_explanation_is_the_plan_that_was_scored(tiny_models: dict[str, Path]) -> None:
    result = nlgauge.score(
        ["the cat is on the mat", ""],
        ["a cat sat on the mat", "cat"],
        metrics=Wmd(str(tiny_models["vectors"])),
    )
    (shown,) = result.explain(result.labels[0], 0)
    assert isinstance(shown, Transport)
    assert (shown.prediction, shown.reference) == (
        ["the", "cat", "is", "on", "mat"],
        ["cat", "sat", "on", "the", "mat"],
    )
    assert (shown.plan * shown.cost).sum() == pytest.approx(
        rows(Wmd(str(tiny_models["vectors"])), ["the cat is on the mat"], ["a cat sat on the mat"])[0, 0]
    )
    np.testing.assert_allclose(shown.plan.sum(axis=1), [2 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6])
    np.testing.assert_allclose(shown.plan.sum(axis=0), 1 / 5)
    assert result.explain(result.labels[0], 1) == []


def test_the_thesis_call(tiny_models: dict[str, Path]) -> None:
    metric = load_metric("wmd", compute_kwargs={"vectors": str(tiny_models["vectors"])})
    found = metric.compute(predictions=["the cat sat"], references=["the cat sat"])
    assert found["wmd"]["score"] == 0


def test_missing_things_are_named(tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(nlgauge.NlgaugeError, match=r"model.*vectors='glove'"):
        nlgauge.score(["a"], ["b"], metrics=Wmd(str(tiny_models["encoder"])))
    with pytest.raises(nlgauge.NlgaugeError, match="did you mean 'glove'"):
        nlgauge.score(["a"], ["b"], metrics="wmd(vectors='glov')")
    monkeypatch.setitem(sys.modules, "ot", None)
    with pytest.raises(MissingExtraError, match=r'pip install "nlgauge\[ot\]"'):
        nlgauge.score(["a"], ["b"], metrics=Wmd(str(tiny_models["vectors"])))


@pytest.mark.parametrize(
    "bad", [{"vectors": ""}, {"vectors": 3}, {"tokenizer": "characters"}, {"stop": True}], ids=str
)
def test_parameters_outside_their_domain(bad: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=f"wmd: {next(iter(bad))} must be"):
        Wmd(**bad)  # type: ignore[arg-type]
