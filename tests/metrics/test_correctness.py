"""Correctness: precision and recall of claims, and their harmonic mean."""

from __future__ import annotations

import math

import pytest
from rag_cases import RECORDS, looking_up

import nlgauge
from nlgauge.metrics.correctness import Correctness
from nlgauge.testing.comparing import rows_of

MODEL_KIND = "chat"
OTHER_MODELS = {"nli": "pair"}
TEST_PARAMETERS = {"calls": "cache=off", "claims": "sentences"}
JUDGED = True
CHANGED_PARAMETERS = {
    "base_url": "local",
    "scoring": "single",
    "calls": "cache=off concurrency=3",
    "claims": "judge",
}


def test_the_harmonic_mean_of_precision_and_recall():
    result = nlgauge.score(RECORDS, metrics=Correctness(model=looking_up(), scoring="single"))
    rows = rows_of(result)
    assert [rows[0][name] for name in ("precision", "recall")] == [0.5, 0.25]
    assert rows[0]["correctness"] == pytest.approx(2 * 0.5 * 0.25 / 0.75)
    # Nothing agrees; an empty answer; an answer without a claim.
    assert [row["correctness"] for row in rows[1:3]] == [0, 0] and math.isnan(rows[3]["correctness"])
    assert result[result.labels[0]]["no_claims"] == 1
