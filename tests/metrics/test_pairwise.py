"""Pairwise: both orders are asked, and what the first place is worth is told."""

from __future__ import annotations

import math

import pytest
from judge_cases import answering, scored_by, weighed

import nlgauge
from nlgauge.metrics.pairwise import Pairwise

MODEL_KIND = "chat"
JUDGED = True
TEST_PARAMETERS = {"criterion": "kind", "calls": "cache=off"}
CHANGED_PARAMETERS = {
    "base_url": "local",
    "scoring": "single",
    "calls": "cache=off concurrency=3",
    "criterion": "rude",
}


def test_the_mean_of_both_orders():
    """The vector of the specification: P(h first) = .8, P(h second) = .4."""
    client = weighed(
        lambda words: {"A": 0.8, "B": 0.2} if "Text A:\na prediction" in words else {"A": 0.6, "B": 0.4}
    )
    scores = scored_by(Pairwise(model=client))
    assert scores["pairwise"] == pytest.approx(0.6)
    assert scores["first_preferred"] == pytest.approx(0.2)
    assert scores["consistent"] == 0 and scores["covered"] == pytest.approx(1)
    assert len(client.client.seen) == 2


def test_a_judge_that_takes_the_first_is_found_out():
    scores = scored_by(Pairwise(model=weighed({"A": 0.9, "B": 0.1})))
    assert (
        scores["score"] == pytest.approx(0.5)
        and scores["first_preferred"] == pytest.approx(0.4)
        and scores["consistent"] == 0
    )


def test_a_tie_is_a_half_and_covered_is_of_both_orders():
    client = weighed(lambda words: {"C": 0.5, "x": 0.5} if "Text A:\na prediction" in words else {"B": 1.0})
    with pytest.warns(UserWarning, match="75% of the judge's"):
        scores = scored_by(Pairwise(model=client))
    assert scores["score"] == pytest.approx(0.75) and scores["covered"] == pytest.approx(0.75)


def test_a_row_with_one_order_alone_has_no_score():
    scores = scored_by(Pairwise(model=answering("A", "neither", "neither"), scoring="single"))
    assert math.isnan(scores["score"]) and math.isnan(scores["consistent"]) and scores["unparsed"] == 1


@pytest.mark.parametrize(("prediction", "reference", "value"), [("", "a", 0), (" ", "\n", 0.5), ("a", "", 1)])
def test_a_text_without_words_needs_no_judge(prediction, reference, value):
    client = weighed({"A": 1.0})
    result = nlgauge.score([prediction], [reference], metrics=Pairwise(model=client))
    assert result[result.labels[0]]["score"] == value and client.client.seen == []


def test_the_criterion_is_in_the_prompt():
    client = weighed({"A": 1.0})
    metric = Pairwise(model=client, criterion="Is it kind?", with_source=True)
    assert (metric.takes, metric.source) == ("pair", True)
    scored_by(metric)
    words = client.client.seen[0].messages[0][1]
    assert "Criterion: Is it kind?\n\nSource:\na source\n\nText A:\n" in words
