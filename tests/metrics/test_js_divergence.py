"""Jensen-Shannon divergence: the published value, scipy as an oracle, empty texts."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from segment_rows import rows_by_label
from source_cases import FEW_WORDS, SOURCE, SUMMARY, grams

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.js_divergence import JensenShannon

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"tokenizer": "13a"}


def test_published_value():
    for summary, source in (("a a a b", "a c"), ("a c", "a a a b")):
        assert nlgauge.score([summary], sources=[source], metrics="js_divergence")["js_divergence"][
            "score"
        ] == pytest.approx(0.3931558785, abs=1e-10)


@given(FEW_WORDS, FEW_WORDS, st.sampled_from([1, 2]), st.sampled_from([0.0, 0.5]))
def test_it_equals_scipy(summary, source, order, smoothing):
    metric = JensenShannon(order, smoothing, "whitespace")
    found = nlgauge.score([summary], sources=[source], metrics=metric)[str(metric)]["score"]
    left, right = (Counter(grams(text.split(), order)) for text in (summary, source))
    if left and right:
        distributions = [
            np.array([counts[gram] + smoothing for gram in left | right]) for counts in (left, right)
        ]
        assert found == pytest.approx(jensenshannon(*distributions, base=2) ** 2, abs=1e-9)
    else:
        assert found == pytest.approx(1 if left or right else math.nan, nan_ok=True)


def test_equal_texts_are_0_and_strangers_1():
    result = nlgauge.score([SUMMARY, "a b"], sources=[SUMMARY, "c d"], metrics="jensen_shannon")
    assert [row["js_divergence"] for row in rows_by_label(result)] == [0, 1]
    assert result["js_divergence"]["score"] == 0.5


def test_an_empty_summary_is_the_worst_and_two_empty_texts_are_left_out():
    result = nlgauge.score(["", ""], sources=["a", "?"], metrics="js_divergence")
    assert [row["js_divergence"] for row in rows_by_label(result)] == pytest.approx(
        [1, math.nan], nan_ok=True
    )
    assert result["js_divergence"]["score"] == 1


def test_explanation_adds_up():
    result = nlgauge.score([SUMMARY], sources=[SOURCE], metrics="js_divergence")
    (found,) = result.explain("js_divergence", 0)
    assert sum(found.values["bits"]) == pytest.approx(result["js_divergence"]["score"], abs=1e-12)
    assert sum(found.values["summary"]) == pytest.approx(1)
    assert sum(found.values["source"]) == pytest.approx(1)
    assert found.values["bits"] == sorted(found.values["bits"], reverse=True)
    assert set(found.tokens) == {"the", "cat", "sat", "on", "mat", "and", "then", "slept", "red", "today"}


@pytest.mark.parametrize("bad", [{"order": 0}, {"smoothing": -1}, {"tokenizer": "google"}], ids=str)
def test_parameters_outside_their_domain(bad):
    with pytest.raises(ParameterError, match=f"js_divergence: {next(iter(bad))} must be"):
        JensenShannon(**bad)
