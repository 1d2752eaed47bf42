"""NIST against NLTK 3.10 where that is right (one reference, a prediction long enough), mteval-v11b, and
the formula written out.
"""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from nltk.translate.nist_score import corpus_nist
from segment_rows import rows_by_label
from strategies import corpora, texts

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.nist import Nist

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"tokenizer": "none"}
# There is no best score: the same text is worth more bits in a larger corpus.
NOT_BEST_WHEN_EQUAL = {
    *(
        "empty",
        "only spaces",
        "newline",
        "one token",
        "one letter",
        "repeated token",
        "long",
        "right to left",
        "emoji",
        "combining marks",
    ),
    *("leading mark", "mixed scripts", "only punctuation", "zero", "not a character"),
}

CAT = "the cat sat on the mat"
PREDICTIONS = [
    "The cat is sitting on the mat.",
    "Prime Minister Narendra Modi met the president on Tuesday.",
    "He said: 'It won't happen again, ever.'",
    "Shares fell 3.5% in early trading, traders said.",
]
REFERENCES = [
    ["The cat sat on the mat.", "A cat is on the mat, the black one."],
    ["On Tuesday, PM Narendra Modi met with the president.", "The president met Mr Modi on Tuesday."],
    ["He said it won't happen again.", "Never again, he said, will it happen."],
    ["Shares fell by 3.5% in early trading, traders said.", "Traders said that shares were down 3.5% early."],
]


def plain(predictions: list[str], references: list[list[str]], order: int) -> tuple[float, list[float]]:
    """NIST of the corpus and of each segment, straight from the formula, on tokens between spaces."""
    counts: Counter[tuple[str, ...]] = Counter()
    words = 0
    for reference in (reference.split() for group in references for reference in group):
        words += len(reference)
        counts.update(
            tuple(reference[i : i + n]) for n in range(1, order + 1) for i in range(len(reference) - n + 1)
        )

    def score(segments: list[int]) -> float:
        total, length, expected = 0.0, 0, 0.0
        for n in range(1, order + 1):
            information, predicted = 0.0, 0
            for s in segments:
                grams = [
                    Counter(zip(*(text.split()[k:] for k in range(n)), strict=False))
                    for text in (predictions[s], *references[s])
                ]
                predicted += grams[0].total()
                for gram, count in grams[0].items():
                    matched = min(count, max(other[gram] for other in grams[1:]))
                    information += (
                        matched * math.log2((counts[gram[:-1]] if n > 1 else words) / counts[gram])
                        if matched
                        else 0.0
                    )
            total += information / predicted if predicted else 0.0
        for s in segments:
            length += len(predictions[s].split())
            expected += sum(len(reference.split()) for reference in references[s]) / len(references[s])
        if length == 0 or expected == 0:
            return 0.0
        return total * math.exp(math.log(0.5) / math.log(1.5) ** 2 * math.log(min(length / expected, 1)) ** 2)

    return score(list(range(len(predictions)))), [score([s]) for s in range(len(predictions))]


@given(corpora(), st.integers(1, 6))
def test_any_corpus_equals_the_formula(corpus, order):
    metric = Nist(order, tokenizer="none", lowercase=False)
    result = nlgauge.score(*corpus, metrics=metric)
    expected, segments = plain(*corpus, order)
    assert result["nist"]["score"] == pytest.approx(expected, abs=1e-9)
    assert [row[str(metric)] for row in rows_by_label(result)] == pytest.approx(segments, abs=1e-9)


def test_a_match_is_clipped_at_the_greatest_count_in_one_reference():
    corpus = ["a a a b", "c"], [["a x b a", "a y b", "a a"], ["c d e"]]
    result = nlgauge.score(*corpus, metrics=Nist(2, tokenizer="none"))
    assert result["nist"]["score"] == pytest.approx(plain(*corpus, 2)[0], abs=1e-12)


