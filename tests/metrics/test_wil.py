"""Word information lost against jiwer 4: values and counts of corpora and of single segments."""

from __future__ import annotations

import pytest
from error_rate_cases import PAIRS, assert_alignment_is_shown, assert_equals_jiwer
from hypothesis import given
from strategies import SENTENCES

import nlgauge

pytestmark = pytest.mark.usefixtures("both_kernels")


@given(PAIRS)
def test_corpora_and_segments_equal_jiwer(pairs):
    assert_equals_jiwer("wil", [pair[0] for pair in pairs], [pair[1] for pair in pairs])


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [("", "", 0), ("a b", "", 1), ("", "a b", 1), (" \n ", "a", 1), ("a\tb", "a b", 1)],
)
def test_empty_sides_equal_jiwer(prediction, reference, expected):
    assert_equals_jiwer("wil", [prediction], [reference])
    assert_equals_jiwer("wil", [prediction, "x y"], [reference, "x z"])
    assert nlgauge.score([prediction], [reference], metrics="wil")["wil"]["score"] == expected


def test_real_sentences_equal_jiwer():
    assert_equals_jiwer(
        "wil", [prediction for prediction, _ in SENTENCES], [references[0] for _, references in SENTENCES]
    )


def test_published_value():
    assert nlgauge.score(["the dog sat down"], ["the cat sat"], metrics="wil")["wil"][
        "score"
    ] == pytest.approx(2 / 3, abs=1e-12)


def test_the_best_reference_has_the_lowest_value():
    result = nlgauge.score(["the cat sat"], [["a dog ran off", "the cat sits", "x"]], metrics="wil")
    assert result["wil"]["score"] == pytest.approx(1 - 4 / 9)


def test_lowercase():
    result = nlgauge.score(["The CAT"], ["the cat"], metrics=["wil", "wil(lowercase=True)"])
    assert [result[label]["score"] for label in result] == [1.0, 0.0]


def test_explanation_is_the_alignment():
    assert_alignment_is_shown("wil")
