"""assert_not_worse fails only for a significant difference, and its message shows the scores."""

from __future__ import annotations

import pytest

import nlgauge
from nlgauge.compat.assertions import assert_not_worse
from nlgauge.errors import InputError, ParameterError, UnknownNameError

REFERENCES = [f"the cat sat on mat number {number} in the house" for number in range(30)]
WORSE = [f"the cat sat near mat number {number} of a house" for number in range(30)]
ONE_WORSE = [*REFERENCES[:-1], "no"]


@pytest.mark.parametrize(
    "metric", ["chrf", "bleu", "wer", "ter", "rouge", {"path": "wer", "resulting_name": "mistakes"}]
)
def test_it_fails_where_the_new_system_is_worse_and_only_then(metric):
    with pytest.raises(AssertionError, match=r"worse.*baseline"):
        assert_not_worse(WORSE, REFERENCES, baseline=REFERENCES, metric=metric)
    assert_not_worse(REFERENCES, REFERENCES, baseline=WORSE, metric=metric)
    assert_not_worse(WORSE, REFERENCES, baseline=WORSE, metric=metric)


def test_what_may_be_chance_passes():
    scores = nlgauge.score({"new": ONE_WORSE, "baseline": REFERENCES}, REFERENCES, metrics="wer")
    assert scores["new"]["wer"]["score"] > scores["baseline"]["wer"]["score"]
    assert scores.compare()["wer"].p > 0.5
    assert_not_worse(ONE_WORSE, REFERENCES, baseline=REFERENCES, metric="wer")


def test_the_message_has_the_numbers_of_a_comparison():
    row = nlgauge.score({"new": WORSE, "baseline": REFERENCES}, REFERENCES, metrics="wer").compare(
        "baseline", "new"
    )["wer"]
    with pytest.raises(AssertionError) as caught:
        assert_not_worse(WORSE, REFERENCES, baseline=REFERENCES, metric="wer")
    message = str(caught.value)
    assert message.startswith("wer ") and "0.3000 against 0.0000, gain -0.3000" in message
    assert f"[{row.gain_low:+.4f}, {row.gain_high:+.4f}] (95%), p = {row.p:.2g}" in message
    assert "(randomization, 1000 resamples)" in message


def test_another_output_a_margin_and_a_level():
    with pytest.raises(AssertionError, match=r"rouge\.rouge2.*worse"):
        assert_not_worse(WORSE, REFERENCES, REFERENCES, "rouge", output="rouge2")
    with pytest.raises(UnknownNameError, match="was not tested"):
        assert_not_worse(WORSE, REFERENCES, REFERENCES, "rouge", output="rouge7")
    assert_not_worse(WORSE, REFERENCES, REFERENCES, "wer", margin=0.31)
    with pytest.raises(AssertionError, match=r"wer.*0\.29"):
        assert_not_worse(WORSE, REFERENCES, REFERENCES, "wer", margin=0.29)
    assert_not_worse(WORSE, REFERENCES, REFERENCES, "wer", alpha=0.0005)
    with pytest.raises(AssertionError, match="bootstrap, 200 resamples"):
        assert_not_worse(WORSE, REFERENCES, REFERENCES, "wer", test="bootstrap", resamples=200)


def test_options_of_a_score():
    with pytest.raises(AssertionError, match=r"js_divergence.*worse"):
        assert_not_worse(["no"] * 30, None, REFERENCES, "js_divergence", sources=REFERENCES)


def test_few_segments_are_warned_of_and_too_few_refused():
    with (
        pytest.warns(UserWarning, match="with 8 segments"),
        pytest.raises(AssertionError, match=r"wer.*worse"),
    ):
        assert_not_worse(WORSE[:8], REFERENCES[:8], REFERENCES[:8], "wer")
    with pytest.raises(
        InputError,
        match=r"5 segments.*< 0\.05.*6",
    ):
        assert_not_worse(WORSE[:5], REFERENCES[:5], REFERENCES[:5], "wer")


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("wer", {"alpha": 0}, "alpha.*0 and 1.*0"),
        ("wer", {"alpha": 5.0}, "alpha.*0 and 1"),
        ("wer", {"margin": -1}, "margin.*0"),
        ("wer", {"test": "t"}, "test.*'randomization' or 'bootstrap'"),
        ("ari", {}, "ari.*system"),
    ],
)
def test_what_cannot_be_asked(metric, options, message):
    with pytest.raises(ParameterError, match=message):
        assert_not_worse(WORSE, REFERENCES, REFERENCES, metric, **options)


def test_what_cannot_be_compared_fails():
    nothing = nlgauge.metric_from(lambda p, r: None, name="nothing")
    with pytest.raises(AssertionError, match=r"compare.*baseline"):
        assert_not_worse(WORSE, REFERENCES, REFERENCES, nothing)
