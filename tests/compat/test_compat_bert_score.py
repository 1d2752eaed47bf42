"""The calls of bert-score, with the numbers of bert-score itself on the same weights."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.compat.bert_score import BERTScorer, score
from nlgauge.errors import InputError, ParameterError
from nlgauge.metrics.bertscore import BertScore

preds = ["the cat is on the mat", "hello there", "a dog and a cat"]
refs = ["the cat sat on the mat", "hello their", "the dog"]
many = [["the cat sat", refs[0]], [refs[1]], [refs[2], "a dog"]]
BASELINE = "LAYER,P,R,F\n0,0.1,0.2,0.15\n1,0.31,0.42,0.37\n2,-0.5,0.0,0.25\n"


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    path = tmp_path / "baseline.tsv"
    path.write_text(BASELINE, encoding="utf-8")
    return path


@pytest.fixture
def model(tiny_models: dict[str, Path]) -> dict[str, Any]:
    return {"model_type": str(tiny_models["encoder"]), "num_layers": 1}


@pytest.mark.filterwarnings(
    "ignore:The given NumPy array is not writable"
)  # what bert-score does with a baseline
@pytest.mark.parametrize("references", [refs, many], ids=["one", "several"])
@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("rescaled", [False, True])
def test_score_equals_bert_score(
    references: list[Any], idf: bool, rescaled: bool, model: dict[str, Any], baseline: Path
) -> None:
    bert_score = pytest.importorskip("bert_score")
    options = {
        "idf": idf,
        "lang": "en",
        "rescale_with_baseline": rescaled,
        "baseline_path": str(baseline),
        "device": "cpu",
        **model,
    }
    theirs = bert_score.score(preds, references, nthreads=0, **options)
    ours = score(preds, references, **options)
    for one, other in zip(ours, theirs, strict=True):
        assert isinstance(one, np.ndarray)
        np.testing.assert_allclose(one, other.numpy(), atol=1e-5)


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
@pytest.mark.parametrize("rescaled", [False, True])
def test_a_scorer_with_weights_of_other_texts_equals_bert_score(
    rescaled: bool, model: dict[str, Any], baseline: Path
) -> None:
    bert_score = pytest.importorskip("bert_score")
    other = ["the dog", "the mat", "a cat sat", "hello", "the dog"]
    options = {
        "lang": "en",
        "rescale_with_baseline": rescaled,
        "baseline_path": str(baseline),
        "idf": True,
        "device": "cpu",
        **model,
    }
    theirs, ours = (
        bert_score.BERTScorer(nthreads=0, idf_sents=other, **options),
        BERTScorer(idf_sents=other, **options),
    )
    for found in (ours.score(preds, refs), ours.score(preds, refs, verbose=True, batch_size=1)):
        for one, their in zip(found, theirs.score(preds, refs), strict=True):
            np.testing.assert_allclose(one, their.numpy(), atol=1e-5)
    ours.compute_idf(refs)
    np.testing.assert_allclose(ours.score(preds, refs), score(preds, refs, **options), atol=1e-6)
    assert not np.allclose(ours.score(preds, refs).f1, found.f1)


def test_attributes_and_hash(model: dict[str, Any], baseline: Path) -> None:
    scorer = BERTScorer(**model, lang="en", rescale_with_baseline=True, baseline_path=baseline)
    assert (scorer.lang, scorer.idf, scorer.model_type, scorer.num_layers) == (
        "en",
        False,
        model["model_type"],
        1,
    )
    assert scorer.baseline_vals == (0.31, 0.42, 0.37)
    scores, found = scorer.score(preds, refs, return_hash=True)
    assert found == scorer.hash
    assert "|layer:1|idf:no|baseline:0.31,0.42,0.37|" in found
    assert len(scores.f1) == 3
    _, plain = score(preds, refs, **model, return_hash=True)
    assert plain == BERTScorer(**model).hash
    assert "baseline" not in plain


def test_the_installed_packages_files_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("bert_score")
    first = BERTScorer(lang="en", rescale_with_baseline=True)
    assert (first.model_type, first.num_layers) == ("roberta-large", 17)
    assert first.baseline_vals == pytest.approx(
        (0.83149, 0.83146, 0.83123), abs=1e-4
    )  # from the package's rescale_baseline/en/roberta-large.tsv
    with pytest.raises(ParameterError, match=r"bert-score.*'no-such-model'.*'en'"):
        BERTScorer(  # noqa: B018
            model_type="no-such-model", num_layers=1, lang="en", rescale_with_baseline=True
        ).baseline_vals
    with pytest.raises(ParameterError, match="needs lang="):
        BERTScorer(model_type="roberta-large", rescale_with_baseline=True).baseline_vals  # noqa: B018
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert (
        BERTScorer(lang="en", rescale_with_baseline=True).baseline_vals == first.baseline_vals
    )  # it is known here too
    with pytest.raises(ParameterError, match="pip install bert-score"):
        BERTScorer(lang="en", num_layers=16, rescale_with_baseline=True).baseline_vals  # noqa: B018


def test_mistakes(model: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="all_layers"):
        score(preds, refs, **model, all_layers=True)
    with pytest.raises(ParameterError, match=r"idf.*True or False"):
        score(preds, refs, **model, idf={"a": 1.0})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="compute_idf"):
        BERTScorer(**model, idf=True).score(preds, refs)
    for content, message in (
        (None, "cannot be read"),
        ("LAYER,P,R,F\n1,x,y,z\n", "rows LAYER,P,R,F"),
        ("LAYER,P,R,F\n0,1,2,3\n", "for layer 1"),
    ):
        path = tmp_path / "baseline.tsv"
        if content is not None:
            path.write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=message):
            score(preds, refs, **model, rescale_with_baseline=True, baseline_path=path)


def test_a_baseline_as_a_parameter_of_the_metric(model: dict[str, Any]) -> None:
    plain, rescaled = (
        BertScore(model["model_type"], 1),
        BertScore(model["model_type"], 1, baseline=(0.5, 0.25, -1)),
    )
    result = nlgauge.score(preds, refs, metrics=[plain, rescaled])
    before, after = result.values()
    for name, base in (("precision", 0.5), ("recall", 0.25), ("f1", -1)):
        assert after[name] == pytest.approx((before[name] - base) / (1 - base), abs=1e-9)
    (low, _), (other, _) = (
        (outputs[0].low, outputs[0].high)
        for outputs in (rescaled.outputs()["precision"], plain.outputs()["precision"])
    )
    assert (low, other) == (-3, -1)
    title = result.explain(str(rescaled), 0)[0].title
    assert title.startswith(f"bertscore f1 {result.segments('records')[0][f'{rescaled}.f1']:.4f}")
    for wrong in ((0.5,), (0.5, 0.5, 1), (0.5, 0.5, True), 0.5):
        with pytest.raises(ParameterError, match="baseline must be"):
            BertScore("minilm", 6, baseline=wrong)  # type: ignore[arg-type]
