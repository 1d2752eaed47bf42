"""SMOG: counts whose root is known, a text counted by hand, pooled counts, explanation."""

from __future__ import annotations

from readability_cases import check_index


def test_formula_counts_pooling_and_explanation():
    check_index("smog", published=3.1291 + 1.0430 * 60**0.5, of_text=3.1291 + 1.0430 * 80**0.5, low="Go.")
