"""Yes or no: the probability of Yes among the two."""

from __future__ import annotations

import pytest
from judge_cases import answering, scored_by, weighed

from nlgauge.metrics.yes_no import YesNo

MODEL_KIND = "chat"
TEST_PARAMETERS = {"calls": "cache=off"}
CHANGED_PARAMETERS = {
    "base_url": "local",
    "scoring": "single",
    "calls": "cache=off concurrency=3",
    "question": "Is it kind?",
}


def test_the_probability_of_yes_among_the_two():
    scores = scored_by(YesNo(model=weighed({"Yes": 0.5, " yes": 0.2, "YES": 0.1, "No": 0.15, "Nope": 0.05})))
    assert scores["score"] == pytest.approx(0.8 / 0.95) and scores["covered"] == pytest.approx(0.95)


def test_the_share_of_yes_among_samples():
    scores = scored_by(YesNo(model=answering("Yes", "no.", " YES", "Yes, because"), scoring="samples", n=3))
    assert scores["score"] == pytest.approx(2 / 3)


def test_the_question_and_the_texts_are_in_the_prompt():
    client = weighed({"No": 1.0})
    metric = YesNo(model=client, question="Is it true to the source?", with_source=True)
    assert (metric.takes, metric.source, YesNo().source) == ("alone", True, False)
    assert scored_by(metric)["score"] == 0
    words = client.client.seen[0].messages[0][1]
    assert words.startswith("Source:\na source\n\nText:\na prediction\n\nQuestion: Is it true to the source?")
