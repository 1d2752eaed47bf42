"""The metric of imported scores: its statistics are sums, and repeats are averaged segment by segment."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.errors import MetricError, ParameterError
from nlgauge.metric.imported import Imported, ScoreValues
from nlgauge.metric.registry import make, metric_classes

SCORES = st.lists(
    st.lists(st.lists(st.floats(-5, 5), min_size=1, max_size=3), max_size=3), min_size=1, max_size=6
)


def column(segments: list[list[list[float]]]) -> ScoreValues:
    answers = [(runs, segment) for segment, of_segment in enumerate(segments) for runs in of_segment]
    return ScoreValues(
        len(segments),
        np.array([value for runs, _ in answers for value in runs]),
        np.array([number for number, (runs, _) in enumerate(answers) for _ in runs], dtype=np.int64),
        np.array([segment for _, segment in answers], dtype=np.int64),
    )


@given(SCORES)
def test_every_segment_has_the_same_weight(segments: list[list[list[float]]]) -> None:
    metric = Imported("helpful")
    rows = metric.rows(column(segments))
    means = [[float(np.mean(runs)) for runs in answers] for answers in segments]
    expected = [float(np.mean(each)) for each in means if each]
    score = {name: float(value) for name, value in metric.score("helpful", rows.sum(axis=0)).items()}
    assert score["helpful"] == pytest.approx(np.mean(expected) if expected else math.nan, nan_ok=True)
    assert metric.missing("helpful", rows).tolist() == [not each for each in segments]
    spread = [np.var(each, ddof=1) * (len(each) - 1) for each in means if len(each) > 1]
    freedom = sum(len(each) - 1 for each in means if each)
    deviation = math.sqrt(sum(spread) / freedom) if freedom else math.nan
    assert score["sd_repeats"] == pytest.approx(deviation, abs=1e-9, nan_ok=True)


@given(SCORES)
def test_lists_are_the_scores_that_were_given(segments: list[list[list[float]]]) -> None:
    assert column(segments).lists() == segments
    several = any(sum(map(len, answers)) > 1 for answers in segments)
    assert column(segments).is_repeated == several


def test_reasons_are_counted_and_empty_answers_also_if_they_have_a_score() -> None:
    metric = Imported("helpful", low=0, high=1)
    scores = ScoreValues.single(
        np.array([0.5, math.nan, math.nan, 0.0]), {1: "error", 2: "other", 3: "empty"}
    )
    totals = metric.score("helpful", metric.rows(scores).sum(axis=0))
    assert [float(totals[name]) for name in ("empty", "error", "unreadable")] == [1, 1, 0]
    assert float(totals["helpful"]) == 0.25


def test_the_origin_is_no_part_of_the_metric() -> None:
    assert Imported("match", origin="inspect 1") == Imported("match", origin="inspect 2")
    assert Imported("match") != Imported("match", better="lower")


def test_it_can_be_restored_by_name_but_is_in_no_list() -> None:
    metric = make("imported", {"column": "tone", "kind": "levels", "levels": ["rude", "polite"]})
    assert str(metric) == "tone"
    assert "imported" not in metric_classes()


def test_it_computes_nothing() -> None:
    with pytest.raises(MetricError, match=r"tone.*with_scores"):
        Imported("tone").statistics(None, {})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "parameters",
    [
        {"column": " "},
        {"column": "repeats"},
        {"better": "up"},
        {"high": 1.0, "low": 1.0},
        {"kind": "levels", "levels": ("a",)},
        {"kind": "levels", "levels": ("a", "a")},
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=list(parameters)[-1]):
        Imported(**parameters)  # type: ignore[arg-type]
