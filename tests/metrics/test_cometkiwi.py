"""CometKiwi against unbabel-comet on a small network, scores and labels, golden values of the same, and
how errors are decoded.
"""

from __future__ import annotations

from pathlib import Path

import comet_peer
import numpy as np
import pytest
from comet_peer import TEXTS
from segment_rows import rows_by_label
from tiny import comet_networks

import nlgauge
from nlgauge.explanations import ErrorSpans
from nlgauge.features.encoders.comet import CometJoint
from nlgauge.metrics._shared.error_spans import decoded, spans_of
from nlgauge.metrics.cometkiwi import CometKiwi
from nlgauge.models.weights import convert

MODEL_KIND = "unite"
CHANGED = {
    "input_segments": ["mt", "src"],
    "word_level_training": True,
    "error_labels": ["minor", "major"],
    "layer_norm": True,
}
# unbabel-comet 2.2.7 with the two changes of comet_peer.py, Transformers 5.22.2, torch 2.13.0: `predict_step`
# on the texts of comet_peer.py.
GOLDEN = [0.0015053, -0.1126107, -0.1273922, 0.1543589, -0.0325036, -0.0338009, 0.0746241]
GOLDEN_SPANS = [
    [(0, 0, "major", 0.55441), (3, 7, "minor", 0.731489), (11, 15, "minor", 0.890387)],
    [
        (0, 3, "major", 0.773334),
        (7, 8, "minor", 0.872735),
        (13, 15, "minor", 0.435855),
        (18, 21, "minor", 0.43175),
    ],
    [(0, 0, "major", 0.821564), (2, 12, "minor", 0.894487)],
    [(0, 0, "major", 0.458425), (14, 15, "minor", 0.687757)],
    [(0, 0, "major", 0.874543)],
    [],
    [],
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("kiwi")
    file = comet_networks.write_checkpoint(place, "unified", 1, **CHANGED)
    return convert.convert(file, "comet", place / "model", str(place / "base")).place


def test_scores_are_those_of_the_authors_program(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = nlgauge.score(TEXTS["mt"], sources=TEXTS["src"], metrics=CometKiwi(str(model)))
    found = [row[str(CometKiwi(str(model)))] for row in rows_by_label(result)]
    np.testing.assert_allclose(found, GOLDEN, atol=1e-5)
    assert result["cometkiwi"]["score"] == pytest.approx(np.mean(GOLDEN), abs=1e-5)
    assert result["cometkiwi"]["truncated"] == 1
    official = comet_peer.from_checkpoint("unified", model.parent / "checkpoints" / "model.ckpt", monkeypatch)
    np.testing.assert_allclose(
        found,
        comet_peer.predicted(official, {name: TEXTS[name] for name in ("src", "mt")})["scores"],
        atol=1e-5,
    )


def test_labels_are_those_of_the_authors_program(model: Path) -> None:
    from nlgauge.features import RunOptions, Work

    found = CometJoint(str(model)).compute(
        list(zip(TEXTS["mt"], TEXTS["src"], strict=True)), Work(RunOptions())
    )
    for row, golden in enumerate(GOLDEN_SPANS):
        spans = spans_of(decoded(found.labels[row], found.offsets[row], complete=False), ("minor", "major"))
        assert [(span.start, span.end, span.severity) for span in spans] == [span[:3] for span in golden]
        assert [span.confidence for span in spans] == pytest.approx([span[3] for span in golden], abs=1e-5)


def test_an_explanation_shows_every_error_and_no_mark(model: Path) -> None:
    result = nlgauge.score(TEXTS["mt"], sources=TEXTS["src"], metrics=CometKiwi(str(model)))
    for segment, golden in enumerate(GOLDEN_SPANS):
        (explained,) = result.explain("cometkiwi", segment)
        assert isinstance(explained, ErrorSpans)
        assert explained.text == TEXTS["mt"][segment]
        # What the authors' program drops at the end is there, what it starts at the start mark is not.
        assert {span[:2] for span in golden if span[1]} <= {
            (span.start, span.end) for span in explained.errors
        }
        assert all(span.start < span.end <= len(explained.text) for span in explained.errors)
        assert f"{rows_by_label(result)[segment][str(CometKiwi(str(model)))]:.4f}" in explained.title


def test_a_network_without_labels_explains_nothing(tmp_path: Path) -> None:
    comet_networks.write(tmp_path / "model", 1, "unified")
    assert not nlgauge.score(
        ["the cat"], sources=["le chat"], metrics=CometKiwi(str(tmp_path / "model"))
    ).explain("cometkiwi", 0)


def labeled(*labels: int) -> np.ndarray:
    """Probabilities of four labels, the given one likeliest at each place."""
    return np.array([[0.7 if label == best else 0.1 for label in range(4)] for best in labels])


# Places between the two marks; 1 minor, 2 major, 3 critical.
@pytest.mark.parametrize(
    ("labels", "compat", "complete"),
    [
        ((0, 0, 1, 3, 2, 0, 0), [(1, 4, 1)], [(1, 4, 1)]),
        ((0, 2, 2, 2, 2), [], [(0, 3, 2)]),
        ((0, 2, 2, 0, 0), [(0, 2, 2)], [(0, 2, 2)]),
        ((3, 0, 0), [(0, 0, 3)], []),
        ((0, 1, 3, 3, 0, 0), [(0, 3, 1)], [(0, 3, 3)]),
        ((0, 1, 0, 2, 0), [(0, 1, 1), (2, 3, 2)], [(0, 1, 1), (2, 3, 2)]),
        ((0, 0), [], []),
    ],
)
def test_runs_of_labels_become_errors(
    labels: tuple[int, ...], compat: list[tuple[int, ...]], complete: list[tuple[int, ...]]
) -> None:
    offsets = np.array([(0, 0), *((i, i + 1) for i in range(len(labels) - 2)), (0, 0)])
    for whole, expected in ((False, compat), (True, complete)):
        assert [span[:3] for span in decoded(labeled(*labels), offsets, whole)] == expected
