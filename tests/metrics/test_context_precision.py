"""Context precision: useful passages should come first."""

from __future__ import annotations

import math

import numpy as np
import pytest
from rag_cases import RECORDS, looking_up

import nlgauge
from nlgauge.metrics.context_precision import ContextPrecision, average_precision
from nlgauge.testing.comparing import rows_of

MODEL_KIND = "chat"
TEST_PARAMETERS = {"calls": "cache=off"}
JUDGED = True
CHANGED_PARAMETERS = {
    "base_url": "local",
    "scoring": "single",
    "calls": "cache=off concurrency=3",
    "against": "prediction",
    "contexts": "passages",
}


@pytest.mark.parametrize(
    ("useful", "expected"),
    [([1, 1, 0], 1), ([0, 1, 1], (1 / 2 + 2 / 3) / 2), ([0, 0], 0), ([0.5, 0.5], 0.5), ([0, 0, 1], 1 / 3)],
)
def test_average_precision(useful, expected):
    assert average_precision(np.array(useful, dtype=float)) == pytest.approx(expected)


def test_passages_are_judged_one_by_one_against_reference_or_prediction():
    judge = looking_up()
    rows = rows_of(nlgauge.score(RECORDS, metrics=ContextPrecision(model=judge, scoring="single")))
    assert [row["context_precision"] for row in rows] == pytest.approx([(1 / 2 + 2 / 3) / 2, 0, 1, 1])
    assert rows[0]["useful"] == pytest.approx(2 / 3)
    assert len(judge.client.seen) == 5
    answered = ContextPrecision(model=looking_up(), scoring="single", against="prediction")
    rows = rows_of(nlgauge.score(RECORDS, metrics=answered))
    assert [row["context_precision"] for row in rows] == [0.5, 0, 0, 0]
    assert (answered.takes, [row["empty"] for row in rows]) == ("alone", [0, 0, 1, 0])


def test_an_unreadable_reply_leaves_the_row_out():
    metric = ContextPrecision(model=looking_up(verdict="Perhaps"), scoring="single")
    scores = nlgauge.score(RECORDS[:1], metrics=metric)
    assert math.isnan(scores[scores.labels[0]]["score"]) and scores[scores.labels[0]]["unparsed"] == 1
