"""Word error rate against jiwer 4: rates and counts of corpora and of single segments."""

from __future__ import annotations

import pytest
from error_rate_cases import PAIRS, assert_equals_jiwer
from hypothesis import given
from strategies import SENTENCES

import nlgauge

pytestmark = pytest.mark.usefixtures("both_kernels")


@given(PAIRS)
def test_corpora_and_segments_equal_jiwer(pairs):
    assert_equals_jiwer("wer", [pair[0] for pair in pairs], [pair[1] for pair in pairs])


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [
        ("", ""),
        ("a b", ""),
        ("", "a b"),
        ("a\tb", "a b"),
        ("a \t b", "a b"),
        (" a  b ", "a b"),
        ("a\nb", "a b"),
        ("   ", "a"),
        ("a", " \n "),
    ],
)
def test_white_space_and_empty_sides_equal_jiwer(prediction, reference):
    assert_equals_jiwer("wer", [prediction], [reference])
    assert_equals_jiwer("wer", [prediction, "x y"], [reference, "x z"])


def test_real_sentences_equal_jiwer():
    assert_equals_jiwer(
        "wer", [prediction for prediction, _ in SENTENCES], [references[0] for _, references in SENTENCES]
    )


def test_published_value():
    result = nlgauge.score(["the cat is on mat"], ["the cat sat on the mat"], metrics="wer")
    assert result["wer"]["score"] == pytest.approx(0.3333333333, abs=1e-9)


def test_the_best_reference_is_the_one_with_fewest_errors():
    result = nlgauge.score(["the cat sat"], [["a dog ran off", "the cat sits", "the cat"]], metrics="wer")
    assert result["wer"]["score"] == pytest.approx(1 / 3)


def test_lowercase():
    result = nlgauge.score(["The CAT"], ["the cat"], metrics=["wer", "wer(lowercase=True)"])
    assert [result[label]["score"] for label in result] == [1.0, 0.0]


def test_explanation_is_the_alignment():
    (explanation,) = nlgauge.score(["the cat is on mat"], ["the cat sat on the mat"], metrics="wer").explain(
        "wer", 0
    )
    assert [(edit.kind, edit.reference, edit.prediction) for edit in explanation.edits] == [
        ("equal", ["the", "cat"], ["the", "cat"]),
        ("replace", ["sat"], ["is"]),
        ("equal", ["on"], ["on"]),
        ("delete", ["the"], []),
        ("equal", ["mat"], ["mat"]),
    ]
