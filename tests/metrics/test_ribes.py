"""RIBES against NLTK, golden values of RIBES 1.03.1, and the word alignment against one that tries every
n-gram.

The golden values were made with RIBES.py of github.com/nttcslab-nlp/RIBES: `k, p, bp =
RIBES.kendall(reference.split(), prediction.split())`, then `k * p ** 0.25 * bp ** 0.1`.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.translate.ribes_score import corpus_ribes, sentence_ribes
from segment_rows import rows_by_label
from strategies import corpora

import nlgauge
from nlgauge._core.ragged import Ragged
from nlgauge.errors import ParameterError
from nlgauge.kernels.word_order import ascending_pairs, word_places
from nlgauge.metrics.ribes import Ribes

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"tokenizer": "13a", "compat": "nltk"}
# No word of a repeated one but the first and last is told apart; where there is no token nothing is aligned.
NOT_BEST_WHEN_EQUAL = {
    "empty",
    "only spaces",
    "newline",
    "repeated token",
    "long",
    "only punctuation",
    "not a character",
}


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        (
            "he read the book because he was interested in world history",
            "he was interested in world history because he read the book",
            0.3090909090909091,
        ),
        ("bob hit john yesterday", "john hit bob yesterday", 0.5),
        ("the book was read by the boy", "the boy read the book", 0.1838645430449837),
        ("a x b", "a x c x b", 0.9355069850316178),
        ("a a a", "a a a", 0.9036020036098448),
        ("cat", "cat", 1),
        ("cat dog", "cat", 0.8408964152537145),
        ("cat", "the cat sat", 0),
        ("x y", "a b", 0),
    ],
)
def test_golden_values(prediction, reference, expected):
    assert nlgauge.score([prediction], [reference], metrics="ribes")["ribes"]["score"] == pytest.approx(
        expected, abs=1e-12
    )


@given(corpora(), st.sampled_from([0.25, 0.0, 1.0]), st.sampled_from([0.1, 0.0, 2.0]))
def test_nltk_with_several_references(corpus, alpha, beta):
    predictions, references = corpus
    result = nlgauge.score(predictions, references, metrics=Ribes(alpha, beta, "whitespace", "nltk"))
    groups = [[reference.split() for reference in group] for group in references]
    hypotheses = [prediction.split() for prediction in predictions]
    assert result["ribes"]["score"] == pytest.approx(corpus_ribes(groups, hypotheses, alpha, beta), abs=1e-12)
    expected = [
        sentence_ribes(group, hypothesis, alpha, beta)
        for group, hypothesis in zip(groups, hypotheses, strict=True)
    ]
    assert [row[result.labels[0]] for row in rows_by_label(result)] == pytest.approx(expected, abs=1e-12)


@given(
    st.lists(st.sampled_from("ab"), min_size=1, max_size=7),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=7),
)
@example(list("aaa"), list("aaa"))
@example(list("cat"), list("cat"))
def test_nltk_with_repeated_words(prediction, reference):
    found = nlgauge.score([" ".join(prediction)], [" ".join(reference)], metrics=Ribes(compat="nltk"))[
        "ribes"
    ]["score"]
    assert found == pytest.approx(sentence_ribes([reference], prediction), abs=1e-12)


def occurrences(part: list[int], whole: list[int]) -> list[int]:
    return [start for start in range(len(whole) - len(part) + 1) if whole[start : start + len(part)] == part]


def every_ngram(prediction: list[int], reference: list[int]) -> list[int]:
    """The place of each word, by trying n-grams from the shortest on, that before the word first."""
    found = []
    for i in range(len(prediction)):
        place = -1
        for length in range(1, len(prediction) + 1):
            for start in (i - length + 1, i):
                part = prediction[start : start + length] if 0 <= start <= len(prediction) - length else []
                if (
                    part
                    and place < 0
                    and len(occurrences(part, prediction)) == len(occurrences(part, reference)) == 1
                ):
                    place = occurrences(part, reference)[0] + i - start
        found.append(place)
    return found


@given(st.lists(st.integers(0, 3), max_size=9), st.lists(st.integers(0, 3), max_size=9))
def test_alignment_by_the_shortest_ngram_that_is_unique(prediction, reference):
    column = Ragged.of([prediction, reference])
    places = word_places(column, np.array([0]), np.array([1]))
    assert places.lists() == [every_ngram(prediction, reference)]
    known = [place for place in places.lists()[0] if place >= 0]
    ascending = sum(a < b for i, a in enumerate(known) for b in known[i + 1 :])
    assert ascending_pairs(places).tolist() == [[len(known), ascending]]


def test_long_repetitive_texts_do_not_hang():
    text = "a b " * 5000
    scores = rows_by_label(nlgauge.score([text, text], [text, text + "c"], metrics="ribes"))
    assert 0 < scores[0]["ribes"] < 1
    assert scores[0]["ribes.order"] == 1


def test_outputs_are_the_factors():
    row = nlgauge.score(["the book was read by the boy"], ["the boy read the book"], metrics="ribes")["ribes"]
    assert row["score"] == pytest.approx(
        row["order"] * row["precision"] ** 0.25 * row["brevity_penalty"] ** 0.1
    )
    assert (row["order"], row["precision"], row["brevity_penalty"]) == pytest.approx((0.2, 5 / 7, 1))


def test_explanation_shows_which_word_is_which():
    (explanation,) = nlgauge.score(
        ["the book was read by the boy"], ["the boy read the book"], metrics="ribes"
    ).explain("ribes", 0)
    assert [(prediction, reference) for prediction, reference, _ in explanation.matches] == [
        (0, 3),
        (1, 4),
        (3, 2),
        (5, 0),
        (6, 1),
    ]
    assert explanation.chunks == [1, 1, 2, 3, 3]


@pytest.mark.parametrize(
    "bad", [{"alpha": -1}, {"beta": "x"}, {"tokenizer": "google"}, {"compat": "1.03"}], ids=str
)
def test_parameters_outside_their_domain(bad):
    with pytest.raises(ParameterError, match=f"ribes: {next(iter(bad))} must be"):
        Ribes(**bad)
