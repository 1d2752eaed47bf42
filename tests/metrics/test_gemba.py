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
TEST_PARAMETERS = {"calls": "cache=off", "max_tokens": 8}
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


# As the released program reads them: the only run of digits, or N/100 and nothing else.
NUMBERS = [
    ("85", 85, "the whole reply"),
    ("100.", 100, "the only number in the reply"),
    ("85/100", 85, "N/100"),
    ("**85**", 85, "the only number in the reply"),
    ("Score: 85", 85, "the only number in the reply"),
    ('"85"', 85, "the only number in the reply"),
    ("['85']", 85, "the only number in the reply"),
    ("I would give 85", 85, "the only number in the reply"),
    ("85\n\nThe translation is good.", 85, "the only number in the reply"),
    ("101", None, ""),
    ("9" * 5000, None, ""),
    ("85.5", None, ""),
    ("Score: 85/100", None, ""),
    ("85/10", None, ""),
    ("between 80 and 90", None, ""),
    ("It is perfect.", None, ""),
]


@pytest.mark.parametrize(("reply", "value", "rule"), NUMBERS)
@pytest.mark.parametrize("variant", ["DA", "SQM", "ESA"])
def test_a_number_is_read_by_the_released_rule(variant, reply, value, rule):
    replies = [LISTED, reply] if variant == "ESA" else [reply]
    metric = Gemba(model=answering(*replies), variant=variant)
    result = nlgauge.score(["a prediction"], ["a reference"], ["a source"], metrics=metric)
    score = result[result.labels[0]]["score"]
    assert (None if math.isnan(score) else score) == value
    verdict = result.explain(result.labels[0], 0)[0]
    assert verdict.read_by == rule and (f"read by: {rule}" in str(verdict)) == bool(rule)


def test_a_number_may_be_followed_by_sentences_without_being_cut():
    client = answering("85")
    for variant in ("DA", "SQM", "ESA"):
        scored_by(Gemba(model=client, variant=variant))
    assert {request.max_tokens for request in client.client.seen} == {500}
    scored_by(Gemba(model=client, max_tokens=9))
    assert client.client.seen[-1].max_tokens == 9


def test_the_words_of_the_paper_with_and_without_reference_and_languages():
    client = answering("50")
    scored_by(Gemba(model=client, source_lang="de", target_lang="en", with_reference=True))
    assert (
        client.client.seen[-1].messages[0][1]
        == "Score the following translation from German to English with respect to the human reference on a"
        ' continuous scale from 0 to 100, where score of zero means "no meaning preserved" and score of'
        ' one hundred means "perfect meaning and grammar".\n\nGerman source: "a source"\nEnglish human'
        ' reference: "a reference"\nEnglish translation: "a prediction"\nScore:'
    )
    scored_by(Gemba(model=client, variant="SQM"))
    words = client.client.seen[-1].messages[0][1]
    assert (
        words.startswith(
            "Score the following translation on a continuous scale from 0 to 100 that starts with"
        )
        and '\nsource: "a source"' in words
    )


def test_the_language_of_the_call_is_that_of_the_translation():
    client = answering("50")
    result = nlgauge.score(["a prediction"], sources=["a source"], metrics=Gemba(model=client), lang="fr")
    assert "translation into French on" in client.client.seen[0].messages[0][1]
    assert "target_lang:fr" in next(iter(result.signatures.values()))


def errors_of(reply: str) -> list[Error] | None:
    listed = ErrorList().listed(reply)
    return None if listed is None else listed.errors


