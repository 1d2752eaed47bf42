"""Rubric: feedback first, then the level behind the mark."""

from __future__ import annotations

import math

import pytest
from judge_cases import answering, scored_by, spoken

from nlgauge.errors import ParameterError
from nlgauge.metrics.rubric import Rubric

MODEL_KIND = "chat"
TEST_PARAMETERS = {"max_tokens": 3, "calls": "cache=off", "levels": ("bad", "good")}
CHANGED_PARAMETERS = {
    "base_url": "local",
    "scoring": "probabilities",
    "calls": "cache=off concurrency=3",
    "criteria": "Is it kind?",
    "levels": ("rude", "fair", "kind"),
}


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Feedback: fine. [RESULT] 4", 4),
        ("It begins [RESULT] 2, but no: [RESULT] (3)", 3),
        ("good [result]: 5", 5),
        ("[RESULT] 9", None),
        ("4", None),
        ("The score is 4.", None),
        ("[RESULT] four", None),
        ("4 [RESULT]", None),
    ],
)
def test_the_last_level_behind_a_mark_counts(reply, value):
    scores = scored_by(Rubric(model=answering(reply)))
    assert (None if math.isnan(scores["score"]) else scores["score"]) == value
    assert scores["unparsed"] == (value is None)


def test_probabilities_are_those_at_the_token_behind_the_mark():
    client = spoken(
        [
            {"Good": 1.0},
            {" ": 0.5, "5": 0.5},
            {"[RES": 1.0},
            {"ULT]": 1.0},
            {" ": 0.9, "1": 0.1},
            {"4": 0.6, "5": 0.35, "x": 0.05},
        ]
    )
    scores = scored_by(Rubric(model=client, scoring="probabilities"))
    assert scores["covered"] == pytest.approx(0.95)
    assert scores["score"] == pytest.approx((4 * 0.6 + 5 * 0.35) / 0.95)


def test_levels_and_criteria_are_in_the_prompt():
    client = answering("[RESULT] 2")
    assert (
        scored_by(Rubric(model=client, criteria="Is it kind?", levels=("rude", "kind"), with_reference=True))[
            "score"
        ]
        == 2
    )
    words = client.client.seen[0].messages[-1][1]
    assert "[Is it kind?]\nScore 1: rude\nScore 2: kind" in words and "from 1 to 2" in words
    assert "Instruction:\na source" in words and "highest score:\na reference" in words


def test_the_feedback_is_in_the_explanation():
    import nlgauge

    result = nlgauge.score(
        ["a text"], sources=["a source"], metrics=Rubric(model=answering("Feedback: too short. [RESULT] 2"))
    )
    (verdict,) = result.explain(result.labels[0], 0)
    assert verdict.replies == [["Feedback: too short. [RESULT] 2"]]
    assert "too short" in str(verdict) and "criterion: Does the response" in str(verdict)


def test_levels_are_two_to_nine():
    with pytest.raises(ParameterError, match=r"levels.*nine"):
        Rubric(levels=("one",))
