"""SelfCheck-NLI against numbers of the authors' program on a small DeBERTa, and what it cannot score."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import ModelError
from nlgauge.explanations import Entailment
from nlgauge.metrics.selfcheck_nli import SelfCheckNli
from nlgauge.models import Model

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
# Transformers' DeBERTa compiles parts of itself when it is imported.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")

JUDGED = True
CHANGED_PARAMETERS = {"labels": ("e", "n", "c"), "splitter": "punkt", "max_length": 20}
TEXTS = [
    "The cat sat on the mat. It costs 20% more.",
    "He said it won't happen again.",
    "Nothing was said here. Shares fell in early trading, traders said. Well!",
]
SAMPLES = [
    ["The cat is sitting on the mat.", "A cat is on the mat. It costs $1,234.56."],
    ["Never again, he said.", "It will happen.", "He said it won't happen again."],
    [
        "Shares fell by 3.5 % in early trading, traders said, and the minister met with the president on"
        " Tuesday."
    ],
]
# SelfCheckNLI.predict of selfcheckgpt at 19b492a on the model below (batch_encode_plus restored), sentence by
# sentence.
GOLDEN = [[0.53975065, 0.08555157], [0.10934061], [0.55274612, 0.00710495, 0.00382632]]


@pytest.fixture(scope="module")
def model() -> Model:
    from tiny.families import model_of, tokenizer_of

    return Model(model_of("deberta-v2"), tokenizer_of("deberta-v2"), "small")


def test_equals_the_authors_program(model: Model) -> None:
    result = nlgauge.score(TEXTS, SAMPLES, metrics=SelfCheckNli(model, labels=("e", "c")))
    rows = rows_by_label(result)
    assert [row[result.labels[0]] for row in rows] == pytest.approx(
        [np.mean(sentences) for sentences in GOLDEN], abs=1e-6
    )
    assert [row[f"{result.labels[0]}.worst_sentence"] for row in rows] == pytest.approx(
        [max(sentences) for sentences in GOLDEN], abs=1e-6
    )
    assert next(iter(result.values()))["truncated"] == 2


def test_neutral_is_left_out_of_three_labels(tiny_models: dict[str, Path]) -> None:
    place = str(tiny_models["pair"])
    from nlgauge.models.loader import load

    loaded = load(place, "pair", "cpu")
    result = nlgauge.score(["the cat sat"], [["the mat"]], metrics=SelfCheckNli(place))
    with torch.no_grad():
        logits = loaded.model(**loaded.tokenizer("the cat sat", "the mat", return_tensors="pt")).logits[0]
    expected = torch.softmax(logits[[0, 2]], dim=0)[0]  # contradiction, neutral, entailment
    assert next(iter(result.values()))["score"] == pytest.approx(float(expected), abs=1e-6)


def test_no_text_and_no_sample_are_not_a_score(tiny_models: dict[str, Path]) -> None:
    texts, samples = ["", "the cat", "the cat"], [["the cat"], ["", " "], ["the mat", ""]]
    result = nlgauge.score(texts, samples, metrics=SelfCheckNli(str(tiny_models["pair"])))
    rows = [row[result.labels[0]] for row in rows_by_label(result)]
    assert rows[0] == 1 and math.isnan(rows[1])
    alone = nlgauge.score(["the cat"], [["the mat"]], metrics=SelfCheckNli(str(tiny_models["pair"])))
    assert next(iter(alone.values()))["score"] == pytest.approx(rows[2], abs=1e-6)
    assert next(iter(result.values()))["empty"] == 1


def test_a_model_without_contradiction_is_refused(tiny_models: dict[str, Path]) -> None:
    with pytest.raises(ModelError, match=r"labels.*CORRECT, INCORRECT"):
        nlgauge.score(["the cat"], [["the mat"]], metrics=SelfCheckNli(str(tiny_models["pair_two"])))
    with pytest.raises(ModelError, match=r"entail.*contradict"):
        nlgauge.score(
            ["the cat"], [["the mat"]], metrics=SelfCheckNli(str(tiny_models["pair_two"]), labels=("e", "n"))
        )


def test_explanation_shows_the_samples_that_contradict(model: Model) -> None:
    result = nlgauge.score(TEXTS, SAMPLES, metrics=SelfCheckNli(model, labels=("e", "c")))
    (shown,) = result.explain(result.labels[0], 0)
    assert isinstance(shown, Entailment) and shown.contradict is not None
    assert (shown.premises, shown.hypotheses) == (
        SAMPLES[0],
        ["The cat sat on the mat.", "It costs 20% more."],
    )
    assert shown.contradict.mean(axis=0) == pytest.approx(GOLDEN[0], abs=1e-6)
    assert shown.best == shown.contradict.argmax(axis=0).tolist()
