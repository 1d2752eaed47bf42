"""NUBIA against numbers of the authors' class on small models, and what it gives without an aggregator."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import ModelError
from nlgauge.explanations import Entailment
from nlgauge.metrics.nubia import Nubia
from nlgauge.models import Model

pytest.importorskip("torch")
pytest.importorskip("transformers")

MODEL_KIND = "pair_one"
JUDGED = True
OTHER_MODELS = {"nli": "pair", "lm": "causal", "aggregator": "aggregator"}
CHANGED_PARAMETERS = {"labels": ("e", "n", "c")}
REFERENCES = [
    "The cat sat on the mat.",
    "He said it won't happen again.",
    "On Tuesday, the minister met with the president.",
    "It costs $1,234.56, some 20% more.",
]
PREDICTIONS = [
    "A cat is on the mat.",
    "Never again, he said.",
    "The minister  met Shares.",
    "It costs 20% more.",
]
# Nubia.score of wl-research/nubia at ba65696, its models and networks replaced by the small ones below:
# similarity, percent of contradiction, irrelevancy and agreement, losses of the reference and of the
# prediction.
FEATURES = [
    (
        3.3008899688720703,
        67.21985340118408,
        9.693767130374908,
        23.086385428905487,
        5.8885498046875,
        5.748719215393066,
    ),
    (
        -1.4603930711746216,
        44.81983780860901,
        16.326628625392914,
        38.8535350561142,
        5.6895270347595215,
        5.845911502838135,
    ),
    (
        0.4506342113018036,
        65.73877930641174,
        21.360164880752563,
        12.901054322719574,
        6.094227313995361,
        6.235345840454102,
    ),
    (
        -0.3798556327819824,
        73.90658259391785,
        21.853144466876984,
        4.240270704030991,
        6.283994197845459,
        6.266380310058594,
    ),
]
# Its score with networks of 8 and of 6 features.
GOLDEN = {
    8: [1.0, 0.05882916945743777, 0.3684784767785352, 0.32524738745718595],
    6: [1.0, 0.8162155284814814, 1.0, 0.9305769472678064],
}
NAMES = ("semantic_relation", "contradiction", "irrelevancy", "agreement", "grammar_reference", "grammar")


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    from tiny.causal import make
    from tiny.families import filled, model_of, tokenizer_of

    tokenizer = tokenizer_of("roberta")
    causal, letters = make()
    made = {
        "model": Model(model_of("roberta", num_labels=1), tokenizer, "sts"),
        "nli": Model(model_of("roberta", num_labels=3), tokenizer, "nli"),
    }
    return {
        **made,
        "lm": Model(filled(causal, 0.3), letters, "lm"),
        "sigmoid": False,
        "labels": ("c", "n", "e"),
    }


@pytest.mark.parametrize("features", GOLDEN)
def test_equals_the_authors_class(features: int, models: dict[str, Any], tmp_path: Path) -> None:
    from tiny.aggregator import write

    write(tmp_path / "network", 1, features)
    result = nlgauge.score(
        PREDICTIONS, REFERENCES, metrics=Nubia(**models, aggregator=str(tmp_path / "network"))
    )
    (label,) = result.labels
    for row, expected, golden in zip(rows_by_label(result), FEATURES, GOLDEN[features], strict=True):
        found = [row[f"{label}.{name}"] * (100 if 0 < i < 4 else 1) for i, name in enumerate(NAMES)]
        assert found == pytest.approx(expected, abs=2e-4, rel=1e-6)
        assert row[label] == pytest.approx(golden, abs=1e-5)


def test_without_an_aggregator_there_are_features_alone(models: dict[str, Any]) -> None:
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=Nubia(**models))
    (found,) = result.values()
    assert "nubia" not in found
    assert (
        found["score"]
        == found["semantic_relation"]
        == pytest.approx(sum(row[0] for row in FEATURES) / 4, abs=1e-5)
    )
    through = nlgauge.score(PREDICTIONS[:1], REFERENCES[:1], metrics=Nubia(**{**models, "sigmoid": True}))
    assert next(iter(through.values()))["score"] == pytest.approx(
        5 / (1 + math.exp(-FEATURES[0][0] / 5)), abs=1e-5
    )


def test_similarity_is_shown_to_5_at_most(models: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    head = models["model"].model.classifier.out_proj.bias
    monkeypatch.setattr(head, "data", head.data + 7)
    result = nlgauge.score(PREDICTIONS[:1], REFERENCES[:1], metrics=Nubia(**models))
    assert next(iter(result.values()))["score"] == 5


def test_nothing_to_read_is_not_a_score(models: dict[str, Any]) -> None:
    result = nlgauge.score(["", "A cat.", "A cat."], ["A cat.", " ", "The cat."], metrics=Nubia(**models))
    assert [math.isnan(row[result.labels[0]]) for row in rows_by_label(result)] == [True, True, False]
    assert next(iter(result.values()))["empty"] == 1


def test_explanation_shows_the_inference(models: dict[str, Any]) -> None:
    result = nlgauge.score(PREDICTIONS[:1], REFERENCES[:1], metrics=Nubia(**models))
    (shown,) = result.explain(result.labels[0], 0)
    assert isinstance(shown, Entailment)
    assert "semantic_relation 3.3009" in shown.title
    assert (shown.premises, shown.hypotheses) == (REFERENCES[:1], PREDICTIONS[:1])
    assert {name: 100 * float(matrix[0, 0]) for name, matrix in shown.probabilities.items()} == pytest.approx(
        {"entail": FEATURES[0][3], "contradict": FEATURES[0][1], "neutral": FEATURES[0][2]}, abs=1e-4
    )


def test_what_is_not_an_aggregator_is_refused(models: dict[str, Any], tmp_path: Path) -> None:
    from tiny.aggregator import write

    with pytest.raises(ModelError, match=f"aggregator.*{re.escape(str(tmp_path))}"):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics=Nubia(**models, aggregator=str(tmp_path)))
    write(tmp_path / "network", 1, 7)
    with pytest.raises(ModelError, match="read 6 or 8 features"):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics=Nubia(**models, aggregator=str(tmp_path / "network")))


def test_a_similarity_model_gives_one_number(models: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match=r"nubia.*model"):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics=Nubia(**{**models, "model": models["nli"]}))


def test_the_name_that_the_authors_give_the_model() -> None:
    from nlgauge.metric.registry import parse

    assert parse("nubia(sts='x')") == Nubia(model="x")


@pytest.mark.parametrize("has_network", [False, True])
def test_explanation_shows_every_module(models: dict[str, Any], tmp_path: Path, has_network: bool) -> None:
    from tiny.aggregator import write

    write(tmp_path / "network", 1, 8)
    metric = Nubia(**models, aggregator=str(tmp_path / "network") if has_network else "")
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=metric)
    label = result.labels[0]
    for number, (row, expected) in enumerate(zip(rows_by_label(result), FEATURES, strict=True)):
        (shown,) = result.explain(label, number)
        assert isinstance(shown, Entailment)
        values = {each.name: each.value for each in shown.modules}
        wanted = [value / (100 if 0 < i < 4 else 1) for i, value in enumerate(expected)]
        assert [values[name] for name in NAMES] == pytest.approx(wanted, abs=1e-5)
        assert values["words"] == len(PREDICTIONS[number].split(" "))
        assert values["words_reference"] == len(REFERENCES[number].split(" "))
        assert {each.model for each in shown.modules if each.module == "inference"} == {"own:nli"}
        page = " ".join(str(shown).split())
        assert f"semantic_relation {expected[0]:.4f}" in page
        if has_network:
            calibrated = 1 - (values["self"] - values["raw"]) / (abs(values["self"]) + 1)
            assert values["nubia"] == pytest.approx(min(1, max(0, calibrated)), abs=1e-12)
            assert values["nubia"] == pytest.approx(row[label], abs=1e-5)
        else:
            assert not {"raw", "self", "nubia"} & values.keys()


def test_explanation_of_nothing_has_no_modules(models: dict[str, Any]) -> None:
    (shown,) = nlgauge.score([""], ["A cat."], metrics=Nubia(**models)).explain("nubia", 0)
    assert isinstance(shown, Entailment)
    assert shown.modules == []
