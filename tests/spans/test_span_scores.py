"""Scores by the weights of errors."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
from span_cases import vectors

from nlgauge import spans
from nlgauge.errors import InputError, ParameterError
from nlgauge.spans import Span, Spans
from nlgauge.spans.building import columns_of
from nlgauge.spans.span import Annotation
from nlgauge.spans.weights import WEIGHTS, score, weights_of


def marked(*lists: list[Span]) -> Spans:
    """Return the spans of one annotator in one system, one list per segment."""
    cells = {(0, n): each for n, each in enumerate(lists)}
    return Spans.of_cells("ana", "people", ["A"], list(range(len(lists))), cells)


def error(severity: str, category: str = "", **more: bool) -> Span:
    return Span(0, 1, severity, category, **more)


@pytest.mark.parametrize(
    ("span", "weight"),
    [
        (error("major"), 5),
        (error("minor", "fluency"), 1),
        (error("minor", "fluency/punctuation"), 0.1),
        (error("minor", "fluency/punctuation/comma"), 0.1),
        (error("major", "fluency/punctuation"), 5),
        (error("major", "non-translation!"), 25),
        (error("neutral", "style"), 0),
    ],
)
def test_the_rule_with_the_longest_name_decides(span: Span, weight: float):
    assert score(marked([span])).tolist() == [[-weight]]


def test_texts_without_errors_score_0_and_unread_texts_are_unknown():
    columns, _ = columns_of([Annotation("1", "A", "ana", ()), Annotation("2", "B", "ana", (error("major"),))])
    scores = score(columns)
    assert scores[0, 0] == 0 and math.copysign(1, scores[0, 0]) == 1
    assert scores[1, 1] == -5 and np.isnan(scores[0, 1]) and np.isnan(scores[1, 0])
    assert score(columns, level="system").tolist() == [0, -5]


def test_annotators_are_averaged():
    first, second = marked([error("major")]), marked([error("minor"), error("minor")])
    assert score([first, second]).tolist() == [[-3.5]]


def test_an_error_of_several_parts_counts_once():
    parts = [error("major"), Span(3, 4, "major", continues=True)]
    assert score(marked(parts)).tolist() == [[-5]]


def test_errors_of_a_text_are_limited():
    many = [error("critical"), *[error("minor")] * 6, error("major")]
    assert score(marked(many), "xcomet").tolist() == [[-21]]
    assert score(marked([error("critical")] * 3), "xcomet").tolist() == [[-25]]
    # The worst five: 25 + 5 + 1 + 1 + 1, at most 25.
    assert score(marked(many), "gemba").tolist() == [[-25]]
    assert score(marked([error("minor")] * 4 + [error("major")] * 3), "gemba").tolist() == [[-17]]
    assert score(marked([error("major")] * 6), "sqm25").tolist() == [[-25]]


def test_a_severity_without_a_weight_is_an_error():
    with pytest.raises(InputError, match="severity 'High' has no weight") as problem:
        score(marked([error("High")]))
    assert "--weights mqm,High=5" in problem.value.for_cli()
    assert score(marked([error("High")]), {"High": 3}).tolist() == [[-3]]
    assert score(marked([error("High")]), "mqm,High=2.5").tolist() == [[-2.5]]
    with pytest.raises(InputError, match="'critical'"):
        score(marked([error("critical")]))


@pytest.mark.parametrize(
    "weights", ["mqn", "major=x", "=5", "mqm,major", {"major": math.nan}, {"major": True}, "major=inf"]
)
def test_weights_are_checked(weights: object):
    with pytest.raises(ParameterError):
        weights_of(weights)  # type: ignore[arg-type]


def test_scores_per_100_words():
    annotation = Annotation("1", "A", "ana", (error("major"),), target="two words")
    columns, _ = columns_of([annotation])
    assert score(columns, per="100 words").tolist() == [[-250]]
    with pytest.raises(InputError, match="texts"):
        score(marked([error("major")]), per="100 words")
    for options in ({"level": "corpus"}, {"per": "words"}):
        with pytest.raises(ParameterError):
            score(columns, **options)


def mqm_data(name: str) -> Path:
    """Return a file of google/wmt-mqm-human-evaluation, or skip the test."""
    path = Path(os.environ.get("NLGAUGE_MQM") or "missing") / name
    if not path.is_file():
        pytest.skip(
            f"{name} is not in NLGAUGE_MQM, the directory of files of google/wmt-mqm-human-evaluation"
        )
    return path


def test_published_mqm_scores_are_reproduced():
    file = spans.read(mqm_data("mqm_ted_ende.tsv"))
    scores = score(file)
    # The published scores have another name of the human translation.
    systems = {{"ref": "ref-A"}.get(name, name): s for s, name in enumerate(file[0].systems)}
    places = {str(segment).rpartition(":")[2]: n for n, segment in enumerate(file[0].segments)}
    lines = mqm_data("mqm_ted_ende.avg_seg_scores.tsv").read_text("utf-8").splitlines()[1:]
    published = [line.split() for line in lines if "None" not in line]
    assert len(published) == int((~np.isnan(scores)).sum()) == 7406
    for system, value, segment in published:
        assert scores[systems[system], places[segment]] == pytest.approx(float(value), abs=1e-5)
    means = score(file, level="system")
    for system, value in vectors("mqm_ted_ende.json")["system means"].items():
        assert means[systems[system]] == pytest.approx(value, abs=1e-6)


def test_the_weights_are_those_of_the_vectors():
    assert WEIGHTS["mqm"].rules == vectors("mqm_ted_ende.json")["weights"]
