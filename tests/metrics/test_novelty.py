"""Novelty: hand-made values, SummEval's definition as an oracle, and what the thesis' package gets wrong."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from source_cases import FEW_WORDS, SOURCE, SUMMARY, grams, summeval_taus
from strategies import texts

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.novelty import Novelty

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"tokenizer": "13a", "against": "references"}


def test_hand_made_values():
    scores = nlgauge.score([SUMMARY], sources=[SOURCE], metrics="novelty")["novelty"]
    assert [scores[f"novelty{n}"] for n in (1, 2, 3, 4)] == pytest.approx([1 / 7, 2 / 7, 2 / 6, 3 / 5])
    assert scores["score"] == scores["novelty1"]


def test_occurrences_or_different_ngrams():
    result = nlgauge.score(["x x x a"], sources=["a b"], metrics=["novelty", "novelty(distinct=False)"])
    assert result["novelty"]["novelty1"] == 1 / 2
    assert result["novelty(distinct=False)"]["novelty1"] == 3 / 4


@pytest.mark.parametrize("distinct", [True, False])
@given(FEW_WORDS | texts(), FEW_WORDS | texts())
def test_it_is_the_share_of_ngrams_that_the_source_lacks(distinct, summary, source):
    label = str(Novelty(3, distinct, "whitespace"))
    scores = nlgauge.score([summary], sources=[source], metrics=label)[label]
    for n in (1, 2, 3):
        mine, theirs = grams(summary.split(), n), set(grams(source.split(), n))
        mine = set(mine) if distinct else mine
        expected = sum(gram not in theirs for gram in mine) / len(mine) if mine else math.nan
        assert scores[f"novelty{n}"] == pytest.approx(expected, abs=1e-12, nan_ok=True)


@settings(max_examples=40)
@given(FEW_WORDS, st.lists(FEW_WORDS, min_size=1, max_size=3))
def test_against_references_an_ngram_is_known_if_any_of_them_has_it(summary, references):
    label = str(Novelty(3, tokenizer="whitespace", against="references"))
    scores = nlgauge.score([summary], [references], metrics=label)[label]
    for n in (1, 2, 3):
        mine, known = (
            set(grams(summary.split(), n)),
            {gram for text in references for gram in grams(text.split(), n)},
        )
        assert scores[f"novelty{n}"] == pytest.approx(
            len(mine - known) / len(mine) if mine else math.nan, abs=1e-12, nan_ok=True
        )


def test_words_are_compared_and_not_characters():
    assert nlgauge.score(["a cat"], sources=["concatenate"], metrics="abstractness")["novelty"]["score"] == 1


def test_the_corpus_score_is_the_mean_over_summaries_that_have_such_ngrams():
    scores = nlgauge.score(["a b", "a", ""], sources=["a", "", "a"], metrics="novelty_n")["novelty"]
    assert (scores["novelty1"], scores["novelty2"]) == (0.75, 1)
    assert math.isnan(scores["novelty3"])


def test_explanation_shows_what_is_from_the_source():
    (found,) = nlgauge.score([SUMMARY], sources=[SOURCE], metrics="novelty").explain("novelty", 0)
    assert found.longest == [4, 4, 4, 4, 4, 3, 0, 1]
    assert [(order.matched, order.predicted) for order in found.orders] == [(6, 7), (5, 7), (4, 6), (2, 5)]


@pytest.mark.parametrize("bad", [{"max_order": 0}, {"max_order": "2"}, {"tokenizer": "google"}], ids=str)
def test_parameters_outside_their_domain(bad):
    with pytest.raises(ParameterError, match=f"novelty: {next(iter(bad))} must be"):
        Novelty(**bad)


def test_summeval_as_the_card_says():
    """Not the published numbers: which tokens they were made from is unknown."""
    assert summeval_taus("novelty", "novelty1") == [0.1765, -0.1324, 0.0074, 0.1324]
