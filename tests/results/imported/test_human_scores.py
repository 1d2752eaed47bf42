"""Human scores of a result as imported scores: which fields they are, their directions and their tables."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

import nlgauge
from nlgauge.errors import InputError
from nlgauge.results.imported.human import unnamed_numbers, with_human_scores
from nlgauge.results.result import Result

_TEXTS = ["a small dog", "the old house", "rain in May", "two red cars"]


def scored(systems: str = "AB", fields: Any = None, system_fields: Any = None) -> Result:
    result = nlgauge.score(
        dict.fromkeys(systems, _TEXTS) if len(systems) > 1 else _TEXTS,
        [[text] for text in _TEXTS],
        metrics=["bleu"],
    )
    corpus = replace(
        result.corpus,
        fields=fields or {},
        system_fields={
            name: dict(zip(systems, values, strict=False)) for name, values in (system_fields or {}).items()
        },
    )
    return replace(result, corpus=corpus)


def test_human_scores_are_the_first_metrics_and_have_intervals_and_tests() -> None:
    human = with_human_scores(scored(system_fields={"fluency": [[1, 2, 3, 4], [5, 5, None, 5]]}))
    assert (human.labels, human.fields) == (("fluency",), ("fluency",))
    assert human.result.labels == ("fluency", "bleu")
    assert human.result["A"]["fluency"]["score"] == 2.5
    assert human.result["B"]["fluency"]["score"] == 5
    bound = human.result.intervals(resamples=50)["A"]["fluency"]["fluency"]
    assert bound.low < 2.5 < bound.high
    (row,) = [row for row in human.result.compare("A", "B", resamples=50) if row.label == "fluency"]
    # Only the segments that both systems have: (1 + 2 + 4) / 3 against 5.
    assert (row.first_score, row.second_score) == pytest.approx((7 / 3, 5))
    assert row.gaps.used == 3


def test_fields_called_human_win_over_other_numbers() -> None:
    columns = {
        "latency": [[1, 2, 3, 4]] * 2,
        "human.mqm": [[0, -1, -2, -5]] * 2,
        "human_raw.mqm": [[[1, 2]] * 4] * 2,
    }
    assert with_human_scores(scored(system_fields=columns)).labels == ("mqm",)
    del columns["human.mqm"]
    assert with_human_scores(scored(system_fields=columns)).labels == ("mqm",)
    del columns["human_raw.mqm"]
    assert with_human_scores(scored(system_fields=columns)).labels == ("latency",)
    assert with_human_scores(scored(system_fields=columns), ()).labels == ()


def test_a_name_may_have_a_direction_and_a_field_may_be_called_like_a_metric() -> None:
    columns = {"mqm": [[1, 2, 3, 4]] * 2, "bleu": [[1, 2, 3, 4]] * 2, "chrf": [[1, 2, 3, 4]] * 2}
    result = scored(system_fields=columns)
    human = with_human_scores(result, ["mqm:lower", "bleu", "chrf"])
    assert human.labels == ("mqm", "people.bleu", "people.chrf")
    outputs = {label: human.result._tables["A", label].outputs()[0] for label in human.labels}
    assert [output.higher_is_better for output in outputs.values()] == [False, True, True]
    # Labels of imported scores are names too, so that a part of the segments has the same human scores.
    assert with_human_scores(human.result, human.labels).labels == human.labels
    assert with_human_scores(human.result, human.labels).fields == ()


def test_lists_are_ratings_and_their_mean_is_the_score() -> None:
    result = scored(system_fields={"fluency": [[[1, 2], [3], [], [4, 4, 1]], [[5, 5]] * 4]})
    human = with_human_scores(result).result
    assert human["A"]["fluency"]["score"] == pytest.approx((1.5 + 3 + 3) / 3)


def test_a_number_of_a_single_system_has_to_be_named() -> None:
    result = scored("A", {"coherence": (1, 2, 3, 4), "domain": ("x", "y", "x", "y"), "flag": (0, 1, 0, 1)})
    assert with_human_scores(result).labels == ()
    assert unnamed_numbers(result, ()) == ["coherence"]
    human = with_human_scores(result, "coherence")
    assert (human.labels, unnamed_numbers(result, human.fields)) == (("coherence",), [])
    assert human.result["coherence"]["score"] == 2.5
    assert with_human_scores(scored("A", {"human.mqm": (1, 2, 3, 4)})).labels == ("mqm",)


def test_a_system_without_ratings_has_no_score() -> None:
    result = scored(system_fields={"fluency": [[1, 2, 3, 4]]})
    human = with_human_scores(result).result
    assert human["A"]["fluency"]["score"] == 2.5
    assert math.isnan(human["B"]["fluency"]["score"])
    assert human.intervals(resamples=20)["B"]["fluency"]["fluency"].reason


@pytest.mark.parametrize(
    ("name", "message"),
    [("fluency_", "no field 'fluency_'.*fluency"), ("domain", "one value for all systems")],
)
def test_a_field_that_judges_nothing_is_refused(name: str, message: str) -> None:
    result = scored(fields={"domain": (1, 2, 3, 4)}, system_fields={"fluency": [[1, 2, 3, 4]] * 2})
    with pytest.raises(InputError, match=message):
        with_human_scores(result, [name])


def test_a_score_is_named_with_or_without_its_prefix() -> None:
    result = scored(system_fields={"human.fluency": [[1, 2, 3, 4], [5, 5, None, 5]]})
    for name in ("fluency", "human.fluency", "human"):
        assert with_human_scores(result, name).labels == ("fluency",)
    lower = with_human_scores(result, "fluency:lower").result
    assert lower._tables["A", "fluency"].outputs()[0].higher_is_better is False
