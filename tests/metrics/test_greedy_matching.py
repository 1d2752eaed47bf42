"""test_embedding_average.py tests the numbers of all three similarities; here is what only this one has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge.explanations import Alignment
from nlgauge.metrics.greedy_matching import GreedyMatching

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


def test_explanation_shows_the_matches(tiny_models: dict[str, Path]) -> None:
    metric = GreedyMatching(str(tiny_models["vectors"]), compat="nlg-eval")
    result = nlgauge.score(["the cat zzz"], ["the mat"], metrics=metric)
    (shown,) = result.explain(result.labels[0], 0)
    assert isinstance(shown, Alignment)
    assert (shown.prediction, shown.reference) == (["the", "cat", "(mean)"], ["the", "mat"])
    expected = (np.mean(shown.similarity.max(axis=0)) + np.mean(shown.similarity.max(axis=1))) / 2
    assert result[result.labels[0]]["score"] == pytest.approx(expected)
