"""FactCC against numbers of the authors' inputs on a small BERT, and what it cannot score."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import ModelError
from nlgauge.explanations import Entailment
from nlgauge.metrics.factcc import FactCC
from nlgauge.models import Model

pytest.importorskip("torch")
pytest.importorskip("transformers")

MODEL_KIND = "pair_two"
CHANGED_PARAMETERS = {"labels": ("incorrect", "correct"), "splitter": "punkt", "max_length": 20}
DOCUMENT = "The cat sat on the mat. On Tuesday, the minister met with the president."
LONG = DOCUMENT + " It costs some dollars more, and he said it will never happen again in early trading."
TEXTS = [
    "The cat is on the mat. The minister sat.",
    (
        "The president met the cat on a Tuesday, and he said that it costs a lot more than the mat on which"
        " the cat had sat."
    ),
]
# convert_examples_to_features of factCC at 6170a8c (64 tokens, type 0 for [CLS]), then the model below:
# P(CORRECT) of each sentence.
GOLDEN = [[0.28126475, 0.21139668], [0.32121351], [0.18161149, 0.22096488], [0.32121351]]


@pytest.fixture(scope="module")
def model() -> Model:
    from tiny.families import model_of, tokenizer_of

    return Model(model_of("bert"), tokenizer_of("bert"), "small")


def test_equals_the_authors_inputs(model: Model) -> None:
    result = nlgauge.score(
        TEXTS * 2, sources=[DOCUMENT] * 2 + [LONG] * 2, metrics=FactCC(model, labels=("correct", "incorrect"))
    )
    rows = rows_by_label(result)
    assert [row[result.labels[0]] for row in rows] == pytest.approx(
        [np.mean(sentences) for sentences in GOLDEN], abs=1e-6
    )
    assert next(iter(result.values()))["truncated"] == 3
    (shown,) = result.explain(result.labels[0], 2)
    assert isinstance(shown, Entailment)
    assert shown.probabilities["correct"][0] == pytest.approx(GOLDEN[2], abs=1e-6)
    assert (shown.premises, shown.hypotheses) == ([LONG], ["The cat is on the mat.", "The minister sat."])


def test_labels_turn_the_number_round(model: Model) -> None:
    given = {"sources": [DOCUMENT]}
    one, other = (
        nlgauge.score(TEXTS[:1], **given, metrics=FactCC(model, labels=order))
        for order in (("correct", "incorrect"), ("incorrect", "correct"))
    )
    first, second = (next(iter(result.values())) for result in (one, other))
    assert first["score"] + second["score"] == pytest.approx(1)
    assert (first["correct"], second["correct"]) == (0, 1)


def test_labels_are_read_or_asked_for(tiny_models: dict[str, Path]) -> None:
    nlgauge.score(TEXTS[:1], sources=[DOCUMENT], metrics=FactCC(str(tiny_models["pair_two"])))
    with pytest.raises(ModelError, match=r"labels.*'correct', 'incorrect'"):
        nlgauge.score(TEXTS[:1], sources=[DOCUMENT], metrics=FactCC(str(tiny_models["pair"])))


def test_nothing_to_check_is_not_a_score(tiny_models: dict[str, Path]) -> None:
    result = nlgauge.score(
        ["", "the cat", "the cat"],
        sources=["the mat", "", "the mat"],
        metrics=FactCC(str(tiny_models["pair_two"])),
    )
    rows = [row[result.labels[0]] for row in rows_by_label(result)]
    assert rows[0] == 0 and math.isnan(rows[1])
    assert next(iter(result.values()))["empty"] == 1
