"""Token accuracy: the value that NLG-Metricverse prints, the definition as an oracle, and what nothing
scores.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from segment_rows import rows_by_label
from strategies import corpora

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.features.tokens.text import tokenizer
from nlgauge.metrics.accuracy import Accuracy

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"normalize": "squad", "compat": "nlg-metricverse"}


def test_the_value_that_nlg_metricverse_prints():
    """From that package's documentation of the metric, with several predictions and references a segment."""
    predictions = [["the cat is on the mat", "There is cat playing on the mat"], ["Look! a wonderful day."]]
    references = [
        ["the cat is playing on the mat.", "The cat plays on the mat."],
        ["Today is a wonderful day", "The weather outside is wonderful."],
    ]
    metric = Accuracy(compat="nlg-metricverse")
    assert nlgauge.score(predictions, references, metrics=metric)["accuracy"]["score"] == pytest.approx(
        0.7285714285714285, abs=1e-12
    )


def definition(prediction: list[str], reference: list[str], compat: bool) -> float:
    common = sum((Counter(prediction) & Counter(reference)).values())
    return common / max(len(prediction), len(reference)) if compat else float(prediction == reference)


@pytest.mark.parametrize(
    ("options", "rule"),
    [({}, "unicode"), ({"normalize": "squad"}, "squad"), ({"compat": "nlg-metricverse"}, "nlg-metricverse")],
    ids=str,
)
@given(corpora(max_references=1))
def test_every_normalization_follows_the_definition(options, rule, corpus):
    predictions, references = corpus
    rows = rows_by_label(nlgauge.score(predictions, references, metrics=Accuracy(**options)))
    for row, prediction, (reference,) in zip(rows, predictions, references, strict=True):
        left, right = tokenizer(rule)(prediction), tokenizer(rule)(reference)
        expected = definition(left, right, "compat" in options) if left or right else 1.0
        assert next(value for key, value in row.items() if key.startswith("accuracy")) == pytest.approx(
            expected, abs=1e-12
        )


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("The cat, sat!", "the cat sat", 1),
        ("sat the cat", "the cat sat", 0),
        ("the cat", "the cat sat", 0),
        ("", "a cat", 0),
        ("a cat", "", 0),
        ("", "", 1),
        ("", "?!", 1),
        ("?!", "?!", 1),
    ],
)
def test_published_and_odd_cases(prediction, reference, expected):
    assert nlgauge.score([prediction], [reference], metrics="accuracy")["accuracy"]["score"] == pytest.approx(
        expected
    )


def test_several_references_need_one_that_is_equal():
    result = nlgauge.score(
        ["Paris", "Rome", "Oslo"],
        [["paris", "Paris, France"], ["Roma", "rome."], ["Bergen"]],
        metrics="accuracy",
    )
    assert [row["accuracy"] for row in rows_by_label(result)] == [1, 1, 0]
    assert result["accuracy"]["score"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "bad",
    [{"normalize": "lower"}, {"compat": "squad"}, {"normalize": "squad", "compat": "nlg-metricverse"}],
    ids=str,
)
def test_parameters_outside_their_domain(bad):
    with pytest.raises(ParameterError, match=f"accuracy: {next(iter(bad))} must be"):
        Accuracy(**bad)
