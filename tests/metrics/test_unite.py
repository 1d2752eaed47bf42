"""UniTE against unbabel-comet on a small network, and golden values of the same."""

from __future__ import annotations

from pathlib import Path

import comet_peer
import numpy as np
import pytest
from comet_peer import TEXTS
from segment_rows import rows_by_label
from tiny import comet_networks

import nlgauge
from nlgauge.metrics.unite import Unite
from nlgauge.models.weights import convert

MODEL_KIND = "unite"
CHANGED_PARAMETERS = {"references": False}
# unbabel-comet 2.2.7 with the two changes of comet_peer.py, Transformers 5.22.2, torch 2.13.0: `predict_step`
# on the texts of comet_peer.py.
GOLDEN = [-0.0060779, -0.1171731, -0.0842645, 0.1179198, -0.0286158, -0.0337033, -0.0030982]


def test_scores_and_their_parts_are_those_of_the_authors_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = comet_networks.write_checkpoint(tmp_path, "unified", 1, layer_norm=True)
    metric = Unite(str(convert.convert(file, "comet", tmp_path / "model", str(tmp_path / "base")).place))
    result = nlgauge.score(TEXTS["mt"], TEXTS["ref"], TEXTS["src"], metrics=metric)
    rows = rows_by_label(result)
    np.testing.assert_allclose([row[str(metric)] for row in rows], GOLDEN, atol=1e-5)
    assert result["unite"]["truncated"] == 1
    alone = Unite(metric.model, references=False)
    source = nlgauge.score(TEXTS["mt"], sources=TEXTS["src"], metrics=alone)
    np.testing.assert_allclose(
        [row[str(alone)] for row in rows_by_label(source)],
        [row[f"{metric}.src"] for row in rows],
        atol=1e-6,
    )
    expected = comet_peer.predicted(comet_peer.from_checkpoint("unified", file, monkeypatch), TEXTS)
    np.testing.assert_allclose([row[str(metric)] for row in rows], expected["scores"], atol=1e-5)
    for output in ("src", "ref", "unified"):
        np.testing.assert_allclose(
            [row[f"{metric}.{output}"] for row in rows], expected[f"{output}_scores"], atol=1e-5
        )


def test_without_references_none_are_needed() -> None:
    assert (Unite().takes, Unite(references=False).takes) == ("pair", "alone")
    with pytest.raises(nlgauge.NlgaugeError, match=r"references.*True or False"):
        Unite(references=1)  # type: ignore[arg-type]
