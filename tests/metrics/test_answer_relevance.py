"""Answer relevance: the expected level of a judge that sees question and answer."""

from __future__ import annotations

import pytest
from judge_cases import answering, scored_by, weighed
from rag_cases import RECORDS

import nlgauge
from nlgauge.metrics.answer_relevance import AnswerRelevance

MODEL_KIND = "chat"
TEST_PARAMETERS = {"calls": "cache=off"}
CHANGED_PARAMETERS = {"base_url": "local", "scoring": "single", "calls": "cache=off concurrency=3"}


def test_the_expected_level():
    scores = scored_by(AnswerRelevance(model=weighed({"2": 0.5, "1": 0.3, "0": 0.15, "x": 0.05})))
    assert scores["score"] == pytest.approx((0.5 + 0.15) / 0.95)
    assert scored_by(AnswerRelevance(model=answering("1"), scoring="single"))["score"] == 0.5


def test_the_question_of_a_record_is_shown():
    judge = answering("2")
    nlgauge.score(RECORDS[:1], metrics=AnswerRelevance(model=judge, scoring="single"))
    assert (
        judge.client.seen[0]
        .messages[-1][1]
        .startswith("Question:\nWhen is the shop open?\n\nAnswer:\nThe shop")
    )
