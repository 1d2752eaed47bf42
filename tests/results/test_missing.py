"""Missing scores are counted, give no advantage, and bound what they could change: comparisons, ranks,
gates and tables on systems with gaps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

import nlgauge
from nlgauge._core.ragged import Array
from nlgauge.judges import Client
from nlgauge.metric import Output, Takes, View
from nlgauge.metric.mean import MeanMetric, Measured
from nlgauge.metrics.yes_no import YesNo
from nlgauge.results.gate import Change, Limit, Margin, Rule, verdicts

UNREADABLE = Output("unparsed", None, 0, note="replies were not readable", missing="unreadable")


@dataclass(frozen=True)
class Grade(MeanMetric):
    """The number from 0 to 1 that a prediction is; "?" is an unreadable reply, "-" an input that cannot
    be scored.
    """

    name: ClassVar[str] = "grade"
    takes: ClassVar[Takes] = "alone"

    def measures(self) -> tuple[Output, ...]:
        return (Output("grade", True, 0, 1),)

    def counted(self) -> tuple[Output, ...]:
        return (UNREADABLE,)

    def measured(self, view: View) -> Measured:
        texts = [view.text(prediction) for prediction in view.predictions.tolist()]
        values = np.array([math.nan if text in "?-" else float(text) for text in texts])
        return Measured(values[:, None], columns=[np.array([text == "?" for text in texts])])


def graded(systems: dict[str, list[Any]], **options: Any) -> nlgauge.Result:
    texts = {
        name: [value if isinstance(value, str) else repr(float(value)) for value in values]
        for name, values in systems.items()
    }
    return nlgauge.score(texts, metrics=Grade(), **options)


def simulated(seed: int, count: int = 60, systems: int = 2) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    easy = rng.random(count)
    return {f"S{i}": np.clip(easy + 0.2 * rng.standard_normal(count), 0, 1).tolist() for i in range(systems)}


def without(values: list[Any], places: Array, mark: str = "?") -> list[Any]:
    return [mark if i in set(places.tolist()) else value for i, value in enumerate(values)]


numbers = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, "?", "-"]), min_size=12, max_size=12)


@given(numbers, numbers)
def test_a_missing_score_of_one_system_compares_as_if_the_segment_were_gone(
    first: list[Any], second: list[Any]
) -> None:
    both = [i for i in range(12) if first[i] not in ("?", "-") and second[i] not in ("?", "-")]
    row = graded({"A": first, "B": second}).compare(resamples=60)["grade"]
    assert (row.gaps.used, row.units) == (len(both), len(both))
    assert row.gaps.used + row.gaps.first + row.gaps.second + row.gaps.both == 12
    if len(both) < 2:
        return
    kept = graded({"A": [first[i] for i in both], "B": [second[i] for i in both]}).compare(resamples=60)[
        "grade"
    ]
    assert (row.first_score, row.second_score) == (
        pytest.approx(kept.first_score),
        pytest.approx(kept.second_score),
    )
    assert row.gain == pytest.approx(kept.gain, abs=1e-12)


def test_equal_systems_stay_equal_however_many_scores_one_of_them_lacks() -> None:
    systems = simulated(1)
    lowest = np.argsort(systems["S0"])[:20]
    result = graded({"A": systems["S0"], "B": without(systems["S0"], lowest)})
    own = result["B"]["grade"]["score"] - result["A"]["grade"]["score"]
    row = result.compare()["grade"]
    assert own > 0.1
    assert (row.gain, row.p, row.gain_low, row.gain_high) == (0, 1, 0, 0)
    assert (row.gaps.first, row.gaps.second, row.gaps.reasons) == (0, 20, ((), (("unreadable", 20),)))
    assert row.gaps.p == pytest.approx(2 * 0.5**20)
    assert row.gaps.own_scores == (result["A"]["grade"]["score"], result["B"]["grade"]["score"])
    assert row.bound_low < 0 < row.bound_high and not row.robust
    ranks = result.ranks()["grade"]
    assert (ranks.letters, ranks.ranks, ranks.missing) == (("a", "a"), ((1, 2), (1, 2)), (0, 20))


def test_without_missing_scores_nothing_changes() -> None:
    row = graded(simulated(2)).compare()["grade"]
    assert not row.gaps.any and row.robust
    assert row.bound_low == row.bound_high == row.gain
    # Segments that both systems lack are left out of both means already.
    systems = simulated(3)
    gone = np.arange(10)
    both = graded({name: without(values, gone) for name, values in systems.items()}).compare()["grade"]
    assert (both.gaps.both, both.gaps.unequal, both.units) == (10, False, 50)


@given(st.integers(0, 1000), st.lists(st.floats(0, 1), min_size=30, max_size=30), st.booleans())
def test_the_bounds_hold_the_gain_under_any_imputation(
    seed: int, values: list[float], weighted: bool
) -> None:
    systems = simulated(seed, 30)
    rng = np.random.default_rng(seed)
    missing = {name: rng.choice(30, 6, replace=False) for name in systems}
    options: dict[str, Any] = {"weights": rng.integers(1, 4, 30).astype(float).tolist()} if weighted else {}
    row = graded(
        {name: without(values, missing[name]) for name, values in systems.items()}, **options
    ).compare(resamples=20)["grade"]
    imputed = {
        name: [values[i] if i in missing[name] else own[i] for i in range(30)]
        for name, own in systems.items()
    }
    full = graded(imputed, **options)
    gain = full["S1"]["grade"]["score"] - full["S0"]["grade"]["score"]
    assert row.bound_low - 1e-9 <= gain <= row.bound_high + 1e-9
    worst = graded(
        {"S0": without(systems["S0"], missing["S0"], "1"), "S1": without(systems["S1"], missing["S1"], "0")},
        **options,
    )
    assert row.bound_low == pytest.approx(worst["S1"]["grade"]["score"] - worst["S0"]["grade"]["score"])


def test_inputs_that_no_prediction_could_score_do_not_widen_the_bounds() -> None:
    systems = simulated(4)
    gone = np.arange(15)
    row = graded({name: without(values, gone, "-") for name, values in systems.items()}).compare()["grade"]
    assert (row.gaps.both, row.gaps.absent, row.gaps.can_change) == (15, 15, False)
    assert row.bound_low == row.bound_high == row.gain and row.robust
    unread = graded({name: without(values, gone, "?") for name, values in systems.items()}).compare()["grade"]
    assert unread.gain == row.gain
    assert unread.bound_high - unread.bound_low == pytest.approx(2 * 15 / 60)


def test_ranks_are_pairwise_and_one_bad_system_takes_no_segments_from_the_others() -> None:
    systems = simulated(5, 80, 5)
    rng = np.random.default_rng(5)
    gaps = {
        name: rng.choice(80, size, replace=False)
        for name, size in zip(systems, (0, 3, 10, 60, 3), strict=True)
    }
    result = graded({name: without(values, gaps[name]) for name, values in systems.items()})
    ranks = result.ranks()["grade"]
    for i, one in enumerate(systems):
        for j, other in enumerate(systems):
            if i < j:
                row = result.compare(one, other)["grade"]
                assert (ranks.gains[j, i], ranks.low[j, i], ranks.high[j, i], ranks.p[j, i]) == (
                    row.gain,
                    row.gain_low,
                    row.gain_high,
                    row.p,
                )
                assert (ranks.gains[i, j], ranks.low[i, j]) == (-row.gain, -row.gain_high)
                assert ranks.better(other, one, 0.05) == (ranks.p_max_t[i, j] <= 0.05 and row.gain > 0)


def test_the_sign_of_the_common_difference_decides_letters_and_better() -> None:
    rng = np.random.default_rng(6)
    easy = np.concatenate([np.full(40, 0.9), np.full(40, 0.2)])
    good = np.clip(easy + 0.1 + 0.02 * rng.standard_normal(80), 0, 1)
    bad = easy + 0.02 * rng.standard_normal(80)
    result = graded({"good": good.tolist(), "bad": without(np.clip(bad, 0, 1).tolist(), np.arange(40, 80))})
    assert result["bad"]["grade"]["score"] > result["good"]["grade"]["score"]
    row = result.ranks()["grade"]
    assert row.better("good", "bad", 0.05) and not row.better("bad", "good", 0.05)
    assert (row.letters, row.ranks) == (("a", "b"), ((1, 1), (2, 2)))
    assert result.compare()["grade"].better == "good"


def test_documents_are_compared_on_common_segments() -> None:
    systems = simulated(7, 40)
    documents = [f"d{i // 4}" for i in range(40)]
    kept = list(range(8, 40))
    row = graded(
        {"A": systems["S0"], "B": without(systems["S1"], np.arange(8))}, documents=documents
    ).compare()["grade"]
    part = graded(
        {"A": systems["S0"][8:], "B": systems["S1"][8:]}, documents=[documents[i] for i in kept]
    ).compare()["grade"]
    assert (row.units, row.gain) == (8, pytest.approx(part.gain))


@dataclass
class Judge:
    """p(Yes) is .9 for easy texts and .2 for hard ones; hard texts with a mark get a reply that is no
    answer.
    """

    def complete(self, request: Any) -> dict[str, Any]:
        text = request.messages[-1][1]
        if "hard" in text and "~" in text:
            tokens = [("I", 1.0)]
        else:
            p = 0.2 if "hard" in text else 0.9
            tokens = [("Yes", p), ("No", 1 - p)]
        top = [{"token": token, "logprob": math.log(p)} for token, p in tokens]
        said = {"token": top[0]["token"], "logprob": top[0]["logprob"], "top_logprobs": top}
        return {
            "choices": [
                {
                    "message": {"content": said["token"]},
                    "finish_reason": "stop",
                    "logprobs": {"content": [said]},
                }
            ]
        }


@pytest.mark.filterwarnings("ignore:.*of the judge's probability")
def test_unreadable_replies_do_not_make_a_system_better() -> None:
    first = [f"{'hard' if i % 3 == 0 else 'easy'} text {i}" for i in range(30)]
    second = [f"{text} ~" if "hard" in text else text for text in first]
    metric = YesNo(model=Client(Judge(), name="j"), question="Is it good?", calls="cache=off")
    result = nlgauge.score({"A": first, "B": second}, metrics=metric)
    (row,) = result.compare()
    assert (row.first_score, row.second_score, row.gain, row.p) == (
        pytest.approx(0.9),
        pytest.approx(0.9),
        0,
        1,
    )
    assert (row.bound_low, row.bound_high) == (
        pytest.approx(-0.0667, abs=1e-4),
        pytest.approx(0.2667, abs=1e-4),
    )
    shown = " ".join(result.compare().to_text(width=200).split())
    assert "20 of 30 segments compared: 10 have no score of B (unreadable reply: 10)" in shown
    assert (
        "Whatever the missing scores are, the gain on all segments is between -0.0667 and +0.2667: they can"
        " decide" in shown
    )
    assert "10 scores are missing only for B, 0 only for A (p = 0.0020)" in shown
    table = " ".join(result.to_text(width=200).split())
    assert (
        "systems lack scores of different segments. Means over different segments are not comparable" in table
    )
    assert "whatever these are, the score is between 0.6000 and 0.9333" in table


def test_empty_predictions_do_not_make_a_perplexity_better(tiny_models: dict[str, Path]) -> None:
    texts = [
        "the cat sat on the mat",
        "a dog met the president on tuesday",
        "it will happen",
        "he said it",
    ] * 6
    lazy = ["" if i % 4 in (1, 2) else text for i, text in enumerate(texts)]
    metric = f"perplexity(model={str(tiny_models['causal'])!r})"
    row = nlgauge.score({"honest": texts, "lazy": lazy}, metrics=metric).compare()[metric]
    assert (row.gain, row.p) == (0, 1)
    assert row.gaps.reasons == ((), (("empty", 12),))
    assert math.isnan(row.bound_low) and not row.robust


@pytest.mark.parametrize(
    ("missing", "worse", "max_missing", "verdict"),
    [
        (0, 0.0, 0.05, "passed"),
        (12, 0.0, 0.05, "inconclusive"),
        (12, 0.0, 0.5, "passed"),
        (2, 0.0, 0.05, "passed"),
        (12, 0.5, 0.05, "failed"),
    ],
)
def test_a_gate_whose_verdict_missing_scores_can_turn_is_inconclusive(
    missing: int, worse: float, max_missing: float, verdict: str
) -> None:
    values = np.linspace(0.4, 0.6, 60)
    other = values + 0.01 * np.where(np.arange(60) % 2, 1, -1) - 0.3 * worse / 0.5
    result = graded({"A": values.tolist(), "B": without(other.tolist(), np.arange(missing))})
    (found,), _ = verdicts(result, "A", ["B"], [Change.read("grade drops")], [], Rule(0.05, (), max_missing))
    assert found.word == verdict, found.why
    if verdict == "inconclusive":
        assert "missing scores can change the verdict: 20% of the segments have none" in found.why


def test_a_gate_without_bounds_is_inconclusive_if_many_scores_are_missing(
    tiny_models: dict[str, Path],
) -> None:
    texts = [
        "the cat sat on the mat",
        "a dog met the president on tuesday",
        "it will happen",
        "he said it",
    ] * 6
    lazy = ["" if i % 4 == 1 else text for i, text in enumerate(texts)]
    result = nlgauge.score(
        {"honest": texts, "lazy": lazy}, metrics=f"perplexity(model={str(tiny_models['causal'])!r})"
    )
    (found,), _ = verdicts(
        result, "honest", ["lazy"], [Change.read("perplexity rises")], [], Rule(margins=(Margin(5.0),))
    )
    assert found.word == "inconclusive"


def test_an_empty_prediction_is_the_reason_if_the_metric_reads_nothing_else() -> None:
    texts = {"A": ["The cat sat on the mat."] * 8, "B": ["", *["The cat sat on the mat."] * 7]}
    row = nlgauge.score(texts, metrics="flesch_reading_ease").compare(resamples=20)["flesch_reading_ease"]
    assert (row.gain, row.gaps.reasons, row.gaps.absent) == (0, ((), (("empty", 1),)), 0)


def test_records_and_frames_count_missing_scores() -> None:
    systems = simulated(8)
    result = graded({"A": systems["S0"], "B": without(systems["S1"], np.arange(5))})
    record = result.compare().records()[0]
    assert (record["n"], record["missing_first"], record["missing_second"]) == (55, 0, 5)
    assert record["bound_low"] <= record["gain"] <= record["bound_high"]
    assert [row["missing"] for row in result.ranks().records()] == [0, 5]


def test_missing_segments_are_listed_with_their_reasons() -> None:
    systems = simulated(9, 10)
    result = graded(
        {"A": without(systems["S0"], np.array([2]), "-"), "B": without(systems["S1"], np.array([4, 7]))}
    )
    rows = [
        (row["segment"], row["system"], row["missing"], row["prediction"]) for row in result.missing("grade")
    ]
    assert rows == [(2, "A", "absent", "-"), (4, "B", "unreadable", "?"), (7, "B", "unreadable", "?")]
    assert [row["segment"] for row in result.missing("grade", "A")] == [2]
    assert "unreadable" in result.missing("grade").to_text()
    assert len(result.where().missing("grade")) == 3
    whole = nlgauge.score(["a b"], metrics="distinct")
    with pytest.raises(nlgauge.errors.ParameterError, match=r"distinct.*segment"):
        whole.missing("distinct")


@pytest.mark.parametrize("missing", [(), ("-",), ("?",)])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_a_few_scored_segments_claim_nothing(count: int, missing: tuple[str, ...]) -> None:
    gone = list(missing) * 60
    result = graded({"A": [*gone, *[1.0] * count], "B": [*gone, *[0.0] * count]})
    row, ranks = result.compare()["grade"], result.ranks()["grade"]
    assert (row.units, ranks.units) == (count, count)
    assert row.p > 0.05 and ranks.p[0, 1] > 0.05
    assert (ranks.letters, ranks.ranks) == (("a", "a"), ((1, 2), (1, 2)))
    assert f"with {count} segments" in result.compare().caution
    assert f"with {count} segments" in result.ranks().to_text()
    (found,), _ = verdicts(result, "A", ["B"], [Change.read("grade drops")], [], Rule())
    assert (found.word, found.why) == (
        "inconclusive",
        f"{count} segments (or documents) cannot reach p < 0.05; 6 or more are needed",
    )


def test_segments_without_a_weight_are_not_counted_as_units() -> None:
    result = graded(
        {"A": [0.9] * 3 + [0.5] * 57, "B": [0.1] * 3 + [0.5] * 57}, weights=[1.0] * 3 + [0.0] * 57
    )
    assert result.compare()["grade"].units == 3
    assert verdicts(result, "A", ["B"], [Change.read("grade drops")], [], Rule())[0][0].word == "inconclusive"


def test_few_common_segments_have_an_interval_and_letters() -> None:
    good, bad = [0.9 + 0.01 * (i % 5) for i in range(8)], [0.1 + 0.01 * (i % 3) for i in range(8)]
    result = graded({"A": good + [0.5] * 24, "B": [*bad, *["?"] * 24]})
    row = result.compare()["grade"]
    assert row.p < 0.05 and row.gain_low < row.gain < row.gain_high < 0
    assert result.ranks()["grade"].letters == ("a", "b")
    assert "each pair is compared on the segments that both systems have" in " ".join(
        result.ranks().to_text().split()
    )
    alone = graded({"A": [*good, *["?"] * 23, 0.5], "B": ["?"] * 31 + [0.4]}).compare()["grade"]
    assert (
        math.isnan(alone.p)
        and alone.reason == "only one segment (or document) has scores of both systems: nothing to resample"
    )


@pytest.mark.parametrize(
    ("missing", "limit", "word"),
    [
        (0, 0.5, "passed"),
        (30, 0.5, "inconclusive"),
        (30, 0.3, "passed"),
        (30, 0.99, "failed"),
        (2, 0.9, "passed"),
    ],
)
def test_a_limit_that_missing_scores_could_turn_is_inconclusive(
    missing: int, limit: float, word: str
) -> None:
    result = graded({"A": [*["?"] * missing, *[0.95] * (60 - missing)]})
    assert verdicts(result, None, ["A"], [], [Limit("grade", limit)], Rule())[0][0].word == word


@pytest.mark.parametrize("margin", ["0", "1%"])
def test_identical_systems_are_equal_whatever_the_margin_is(margin: str) -> None:
    result = graded({"A": [0.0] * 30, "B": [0.0] * 30})
    (found,), _ = verdicts(
        result, "A", ["B"], [Change.read("grade drops")], [], Rule(margins=(Margin.read(margin),))
    )
    assert (found.word, found.why) == ("passed", "equal")
    assert math.isnan(found.detectable)


def test_a_margin_is_compared_with_an_interval_that_is_wide_enough_for_few_segments() -> None:
    # Percentiles of 8 segments alone would pass.
    first = np.linspace(0.3, 0.9, 8)
    second = first - np.array([0.12, -0.1, 0.1, -0.12, 0.14, -0.1, 0.12, -0.04])
    result = graded({"A": first.round(3).tolist(), "B": second.round(3).tolist()})
    row = result.compare("A", "B")["grade"]
    margin = -row.gain_low + 0.001
    rule = Rule(margins=(Margin(margin),))
    (found,), _ = verdicts(result, "A", ["B"], [Change.read("grade drops")], [], rule)
    assert row.gain_low > -margin
    assert found.word == "inconclusive"
    factor = t.ppf(0.975, 7) / norm.ppf(0.975) * math.sqrt(8 / 7)
    wide = Rule(margins=(Margin(-(row.gain - factor * (row.gain - row.gain_low)) + 0.001),))
    (found,), _ = verdicts(result, "A", ["B"], [Change.read("grade drops")], [], wide)
    assert found.word == "passed"


def test_the_drop_that_can_be_found_grows_with_tests_and_falls_with_segments() -> None:
    found = {}
    for count, tests in ((20, 1), (20, 4), (80, 1)):
        systems = simulated(10, count, tests + 1)
        results = verdicts(
            graded(systems), "S0", list(systems)[1:], [Change.read("grade drops")], [], Rule()
        )[0]
        found[count, tests] = results[0].detectable
    assert found[80, 1] < found[20, 1] < found[20, 4]
