"""LENS against lens-metric on small networks, golden values of the same, and the percentile."""

from __future__ import annotations

from pathlib import Path

import comet_peer
import numpy as np
import pytest
from comet_peer import TEXTS
from segment_rows import rows_by_label
from tiny import comet_networks

import nlgauge
from nlgauge.metrics.lens import Lens
from nlgauge.models.weights import convert

MODEL_KIND = "lens"
REFERENCES = [[reference, f"{TEXTS['mt'][i]} Again"] for i, reference in enumerate(TEXTS["ref"])]
# lens-metric 0.2.0 with RoBERTaEncoder.forward as in comet_peer.py, Transformers 5.22.2, torch 2.13.0; with
# and without training data.
GOLDEN = {
    "train.csv": [-116.96976, -99.08643, -112.36341, -144.52134, 55.01145, -76.94352, -124.71851],
    "": [-116.60897, -98.40555, -112.76993, -144.69414, 54.4864, -76.89528, -125.41317],
}


@pytest.mark.parametrize("data", GOLDEN)
def test_scores_are_those_of_the_authors_program(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = comet_networks.write_checkpoint(tmp_path, "lens", 1, "roberta", train_data=data or None)
    place = str(convert.convert(file, "lens", tmp_path / "model", str(tmp_path / "base")).place)
    found = {}
    for metric in (Lens(place), Lens(place, rescale=True)):
        result = nlgauge.score(TEXTS["mt"], REFERENCES, TEXTS["src"], metrics=metric)
        found[metric.rescale] = [row[str(metric)] for row in rows_by_label(result)]
        assert result["lens"]["truncated"] == 1
    np.testing.assert_allclose(found[False], GOLDEN[data], atol=1e-3)
    for rescale, scores in found.items():
        official = comet_peer.official_lens(file, monkeypatch, rescale)
        np.testing.assert_allclose(scores, official.score(TEXTS["src"], TEXTS["mt"], REFERENCES), atol=1e-3)


def test_case_does_not_matter_and_zero_is_the_middle(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = Lens(str(tiny_models["lens"]), rescale=True)
    small, large = (
        nlgauge.score([text], ["A Cat"], ["a cat sat"], metrics=metric)["lens"]["score"]
        for text in ("the cat", "THE CAT")
    )
    assert small == large
    monkeypatch.setattr(
        "nlgauge.models.networks.comet.CometNetwork.estimate", lambda self, features: features[:, 0] * 0
    )
    assert nlgauge.score(["the cat"], ["a cat"], ["cat"], metrics=metric)["lens"]["score"] == 50
