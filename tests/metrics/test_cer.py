"""Character error rate against jiwer 4: rates and counts of corpora and of single segments."""

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
    result = nlgauge.score(predictions, references, metrics="cer")
    expected = jiwer.process_characters(references, predictions)
    assert result["cer"]["score"] == pytest.approx(expected.cer, abs=1e-12)
    assert [result["cer"][name] for name in COUNTS] == [getattr(expected, name) for name in COUNTS]
    for row, prediction, reference in zip(result.segments("records"), predictions, references, strict=True):
        one = jiwer.process_characters(reference, prediction)
        assert row["cer"] == pytest.approx(one.cer, abs=1e-12)
        assert [row[f"cer.{name}"] for name in COUNTS] == [getattr(one, name) for name in COUNTS]


@given(PAIRS)
def test_corpora_and_segments_equal_jiwer(pairs):
    assert_equals_jiwer([pair[0] for pair in pairs], [pair[1] for pair in pairs])


@pytest.mark.parametrize(
    ("prediction", "reference"), [("", ""), ("ab", ""), ("", "ab"), ("a\tb", "a b"), (" a  b ", "a b"), ("a\n", "a"), ("  ", "a"), ("é", "e\u0301")]
)
def test_white_space_and_empty_sides_equal_jiwer(prediction, reference):
    assert_equals_jiwer([prediction], [reference])


def test_real_sentences_equal_jiwer():
    assert_equals_jiwer([prediction for prediction, _ in SENTENCES], [references[0] for _, references in SENTENCES])


def test_spaces_count():
    assert nlgauge.score(["the cut"], ["the cat"], metrics="cer")["cer"]["score"] == pytest.approx(1 / 7)


def test_lowercase():
    result = nlgauge.score(["CAT"], ["cat"], metrics=["cer", "cer(lowercase=True)"])
    assert [result[label]["score"] for label in result] == [1.0, 0.0]


def test_explanation_is_the_alignment():
    (explanation,) = nlgauge.score(["cut"], ["cat"], metrics="cer").explain("cer", 0)
    assert [(edit.kind, edit.reference, edit.prediction) for edit in explanation.edits] == [
        ("equal", ["c"], ["c"]),
        ("replace", ["a"], ["u"]),
        ("equal", ["t"], ["t"]),
    ]
