"""Token recall: the value that NLG-Metricverse prints, the definition as an oracle, and what nothing
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
from nlgauge.metrics.recall import Recall

CHANGED_PARAMETERS = {"normalize": "squad", "compat": "nlg-metricverse"}


def test_the_value_that_nlg_metricverse_prints():
    """From that package's documentation of the metric, with several predictions and references a segment."""
    predictions = [["the cat is on the mat", "There is cat playing on the mat"], ["Look! a wonderful day."]]
    references = [
        ["the cat is playing on the mat.", "The cat plays on the mat."],
        ["Today is a wonderful day", "The weather outside is wonderful."],
    ]
    metric = Recall(compat="nlg-metricverse")
    assert nlgauge.score(predictions, references, metrics=metric)["recall"]["score"] == pytest.approx(
        0.7285714285714285, abs=1e-12
    )


def definition(prediction: list[str], reference: list[str]) -> float:
    common = sum((Counter(prediction) & Counter(reference)).values())
    return common / len(reference) if reference else 0.0


@pytest.mark.parametrize(
    ("options", "rule"),
    [({}, "unicode"), ({"normalize": "squad"}, "squad"), ({"compat": "nlg-metricverse"}, "nlg-metricverse")],
    ids=str,
)
@given(corpora(max_references=1))
def test_every_normalization_follows_the_definition(options, rule, corpus):
    predictions, references = corpus
    rows = rows_by_label(nlgauge.score(predictions, references, metrics=Recall(**options)))
    for row, prediction, (reference,) in zip(rows, predictions, references, strict=True):
        left, right = tokenizer(rule)(prediction), tokenizer(rule)(reference)
        expected = definition(left, right) if left or right else 1.0
        assert next(value for key, value in row.items() if key.startswith("recall")) == pytest.approx(
            expected, abs=1e-12
        )


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("the cat the dog", "the cat sat on it", 0.4),
        ("", "a cat", 0),
        ("a cat", "", 0),
        ("", "", 1),
        ("", "?!", 1),
        ("?!", "?!", 1),
        ("猫", "猫は好き", 0.25),
    ],
)
def test_published_and_odd_cases(prediction, reference, expected):
    assert nlgauge.score([prediction], [reference], metrics="recall")["recall"]["score"] == pytest.approx(
        expected
    )


def test_explanation_shows_which_tokens_are_common():
    (explanation,) = nlgauge.score(["the cat is here"], ["the cat sat on the mat"], metrics="recall").explain(
        "recall", 0
    )
    assert explanation.tokens == ["the", "cat", "is", "here"]
    assert explanation.longest == [1, 1, 0, 0]
    assert [(order.matched, order.predicted, order.expected) for order in explanation.orders] == [(2, 4, 6)]


@pytest.mark.parametrize(
    "bad",
    [{"normalize": "lower"}, {"compat": "squad"}, {"normalize": "squad", "compat": "nlg-metricverse"}],
    ids=str,
)
def test_parameters_outside_their_domain(bad):
    with pytest.raises(ParameterError, match=f"recall: {next(iter(bad))} must be"):
        Recall(**bad)
