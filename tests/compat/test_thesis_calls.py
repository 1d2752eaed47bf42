"""The pictures of the NLG-Metricverse thesis (3.3.3): the calls work as they are printed, and draw what
the metrics computed.
"""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("torch")

import nlgauge
from nlgauge.compat.bert_score import BERTScorer
from nlgauge.compat.nlgmetricverse import n_gram_distance_visualization, similarity_word_matching
from nlgauge.errors import InputError, ParameterError
from nlgauge.metric.registry import make
from tests.show.plots.drawn import words

CANDIDATE, REFERENCE = "the cat sat on a mat", "a cat sat on the mat ."


@pytest.fixture
def encoder(tiny_models: dict[str, Path]) -> str:
    return str(tiny_models["encoder"])


def test_the_signatures_are_those_of_the_package() -> None:
    printed = [
        "candidate",
        "reference",
        "model_type",
        "num_layers",
        "lang",
        "rescale_with_baseline",
        "baseline_path",
        "use_fast_tokenizer",
        "fname",
    ]
    assert list(inspect.signature(similarity_word_matching).parameters)[:9] == printed
    assert list(inspect.signature(n_gram_distance_visualization).parameters)[:4] == [
        "reference",
        "translation",
        "is_flow",
        "device",
    ]
    assert inspect.signature(n_gram_distance_visualization).parameters["device"].default == "cuda:0"


def test_word_matching_has_the_similarities_of_bertscore(encoder: str, tmp_path: Path) -> None:
    figure = similarity_word_matching(CANDIDATE, REFERENCE, encoder, 1, fname=tmp_path / "match.svg")
    (explanation,) = nlgauge.score(
        [CANDIDATE], [REFERENCE], metrics=make("bertscore", {"model": encoder, "layer": 1})
    ).explain("bertscore", 0)
    assert np.asarray(figure.axes[0].images[0].get_array()) == pytest.approx(explanation.similarity)
    frames = [patch.get_xy() for patch in figure.axes[0].patches if patch.get_label() == "nearest"]
    assert [x + 0.5 for x, _ in frames] == explanation.similarity.argmax(axis=1).tolist()
    assert (tmp_path / "match.svg").read_text("utf-8").count("cat</text>") == 2
    shaded = similarity_word_matching(CANDIDATE, REFERENCE, model_type=encoder, num_layers=1, form="text")
    assert {"cat", "sat", "mat"} <= set(words(shaded))
    with pytest.raises(ParameterError, match=r"form.*'matrix', 'links' or 'text'"):
        similarity_word_matching(CANDIDATE, REFERENCE, encoder, 1, form="pie")


def test_the_interactive_view_is_one_page_with_the_explanation(encoder: str, tmp_path: Path) -> None:
    similarity_word_matching(CANDIDATE, REFERENCE, encoder, 1, fname=str(tmp_path / "match.html"))
    n_gram_distance_visualization(REFERENCE, CANDIDATE, model=encoder, fname=tmp_path / "mover.html")
    for name in ("match", "mover"):
        page = (tmp_path / f"{name}.html").read_text("utf-8")
        assert page.startswith("<!doctype html>")
        assert 'id="d-why0"' in page


def test_distances_are_those_of_moverscore(encoder: str, tmp_path: Path) -> None:
    (explanation,) = nlgauge.score(
        [CANDIDATE], [REFERENCE], metrics=make("moverscore", {"model": encoder})
    ).explain("moverscore", 0)
    flow = n_gram_distance_visualization(REFERENCE, CANDIDATE, model=encoder, fname=tmp_path / "flow.png")
    links = [patch for patch in flow.axes[0].patches if "\u2192" in patch.get_label()]
    assert len(links) == int((explanation.plan > 1e-9).sum())
    cost = n_gram_distance_visualization(REFERENCE, CANDIDATE, False, "cpu", model=encoder)
    assert np.asarray(cost.axes[0].images[0].get_array()) == pytest.approx(explanation.cost)
    assert (tmp_path / "flow.png").stat().st_size > 1000
    pairs = n_gram_distance_visualization(REFERENCE, CANDIDATE, model=encoder, n_gram=2)
    assert len(pairs.axes[0].get_yticklabels()) < len(flow.axes[0].get_yticklabels())


def test_words_are_weighed_by_the_texts_of_idf(encoder: str, tmp_path: Path) -> None:
    plain = n_gram_distance_visualization(REFERENCE, CANDIDATE, False, model=encoder)
    with pytest.warns(UserWarning, match="words.*idf="):
        alone = n_gram_distance_visualization(REFERENCE, CANDIDATE, False, model=encoder, idf=True)
    assert np.array_equal(alone.axes[0].images[0].get_array(), plain.axes[0].images[0].get_array())
    texts = ["a cat on the mat .", "the dog sat on a log", "on the road"]
    scored = nlgauge.score(
        [CANDIDATE, *texts], [REFERENCE, *texts], metrics=make("moverscore", {"model": encoder, "idf": True})
    )
    (explanation,) = scored.explain("moverscore", 0)
    flow = n_gram_distance_visualization(
        REFERENCE, CANDIDATE, model=encoder, idf=texts, fname=tmp_path / "idf.html"
    )
    links = [patch for patch in flow.axes[0].patches if "\u2192" in patch.get_label()]
    assert len(links) == int((explanation.plan > 1e-9).sum())
    assert "the dog sat on a log" not in (tmp_path / "idf.html").read_text("utf-8")
    with pytest.raises(ParameterError, match=r"idf.*True, False.*'cat'"):
        n_gram_distance_visualization(REFERENCE, CANDIDATE, model=encoder, idf="cat")
    with pytest.raises(ParameterError, match=r"idf.*True, False.*5"):
        n_gram_distance_visualization(REFERENCE, CANDIDATE, model=encoder, idf=5)


def test_plot_example_of_bert_score_draws_too(encoder: str, tmp_path: Path) -> None:
    scorer = BERTScorer(model_type=encoder, num_layers=1)
    figure = scorer.plot_example(CANDIDATE, REFERENCE, str(tmp_path / "example.pdf"))
    ours = similarity_word_matching(CANDIDATE, REFERENCE, encoder, 1)
    assert np.array_equal(figure.axes[0].images[0].get_array(), ours.axes[0].images[0].get_array())
    assert (tmp_path / "example.pdf").read_bytes().startswith(b"%PDF")


def test_what_cannot_be_drawn_says_why(encoder: str) -> None:
    with pytest.raises(ParameterError, match=r"prediction.*text"):
        similarity_word_matching([CANDIDATE], REFERENCE, encoder, 1)
    with pytest.raises(InputError, match=r"\.pdf, \.png or \.svg"):
        similarity_word_matching(CANDIDATE, REFERENCE, encoder, 1, fname="match.doc")
