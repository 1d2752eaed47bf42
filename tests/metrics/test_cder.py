"""CDER: hand-made cases and a slow oracle that searches every way through the grid."""

from __future__ import annotations

import heapq
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from segment_rows import rows_by_label
from strategies import SENTENCES

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.features.tokens.text import tokenizer
from nlgauge.metrics.cder import Cder
from nlgauge.show.pages.explanations import render

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"tokenizer": "whitespace"}
LETTERS = st.lists(st.sampled_from("abc"), max_size=9)


def oracle(prediction: list[str], reference: list[str]) -> int:
    """The cheapest way from before both texts to after them: a shortest path, with a jump to any place of
    the prediction at cost 1.
    """
    waiting = [(0, 0, 0)]
    seen = set()
    while True:
        cost, i, j = heapq.heappop(waiting)
        if (i, j) == (len(prediction), len(reference)):
            return cost
        if (i, j) in seen:
            continue
        seen.add((i, j))
        if i < len(prediction) and j < len(reference):
            heapq.heappush(waiting, (cost + (prediction[i] != reference[j]), i + 1, j + 1))
        if i < len(prediction):
            heapq.heappush(waiting, (cost + 1, i + 1, j))
        if j < len(reference):
            heapq.heappush(waiting, (cost + 1, i, j + 1))
        for other in range(len(prediction) + 1):
            heapq.heappush(waiting, (cost + 1, other, j))


def edits(prediction: str, reference: str, metric: str = "cder") -> float:
    return nlgauge.score([prediction], [reference], metrics=metric)["cder"]["edits"]


@given(LETTERS, LETTERS)
def test_equals_the_shortest_path(prediction, reference):
    assert edits(" ".join(prediction), " ".join(reference)) == oracle(prediction, reference)


def test_real_sentences_equal_the_shortest_path():
    pairs = [(prediction, reference) for prediction, references in SENTENCES for reference in references]
    result = nlgauge.score([p for p, _ in pairs], [r for _, r in pairs], metrics="cder")
    words = tokenizer("unicode")
    expected = [oracle(words(prediction), words(reference)) for prediction, reference in pairs]
    assert [row["cder.edits"] for row in rows_by_label(result)] == expected
    assert result["cder"]["score"] == pytest.approx(
        sum(expected) / sum(len(words(reference)) for _, reference in pairs)
    )


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("the cat sat on the mat", "the cat sat on the mat", 0),
        ("the cat is on the mat", "the cat sat on the mat", 1 / 6),
        # Jump to the second block, back to the first, and to the end.
        ("on the mat the cat sat", "the cat sat on the mat", 3 / 6),
        # Words that are read twice or never cost only the jumps.
        ("a b", "a b a b a b", 2 / 6),
        ("a x x x x x x b", "a b", 1 / 2),
        ("x y z", "a", 2),
        ("", "a b c", 1),
        ("a b c", "", 1),
        ("", "", 0),
        ("!!", "!!", 0),
        ("", "?!", 0),
        ("我们去北京", "北京我们去", 3 / 5),
    ],
)
def test_cases_by_hand(prediction, reference, expected):
    assert nlgauge.score([prediction], [reference], metrics="cder")["cder"]["score"] == pytest.approx(
        expected
    )


def test_it_is_no_symmetric_measure():
    assert (edits("a b", "a b a b"), edits("a b a b", "a b")) == (1, 1)
    assert (edits("a", "a a a a"), edits("a a a a", "a")) == (3, 1)


def test_tokenizer_and_case():
    assert edits("The cat.", "the cat") == 0
    assert edits("The cat.", "the cat", "cder(tokenizer='whitespace')") == 2
    assert edits("The cat.", "the cat", "cder(tokenizer='whitespace', lowercase=True)") == 1
    with pytest.raises(ParameterError, match="tokenizer 'wrong'"):
        Cder(tokenizer="wrong")


def test_the_best_reference_has_the_lowest_rate():
    result = nlgauge.score(["a b c"], [["x y z", "a b d", "a"]], metrics="cder")
    assert result["cder"]["score"] == pytest.approx(1 / 3)


def test_explanation_shows_jumps():
    (explanation,) = nlgauge.score(
        ["on the mat the cat sat"], ["the cat sat on the mat"], metrics="cder"
    ).explain("cder", 0)
    assert [(edit.kind, edit.reference, edit.target) for edit in explanation.edits] == [
        ("jump", [], 3),
        ("equal", ["the", "cat", "sat"], None),
        ("jump", [], 0),
        ("equal", ["on", "the", "mat"], None),
        ("jump", [], 6),
    ]
    assert explanation.statistics["cder"].tolist() == [3, 6]
    console = Console(width=80, file=StringIO())
    console.print(render(explanation))
    printed = console.file.getvalue()
    assert "prediction  >3 the cat sat >0 on the mat >6" in printed
    assert "6 equal, 3 jumped (J)" in printed


@given(LETTERS, LETTERS)
def test_an_explanation_has_as_many_edits_as_were_counted(prediction, reference):
    result = nlgauge.score([" ".join(prediction)], [" ".join(reference)], metrics="cder")
    (explanation,) = result.explain("cder", 0)
    assert [token for edit in explanation.edits for token in edit.reference] == reference
    assert (
        sum(
            max(len(edit.reference), len(edit.prediction), 1)
            for edit in explanation.edits
            if edit.kind != "equal"
        )
        == result["cder"]["edits"]
    )
