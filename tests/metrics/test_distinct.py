"""distinct-n: published values, the definition as an oracle, and what it says where nothing is defined."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from segment_rows import rows_by_label
from strategies import texts

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.distinct import Distinct

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"tokenizer": "13a"}


def test_published_values():
    scores = nlgauge.score(["the cat sat", "the cat ran", "a dog"], metrics="distinct")["distinct"]
    assert (scores["distinct1"], scores["distinct2"], scores["score"]) == (0.75, 0.8, 0.75)


@given(st.lists(texts(), min_size=1, max_size=6), st.integers(1, 4))
def test_it_is_different_ngrams_over_all_ngrams(predictions, max_order):
    metric = Distinct(max_order, "whitespace")
    scores = nlgauge.score(predictions, metrics=metric)[str(metric)]
    for n in range(1, max_order + 1):
        grams = [
            tuple(words[i : i + n])
            for words in map(str.split, predictions)
            for i in range(len(words) - n + 1)
        ]
        expected = len(set(grams)) / len(grams) if grams else math.nan
        assert scores[f"distinct{n}"] == pytest.approx(expected, nan_ok=True)


def test_several_predictions_a_segment_all_count():
    assert nlgauge.score([["a b", "a c"], ["a", "d"]], metrics="distinct")["distinct"][
        "distinct1"
    ] == pytest.approx(4 / 6)


def test_texts_too_short_give_nan_with_the_reason():
    result = nlgauge.score(["one", ""], metrics="distinct")
    assert result["distinct"]["distinct1"] == 1
    assert math.isnan(result["distinct"]["distinct2"])
    assert result.reasons() == {
        ("system", "distinct", "distinct2"): "no text is long enough to have such an n-gram"
    }


def test_there_are_no_segment_scores_and_no_explanation():
    result = nlgauge.score(["a b", "c"], ["a", "c"], metrics=["distinct", "wer"])
    assert set(rows_by_label(result)[0]) == {
        "segment",
        "system",
        "wer",
        "wer.substitutions",
        "wer.deletions",
        "wer.insertions",
        "wer.hits",
    }
    assert result.explain("distinct", 0) == []


def drawn(seed: int) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(f"w{int(rng.paretovariate(0.8)) % 60}" for _ in range(6)) for _ in range(80)]


def test_interval_contains_the_score_and_is_as_wide_as_new_texts_vary():
    """A bootstrap would repeat texts: 0.533 came with [0.350, 0.424]."""
    spread = np.std(
        [nlgauge.score(drawn(seed), metrics="distinct")["distinct"]["distinct2"] for seed in range(100, 200)]
    )
    for seed in range(4):
        interval = nlgauge.score(drawn(seed), metrics="distinct").intervals()["distinct"]["distinct2"]
        assert interval.low <= interval.score <= interval.high
        assert 0.75 < (interval.high - interval.low) / (2 * 1.96 * spread) < 1.4


@pytest.mark.parametrize("bad", [{"max_order": 0}, {"max_order": "2"}, {"tokenizer": "google"}], ids=str)
def test_parameters_outside_their_domain(bad):
    with pytest.raises(ParameterError, match=f"distinct: {next(iter(bad))} must be"):
        Distinct(**bad)
