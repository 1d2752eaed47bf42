"""COMET and COMET-QE against unbabel-comet on small networks, golden values of the same, texts that say
nothing, what is encoded how often.
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
from nlgauge.errors import ModelError
from nlgauge.features import Work
from nlgauge.features.encoders.comet import CometEmbedding
from nlgauge.metrics.comet import Comet
from nlgauge.models import loader
from nlgauge.models.weights import convert

CHANGED_PARAMETERS = {"references": False}
# unbabel-comet 2.2.7 with the two changes of comet_peer.py, Transformers 5.22.2, torch 2.13.0: `predict_step`
# on the texts of comet_peer.py.
GOLDEN: dict[str, tuple[dict[str, Any], list[float]]] = {
    "layer norm": (
        {"layer_norm": True},
        [-1.7355062, -1.9056896, -1.6317182, -2.0056446, -0.0844241, -2.1300073, -1.5647343],
    ),
    "sparsemax": (
        {"layer_transformation": "sparsemax"},
        [-1.8117453, -2.179251, -1.8318888, -2.2198751, 0.0180666, -2.2885854, -1.7504078],
    ),
    "one layer, start mark": (
        {"layer": 1, "pool": "cls"},
        [-2.1839917, -2.0742958, -2.078836, -2.2780588, -0.4035776, -2.3287618, -2.2344267],
    ),
    "maximum, sigmoid": (
        {"pool": "max", "layer_norm": True, "final_activation": "Sigmoid"},
        [0.100859, 0.1128742, 0.135686, 0.095238, 0.5653557, 0.0966758, 0.1191344],
    ),
    "quality estimation": (
        {},
        [-0.96192, -1.1658931, -0.669633, -1.0327802, 0.3203878, -1.2602974, -0.364031],
    ),
}


def segments(metric: str, model: Path, **parameters: Any) -> Any:
    given = {"path": metric, "resulting_name": "x", "model": str(model), **parameters}
    return nlgauge.score(TEXTS["mt"], TEXTS["ref"], TEXTS["src"], metrics=given)


def scores(result: Any, output: str = "x") -> list[float]:
    return [row[output] for row in rows_by_label(result)]


@pytest.mark.parametrize("case", GOLDEN)
def test_golden_values_and_the_authors_program(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed, golden = GOLDEN[case]
    form = "referenceless" if case == "quality estimation" else "regression"
    file = comet_networks.write_checkpoint(tmp_path, form, 1, **changed)
    model = convert.convert(file, "comet", tmp_path / "model", str(tmp_path / "base")).place
    result = segments("comet", model, references=form == "regression")
    np.testing.assert_allclose(scores(result), golden, atol=1e-5)
    assert np.std(golden[:4]) > 1e-3
    assert result["x"]["score"] == pytest.approx(np.mean(golden), abs=1e-5)
    assert result["x"]["truncated"] == 1
    official = comet_peer.from_checkpoint(form, file, monkeypatch)
    texts = TEXTS if form == "regression" else {name: TEXTS[name] for name in ("src", "mt")}
    np.testing.assert_allclose(scores(result), comet_peer.predicted(official, texts)["scores"], atol=1e-5)
    # An empty translation gets the network's number, as it does from the authors' program.
    blanked = {**texts, "mt": ["", *texts["mt"][1:]]}
    empty = nlgauge.score(blanked["mt"], TEXTS["ref"], TEXTS["src"], metrics=result._job.metrics["x"])
    np.testing.assert_allclose(
        scores(empty, empty.labels[0]), comet_peer.predicted(official, blanked)["scores"], atol=1e-5
    )
    assert next(iter(empty.values()))["empty"] == 1


def test_a_row_counts_as_cut_if_one_of_its_texts_is(tmp_path: Path) -> None:
    file = comet_networks.write_checkpoint(tmp_path, "regression", 1)
    model = convert.convert(file, "comet", tmp_path / "model", str(tmp_path / "base")).place
    long, short = "the cat sat on the mat " * 60, "the cat sat"
    metric = {"path": "comet", "resulting_name": "x", "model": str(model)}
    for texts in ((long, short, short), (short, long, short), (short, short, long)):
        prediction, reference, source = texts
        result = nlgauge.score([prediction, short], [reference, short], [source, short], metrics=metric)
        assert result["x"]["truncated"] == 1


def test_sources_and_references_are_encoded_once_for_all_systems(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    plain = CometEmbedding.compute

    def compute(self: CometEmbedding, keys: list[str], work: Work) -> Any:
        read.extend(keys)
        return plain(self, keys, work)

    monkeypatch.setattr(CometEmbedding, "compute", compute)
    systems = {name: [f"{text} {name}" for text in TEXTS["mt"]] for name in "ABCD"}
    nlgauge.score(systems, TEXTS["ref"], TEXTS["src"], metrics=f"comet(model={str(tiny_models['comet'])!r})")
    assert (
        len(read)
        == len(set(read))
        == len({*TEXTS["ref"], *TEXTS["src"], *(text for texts in systems.values() for text in texts)})
    )


def test_an_empty_reference_or_source_leaves_a_row_without_a_score(tiny_models: dict[str, Path]) -> None:
    metric = f"comet(model={str(tiny_models['comet'])!r})"
    alone = nlgauge.score(["the cat"], ["a cat"], ["le chat"], metrics=metric)
    mixed = nlgauge.score(
        ["the cat", "", "cat", "cat"], ["a cat", "", "", "a"], ["le chat", "un", "un", " "], metrics=metric
    )
    assert mixed["comet"]["score"] == pytest.approx(alone["comet"]["score"], abs=1e-6)
    assert mixed["comet"]["empty"] == 0
    assert [np.isnan(row[metric]) for row in rows_by_label(mixed)] == [False, True, True, True]


def test_several_references_are_averaged_unless_told(tiny_models: dict[str, Path]) -> None:
    metric = f"comet(model={str(tiny_models['comet'])!r})"
    references = ["a cat", "the dog met it"]
    one, two = (
        nlgauge.score(["the cat"], [reference], ["le chat"], metrics=metric)["comet"]["score"]
        for reference in references
    )
    assert abs(one - two) > 0.01
    given = ["the cat"], [references], ["le chat"]
    assert nlgauge.score(*given, metrics=metric)["comet"]["score"] == pytest.approx((one + two) / 2, abs=1e-6)
    assert nlgauge.score(*given, metrics=metric, reduce_fn="best")["comet"]["score"] == pytest.approx(
        max(one, two), abs=1e-6
    )


def test_a_network_of_another_form_names_its_metric(tiny_models: dict[str, Path]) -> None:
    given = ["the cat"], ["a cat"], ["le chat"]
    for metric, kind, named in (
        ("comet", "unite", "cometkiwi or unite"),
        ("xcomet", "comet", "metric is comet;"),
        ("lens", "xcomet", "is xcomet"),
    ):
        with pytest.raises(ModelError, match=named):
            nlgauge.score(*given, metrics=f"{metric}(model={str(tiny_models[kind])!r})")
    with pytest.raises(ModelError, match=r"model.*COMET"):
        nlgauge.score(*given, metrics=f"comet(model={str(tiny_models['encoder'])!r})")
    with pytest.raises(ModelError, match=r"network.*COMET"):
        nlgauge.score(*given, metrics=Comet(nlgauge.Model(len, len)))


def test_a_network_that_lacks_weights_is_refused(tmp_path: Path) -> None:
    import torch

    file = comet_networks.write_checkpoint(tmp_path, "regression", 1)
    content = torch.load(file, weights_only=True)
    for number, (gone, message) in enumerate(
        (
            (
                "encoder.model.encoder.layer.1.output.dense.weight",
                r"encoder\.layer\.1\.output\.dense\.weight",
            ),
            ("layerwise_attention.gamma", "gamma is missing"),
        )
    ):
        state = {name: tensor for name, tensor in content["state_dict"].items() if name != gone}
        torch.save({**content, "state_dict": state}, file)
        place = convert.convert(file, "comet", tmp_path / str(number), str(tmp_path / "base")).place
        with pytest.raises(ModelError, match=message):
            loader.load(str(place), "comet", "cpu")


def test_an_own_network_is_a_model(tiny_models: dict[str, Path]) -> None:
    loaded = loader.load(str(tiny_models["comet"]), "comet", "cpu")
    own = Comet(nlgauge.Model(loaded.model, loaded.tokenizer, "mine"))
    given = ["the cat"], ["a cat"], ["le chat"]
    expected = nlgauge.score(*given, metrics=f"comet(model={str(tiny_models['comet'])!r})")["comet"]["score"]
    assert nlgauge.score(*given, metrics=own)["comet"]["score"] == expected
