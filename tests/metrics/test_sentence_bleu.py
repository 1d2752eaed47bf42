"""Sentence BLEU against NLTK 3.10's smoothing method 2 (equal for predictions of four tokens and more)
and the formula written out.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from nltk.translate.bleu_score import SmoothingFunction
from nltk.translate.bleu_score import sentence_bleu as nltk_sentence_bleu
from segment_rows import rows_by_label
from strategies import SENTENCES, corpora

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metric.registry import parse
from nlgauge.metrics.sentence_bleu import SentenceBleu

CHANGED_PARAMETERS = {"tokenizer": "char"}
# As in BLEU, texts without a token score 0, also two equal ones.
NOT_BEST_WHEN_EQUAL = {"empty", "only spaces", "newline"}


def orange(prediction: list[str], references: list[list[str]], order: int = 4) -> float:
    """Lin and Och (2004), section 4."""
    logs = 0.0
    for n in range(1, order + 1):
        grams, *others = (
            Counter(zip(*(text[k:] for k in range(n)), strict=False)) for text in (prediction, *references)
        )
        matched = sum(min(count, max(other[gram] for other in others)) for gram, count in grams.items())
        if n == 1 and matched == 0:
            return 0.0
        logs += math.log(matched / grams.total() if n == 1 else (matched + 1) / (grams.total() + 1))
    closest = min(
        (len(reference) for reference in references),
        key=lambda length: (abs(length - len(prediction)), length),
    )
    return 100 * min(1.0, math.exp(1 - closest / len(prediction))) * math.exp(logs / order)


@given(corpora())
def test_segments_and_their_mean_equal_the_formula(corpus):
    predictions, references = corpus
    result = nlgauge.score(predictions, references, metrics="sentence_bleu(tokenizer='none')")
    expected = [
        orange(prediction.split(), [reference.split() for reference in group])
        for prediction, group in zip(*corpus, strict=True)
    ]
    assert [row[result.labels[0]] for row in rows_by_label(result)] == pytest.approx(expected, abs=1e-9)
    assert result["sentence_bleu"]["score"] == pytest.approx(np.mean(expected), abs=1e-9)


@given(corpora())
def test_long_enough_predictions_equal_nltk(corpus):
    kept = [
        (prediction, group) for prediction, group in zip(*corpus, strict=True) if len(prediction.split()) >= 4
    ]
    assume(kept)
    result = nlgauge.score(
        [prediction for prediction, _ in kept],
        [group for _, group in kept],
        metrics="sentence_bleu(tokenizer='none')",
    )
    smoothing = SmoothingFunction().method2
    for row, (prediction, group) in zip(rows_by_label(result), kept, strict=True):
        theirs = nltk_sentence_bleu(
            [reference.split() for reference in group], prediction.split(), smoothing_function=smoothing
        )
        assert row[result.labels[0]] == pytest.approx(100 * theirs, abs=1e-9)


def test_published_value_and_mean_of_segments():
    """48.5491771707 is sacreBLEU's add-k of this pair; the corpus score is a mean, not BLEU's."""
    predictions, references = (
        ["the cat is on the mat", "hello there general kenobi"],
        ["the cat sat on the mat", "hello there general kenobi"],
    )
    result = nlgauge.score(predictions, references, metrics=["sentence_bleu", "bleu(smooth_method='add-k')"])
    assert [row["sentence_bleu"] for row in rows_by_label(result)] == pytest.approx(
        [48.5491771707, 100], abs=1e-9
    )
    assert result["sentence_bleu"]["score"] == pytest.approx((48.5491771707 + 100) / 2, abs=1e-9)
    assert result["sentence_bleu"]["score"] != pytest.approx(result["bleu"]["score"], abs=1)


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [("", "a", 0), ("a", "", 0), ("", "", 0), ("a", "a", 100), ("a b", "c d", 0)],
)
def test_short_and_empty_texts(prediction, reference, expected):
    assert nlgauge.score([prediction], [reference], metrics="sentence_bleu")["sentence_bleu"][
        "score"
    ] == pytest.approx(expected)


def test_tokenizers_are_those_of_bleu():
    predictions, references = map(list, zip(*SENTENCES, strict=True))
    for options in ("", "tokenizer='intl'", "lowercase=True, max_order=2"):
        result = nlgauge.score(
            predictions,
            references,
            metrics=[
                f"sentence_bleu({options})",
                f"bleu(smooth_method='add-k', {options})".replace(", )", ")"),
            ],
        )
        ours, bleu = ([row[label] for row in rows_by_label(result)] for label in result.labels)
        assert ours == pytest.approx(bleu, abs=1e-9)
    assert nlgauge.score(["猫在"], ["猫坐"], metrics="sentence_bleu", lang="zh").labels == (
        "sentence_bleu(tokenizer='zh')",
    )


def test_other_names():
    assert parse("sentbleu") == parse("orange") == SentenceBleu()


def test_explanation_is_that_of_bleu():
    result = nlgauge.score(["the cat is on the mat"], ["the cat sat on the mat"], metrics="sentence_bleu")
    (explanation,) = result.explain("sentence_bleu", 0)
    assert explanation.title.startswith("sentence_bleu 48.55")
    assert [(order.matched, order.predicted) for order in explanation.orders] == [
        (5, 6),
        (3, 5),
        (1, 4),
        (0, 3),
    ]


@pytest.mark.parametrize("bad", [{"max_order": 0}, {"tokenizer": "14a"}], ids=lambda bad: next(iter(bad)))
def test_parameters_outside_their_domain(bad):
    name, value = next(iter(bad.items()))
    with pytest.raises(ParameterError, match=f"sentence_bleu: {name}.*{value!r}"):
        SentenceBleu(**bad)
