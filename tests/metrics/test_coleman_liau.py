"""Coleman-Liau: the specification's counts, a text counted by hand, pooled counts, explanation."""

from __future__ import annotations

from readability_cases import check_index


def test_formula_counts_pooling_and_explanation():
    check_index(
        "coleman_liau", published=9.18, of_text=0.0588 * 11200 / 17 - 0.296 * 300 / 17 - 15.8, low="I."
    )
