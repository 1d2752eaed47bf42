"""Density: published values; the fragments themselves are tested with coverage."""

from __future__ import annotations

import pytest
from hypothesis import given
from source_cases import FEW_WORDS, SOURCE, SUMMARY, summeval_taus

import nlgauge

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"tokenizer": "13a"}


@pytest.mark.parametrize(
    ("metric", "summary", "source", "expected"),
    [
        ("density", SUMMARY, SOURCE, 3.375),
        ("density", "a a b", "a a a b", 5 / 3),
        ("density(exhaustive=True)", "a a b", "a a a b", 3),
        ("density", "a b c d", "a b x c d", 2),
        ("density", "a b c d", "a b c d", 4),
        ("density", "", "a", 0),
        ("density", "a", "", 0),
    ],
)
def test_published_and_hand_made_values(metric, summary, source, expected):
    assert nlgauge.score([summary], sources=[source], metrics=metric)[metric]["score"] == pytest.approx(
        expected, abs=1e-12
    )


@given(FEW_WORDS, FEW_WORDS)
def test_it_is_the_coverage_metrics_density(summary, source):
    result = nlgauge.score([summary, SUMMARY], sources=[source, SOURCE], metrics=["coverage", "density"])
    for output in ("coverage", "density", "fragments"):
        assert result["density"][output] == result["coverage"][output]
    assert result["density"]["score"] == result["density"]["density"]


def test_explanation_has_its_value():
    (found,) = nlgauge.score([SUMMARY], sources=[SOURCE], metrics="density").explain("density", 0)
    assert found.title == "density 3.3750 (3 copied fragments)"
    assert sum(found.longest) / len(found.tokens) == 3.375


def test_summeval_as_the_card_says():
    """Not the published numbers: which tokens they were made from is unknown."""
    assert summeval_taus("density", "density") == [0.1471, 0.6324, 0.4354, 0.25]
