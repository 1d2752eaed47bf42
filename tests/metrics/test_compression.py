"""Compression: published values, the published correlations on SummEval, empty texts."""

from __future__ import annotations

import math

import pytest
from segment_rows import rows_by_label
from source_cases import SOURCE, SUMMARY, summeval_taus

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.compression import Compression

CHANGED_PARAMETERS = {"tokenizer": "13a"}


def test_published_value():
    scores = nlgauge.score([SUMMARY], sources=[SOURCE], metrics="compression")["compression"]
    assert (scores["score"], scores["source_length"], scores["summary_length"]) == (2, 16, 8)


def test_tokens_as_the_published_programs_have_them():
    scores = nlgauge.score(
        ["It doesn't cost $3,000.50 — we'll see."], sources=["猫が well-known"], metrics="compression"
    )["compression"]
    assert (scores["summary_length"], scores["source_length"]) == (11, 5)


def test_the_corpus_score_is_the_mean_over_summaries_that_have_a_token():
    result = nlgauge.score(["a", "a b", "", "a"], sources=["a b c", "a", "a", ""], metrics="compression")
    assert [row["compression"] for row in rows_by_label(result)] == pytest.approx(
        [3, 0.5, math.nan, 0], nan_ok=True
    )
    assert result["compression"]["score"] == pytest.approx(3.5 / 3)
    assert result["compression"]["source_length"] == 1.25
    only = nlgauge.score([""], sources=["a"], metrics="compression")
    assert only.reasons()["system", "compression", "compression"] == "the summary has no token"


def test_summeval_as_published():
    """The Compress row of Table 1 of the Shannon Score paper."""
    assert summeval_taus("compression", "compression") == [0.1176, -0.4265, -0.2288, -0.0147]


def test_parameters_outside_their_domain():
    with pytest.raises(ParameterError, match=r"tokenizer.*'punctuated'.*'none'"):
        Compression(tokenizer="none")
