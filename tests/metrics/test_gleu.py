"""GLEU against NLTK 3.10."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from nltk.translate.gleu_score import corpus_gleu, sentence_gleu
from segment_rows import rows_by_label
from strategies import SENTENCES, corpora

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metric.registry import parse
from nlgauge.metrics.gleu import Gleu

CHANGED_PARAMETERS = {"tokenizer": "13a", "min_order": 2}
# As in NLTK, texts without a token score 0, also two equal ones.
NOT_BEST_WHEN_EQUAL = {"empty", "only spaces", "newline", "only punctuation", "not a character"}


def assert_equals_nltk(
    predictions: list[str], references: list[list[str]], order: int, least: int = 1
) -> None:
    result = nlgauge.score(predictions, references, metrics=Gleu(order, "whitespace", least))
    split = (
        [[reference.split() for reference in group] for group in references],
        [prediction.split() for prediction in predictions],
    )
    assert result["gleu"]["score"] == pytest.approx(corpus_gleu(*split, least, order), abs=1e-12)
    expected = [
        sentence_gleu(group, prediction, least, order) for group, prediction in zip(*split, strict=True)
    ]
    assert [row[result.labels[0]] for row in rows_by_label(result)] == pytest.approx(expected, abs=1e-12)


@given(corpora(), st.integers(1, 6))
def test_corpora_equal_nltk(corpus, order):
    # Among an empty and other references of an empty prediction, all of which score 0, ours takes the first
    # and NLTK not the empty one.
    assume(
        all(
            prediction.split() or len({bool(reference.split()) for reference in group}) == 1
            for prediction, group in zip(*corpus, strict=True)
        )
    )
    assert_equals_nltk(*corpus, order)


def test_real_sentences_equal_nltk():
    predictions, references = map(list, zip(*SENTENCES, strict=True))
    assert_equals_nltk(predictions, references, 4)
    assert_equals_nltk(predictions, references, 3, least=2)


def test_the_smaller_of_precision_and_recall():
    # "the cat" has 2 unigrams and 1 bigram, all matched, of the reference's 6 + 5 + 4 + 3.
    assert nlgauge.score(["the cat"], ["the cat sat on the mat"], metrics="gleu")["gleu"][
        "score"
    ] == pytest.approx(3 / 18)
    assert nlgauge.score(["the cat sat on the mat"], ["the cat"], metrics="gleu")["gleu"][
        "score"
    ] == pytest.approx(3 / 18)


def test_the_corpus_score_pools_counts():
    result = nlgauge.score(["a b", "c d e f g h"], ["a b", "x y z u v w"], metrics="gleu")
    assert result["gleu"]["score"] == pytest.approx(3 / (3 + 18))


@pytest.mark.parametrize(("prediction", "reference"), [("", "a"), ("a", ""), ("", "")])
def test_empty_texts_score_zero(prediction, reference):
    assert nlgauge.score([prediction], [reference], metrics="gleu")["gleu"]["score"] == 0


@pytest.mark.parametrize(("tokenizer", "expected"), [("unicode", 1.0), ("13a", 0.0), ("whitespace", 0.0)])
def test_tokenizers(tokenizer, expected):
    assert nlgauge.score(["猫，坐"], ["猫坐"], metrics=Gleu(tokenizer=tokenizer))["gleu"]["score"] == expected
    assert nlgauge.score(["Cat."], ["cat"], metrics=Gleu(tokenizer=tokenizer))["gleu"]["score"] == expected


def test_explanation_counts_each_order():
    result = nlgauge.score(["the cat is on the mat"], [["a dog", "the cat sat on the mat"]], metrics="gleu")
    (explanation,) = result.explain("gleu", 0)
    assert explanation.longest == [2, 2, 0, 3, 3, 3]
    assert [(order.matched, order.predicted, order.expected) for order in explanation.orders] == [
        (5, 6, 6),
        (3, 5, 5),
        (1, 4, 4),
        (0, 3, 3),
    ]


def test_other_name_and_wrong_parameters():
    assert parse("google_bleu") == Gleu()
    with pytest.raises(ParameterError, match=r"max_order.*1 to 100.*0"):
        Gleu(0)
    with pytest.raises(ParameterError, match=r"tokenizer.*'13a'.*'bert'"):
        Gleu(tokenizer="bert")


def test_the_shortest_ngram_counts_in_explanations_too():
    metric = Gleu(max_order=3, min_order=2)
    result = nlgauge.score(["the cat sat"], ["the cat ran"], metrics=metric)
    assert result["gleu"]["score"] == pytest.approx(1 / 3)
    assert [order.name for order in result.explain(str(metric), 0)[0].orders] == ["2-grams", "3-grams"]
    for least in (0, 4, True):
        with pytest.raises(ParameterError, match=r"min_order.*1 to max_order"):
            Gleu(max_order=3, min_order=least)
