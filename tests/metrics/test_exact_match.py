"""Exact match, and what each of its parameters ignores."""

from __future__ import annotations

import pytest
from hypothesis import given
from segment_rows import rows_by_label
from strategies import corpora

import nlgauge
from nlgauge.metrics.exact_match import ExactMatch


@given(corpora())
def test_it_is_the_share_of_predictions_among_their_references(corpus):
    predictions, references = corpus
    result = nlgauge.score(predictions, references, metrics="exact_match")
    expected = [float(prediction in group) for prediction, group in zip(predictions, references, strict=True)]
    assert [row["exact_match"] for row in rows_by_label(result)] == expected
    assert result["em"]["score"] == pytest.approx(sum(expected) / len(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("prediction", "reference", "parameter"),
    [
        ("The cat", "the cat", "lowercase"),
        ("It's a cat!", "Its a cat", "ignore_punctuation"),
        ("cat 22", "cat ", "ignore_numbers"),
    ],
)
def test_each_parameter_ignores_its_own_and_nothing_else(prediction, reference, parameter):
    names = ("lowercase", "ignore_punctuation", "ignore_numbers")
    result = nlgauge.score(
        [prediction], [reference], metrics=["exact_match", *(f"exact_match({name}=True)" for name in names)]
    )
    equal = {label for label in result if result[label]["score"] == 1}
    assert equal == {str(ExactMatch(**{parameter: True}))}


def test_white_space_and_composition_count():
    result = nlgauge.score(["a", "é"], ["a ", "e\u0301"], metrics="exact_match")
    assert result["exact_match"]["score"] == 0
