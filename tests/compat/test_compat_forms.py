"""Table A.1 of the thesis: every parameter as printed, and the form of the numbers that it asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.compat.nlgmetricverse import NLGMetricverse, load_metric
from nlgauge.errors import ModelError, ParameterError

preds = ["the cat sat on the mat", "there is a dog in the garden"]
refs = ["the cat sat on a mat", "a dog is in the garden"]
PRINTED: dict[str, dict[str, Any]] = {
    "rouge": {
        "rouge_types": ["rouge1", "rouge2", "rougeL"],
        "use_aggregator": True,
        "use_stemmer": False,
        "metric_to_select": "fmeasure",
    },
    "bertscore": {
        "lang": "en",
        "idf": False,
        "batch_size": 64,
        "nthreads": 4,
        "rescale_with_baseline": False,
        "use_fast_tokenizer": False,
        "return_average_scores": False,
    },
    "bartscore": {"model_checkpoint": "bartscore-large-cnn", "batch_size": 4, "segment_scores": False},
    "abstractness": {"ngrams": 1},
}


def outputs(metric: Any, **texts: Any) -> dict[str, Any]:
    (found,) = metric.compute(**{"predictions": preds, "references": refs, **texts}).values()
    return found


@pytest.mark.parametrize("name", PRINTED)
def test_every_row_runs_as_printed_or_lacks_its_weights_alone(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path))
    scorer = NLGMetricverse(metrics=[load_metric(name, compute_kwargs=PRINTED[name])])
    if name.startswith("b"):
        with pytest.raises(ModelError, match="not installed"):
            scorer(preds, refs)
    else:
        assert 0 <= scorer(preds, refs)[name]["score"] <= 1


def test_rouge_is_averaged_or_listed_and_one_side_is_selected() -> None:
    segments = nlgauge.score(preds, refs, metrics="rouge")
    expected = segments._tables[segments.systems[0], "rouge"].segments()
    printed = outputs(load_metric("rouge", compute_kwargs=PRINTED["rouge"]))
    assert list(printed) == ["score", "rougeL", "rouge1", "rouge2"]
    assert printed["score"] == printed["rougeL"] == pytest.approx(expected["rougeL"].mean())
    recall = outputs(load_metric("rouge", use_aggregator=False, metric_to_select="recall"))
    assert recall["rouge1"] == pytest.approx(expected["rouge1_recall"].tolist())
    assert recall["score"] == pytest.approx(expected["rougeL_recall"].tolist())
    every = outputs(load_metric("rouge", use_aggregator=False, metric_to_select=None))
    assert every["rouge2_precision"] == pytest.approx(expected["rouge2_precision"].tolist())
    # nlgauge.score takes the same metric: what is only a form is left out.
    assert (
        nlgauge.score(preds, refs, metrics=[load_metric("rouge", compute_kwargs=PRINTED["rouge"])])["rouge"][
            "score"
        ]
        == printed["score"]
    )


def test_bertscore_and_bartscore_give_lists_where_they_are_asked_for(tiny_models: dict[str, Path]) -> None:
    encoder = {**PRINTED["bertscore"], "model_type": str(tiny_models["encoder"]), "num_layers": 2}
    listed, averaged = (
        outputs(load_metric("bertscore", compute_kwargs={**encoder, "return_average_scores": mean}))
        for mean in (False, True)
    )
    assert listed["score"] == averaged["score"] == pytest.approx(np.mean(listed["f1"]))
    for name in ("precision", "recall", "f1"):
        assert len(listed[name]) == 2
        assert averaged[name] == pytest.approx(np.mean(listed[name]))
    seq2seq = {"model_checkpoint": str(tiny_models["seq2seq"]), "batch_size": 4}
    whole, parts = (
        outputs(load_metric("bartscore", compute_kwargs={**seq2seq, "segment_scores": one}))
        for one in (False, True)
    )
    assert whole["score"] == pytest.approx(np.mean(parts["score"]))


def test_abstractness_compares_with_the_references_and_novelty_with_the_source() -> None:
    scores = NLGMetricverse(metrics=["abstractness", "rouge"])(preds, refs)
    assert scores["abstractness"]["score"] == pytest.approx((0 + 1 / 7) / 2)
    assert outputs(load_metric("abstractness", ngrams=2))["score"] == pytest.approx((2 / 5 + 3 / 6) / 2)
    # An n-gram is known if any reference has it, and none goes across two references.
    several = [["the cat", "sat on a mat"], ["there is", "a dog in the garden"]]
    found = outputs(load_metric("abstractness", n=2), references=several)
    assert found["novelty1"] == 0
    assert found["score"] == pytest.approx((3 / 5 + 1 / 6) / 2)
    assert (
        outputs(load_metric("abstractness", against="source"), references=None, sources=refs)["score"]
        == scores["abstractness"]["score"]
    )
    with pytest.raises(nlgauge.errors.InputError, match="references"):
        outputs(load_metric("abstractness"), references=None, sources=refs)


def test_forms_that_do_not_exist_are_refused() -> None:
    for name, given, message in (
        ("rouge", {"use_aggregator": "yes"}, "use_aggregator must be True or False, got 'yes'"),
        (
            "rouge",
            {"metric_to_select": "f"},
            "metric_to_select must be 'fmeasure', 'precision', 'recall' or None",
        ),
        ("abstractness", {"ngrams": 0}, "ngrams must be a whole number from 1 to 100"),
        ("bleu", {"use_aggregator": True}, "bleu has no parameter 'use_aggregator'"),
    ):
        with pytest.raises(ParameterError, match=message):
            load_metric(name, compute_kwargs=given)
