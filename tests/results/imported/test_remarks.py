"""Explanations of imported scores: the texts of the program that gave them."""

from __future__ import annotations

from pathlib import Path

import pytest
from log_cases import inspect_header, inspect_sample, write_json

import nlgauge
from nlgauge.explanations import Verdict
from nlgauge.results.imported.remarks import has_remarks


def imported(path: Path) -> nlgauge.Result:
    scores = {
        "match": {"value": "C", "explanation": "equal <b>", "answer": "yes"},
        "details": {"value": {"words": 3}, "explanation": "counted"},
        "chrf": {"value": 0.5, "explanation": "of the scorer"},
        "plain": {"value": 1},
    }
    samples = [
        {**inspect_sample("q0", 1), "scores": scores},
        {
            **inspect_sample("q0", 1, epoch=2),
            "scores": {**scores, "match": {**scores["match"], "answer": "no"}},
        },
        {**inspect_sample("q1", 1), "scores": {"plain": {"value": 0}, "match": {"value": None}}},
    ]
    result = nlgauge.read_log(write_json(path / "a.json", {**inspect_header(), "samples": samples}))
    assert isinstance(result, nlgauge.Result)
    return result


@pytest.mark.parametrize(
    ("label", "texts"),
    [
        ("match", ["equal <b>", "answer: yes", "answer: no"]),
        ("details.words", ["counted"]),
        ("inspect.chrf", ["of the scorer"]),
        ("plain", None),
    ],
)
def test_the_texts_of_a_scorer_explain_its_score(label: str, texts: list[str] | None, tmp_path: Path) -> None:
    result = imported(tmp_path)
    assert has_remarks(result, label) == (texts is not None)
    explanations = result.explain(label, "q0")
    if texts is None:
        assert list(explanations) == []
        return
    (found,) = explanations
    assert isinstance(found, Verdict)
    assert found.replies == [texts]
    assert found.score == result[label]["score"]
    assert found.criterion == f"{label}, imported from inspect 0.3.285"
    shown = str(found)
    assert all(text in shown for text in texts)
    assert "nan" not in shown


def test_a_segment_without_texts_has_no_explanation_and_computed_metrics_are_unchanged(
    tmp_path: Path,
) -> None:
    result = imported(tmp_path).add("rouge")
    assert list(result.explain("match", "q1")) == []
    (found,) = result.explain("rouge", "q1")
    assert not isinstance(found, Verdict)
    assert not has_remarks(result, "rouge")


def test_reports_and_saved_results_have_them(tmp_path: Path) -> None:
    result = imported(tmp_path)
    result.save(tmp_path / "out")
    saved = nlgauge.load(tmp_path / "out")
    assert saved.explain("match", "q0")[0].replies == result.explain("match", "q0")[0].replies
    assert saved.report(tmp_path / "page.html").stat().st_size > 1000
