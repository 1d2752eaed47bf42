"""Downstream tasks: agreement of labels by hand, and the vectors of an independent program on SummEval."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
from human_judgments import rows_of

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, MissingExtraError, ParameterError
from nlgauge.meta.papers.tasks import labeled, outlet_of, task


def color(texts: list[str]) -> list[bool]:
    return ["red" in text for text in texts]


def test_agreement_and_shares_of_labels() -> None:
    sources = ["red cat", "big dog", "red dog", "red mat"]
    systems = {
        "all right": ["red", "big", "red", "red"],
        "half": ["red", "red", "red", "big"],
        "none": ["big", "red", "big", "big"],
    }
    calls: list[list[str]] = []

    def once(texts: list[str]) -> list[bool]:
        calls.append(texts)
        return color(texts)

    result = nlgauge.score(systems, sources, sources, metrics="exact_match")
    found = labeled(result, once)
    assert found.agreement.tolist() == [[1, 1, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0]]
    assert found.shares == {True: 0.75, False: 0.25}
    assert list(found.shares) == [True, False]
    assert len(calls) == 1 and len(calls[0]) == len(set(calls[0])) == 6


def test_several_predictions_count_as_their_mean() -> None:
    corpus = Corpus.read([["a", "b"], ["b"]], sources=["a", "b"])
    assert labeled(corpus, list).agreement.tolist() == [[0.5, 1.0]]


def test_what_agreement_needs() -> None:
    with pytest.raises(InputError, match="needs sources"):
        labeled(Corpus.read(["a"]), color)
    with pytest.raises(InputError, match=r"'nothing' returned 0 labels for 2 texts"):
        labeled(Corpus.read(["a"], sources=["b"]), nothing)


def nothing(texts: list[str]) -> list[str]:
    return []


def test_a_custom_task_is_a_function_of_a_module() -> None:
    assert task(f"{__name__}:color")(["red", "blue"]) == [True, False]
    with pytest.raises(ParameterError, match="cannot be imported"):
        task(f"{__name__}:colour")
    with pytest.raises(ParameterError, match="cannot be imported"):
        task("no_such_module:f")
    with pytest.raises(ParameterError, match="must be a function"):
        task("sys:path")


def test_names_of_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match=r"unknown task 'sentimant'.*did you mean 'sentiment'"):
        task("sentimant")
    for bad in ("topic", "topic:one", "topic:1"):
        with pytest.raises(ParameterError, match="number of clusters"):
            task(bad)
    monkeypatch.setattr("nlgauge.meta.papers.tasks.find_spec", lambda module: None)
    for name, package in (
        ("sentiment", "vaderSentiment"),
        ("topic:8", "scikit-learn"),
        ("outlet", "scikit-learn"),
    ):
        with pytest.raises(MissingExtraError, match=package):
            task(name)


def test_sentiment_has_three_labels_at_five_hundredths(monkeypatch: pytest.MonkeyPatch) -> None:
    class Analyzer:
        def polarity_scores(self, text: str) -> dict[str, float]:
            return {"compound": float(text)}

    package, module = ModuleType("vaderSentiment"), ModuleType("vaderSentiment.vaderSentiment")
    module.SentimentIntensityAnalyzer = Analyzer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vaderSentiment", package)
    monkeypatch.setitem(sys.modules, "vaderSentiment.vaderSentiment", module)
    monkeypatch.setattr("nlgauge.meta.papers.tasks.find_spec", lambda module: module)
    found = task("sentiment")(["-0.06", "-0.05", "0", "0.05", "0.06"])
    assert found == ["negative", "neutral", "neutral", "neutral", "positive"]


def test_topics_and_outlets_are_learned_from_other_texts() -> None:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    words = {"sport": "goal match team coach league".split(), "money": "bank rate stock market loan".split()}
    filler = [f"w{chr(97 + i)}{chr(97 + j)}" for i in range(10) for j in range(10)]
    kinds = ["sport", "money"] * 40
    texts = [" ".join([*rng.choice(words[kind], 12), *rng.choice(filler, 8)]) for kind in kinds]
    found = task("topic:2", texts)(["goal team MATCH coach", "stock market bank", "league goal"])
    assert found[0] == found[2] != found[1]
    assert task("outlet", texts, kinds)(["goal team", "Bank loan"]) == ["sport", "money"]
    with pytest.raises(ParameterError, match="more than 50 other texts"):
        task("topic:2", texts[:20])
    with pytest.raises(ParameterError, match="newspaper of each"):
        task("outlet", texts, kinds[:3])
    assert [outlet_of(name) for name in ("cnn-test-1", "dm-test-2", "52")] == ["cnn", "dm", ""]


@pytest.mark.thorough
def test_agreement_on_summeval_is_of_the_independent_program() -> None:
    """Shares of labels and the range of agreement that a program of scikit-learn and VADER printed."""
    pytest.importorskip("sklearn")
    pytest.importorskip("vaderSentiment")
    rows = rows_of("summeval")
    systems = sorted({row["system"] for row in rows})
    by = {(row["system"], row["segment"]): row for row in rows}
    segments = list(dict.fromkeys(row["segment"] for row in rows))
    corpus = Corpus.read(
        {system: [by[system, segment]["prediction"] for segment in segments] for system in systems},
        sources=[by[systems[0], segment]["source"] for segment in segments],
    )
    other = {row["segment"]: row["source"] for row in rows_of("realsumm")}.values()
    news = [row["source"] for row in rows_of("primer_dailynews300")]
    known = {by[systems[0], segment]["source"].lower()[:200] for segment in segments}
    texts = [text for text in [*other, *news] if text.lower()[:200] not in known]
    eight = labeled(corpus, task("topic:8", texts))
    assert [round(share, 2) for share in eight.shares.values()] == [0.55, 0.44, 0.01]
