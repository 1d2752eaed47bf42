"""XCOMET against unbabel-comet on small networks, scores and errors, golden values of the same, and the
mix.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import comet_peer
import numpy as np
import pytest
from comet_peer import TEXTS
from segment_rows import rows_by_label
from tiny import comet_networks

import nlgauge
from nlgauge.explanations import ErrorSpans
from nlgauge.metrics.xcomet import XComet, mixed, mqm_of
from nlgauge.models.weights import convert

MODEL_KIND = "xcomet"
CHANGED_PARAMETERS = {"references": False, "spans": "complete"}
# unbabel-comet 2.2.7 with the two changes of comet_peer.py, Transformers 5.22.2, torch 2.13.0: `predict_step`
# on the texts of comet_peer.py.
GOLDEN = {
    ("xlm-roberta-xl", True): [0.1495798, 0.1579283, 0.1676958, 0.2893505, 0.2478392, 0.3389847, 0.3082879],
    ("xlm-roberta-xl", False): [0.1359718, 0.1921245, 0.1354444, 0.2764694, 0.2700927, 0.3394447, 0.2671864],
    ("xlm-roberta", True): [0.0388858, 0.1289719, 0.06851, 0.0864133, 0.1126044, 0.1951556, 0.2029192],
    ("xlm-roberta", False): [0.0466711, 0.0454325, 0.0261283, 0.1214606, 0.1085411, 0.1950579, 0.2799224],
}
# Minor, major and critical errors of each text, and the spans of three.
GOLDEN_ERRORS = {
    ("xlm-roberta-xl", False): [(0, 0, 0), (0, 0, 0), (0, 0, 0), (2, 0, 0), (1, 0, 0), (0, 0, 0), (0, 0, 0)],
    ("xlm-roberta", True): [(0, 0, 2), (0, 0, 0), (1, 0, 1), (0, 0, 3), (0, 0, 1), (0, 0, 0), (0, 0, 0)],
}
GOLDEN_SPANS = {
    0: [(0, 0, "critical", 0.976632), (3, 7, "critical", 0.686388)],
    1: [],
    2: [(0, 0, "critical", 0.808573), (2, 20, "minor", 0.573308)],
}
NAMES = {"xlm-roberta": "XLM-RoBERTa", "xlm-roberta-xl": "XLM-RoBERTa-XL"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Checkpoints by their encoder; the directory of each is beside it."""
    found = {}
    for encoder, name in NAMES.items():
        place = tmp_path_factory.mktemp(encoder)
        found[encoder] = comet_networks.write_checkpoint(place, "xcomet", 1, encoder, encoder_model=name)
        convert.convert(found[encoder], "comet", place / "model", str(place / "base"))
    return found


def scored(file: Path, **parameters: Any) -> tuple[XComet, Any]:
    metric = XComet(str(file.parent.parent / "model"), **parameters)
    return metric, nlgauge.score(TEXTS["mt"], TEXTS["ref"], TEXTS["src"], metrics=metric)


@pytest.mark.parametrize(("encoder", "references"), GOLDEN)
def test_scores_and_errors_are_those_of_the_authors_program(
    encoder: str, references: bool, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    metric, result = scored(files[encoder], references=references)
    rows = rows_by_label(result)
    found = [row[str(metric)] for row in rows]
    np.testing.assert_allclose(found, GOLDEN[encoder, references], atol=1e-5)
    counts = [
        tuple(row[f"{metric}.{severity}"] for severity in ("minor", "major", "critical")) for row in rows
    ]
    assert counts == GOLDEN_ERRORS.get((encoder, references), counts)
    official = comet_peer.from_checkpoint("xcomet", files[encoder], monkeypatch)
    expected = comet_peer.predicted(
        official, TEXTS if references else {name: TEXTS[name] for name in ("src", "mt")}
    )
    np.testing.assert_allclose(found, expected["scores"], atol=1e-5)
    np.testing.assert_allclose([row[f"{metric}.mqm"] for row in rows], expected["mqm_scores"], atol=1e-6)
    for segment, spans in enumerate(expected["error_spans"]):
        (explained,) = result.explain("xcomet", segment)
        assert isinstance(explained, ErrorSpans)
        assert [(s.start, s.end, s.severity) for s in explained.errors] == [
            (s["start"], s["end"], s["severity"]) for s in spans
        ]
        assert [s.confidence for s in explained.errors] == pytest.approx(
            [s["confidence"] for s in spans], abs=1e-5
        )


def test_spans_are_golden_and_complete_ones_count_otherwise(files: dict[str, Path]) -> None:
    metric, result = scored(files["xlm-roberta"])
    for segment, golden in GOLDEN_SPANS.items():
        (explained,) = result.explain("xcomet", segment)
        assert [
            (s.start, s.end, s.severity, pytest.approx(s.confidence, abs=1e-5)) for s in explained.errors
        ] == golden
    complete, other = scored(files["xlm-roberta"], spans="complete")
    before, after = (
        [row[f"{one}.mqm"] for row in rows_by_label(found)]
        for one, found in ((metric, result), (complete, other))
    )
    assert before != after
    mixes = [
        [row[str(one)] for row in rows_by_label(found)]
        for one, found in ((metric, result), (complete, other))
    ]
    np.testing.assert_allclose(np.diff(mixes, axis=0)[0], 0.22 * (np.array(after) - before), atol=1e-9)


def test_the_mix_and_the_weight_of_errors() -> None:
    assert mqm_of(np.array([1, 0, 2])) == pytest.approx(0.16)
    assert mqm_of(np.array([1, 2, 1])) == pytest.approx(0.16)
    assert mqm_of(np.array([[0, 6, 0], [0, 0, 0]])).tolist() == [0, 1]
    assert mixed(np.array([[1.2, 0.5, 0.5]]), np.array([1.0])) == pytest.approx([0.67])
    assert mixed(np.array([[1.2, 0.1, 0.5]]), np.array([0.5])) == pytest.approx([0.12 + 0.033 + 0.165 + 0.11])
    assert mixed(np.array([[1.5], [0.5]]), np.array([1.0, 0.0])) == pytest.approx([1.0, 0.39])


def test_other_spans_are_refused() -> None:
    with pytest.raises(nlgauge.NlgaugeError, match=r"spans.*'compat' or 'complete'"):
        XComet(spans="all")
