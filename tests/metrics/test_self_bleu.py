"""Self-BLEU against sacreBLEU's sentence BLEU of each text with all others as references."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from strategies import SENTENCES, texts

import nlgauge
from nlgauge._core.ragged import Ragged
from nlgauge.errors import ParameterError
from nlgauge.kernels.leave_one_out import closest_other_lengths, matches_with_the_others
from nlgauge.metric.registry import make
from nlgauge.metrics.self_bleu import SelfBleu

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"tokenizer": "intl", "smooth_method": "floor", "smooth_value": 0.5, "sample": 5}


def theirs(predictions: list[str], max_order: int = 4, **options: object) -> float:
    bleu = sacrebleu.BLEU(effective_order=True, max_ngram_order=max_order, **options)
    said = [text for text in predictions if bleu.tokenizer(text.rstrip()).split()]
    if len(said) < 2:
        return math.nan
    return float(
        np.mean([bleu.sentence_score(text, said[:i] + said[i + 1 :]).score for i, text in enumerate(said)])
    )


@given(
    st.lists(texts(), min_size=1, max_size=7),
    st.sampled_from(["13a", "intl", "char"]),
    st.sampled_from(["none", "floor", "add-k", "exp"]),
    st.integers(1, 5),
    st.booleans(),
)
def test_it_is_the_mean_of_sacrebleus(predictions, tokenize, smooth_method, max_order, lowercase):
    options = {
        "tokenize": tokenize,
        "smooth_method": smooth_method,
        "max_order": max_order,
        "lowercase": lowercase,
    }
    found = nlgauge.score(predictions, metrics=make("self_bleu", options))["self_bleu"]["score"]
    assert found == pytest.approx(theirs(predictions, **options), abs=1e-9, nan_ok=True)


def test_real_sentences_and_repeated_ones():
    predictions = [prediction for prediction, _ in SENTENCES] + [
        reference for _, group in SENTENCES for reference in group
    ]
    assert nlgauge.score(predictions, metrics="self_bleu")["self_bleu"]["score"] == pytest.approx(
        theirs(predictions), abs=1e-9
    )
    assert nlgauge.score(["the cat sat on the mat"] * 3, metrics="self_bleu")["self_bleu"][
        "score"
    ] == pytest.approx(100)
    assert nlgauge.score([["a b c", "a b d"], ["e"]], metrics="self_bleu")["self_bleu"][
        "score"
    ] == pytest.approx(theirs(["a b c", "a b d", "e"]))


def test_the_language_chooses_the_tokenizer_and_the_signature_says_so():
    texts = ["猫在垫子上", "猫坐在垫子上", "狗在垫子上"]
    result = nlgauge.score(texts, metrics="self_bleu", lang="zh")
    assert result.labels == ("self_bleu(tokenizer='zh')",)
    assert "tokenizer:zh" in result.signatures["self_bleu(tokenizer='zh')"]
    assert result["self_bleu"]["score"] == pytest.approx(theirs(texts, tokenize="zh"), abs=1e-9)


def test_texts_without_a_token_are_not_varied():
    result = nlgauge.score(["", " ", "a cat sat"], metrics="self_bleu")
    assert math.isnan(result["self_bleu"]["score"])
    assert result.reasons() == {("system", "self_bleu", "self_bleu"): "fewer than two texts have a token"}
    together = nlgauge.score(["a b", "", "a c", ""], metrics="self_bleu")["self_bleu"]["score"]
    assert together == nlgauge.score(["a b", "a c"], metrics="self_bleu")["self_bleu"]["score"]


@given(st.lists(st.integers(1, 9), min_size=2, max_size=8))
def test_the_closest_length_of_another_text_on_a_tie_the_shorter(lengths):
    expected = [
        min(lengths[:i] + lengths[i + 1 :], key=lambda other, own=own: (abs(other - own), other))
        for i, own in enumerate(lengths)
    ]
    assert closest_other_lengths(np.array(lengths)).tolist() == expected


def test_a_sample_is_drawn_with_the_seed_and_said_in_the_signature():
    predictions = [f"w{i % 7} w{i % 5} w{i % 3} x" for i in range(40)]
    results = [nlgauge.score(predictions, metrics=SelfBleu(sample=10), seed=seed) for seed in (1, 1, 2)]
    scores = [result["self_bleu"]["score"] for result in results]
    assert scores[0] == scores[1] != scores[2]
    assert "|seed:1|" in results[0].signatures["self_bleu(sample=10)"]
    assert "seed" not in nlgauge.score(predictions, metrics="self_bleu").signatures["self_bleu"]
    every = nlgauge.score(predictions, metrics=[SelfBleu(sample=40), SelfBleu()])
    assert every["self_bleu(sample=40)"]["score"] == every["self_bleu"]["score"]


def test_twice_the_texts_are_twice_the_work():
    """Counted in calls of Python functions; to compare each text with every other one would be four times
    the work.
    """

    def calls(texts: int) -> int:
        column = Ragged.of([[(i * k) % 9973 for k in range(1, 11)] for i in range(1, texts + 1)])
        made = 0

        def count(*event: object) -> None:
            nonlocal made
            made += 1

        sys.setprofile(count)
        try:
            matches_with_the_others.python(column, np.arange(texts), 4)
        finally:
            sys.setprofile(None)
        return made

    few, many = calls(200), calls(400)
    assert few > 200
    assert many < 2.2 * few


@pytest.mark.parametrize(
    "bad", [{"max_order": 0}, {"tokenizer": "14a"}, {"smooth_method": "more"}, {"sample": 1}], ids=str
)
def test_parameters_outside_their_domain(bad):
    with pytest.raises(ParameterError, match=f"self_bleu: {next(iter(bad))} must be"):
        SelfBleu(**bad)
