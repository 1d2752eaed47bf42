"""G-Eval: the form that is sent, and what is read of the reply."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from judge_cases import answering, scored_by, weighed

from nlgauge.errors import ParameterError
from nlgauge.judges.prompts import ready
from nlgauge.metric.registry import make, parse
from nlgauge.metrics._shared import evaluation_steps as steps
from nlgauge.metrics.g_eval import READY, GEval

MODEL_KIND = "chat"
TEST_PARAMETERS = {"criterion": "Tone", "definition": "is it kind?", "task": "A text.", "calls": "cache=off"}
CHANGED_PARAMETERS = {
    "base_url": "local",
    "scoring": "single",
    "calls": "cache=off concurrency=3",
    "criterion": "Kindness",
    "definition": "is it rude?",
    "steps": "1. Read.",
    "task": "One text.",
    "scale": (1, 3),
}


@pytest.mark.parametrize("criterion", READY)
def test_the_four_prompts_of_the_authors_have_both_texts(criterion):
    prompt = ready(f"g_eval_{criterion}")
    assert prompt.places == ({"prediction"} if criterion == "fluency" else {"prediction", "source"})
    assert prompt.expects.scale.names == (
        ("1", "2", "3") if criterion == "fluency" else ("1", "2", "3", "4", "5")
    )
    assert prompt.text.startswith("You will be given") and prompt.text.endswith(
        f"- {criterion.capitalize()}{' (1-3)' * (criterion == 'fluency')}:"
    )
    metric = GEval(criterion=criterion)
    assert (metric.takes, metric.source) == ("alone", criterion != "fluency")


def test_the_expected_level_is_weighed_by_probabilities_and_the_covered_mass_is_told():
    """The vector of the specification: SmolLM2's probabilities of the digits."""
    client = weighed({"1": 0.096, " 2": 0.01, "2": 0.006, "3": 0.03, "4": 0.023, "5": 0.039, "The": 0.5})
    with pytest.warns(UserWarning, match="20%.*levels"):
        scores = scored_by(GEval(model=client))
    assert scores["covered"] == pytest.approx(0.204, abs=1e-12)
    assert scores["g_eval"] == pytest.approx(2.4755, abs=5e-5)
    assert scores["score"] == scores["g_eval"]


def test_nothing_on_the_levels_is_not_a_score():
    with pytest.warns(UserWarning, match="0% of the judge's"):
        scores = scored_by(GEval(model=weighed({"The": 0.9, "six": 0.1})))
    assert math.isnan(scores["score"]) and scores["covered"] == 0 and scores["unparsed"] == 1


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        (" 4.5", 4.5),
        ("4", 4),
        ("4.", 4),
        ("Score: 4", None),
        ("4 out of 5", None),
        ("6", None),
        ("0", None),
        ("", None),
        ("five", None),
    ],
)
def test_only_a_reply_that_is_a_level_counts(reply, value):
    scores = scored_by(GEval(model=answering(reply), scoring="single"))
    assert (None if math.isnan(scores["score"]) else scores["score"]) == value
    assert scores["unparsed"] == (value is None)


def test_samples_are_averaged_and_their_spread_is_told():
    client = answering("1", "2", "3", "no", "5")
    scores = scored_by(GEval(model=client, scoring="samples", n=4))
    # The fourth could not be read, and one more was asked for.
    assert scores["score"] == pytest.approx((1 + 2 + 3 + 5) / 4)
    assert scores["sd_within"] == pytest.approx(math.sqrt(sum((x - 2.75) ** 2 for x in (1, 2, 3, 5)) / 3))
    assert [request.seed for request in client.client.seen] == [0, 1, 2, 3, 4]


def test_a_criterion_of_ones_own_is_in_the_form():
    client = weighed({"3": 1.0})
    metric = GEval(
        model=client,
        criterion="Tone",
        definition="is it kind?",
        steps="1. Read.",
        scale=(0, 3),
        with_reference=True,
        with_source=False,
    )
    assert (metric.takes, metric.source) == ("pair", False)
    assert scored_by(metric, prediction="be {reference}")["score"] == 3
    (request,) = client.client.seen
    ((role, words),) = request.messages
    assert role == "user" and "Tone (0-3) - is it kind?" in words and "Evaluation Steps:\n\n1. Read." in words
    assert (
        "Text:\n\nbe {reference}" in words
        and "Reference:\n\na reference" in words
        and "{prediction}" not in words
    )


def test_steps_can_be_written_by_the_judge():
    metric = GEval(model=answering("1. Look. 2. Think."), criterion="Tone", definition="is it kind?")
    found = steps.written(metric)
    assert found == "1. Look. 2. Think."
    assert replace(metric, steps=found).template().sha != metric.template().sha


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"criterion": "tone"},
            "g_eval: criterion.*definition=",
        ),
        ({"scale": (5, 1), "definition": "x"}, "g_eval: scale.*digits"),
        ({"scale": (0, 100), "definition": "x"}, "g_eval: scale.*digits"),
        ({"steps": "1."}, "g_eval: definition"),
        ({"scoring": "guess"}, "g_eval: scoring.*'probabilities'"),
        ({"base_url": "http://u:secret@host/v1"}, "password"),
        ({"base_url": "host/v1"}, "base_url.*address"),
        ({"calls": "max_cots=1"}, "did you mean 'max_cost'"),
        ({"calls": "max_cost=1"}, "max_cost needs prices"),
        ({"n": 0}, "g_eval: n must be"),
    ],
)
def test_wrong_parameters_are_told(parameters, message):
    with pytest.raises(ParameterError, match=message):
        make("g_eval", parameters)


def test_other_names():
    assert parse("geval(scoring=samples)") == GEval(scoring="samples")
