"""Repetitiveness: hand-made values, SummEval's definition as an oracle, the published correlations on
SummEval.
"""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from source_cases import FEW_WORDS, grams, summeval_taus
from strategies import texts

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.repetitiveness import Repetitiveness

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"tokenizer": "13a"}


def test_hand_made_values():
    scores = nlgauge.score(["the cat sat and the cat sat and slept"], metrics="repetitiveness")[
        "repetitiveness"
    ]
    assert [scores[f"repetitiveness{n}"] for n in (1, 2, 3)] == pytest.approx([4 / 5, 3 / 5, 2 / 5])


@given(FEW_WORDS | texts())
def test_it_is_the_share_of_different_ngrams_that_occur_again(text):
    label = str(Repetitiveness(3, "whitespace"))
    scores = nlgauge.score([text], metrics=label)[label]
    for n in (1, 2, 3):
        counts = Counter(grams(text.split(), n))
        expected = (
            sum(count > 1 for count in counts.values()) / len(counts)
            if counts
            else math.nan
            if text.split()
            else 1.0
        )
        assert scores[f"repetitiveness{n}"] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_it_does_not_measure_length():
    """The thesis' package gives 10 to a hundred different words."""
    scores = nlgauge.score([" ".join(f"w{i}" for i in range(100))], metrics="repetition")["repetitiveness"]
    assert scores["score"] == 0


def test_the_corpus_score_is_the_mean_over_texts_that_have_such_ngrams():
    scores = nlgauge.score(["a a", "a b", ""], metrics="repetitiveness")["repetitiveness"]
    # The empty text has the worst score.
    assert (scores["repetitiveness1"], scores["repetitiveness2"], scores["repetitiveness3"]) == (
        2 / 3,
        1 / 3,
        1,
    )
    assert math.isnan(
        nlgauge.score(["a a", "a b"], metrics="repetitiveness")["repetitiveness"]["repetitiveness3"]
    )


def test_the_less_repetitive_prediction_is_the_better():
    assert nlgauge.score([["a a", "a b a b c"]], metrics="repetitiveness")["repetitiveness"][
        "score"
    ] == pytest.approx(2 / 3)


def test_summeval_as_published():
    """The Repeat 3 row of Table 1 of the Shannon Score paper."""
    assert summeval_taus("repetitiveness", "repetitiveness3") == [-0.2206, 0.1471, -0.0221, -0.2647]


def test_explanation_counts_the_ngram_that_begins_at_each_token():
    (found,) = nlgauge.score(["a b a b c"], metrics="repetitiveness").explain("repetitiveness", 0)
    assert found.tokens == ["a", "b", "a", "b", "c"]
    assert found.values == {"1-gram": [2, 2, 2, 2, 1], "2-gram": [2, 1, 2, 1, 0], "3-gram": [1, 1, 1, 0, 0]}


@pytest.mark.parametrize("bad", [{"max_order": 0}, {"max_order": "2"}, {"tokenizer": "google"}], ids=str)
def test_parameters_outside_their_domain(bad):
    with pytest.raises(ParameterError, match=f"repetitiveness: {next(iter(bad))} must be"):
        Repetitiveness(**bad)
