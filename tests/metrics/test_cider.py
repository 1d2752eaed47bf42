"""CIDEr-D against pycocoevalcap 1.2, CIDEr against the formula written out."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pycocoevalcap.cider.cider import Cider as Theirs
from segment_rows import rows_by_label
from strategies import SENTENCES, corpora

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metric.registry import parse
from nlgauge.metrics.cider import Cider

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"variant": "d", "tokenizer": "whitespace"}
# A text of fewer than four tokens has no vector for some orders, and 0 there.
NOT_BEST_WHEN_EQUAL = {
    *(
        "empty",
        "only spaces",
        "newline",
        "one token",
        "one letter",
        "emoji",
        "combining marks",
        "leading mark",
        "only punctuation",
        "zero",
    ),
    "not a character",
}


def assert_equals_pycocoevalcap(
    predictions: list[str], references: list[list[str]], sigma: float = 6.0
) -> None:
    metric = Cider("d", 4, sigma, "whitespace")
    result = nlgauge.score(predictions, references, metrics=metric)
    mean, segments = Theirs(sigma=sigma).compute_score(
        dict(enumerate(references)), {i: [prediction] for i, prediction in enumerate(predictions)}
    )
    assert result["cider"]["score"] == pytest.approx(mean, abs=1e-9)
    assert [row[result.labels[0]] for row in rows_by_label(result)] == pytest.approx(list(segments), abs=1e-9)


@given(corpora(), st.sampled_from([1.0, 6.0]))
def test_cider_d_equals_pycocoevalcap(corpus, sigma):
    predictions, references = corpus
    assume(len(predictions) > 1 and any(reference.split() for group in references for reference in group))
    assert_equals_pycocoevalcap(predictions, references, sigma)


def test_cider_d_of_real_sentences_equals_pycocoevalcap():
    predictions, references = map(list, zip(*SENTENCES, *SENTENCES[:2], strict=True))
    assert_equals_pycocoevalcap(predictions, references)


def cosine(predictions: list[str], references: list[list[str]], order: int) -> list[float]:
    """CIDEr as in Vedantam and others (2015), equations 1 to 3, times 10."""

    def grams(text: str, n: int) -> Counter[tuple[str, ...]]:
        return Counter(zip(*(text.split()[k:] for k in range(n)), strict=False))

    found = []
    for prediction, group in zip(predictions, references, strict=True):
        total = 0.0
        for n in range(1, order + 1):
            documents = [set().union(*(grams(reference, n) for reference in others)) for others in references]
            weigh = [
                {
                    gram: count * math.log(len(documents) / max(1, sum(gram in d for d in documents)))
                    for gram, count in grams(text, n).items()
                }
                for text in (prediction, *group)
            ]
            norms = [math.sqrt(sum(value**2 for value in vector.values())) for vector in weigh]
            for vector, norm in zip(weigh[1:], norms[1:], strict=True):
                if norms[0] and norm:
                    total += (
                        sum(value * vector.get(gram, 0) for gram, value in weigh[0].items())
                        / (norms[0] * norm)
                        / len(group)
                    )
        found.append(10 * total / order)
    return found


@given(corpora(), st.integers(1, 5))
def test_cider_equals_the_formula(corpus, order):
    predictions, references = corpus
    assume(len(predictions) > 1)
    result = nlgauge.score(predictions, references, metrics=Cider("plain", order, tokenizer="whitespace"))
    expected = cosine(predictions, references, order)
    assert [row[result.labels[0]] for row in rows_by_label(result)] == pytest.approx(expected, abs=1e-9)
    assert result["cider"]["score"] == pytest.approx(np.mean(expected), abs=1e-9)


PREDICTIONS = ["the cat is on the mat", "a dog ran fast today", "hello there"]
REFERENCES = ["the cat sat on the mat", "a dog ran fast today", "hello there general kenobi"]


def test_published_values():
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics="cider_d")
    assert [row["cider(variant='d')"] for row in rows_by_label(result)] == pytest.approx(
        [4.3125, 10, 3.03761077], abs=1e-8
    )
    assert result["cider"]["score"] == pytest.approx(5.7833702577, abs=1e-9)


def test_one_segment_is_nan_and_says_why():
    result = nlgauge.score(PREDICTIONS[:1], REFERENCES[:1], metrics=["cider", "cider-d"])
    assert all(math.isnan(result[label]["score"]) for label in result.labels)
    assert "one segment" in Cider().outputs()["cider"][0].nan
    assert not math.isnan(nlgauge.score(PREDICTIONS[:2], REFERENCES[:2], metrics="cider")["cider"]["score"])


def test_frequencies_come_from_the_references_of_the_corpus():
    """Each segment is one document however many references it has, and systems change nothing."""
    one = nlgauge.score({"A": PREDICTIONS}, REFERENCES, metrics="cider")
    two = nlgauge.score({"A": PREDICTIONS, "B": REFERENCES}, REFERENCES, metrics="cider")
    twice = nlgauge.score({"A": PREDICTIONS}, [[reference] * 2 for reference in REFERENCES], metrics="cider")
    assert (
        rows_by_label(one)
        == [row for row in rows_by_label(two) if row["system"] == "A"]
        == rows_by_label(twice)
    )


def test_our_tokenizer_on_other_scripts():
    result = nlgauge.score(
        ["猫坐在垫子上。", "Собака бежит быстро!"], ["猫坐在垫子上", "собака бежит быстро"], metrics="cider"
    )
    assert [row["cider"] for row in rows_by_label(result)] == pytest.approx(
        [10, 7.5]
    )  # three words have no 4-gram


def test_explanation_shows_the_similarity_of_each_order():
    (explanation,) = nlgauge.score(PREDICTIONS, REFERENCES, metrics="cider").explain("cider", 0)
    assert explanation.longest == [2, 2, 0, 3, 3, 3]
    assert 10 * np.mean([order.matched for order in explanation.orders]) == pytest.approx(4.3125)


def test_other_names_and_wrong_parameters():
    assert parse("cider_d") == parse("cider-d") == Cider("d")
    with pytest.raises(ParameterError, match=r"variant.*'plain' or 'd'.*'D'"):
        Cider("D")
    with pytest.raises(ParameterError, match=r"sigma.*0\.001.*1,000,000.*0"):
        Cider(sigma=0)
    with pytest.raises(ParameterError, match="cider: tokenizer must be"):
        Cider(tokenizer="13a")
    with pytest.raises(ParameterError, match="cider: max_order must be"):
        Cider(max_order=0)