@given(
    st.lists(st.tuples(texts(max_words=12), texts(max_words=12)), min_size=1, max_size=5), st.integers(1, 5)
)
def test_one_reference_equals_nltk(pairs, order):
    predictions, references = [pair[0].split() for pair in pairs], [[pair[1].split()] for pair in pairs]
    assume(
        any(len(prediction) >= order for prediction in predictions) and any(group[0] for group in references)
    )
    metric = Nist(order, tokenizer="none", lowercase=False)
    ours = nlgauge.score([pair[0] for pair in pairs], [pair[1] for pair in pairs], metrics=metric)["nist"][
        "score"
    ]
    assert ours == pytest.approx(corpus_nist(references, predictions, order), abs=1e-9)


@pytest.mark.parametrize(
    ("references", "corpus", "segments"),
    [(1, 3.8366, [3.7316, 3.8461, 2.5688, 4.8873]), (2, 4.7408, [5.0334, 4.4743, 3.2376, 6.0822])],
    ids=["one reference", "two references"],
)
def test_default_equals_mteval(references, corpus, segments):
    """perl mteval-v11b.pl -n -d 2 -s source.sgm -t predictions.sgm -r references.sgm (of Moses), one
    <refset> a reference.
    """
    result = nlgauge.score(PREDICTIONS, [group[:references] for group in REFERENCES], metrics="nist")
    assert round(result["nist"]["score"], 4) == corpus
    assert [round(row["nist"], 4) for row in rows_by_label(result)] == segments


@pytest.mark.parametrize(
    ("prediction", "order", "expected"),
    [(CAT, 5, 2.6516291674), ("the cat is on the mat", 5, 2.2208020839), ("the cat", 2, 0.0190218518)],
)
def test_published_values(prediction, order, expected):
    assert nlgauge.score([prediction], [CAT], metrics=Nist(order))["nist"]["score"] == pytest.approx(
        expected, abs=1e-9
    )


def test_an_order_of_which_nothing_was_predicted_adds_nothing():
    short = [nlgauge.score(["the cat"], [CAT], metrics=Nist(order))["nist"]["score"] for order in (2, 3, 9)]
    assert short[0] == short[1] == short[2] > 0
    with pytest.raises(ZeroDivisionError):
        corpus_nist([[CAT.split()]], [["the", "cat"]], 3)


@pytest.mark.parametrize(("prediction", "reference"), [("", CAT), ("", ""), (CAT, "")])
def test_empty_texts_score_zero(prediction, reference):
    scores = nlgauge.score([prediction], [reference], metrics="nist")["nist"]
    assert scores["score"] == 0
    assert scores["brevity_penalty"] == (0 if reference else 1)


def test_weights_come_from_the_references_and_not_from_the_systems():
    one = nlgauge.score({"A": PREDICTIONS}, REFERENCES, metrics="nist")
    two = nlgauge.score({"A": PREDICTIONS, "B": [CAT] * 4}, REFERENCES, metrics="nist")
    assert rows_by_label(one) == [row for row in rows_by_label(two) if row["system"] == "A"]


def test_case_counts_only_where_asked():
    lower, mixed = (
        nlgauge.score(["The cat"], ["the cat sat"], metrics=Nist(lowercase=choice))["nist"]["score"]
        for choice in (True, False)
    )
    assert lower > mixed > 0


def test_the_language_chooses_the_tokenizer():
    assert nlgauge.score(["猫在垫子上"], ["猫坐在垫子上"], metrics="nist", lang="zh").labels == (
        "nist(tokenizer='zh')",
    )


def test_explanation_shows_bits_and_matches():
    (explanation,) = nlgauge.score(["the cat is on the mat"], [CAT], metrics="nist").explain("nist", 0)
    assert explanation.longest == [2, 2, 0, 3, 3, 3]
    # "the" twice, log2(6/2) bits each; "cat", "on" and "mat", log2(6/1) bits each.
    assert explanation.orders[0].matched == pytest.approx(2 * math.log2(3) + 3 * math.log2(6))
    assert [order.predicted for order in explanation.orders] == [6, 5, 4, 3, 2]


@pytest.mark.parametrize(
    "bad", [{"max_order": 0}, {"max_order": 2.0}, {"tokenizer": "14a"}], ids=lambda bad: next(iter(bad))
)
def test_parameters_outside_their_domain(bad):
    name, value = next(iter(bad.items()))
    with pytest.raises(ParameterError, match=f"{name}.*{value!r}"):
        Nist(**bad)
