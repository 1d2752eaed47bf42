"""test_embedding_average.py tests the numbers of all three similarities; here is what the contract needs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from word_vector_cases import rows

from nlgauge.metrics.vector_extrema import VectorExtrema
from nlgauge.models.weights import vectors

CHANGED_PARAMETERS = {"tokenizer": "whitespace", "compat": "nlg-eval"}
NOT_BEST_WHEN_EQUAL = {
    "combining marks",
    "emoji",
    "leading mark",
    "mixed scripts",
    "one letter",
    "right to left",
    "zero",
}


def test_of_two_that_are_as_large_the_lower_is_taken(tmp_path: Path) -> None:
    vectors.write([("up", (1.0, 1.0)), ("down", (-1.0, 2.0)), ("left", (-1.0, 0.0))], tmp_path)
    found = rows(VectorExtrema(str(tmp_path)), ["up down", "down"], ["left", "left"])[:, 0]
    np.testing.assert_allclose(found, [1 / np.sqrt(5)] * 2)
