"""NLI against the classifier's own call, formula by formula and in each direction."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import ModelError
from nlgauge.explanations import Entailment
from nlgauge.metrics.nli import Nli
from nlgauge.models.loader import load

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

JUDGED = True
CHANGED_PARAMETERS = {"formula": "e-c", "direction": "avg", "labels": ("e", "n", "c"), "max_length": 20}
PREDICTIONS = ["The cat is on the mat.", "Never again, he said.", "the cat " * 60]
REFERENCES = ["The cat sat on the mat.", "He said it won't happen again.", "the mat " * 50]


def oracle(place: Path, premise: str, hypothesis: str) -> Any:
    """Entailment, neutral, contradiction, as Transformers itself reads and cuts a pair."""
    loaded = load(str(place), "pair", "cpu")
    with torch.no_grad():
        inputs = loaded.tokenizer(premise, hypothesis, return_tensors="pt", truncation=True, max_length=128)
        return torch.softmax(loaded.model(**inputs).logits[0], dim=0).numpy()[[2, 1, 0]]


@pytest.mark.parametrize(
    ("formula", "weights"), [("e", (1, 0, 0)), ("e-c", (1, 0, -1)), ("-c", (0, 0, -1)), ("e-n", (1, -1, 0))]
)
@pytest.mark.parametrize("direction", ["rh", "hr", "avg"])
def test_equals_the_classifiers_own_call(
    formula: str, weights: tuple[int, ...], direction: str, tiny_models: dict[str, Path]
) -> None:
    place = tiny_models["pair"]
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=Nli(str(place), formula, direction))
    for row, prediction, reference in zip(rows_by_label(result), PREDICTIONS, REFERENCES, strict=True):
        both = {"rh": oracle(place, reference, prediction), "hr": oracle(place, prediction, reference)}
        found = np.mean([both[one] for one in ([direction] if direction != "avg" else both)], axis=0)
        assert row[result.labels[0]] == pytest.approx(found @ weights, abs=1e-6)
        for name, value in zip(("entailment", "neutral", "contradiction"), found, strict=True):
            assert row[f"{result.labels[0]}.{name}"] == pytest.approx(value, abs=1e-6)
    assert next(iter(result.values()))["truncated"] == 1


def test_the_best_reference_is_one_that_can_be_scored(tiny_models: dict[str, Path]) -> None:
    result = nlgauge.score(
        ["the cat", "", "a"], [["", "the mat"], ["the cat"], [" "]], metrics=Nli(str(tiny_models["pair"]))
    )
    rows = [row[result.labels[0]] for row in rows_by_label(result)]
    assert rows[0] == pytest.approx(oracle(tiny_models["pair"], "the mat", "the cat")[0], abs=1e-6)
    assert rows[1] == 0 and math.isnan(rows[2])
    (scores,) = result.values()
    assert (scores["score"], scores["empty"]) == (rows[0] / 2, 1)
    left_out = nlgauge.score(
        ["the cat", ""], ["the mat", "the cat"], metrics=Nli(str(tiny_models["pair"]), empty="missing")
    )
    assert math.isnan(rows_by_label(left_out)[1][left_out.labels[0]])


def test_two_labels_are_not_enough(tiny_models: dict[str, Path]) -> None:
    with pytest.raises(ModelError, match=r"entail.*neutral"):
        nlgauge.score(["the cat"], ["the mat"], metrics=Nli(str(tiny_models["pair_two"]), labels=("e", "c")))


def test_explanations_show_each_direction(tiny_models: dict[str, Path]) -> None:
    result = nlgauge.score(
        PREDICTIONS[:1], REFERENCES[:1], metrics=Nli(str(tiny_models["pair"]), direction="avg")
    )
    first, second = result.explain(result.labels[0], 0)
    assert isinstance(first, Entailment) and isinstance(second, Entailment)
    assert (
        (first.premises, first.hypotheses)
        == (REFERENCES[:1], PREDICTIONS[:1])
        == (second.hypotheses, second.premises)
    )
    assert first.entail is not None and second.entail is not None
    assert next(iter(result.values()))["score"] == pytest.approx(
        (first.entail[0, 0] + second.entail[0, 0]) / 2
    )
