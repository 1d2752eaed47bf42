"""Character error rate against jiwer 4: rates and counts of corpora and of single segments."""

from __future__ import annotations

import jiwer
import pytest
from error_rate_cases import PAIRS, assert_equals_jiwer
from hypothesis import given
from strategies import SENTENCES

import nlgauge

pytestmark = pytest.mark.usefixtures("both_kernels")


@given(PAIRS)
def test_corpora_and_segments_equal_jiwer(pairs):
    assert_equals_jiwer("cer", [pair[0] for pair in pairs], [pair[1] for pair in pairs])


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [
        ("", ""),
        ("ab", ""),
        ("", "ab"),
        ("a\tb", "a b"),
        (" a  b ", "a b"),
        ("a\n", "a"),
        ("  ", "a"),
        ("é", "e\u0301"),
    ],
)
def test_white_space_and_empty_sides_equal_jiwer(prediction, reference):
    assert_equals_jiwer("cer", [prediction], [reference])


def test_real_sentences_equal_jiwer():
    assert_equals_jiwer(
        "cer", [prediction for prediction, _ in SENTENCES], [references[0] for _, references in SENTENCES]
    )


def test_spaces_count():
    assert nlgauge.score(["the cut"], ["the cat"], metrics="cer")["cer"]["score"] == pytest.approx(1 / 7)


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("the cut", "the cat", 1 / 7),
        ("the cattle", "cat", 7 / 10),
        ("xyz", "x", 2 / 3),
        ("", "ab", 1.0),
        ("ab", "", 1.0),
        ("", "", 0.0),
    ],
)
def test_normalized_rate_is_the_share_of_errors(prediction, reference, expected):
    assert nlgauge.score([prediction], [reference], metrics="cer")["cer"]["normalized_cer"] == expected


def test_normalized_rate_is_jiwers_match_error_rate_of_characters():
    def spelled(text):
        return " ".join("_" if character == " " else character for character in text.strip())

    predictions = [prediction for prediction, _ in SENTENCES]
    references = [references[0] for _, references in SENTENCES]
    result = nlgauge.score(predictions, references, metrics="cer")
    expected = jiwer.mer([spelled(text) for text in references], [spelled(text) for text in predictions])
    assert result["cer"]["normalized_cer"] == pytest.approx(expected, abs=1e-12)


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
