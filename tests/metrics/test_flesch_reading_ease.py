"""Flesch reading ease: the specification's counts, a text counted by hand, pooled counts, explanation."""

from __future__ import annotations

from readability_cases import TEXT, check_index

import nlgauge
from nlgauge.metrics.flesch_reading_ease import FleschReadingEase


def test_formula_counts_pooling_and_explanation():
    check_index(
        "flesch_reading_ease", published=59.635, of_text=206.835 - 1.015 * 17 / 3 - 84.6 * 39 / 17, low="Go."
    )


def test_higher_is_easier():
    easy, hard = (
        nlgauge.score([text], metrics="flesch_reading_ease")["flesch_reading_ease"]["score"]
        for text in ("The cat sat.", TEXT)
    )
    assert easy > hard
    assert FleschReadingEase().outputs()["flesch_reading_ease"][0].higher_is_better is True
