"""SUPERT against a slow oracle that encodes one sentence at a time, with the authors' rules."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from human_judgments import path_of
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.explanations import Alignment
from nlgauge.features.lexical.stop_words import ENGLISH
from nlgauge.meta.benchmarks import load
from nlgauge.metrics.supert import Supert
from nlgauge.models.weights import store

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

CHANGED_PARAMETERS = {"layer": 1, "separator": "|||"}
SUMMARIES = [
    ["A ferry stops in March.", "Cars have to wait, and the old ramp is closed."],
    ["The ramp has rusted."],
    ["The on."],
    ["Nobody paid."],
]
DOCUMENTS = [
    [["The ferry will not run in March.", "Its ramp rusts.", "A small boat takes over.", "Cars must wait."]],
    [["The old ramp rusted.", "It was closed."], ["A new ramp costs a lot.", "The town pays.", "So be it."]],
    [["The boat is small.", "It is full."]],
    [["It is.", "That was it."], ["The town pays for the ramp."]],
]


@cache
def loaded(place: Path) -> tuple[Any, Any]:
    model = transformers.AutoModel.from_pretrained(place).eval()
    return transformers.AutoTokenizer.from_pretrained(place), model


def content(place: Path, sentences: list[str], layer: int, stop_words: bool) -> np.ndarray:
    """The vectors of the tokens of sentences without marks, and without stop words if they are left out."""
    tokenizer, model = loaded(place)
    found = []
    for sentence in sentences:
        encoded = tokenizer(sentence, return_tensors="pt")
        with torch.no_grad():
            states = model(**encoded, output_hidden_states=True).hidden_states[layer][0].double().numpy()
        for token, state in zip(tokenizer.convert_ids_to_tokens(encoded.input_ids[0]), states, strict=True):
            if token not in ("[CLS]", "[SEP]") and not (stop_words and token.lower() in ENGLISH):
                found.append(state / np.linalg.norm(state))
    return np.array(found)


def slow(summary: np.ndarray, document: np.ndarray) -> tuple[float, float, float]:
    recall = np.mean([max(float(r @ s) for s in summary) for r in document])
    precision = np.mean([max(float(r @ s) for r in document) for s in summary])
    return 2 * precision * recall / (precision + recall), precision, recall


@pytest.mark.parametrize(
    "options",
    [{}, {"stop_words": False, "sentences": 1}, {"layer": 1, "sentences": 2}, {"separator": " || "}],
    ids=str,
)
def test_equals_one_sentence_at_a_time(tiny_models: dict[str, Path], options: dict[str, Any]) -> None:
    place = tiny_models["encoder"]
    metric = Supert(str(place), **options)
    several = bool(metric.separator)
    sources = [
        (metric.separator or " ").join(" ".join(sentences) for sentences in documents)
        for documents in DOCUMENTS
    ]
    result = nlgauge.score([" ".join(summary) for summary in SUMMARIES], sources=sources, metrics=metric)
    rows = rows_by_label(result)
    for summary, documents, row in zip(SUMMARIES, DOCUMENTS, rows, strict=True):
        parts = documents if several else [[sentence for part in documents for sentence in part]]
        layer = 2 if metric.layer is None else metric.layer
        ours = content(place, summary, layer, metric.stop_words)
        theirs = [content(place, part[: metric.sentences], layer, metric.stop_words) for part in parts]
        wanted = [slow(ours, part) if len(ours) else (0, 0, 0) for part in theirs if len(part)]
        label = result.labels[0]
        found = [row[label], row[f"{label}.precision"], row[f"{label}.recall"]]
        np.testing.assert_allclose(found, np.mean(wanted, axis=0) if wanted else np.nan, atol=1e-5)


def test_texts_without_content(tiny_models: dict[str, Path]) -> None:
    """A summary of stop words scores 0; a source of stop words has nothing to compare with."""
    result = nlgauge.score(
        ["the on", "", "the cat", "the cat", ""],
        sources=["A cat sat.", "A cat sat.", "On the", "", ""],
        metrics=Supert(str(tiny_models["encoder"])),
    )
    scores = [row[result.labels[0]] for row in rows_by_label(result)]
    assert scores[:2] == [0, 0]
    assert np.isnan(scores[2:]).all()


def test_only_the_first_sentences_are_read(tiny_models: dict[str, Path]) -> None:
    metric = Supert(str(tiny_models["encoder"]), sentences=2)
    sources = ["A ferry stops. Cars wait.", "A ferry stops. Cars wait. The ramp has rusted."]
    results = [nlgauge.score(["The ramp rusts."], sources=[source], metrics=metric) for source in sources]
    first, second = (result[result.labels[0]]["f1"] for result in results)
    assert first == second


def test_explanation_leaves_stop_words_out(tiny_models: dict[str, Path]) -> None:
    place = tiny_models["encoder"]
    result = nlgauge.score(["the cat sat"], sources=["A cat sat on the mat."], metrics=Supert(str(place)))
    (shown,) = result.explain(result.labels[0], 0)
    assert isinstance(shown, Alignment)
    assert not {"the", "a", "on", "[CLS]", "[SEP]"} & {*shown.prediction, *shown.reference}
    precision = shown.similarity.max(axis=1).mean()
    assert precision == pytest.approx(result[result.labels[0]]["precision"], abs=1e-6)


@pytest.mark.parametrize(
    "bad",
    [{"sentences": 0}, {"layer": -1}, {"stop_words": "yes"}, {"separator": None}],
    ids=str,
)
def test_parameters_outside_their_domain(bad: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"supert: {next(iter(bad))} must be"):
        Supert(**bad)


@pytest.mark.thorough
def test_agreement_on_summeval() -> None:
    """A prototype (BERTScore of the first ten sentences, MiniLM) on 50 documents: -.02, .43, .41, .13."""
    path = path_of("summeval")
    if store.location("minilm") is None:
        pytest.skip("minilm is not in the cache; run: nlgauge models get minilm")
    benchmark = load(str(path))
    first = list(dict.fromkeys(row.segment for row in benchmark.rows))[:50]
    part = benchmark.where(segments=first)
    found = part.judgments(part.score("supert")).correlate("system", "kendall", interval=None)
    values = {row["human"]: row["value"] for row in found}
    ours = [values[name] for name in ("coherence", "consistency", "fluency", "relevance")]
    np.testing.assert_allclose(ours, [-0.0221, 0.4329, 0.4059, 0.1255], atol=2 / 136 + 1e-4)
