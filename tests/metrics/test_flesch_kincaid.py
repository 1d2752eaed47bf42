"""Flesch-Kincaid grade: the specification's counts, a text counted by hand, pooled counts, explanation."""

from __future__ import annotations

from readability_cases import check_index

from nlgauge.metric.registry import parse


def test_formula_counts_pooling_and_explanation():
    check_index("flesch_kincaid", published=9.91, of_text=0.39 * 17 / 3 + 11.8 * 39 / 17 - 15.59, low="Go.")


def test_its_alias():
    assert str(parse("flesch_kincaid_grade")) == "flesch_kincaid"
