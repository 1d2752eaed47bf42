"""AUN: hand-made values, the definition as an oracle, texts too short."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from source_cases import FEW_WORDS, grams
from strategies import texts

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.aun import AverageUniqueNgramRatio

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"tokenizer": "13a"}


def test_hand_made_values():
    scores = nlgauge.score(["the cat sat and the cat sat and slept"], metrics="aun")["aun"]
    assert [scores[f"unr{n}"] for n in (1, 2, 3)] == pytest.approx([5 / 9, 5 / 8, 5 / 7])
    assert scores["score"] == pytest.approx((5 / 9 + 5 / 8 + 5 / 7) / 3)


@given(FEW_WORDS | texts())
def test_it_is_the_mean_share_of_different_ngrams(text):
    label = str(AverageUniqueNgramRatio(4, "whitespace"))
    scores = nlgauge.score([text], metrics=label)[label]
    ratios = []
    for n in (1, 2, 3, 4):
        all_of_them = grams(text.split(), n)
        if all_of_them:
            ratios.append(len(set(all_of_them)) / len(all_of_them))
            assert scores[f"unr{n}"] == pytest.approx(ratios[-1], abs=1e-12)
        elif ratios:
            assert math.isnan(scores[f"unr{n}"])
        else:
            assert scores[f"unr{n}"] == 0
    assert scores["aun"] == pytest.approx(sum(ratios) / len(ratios) if ratios else 0.0, abs=1e-12)


def test_the_corpus_score_is_the_mean_over_texts_and_not_of_pooled_counts():
    scores = nlgauge.score(["a a a a", "a", ""], metrics="aun(max_order=1)")["aun"]
    assert scores["score"] == pytest.approx((1 / 4 + 1 + 0) / 3)


def test_nothing_has_the_worst_score():
    assert nlgauge.score(["", " "], metrics="unr")["aun"]["score"] == 0


def test_explanation_counts_the_ngram_that_begins_at_each_token():
    (found,) = nlgauge.score(["a b a"], metrics="aun(max_order=2)").explain("aun", 0)
    assert found.values == {"1-gram": [2, 1, 2], "2-gram": [1, 1, 0]}


@pytest.mark.parametrize("bad", [{"max_order": 0}, {"max_order": "2"}, {"tokenizer": "google"}], ids=str)
def test_parameters_outside_their_domain(bad):
    with pytest.raises(ParameterError, match=f"aun: {next(iter(bad))} must be"):
        AverageUniqueNgramRatio(**bad)