def test_errors_are_read_in_order():
    assert errors_of(LISTED) == [
        Error("major", "accuracy/mistranslation", "the dog"),
        Error("minor", "fluency/spelling", "monday"),
        Error("minor", "style/awkward", "is to be slept"),
    ]
    assert errors_of("**Critical:** no-error\n**Major errors:** none\nMinor: no-error") == []
    assert errors_of("I see no errors in this translation.") is None
    assert errors_of("Minor:\nnon-translation") == [Error("critical", "non-translation", "")]
    assert errors_of('Minor:\nstyle: "a" is odd, and "b"') == [
        Error("minor", 'style: "a" is odd, and "b"', "")
    ]
    assert errors_of("") is None and errors_of(" \n") is None


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        (LISTED, -7),
        ("Critical:\nno-error\nMajor:\nno-error\nMinor:\nno-error", 0),
        ('Critical:\na/b - "x"\nc/d - "y"', -25),
        ("Major:\n" + 'a/b - "x"\n' * 4 + "Minor:\n" + 'a/b - "x"\n' * 3, -21),
        ("Minor:\n" + 'a/b - "x"\n' * 5 + "Major:\n" + 'a/b - "x"\n' * 2, -13),
        ("Minor:\n" + 'a/b - "x"\n' * 5 + "Critical:\nnon-translation", -25),
        ("Minor:\nnon-translation", -25),
        ("no-error", 0),
        ("No-error.", 0),
        ('Major:\na/b - "x"\nc/d - "no-error"', -5),
        ('Major:\nc/d: neither "x" nor "y"\n', -5),
        ("Major:\nminor grammar mistake", -5),
        ("**Critical:** none\n**Major:** a/b - x", -5),
        ("All is well.", None),
    ],
)
def test_mqm_counts_the_worst_five_errors_and_never_more_than_25(reply, value):
    scores = scored_by(Gemba(model=answering(reply), variant="MQM"))
    assert (None if math.isnan(scores["score"]) else scores["score"]) == value


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        (LISTED, "errors under severities"),
        ("no-error", "no error"),
        ("Minor:\n" + 'a/b - "x"\n' * 7, "errors under severities, the worst 5 of 7"),
        (
            "**Major:** a/b - x",
            "errors under severities, in a form that the released program reads differently",
        ),
        ("Major:\nNone", "no error, in a form that the released program reads differently"),
    ],
)
def test_the_rule_that_read_a_list_is_shown(reply, rule):
    result = nlgauge.score(
        ["a prediction"], sources=["a source"], metrics=Gemba(model=answering(reply), variant="MQM")
    )
    assert result.explain(result.labels[0], 0)[0].read_by == rule


def test_the_errors_are_shown_where_they_are():
    metric = Gemba(model=answering(LISTED), variant="MQM")
    result = nlgauge.score(["On monday the dog slept"], sources=["a source"], metrics=metric)
    verdict, spans = result.explain(result.labels[0], 0)
    assert [(spans.text[one.start : one.end], one.severity) for one in spans.errors] == [
        ("monday", "minor"),
        ("the dog", "major"),
    ]
    assert "accuracy/mistranslation" in str(verdict) and "major" in str(spans)
    assert [
        len(result.explain(result.labels[0], 0))
        for result in [nlgauge.score(["x"], sources=["y"], metrics=Gemba(model=answering("70")))]
    ] == [1]


def test_mqm_shows_three_worked_examples_first():
    client = answering(LISTED)
    scored_by(Gemba(model=client, variant="MQM"))
    roles = [role for role, _ in client.client.seen[0].messages]
    assert roles == ["system", *["user", "assistant"] * 3, "user"]
    assert all(ErrorList().read(text) for role, text in client.client.seen[0].messages if role == "assistant")


def test_esa_asks_for_the_errors_and_then_for_the_number():
    client = answering('Major:\nomission - "x"\nMinor:\nno-error', "70")
    assert scored_by(Gemba(model=client, variant="ESA"))["score"] == 70
    first, second = client.client.seen
    assert [role for role, _ in second.messages] == ["system", "user", "assistant", "user"]
    assert second.messages[:2] == first.messages and second.messages[2][1].startswith("Major:")


def test_esa_takes_any_reply_for_the_list_but_not_an_empty_one():
    client = answering("It is good.", "70")
    assert scored_by(Gemba(model=client, variant="ESA"))["score"] == 70
    assert client.client.seen[1].messages[-2] == ("assistant", "It is good.")
    silent = answering(" ")
    scores = scored_by(Gemba(model=silent, variant="ESA"))
    assert math.isnan(scores["score"]) and scores["unparsed"] == 1 and len(silent.client.seen) == 2


def test_names_and_what_is_refused():
    assert parse("gemba_mqm").variant == "MQM"
    assert Gemba(variant="MQM").outputs()["gemba"][0].low == -25
    with pytest.raises(ParameterError, match=r"with_reference.*False.*MQM"):
        Gemba(variant="MQM", with_reference=True)
    with pytest.raises(ParameterError, match=r"scoring.*'samples'"):
        Gemba(scoring="probabilities")
