"""GEMBA: numbers, lists of errors, and their two steps."""

from __future__ import annotations

import math

import pytest
from judge_cases import answering, scored_by

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metric.registry import parse
from nlgauge.metrics.gemba import Error, ErrorList, Gemba

MODEL_KIND = "chat"
TEST_PARAMETERS = {"calls": "cache=off"}
CHANGED_PARAMETERS = {
    "base_url": "local",
    "scoring": "samples",
    "calls": "cache=off concurrency=3",
    "variant": "SQM",
    "source_lang": "de",
    "target_lang": "en",
}
LISTED = """Critical:
no-error
Major:
accuracy/mistranslation - "the dog"
Minor:
fluency/spelling - "monday"
- style/awkward - “is to be slept”
"""


@pytest.mark.parametrize(("reply", "value"), [("85", 85), (" 85.5 ", 85.5), ("100.", 100), ("101", None), ("85/100", None), ("Score: 85", None)])
@pytest.mark.parametrize("variant", ["DA", "SQM"])
def test_the_reply_is_the_number(variant, reply, value):
    scores = scored_by(Gemba(model=answering(reply), variant=variant))
    assert (None if math.isnan(scores["score"]) else scores["score"]) == value


def test_the_words_of_the_paper_with_and_without_reference_and_languages():
    client = answering("50")
    scored_by(Gemba(model=client, source_lang="de", target_lang="en", with_reference=True))
    assert client.client.seen[-1].messages[0][1] == (
        "Score the following translation from German to English with respect to the human reference on a continuous scale from 0 to 100, where "
        'score of zero means "no meaning preserved" and score of one hundred means "perfect meaning and grammar".\n\nGerman source: "a source"\n'
        'English human reference: "a reference"\nEnglish translation: "a prediction"\nScore:'
    )
    scored_by(Gemba(model=client, variant="SQM"))
    words = client.client.seen[-1].messages[0][1]
    assert (
        words.startswith("Score the following translation on a continuous scale from 0 to 100 that starts with") and '\nsource: "a source"' in words
    )


def test_the_language_of_the_call_is_that_of_the_translation():
    client = answering("50")
    result = nlgauge.score(["a prediction"], sources=["a source"], metrics=Gemba(model=client), lang="fr")
    assert "translation into French on" in client.client.seen[0].messages[0][1]
    assert "target_lang:fr" in next(iter(result.signatures.values()))


def test_errors_are_read_in_order():
    assert ErrorList().errors(LISTED) == [
        Error("major", "accuracy/mistranslation", "the dog"),
        Error("minor", "fluency/spelling", "monday"),
        Error("minor", "style/awkward", "is to be slept"),
    ]
    assert ErrorList().errors("**Critical:** no-error\n**Major errors:** none\nMinor: no-error") == []
    assert ErrorList().errors("I see no errors in this translation.") is None
    assert ErrorList().errors("Minor:\nnon-translation") == [Error("critical", "non-translation", "")]


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        (LISTED, -7),
        ("Critical:\nno-error\nMajor:\nno-error\nMinor:\nno-error", 0),
        ('Critical:\na/b - "x"\nc/d - "y"', -25),
        ("Major:\n" + 'a/b - "x"\n' * 4 + "Minor:\n" + 'a/b - "x"\n' * 3, -21),
        ("Minor:\nnon-translation", -25),
        ("All is well.", None),
    ],
)
def test_mqm_counts_the_first_five_errors_and_never_more_than_25(reply, value):
    scores = scored_by(Gemba(model=answering(reply), variant="MQM"))
    assert (None if math.isnan(scores["score"]) else scores["score"]) == value


def test_the_errors_are_shown_where_they_are():
    metric = Gemba(model=answering(LISTED), variant="MQM")
    result = nlgauge.score(["On monday the dog slept"], sources=["a source"], metrics=metric)
    verdict, spans = result.explain(result.labels[0], 0)
    assert [(spans.text[one.start : one.end], one.severity) for one in spans.errors] == [("monday", "minor"), ("the dog", "major")]
    assert "accuracy/mistranslation" in str(verdict) and "major" in str(spans)
    assert [len(result.explain(result.labels[0], 0)) for result in [nlgauge.score(["x"], sources=["y"], metrics=Gemba(model=answering("70")))]] == [1]


def test_mqm_shows_three_worked_examples_first():
    client = answering(LISTED)
    scored_by(Gemba(model=client, variant="MQM"))
    roles = [role for role, _ in client.client.seen[0].messages]
    assert roles == ["system", *["user", "assistant"] * 3, "user"]
    assert all(ErrorList().reads(text) for role, text in client.client.seen[0].messages if role == "assistant")


def test_esa_asks_for_the_errors_and_then_for_the_number():
    client = answering('Major:\nomission - "x"\nMinor:\nno-error', "70")
    assert scored_by(Gemba(model=client, variant="ESA"))["score"] == 70
    first, second = client.client.seen
    assert [role for role, _ in second.messages] == ["system", "user", "assistant", "user"]
    assert second.messages[:2] == first.messages and second.messages[2][1].startswith("Major:")


def test_esa_without_a_list_has_no_score_and_asks_for_no_number():
    client = answering("It is good.")
    scores = scored_by(Gemba(model=client, variant="ESA"))
    assert math.isnan(scores["score"]) and scores["unparsed"] == 1 and len(client.client.seen) == 2


def test_names_and_what_is_refused():
    assert parse("gemba_mqm").variant == "MQM"
    assert Gemba(variant="MQM").outputs()["gemba"][0].low == -25
    with pytest.raises(ParameterError, match="with_reference must be False for MQM"):
        Gemba(variant="MQM", with_reference=True)
    with pytest.raises(ParameterError, match="scoring must be one of samples, single"):
        Gemba(scoring="probabilities")
