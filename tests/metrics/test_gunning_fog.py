"""Gunning fog: the specification's counts, a text counted by hand, pooled counts, explanation."""

from __future__ import annotations

from readability_cases import check_index


def test_formula_counts_pooling_and_explanation():
    check_index("gunning_fog", published=12.0, of_text=0.4 * (17 / 3 + 600 / 17), low="Go.")
