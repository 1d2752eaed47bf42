"""Match error rate against jiwer 4: rates and counts of corpora and of single segments."""

from __future__ import annotations

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import SENTENCES, texts

import nlgauge

PAIRS = st.lists(st.tuples(texts(), texts()), min_size=1, max_size=5)
COUNTS = ("substitutions", "deletions", "insertions", "hits")


def assert_equals_jiwer(predictions: list[str], references: list[str]) -> None:
    result = nlgauge.score(predictions, references, metrics="mer")
    expected = jiwer.process_words(references, predictions)
    assert result["mer"]["score"] == pytest.approx(expected.mer, abs=1e-12)
    assert [result["mer"][name] for name in COUNTS] == [getattr(expected, name) for name in COUNTS]
    for row, prediction, reference in zip(result.segments("records"), predictions, references, strict=True):
        assert row["mer"] == pytest.approx(jiwer.mer(reference, prediction), abs=1e-12)


@given(PAIRS)
def test_corpora_and_segments_equal_jiwer(pairs):
    assert_equals_jiwer([pair[0] for pair in pairs], [pair[1] for pair in pairs])


@pytest.mark.parametrize(("prediction", "reference", "expected"), [("", "", 0), ("a b", "", 1), ("", "a b", 1), (" \n ", "a", 1), ("a\tb", "a b", 1)])
def test_empty_sides_equal_jiwer(prediction, reference, expected):
    assert_equals_jiwer([prediction], [reference])
    assert_equals_jiwer([prediction, "x y"], [reference, "x z"])
    assert nlgauge.score([prediction], [reference], metrics="mer")["mer"]["score"] == expected


def test_real_sentences_equal_jiwer():
    assert_equals_jiwer([prediction for prediction, _ in SENTENCES], [references[0] for _, references in SENTENCES])


def test_published_value():
    assert nlgauge.score(["the dog sat down"], ["the cat sat"], metrics="mer")["mer"]["score"] == pytest.approx(0.5, abs=1e-12)


def test_the_best_reference_has_the_lowest_rate():
    result = nlgauge.score(["the cat sat"], [["a dog ran off", "the cat sits", "x"]], metrics="mer")
    assert result["mer"]["score"] == pytest.approx(1 / 3)


def test_lowercase():
    result = nlgauge.score(["The CAT"], ["the cat"], metrics=["mer", "mer(lowercase=True)"])
    assert [result[label]["score"] for label in result] == [1.0, 0.0]


def test_explanation_is_the_alignment():
    (explanation,) = nlgauge.score(["the dog sat down"], ["the cat sat"], metrics="mer").explain("mer", 0)
    assert [(edit.kind, edit.prediction) for edit in explanation.edits] == [
        ("equal", ["the"]),
        ("replace", ["dog"]),
        ("equal", ["sat"]),
        ("insert", ["down"]),
    ]
