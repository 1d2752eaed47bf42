"""ARI: the specification's counts, a text counted by hand, pooled counts, explanation."""

from __future__ import annotations

from readability_cases import check_index

from nlgauge.metric.registry import parse


def test_formula_counts_pooling_and_explanation():
    check_index("ari", published=9.765, of_text=4.71 * 112 / 17 + 0.5 * 17 / 3 - 21.43, low="I.")


def test_its_alias():
    assert str(parse("automated_readability_index")) == "ari"
