"""Vendi score: published values, golden values of vendi-score, and the definition on a full matrix as an
oracle.

The golden values were made with vendi-score 0.0.3: `vendi.score_K(KERNEL, q)` with q as given, "inf" for the
last.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

import nlgauge
from nlgauge.errors import InputError, ParameterError
from nlgauge.metrics import vendi
from nlgauge.metrics.vendi import Vendi, vendi_score

CHANGED_PARAMETERS = {"kernel": "ngram_set", "min_order": 2, "tokenizer": "13a", "sample": 3}
KERNEL = [[1, 0.5, 0.2, 0], [0.5, 1, 0.3, 0.1], [0.2, 0.3, 1, 0.6], [0, 0.1, 0.6, 1]]


@pytest.mark.parametrize(
    ("kernel", "q", "expected"),
    [
        ([[1, 0.5], [0.5, 1]], 1, 1.7547653506),
        ([[1, 0.5], [0.5, 1]], 2, 1.6),
        (KERNEL, 0.5, 3.6097517383237543),
        (KERNEL, 1, 3.30304433836308),
        (KERNEL, 2, 2.9090909090909105),
        (KERNEL, 3, 2.698640059406245),
        (KERNEL, math.inf, 2.139132653480451),
    ],
)
def test_published_and_golden_values_of_any_kernel(kernel, q, expected):
    assert vendi_score(kernel, q) == pytest.approx(expected, abs=1e-10)


def cosine(one: Counter, other: Counter) -> float:
    return sum(one[gram] * other[gram] for gram in one) / math.sqrt(
        sum(v * v for v in one.values()) * sum(v * v for v in other.values())
    )


def full(rows: list[list[str]], low: int, high: int, q: float, count: type = Counter) -> float:
    kernel = np.zeros((len(rows), len(rows)))
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            sides = [
                [
                    Counter(count(tuple(words[k : k + n]) for k in range(len(words) - n + 1)))
                    for n in range(low, min(high, len(words)) + 1)
                ]
                for words in (one, other)
            ]
            both = [cosine(a, b) for a, b in zip(*sides, strict=False)]
            kernel[i, j] = sum(both) / math.sqrt(len(sides[0]) * len(sides[1]))
    return vendi_score(kernel, q)


@pytest.mark.parametrize(("kernel", "count"), [("ngram", Counter), ("ngram_set", set)])
@given(
    st.lists(texts(), min_size=1, max_size=8),
    st.sampled_from([(1, 1), (1, 2), (2, 3)]),
    st.sampled_from([0.5, 1, 2]),
)
def test_it_is_the_score_of_the_full_matrix(kernel, count, predictions, orders, q):
    rows = [words for words in map(str.split, predictions) if len(words) >= orders[0]]
    found = nlgauge.score(predictions, metrics=Vendi(kernel, *orders, q, "whitespace"))["vendi"]["score"]
    # Eigenvalues that are 0 but for rounding (1e-17) weigh 1e-8 where q is a half.
    assert found == pytest.approx(
        full(rows, *orders, q, count) if rows else math.nan, rel=1e-6 if q < 1 else 1e-10, nan_ok=True
    )


def test_few_ngrams_in_many_texts_and_blocks_of_columns(monkeypatch):
    predictions = [" ".join("ab"[(i >> k) & 1] for k in range(i % 5 + 1)) for i in range(60)]
    expected = full([prediction.split() for prediction in predictions], 1, 2, 1)
    for block in (2048, 1, 7):
        monkeypatch.setattr(vendi, "_BLOCK", block)
        assert nlgauge.score(predictions, metrics="vendi")["vendi"]["score"] == pytest.approx(expected)


def test_equal_texts_count_once_and_different_ones_each():
    assert nlgauge.score(["a b c"] * 5, metrics="vendi")["vendi"]["score"] == pytest.approx(1)
    assert nlgauge.score(["a b", "c d", "e f", ""], metrics="vendi")["vendi"]["score"] == pytest.approx(3)
    assert nlgauge.score(["a b", "c d", "a b", "c d"], metrics="vendi")["vendi"]["score"] == pytest.approx(2)


def test_nothing_is_not_varied():
    result = nlgauge.score(["", "?!"], metrics="vendi")
    assert math.isnan(result["vendi"]["score"])
    assert result.reasons() == {("system", "vendi", "vendi"): "no text is long enough to have such an n-gram"}


def test_a_matrix_too_large_is_refused_unless_a_sample_is_drawn(monkeypatch):
    monkeypatch.setattr(vendi, "_MOST", 3)
    predictions = [f"a{i} b{i}" for i in range(9)]
    with pytest.raises(InputError, match=r"sample.*3 or less"):
        nlgauge.score(predictions, metrics="vendi")
    assert nlgauge.score(predictions, metrics=Vendi(sample=3))["vendi"]["score"] == pytest.approx(3)


@pytest.mark.parametrize(
    "kernel",
    [[1, 2], [[1, 0, 0], [0, 1, 0]], [[1, 0.5], [0.2, 1]], [[2, 0], [0, 2]], np.zeros((0, 0))],
    ids=str,
)
def test_a_kernel_must_be_one(kernel):
    with pytest.raises(ParameterError, match="a kernel must be"):
        vendi_score(kernel)


@pytest.mark.parametrize(
    "bad",
    [
        {"kernel": "cosine"},
        {"min_order": 0},
        {"max_order": 0},
        {"q": 0},
        {"tokenizer": "google"},
        {"sample": 0},
    ],
    ids=str,
)
def test_parameters_outside_their_domain(bad):
    with pytest.raises(ParameterError, match=f"vendi: {next(iter(bad))} must be"):
        Vendi(**bad)
