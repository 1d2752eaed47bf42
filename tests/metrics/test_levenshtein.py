"""Levenshtein similarity against rapidfuzz: characters and words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein as Peer
from segment_rows import rows_by_label
from strategies import SENTENCES, texts

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.levenshtein import Levenshtein

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"tokenizer": "unicode"}


@given(st.lists(st.tuples(texts(), texts()), min_size=1, max_size=5))
def test_characters_equal_rapidfuzz(pairs):
    result = nlgauge.score([pair[0] for pair in pairs], [pair[1] for pair in pairs], metrics="levenshtein")
    expected = [Peer.normalized_similarity(*pair) for pair in pairs]
    assert [row["levenshtein"] for row in rows_by_label(result)] == pytest.approx(expected, abs=1e-12)
    assert [row["levenshtein.distance"] for row in rows_by_label(result)] == [
        Peer.distance(*pair) for pair in pairs
    ]
    assert result["levenshtein"]["score"] == pytest.approx(sum(expected) / len(expected), abs=1e-12)


def test_words_equal_rapidfuzz():
    metric = Levenshtein(tokenizer="whitespace")
    pairs = [(prediction, reference) for prediction, references in SENTENCES for reference in references]
    result = nlgauge.score([p for p, _ in pairs], [r for _, r in pairs], metrics=metric)
    expected = [Peer.normalized_similarity(p.split(), r.split()) for p, r in pairs]
    assert [row[str(metric)] for row in rows_by_label(result)] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("kitten", "sitting", 4 / 7),
        ("", "", 1),
        ("", "a", 0),
        ("a", "", 0),
        ("", " ", 0),
        (" a", "a", 1 / 2),
        ("é", "e\u0301", 0),
        ("A", "a", 0),
    ],
)
def test_values_by_hand(prediction, reference, expected):
    assert nlgauge.score([prediction], [reference], metrics="levenshtein")["levenshtein"][
        "score"
    ] == pytest.approx(expected)


def test_texts_without_words_are_empty_texts():
    result = nlgauge.score(
        ["!", "!", "", ""], ["!", "?", "", "..."], metrics=Levenshtein(tokenizer="unicode")
    )
    label = result.labels[0]
    assert [(row[label], row[f"{label}.distance"]) for row in rows_by_label(result)] == [(1, 0)] * 4


def test_options():
    assert (
        nlgauge.score(["The CAT"], ["the cat"], metrics="levenshtein(lowercase=True)")["levenshtein"]["score"]
        == 1
    )
    assert (
        nlgauge.score(["a b!"], ["A c"], metrics="levenshtein(tokenizer='unicode')")["levenshtein"]["score"]
        == 0.5
    )
    with pytest.raises(ParameterError, match="tokenizer 'wrong'"):
        Levenshtein(tokenizer="wrong")


def test_the_most_similar_reference_counts():
    assert nlgauge.score(["abc"], [["xyz", "abd"]], metrics="levenshtein")["levenshtein"][
        "score"
    ] == pytest.approx(2 / 3)


def test_explanation_is_the_alignment():
    (explanation,) = nlgauge.score(["cut"], ["cats"], metrics="levenshtein").explain("levenshtein", 0)
    assert [(edit.kind, edit.reference, edit.prediction) for edit in explanation.edits] == [
        ("equal", ["c"], ["c"]),
        ("replace", ["a"], ["u"]),
        ("equal", ["t"], ["t"]),
        ("delete", ["s"], []),
    ]
