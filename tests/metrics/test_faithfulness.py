"""Faithfulness: the share of claims that contexts support, and the rows without a score."""

from __future__ import annotations

import math

import pytest
from rag_cases import RECORDS, looking_up

import nlgauge
from nlgauge.errors import InputError, ParameterError
from nlgauge.metrics._shared.claims import ClaimList
from nlgauge.metrics.faithfulness import Faithfulness
from nlgauge.testing.comparing import rows_of

MODEL_KIND = "chat"
OTHER_MODELS = {"nli": "pair"}
TEST_PARAMETERS = {"calls": "cache=off", "claims": "sentences"}
CHANGED_PARAMETERS = {
    "base_url": "local",
    "scoring": "single",
    "calls": "cache=off concurrency=3",
    "claims": "judge",
    "contexts": "passages",
}


def scores(metric, records=RECORDS):
    return [row[metric.name] for row in rows_of(nlgauge.score(records, metrics=metric))]


def test_the_share_of_supported_claims():
    result = nlgauge.score(RECORDS, metrics=Faithfulness(model=looking_up(), scoring="single"))
    rows = rows_of(result)
    values = [row["faithfulness"] for row in rows]
    # Half of the claims; no passages; an empty answer; an answer without a claim.
    assert values[:3] == [0.5, 0, 0] and math.isnan(values[3])
    counts = dict(result[result.labels[0]])
    assert (counts["score"], counts["empty"], counts["no_claims"]) == (pytest.approx(1 / 6), 1, 1)
    assert rows[0]["claims"] == 2
    probable = Faithfulness(model=looking_up())
    assert scores(probable)[0] == pytest.approx((0.9 + 0.1) / 2)


def test_prompts_have_the_question_the_claim_and_numbered_passages():
    judge = looking_up()
    assert scores(Faithfulness(model=judge, scoring="single"), RECORDS[:1]) == [0.5]
    listing, first, _ = (request.messages[-1][1] for request in judge.client.seen)
    assert (
        "Question that the text answers:\nWhen is the shop open?\n\nText:\nThe shop opens at nine. It has a cat"
        in listing
    )
    assert first.startswith("Passages:\n[1] It is painted red\n\n[2] The shop opens at nine\n\n[3] It closes")
    assert "answers:\nWhen is the shop open?\n\nClaim:\nThe shop opens at nine\n" in first


def test_sentences_as_claims_ask_the_judge_only_about_support():
    judge = looking_up()
    metric = Faithfulness(model=judge, claims="sentences", with_question=False, scoring="single")
    assert metric.record_fields == ("contexts",)
    answer = {**RECORDS[0], "answer": "The shop opens at nine\nIt closes at five"}
    assert len(scores(metric, [answer])) == 1
    assert judge.client.seen and all("Claim:" in r.messages[-1][1] for r in judge.client.seen)


@pytest.mark.parametrize(
    ("changes", "count"),
    [({"claims": "The shop opens at nine."}, 1), ({"verdict": "It depends."}, 1)],
)
def test_unreadable_replies_are_missing_with_a_reason(changes, count):
    metric = Faithfulness(model=looking_up(**changes), scoring="single")
    result = nlgauge.score(RECORDS[:1], metrics=metric)
    found = dict(result[result.labels[0]])
    assert math.isnan(found["score"]) and found["unparsed"] == count
    assert [row["missing"] for row in result.missing(result.labels[0])] == ["unreadable"]


@pytest.mark.parametrize(
    ("reply", "claims"),
    [
        ("- A b.\n* C\n• D", ["A b.", "C", "D"]),
        ("Here are the claims:\n\n1. A\n2) B\n\n- A", ["A", "B"]),
        ("No claims.", []),
        ("A\nB", None),
        ("- A\nand more", None),
        ("", None),
        ("-A", None),
    ],
)
def test_a_list_of_claims_is_read_strictly(reply, claims):
    assert ClaimList().claims(reply) == claims


def test_a_missing_field_is_told():
    with pytest.raises(InputError, match=r"faithfulness.*no field 'contexts'.*fields=\{'contexts'"):
        nlgauge.score(["a"], sources=["b"], metrics=Faithfulness(model=looking_up()))
    with pytest.raises(ParameterError, match="contexts must be the name of a field"):
        Faithfulness(contexts=" ")


def test_a_classifier_of_entailment_instead_of_the_judge(tiny_models):
    judge = looking_up()
    metric = Faithfulness(model=judge, nli=str(tiny_models["pair"]), claims="sentences")
    (value,) = scores(metric, RECORDS[:1])
    assert 0 < value < 1 and judge.client.seen == []
    assert [output.name for output in metric.measures()] == ["faithfulness", "claims"]
