"""Grades of preferences: what is read, how grades count, and which intervals follow."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from human_judgments import rows_of

from nlgauge.errors import InputError, ParameterError
from nlgauge.preferences import rank
from nlgauge.preferences.strengths import expanded

# A wins by 2, by 1, ties, and loses by 1; below, a grade above 0 prefers the second system.
GRADES = [-2, -1, 0, 1] * 5


def pairs(grades: list[Any], **fields: Any) -> list[dict[str, Any]]:
    return [
        {"item": item, "first": "A", "second": "B", "grade": grade, **fields}
        for item, grade in enumerate(grades)
    ]


def test_only_the_better_system_counts_by_default() -> None:
    ranked = rank(pairs(GRADES), resamples=50)
    winners = [
        {"item": row["item"], "first": "A", "second": "B", "winner": winner}
        for row, winner in zip(pairs(GRADES), ["first", "first", "tie", "second"] * 5, strict=True)
    ]
    assert ranked.to_csv() == rank(winners, resamples=50).to_csv()
    assert ranked.made["ties"] == "davidson" and ranked.win_rates == {"A": 0.625, "B": 0.375}
    assert any("grades up to 2, which do not count" in note for note in ranked.notes)
    assert not any("grades" in note for note in rank(pairs([-1, 1, 0, -1]), resamples=0).notes)


def test_grades_in_proportion_by_hand() -> None:
    # Of four comparisons A has 1, 3/4, 1/2 and 1/4: 5/8, and the log odds are log(5/3).
    ranked = rank(pairs(GRADES), grades=2, baseline="B", resamples=400, seed=3)
    assert ranked.win_rates["A"] == ranked.rates["A"] == pytest.approx(0.625)
    assert ranked.strengths["A"] == pytest.approx(math.log(5 / 3))
    assert any("2 is a win, 1 three quarters" in note for note in ranked.notes)
    # On a scale up to 4 the same grades are closer to ties: 3/4, 5/8, 1/2 and 3/8.
    assert rank(pairs(GRADES), grades=4, resamples=0).win_rates["A"] == pytest.approx(0.5625)


def test_intervals_of_grades_are_those_of_their_mean() -> None:
    """With two systems the model is the mean share of A, so its resamples are those of a mean."""
    ranked = rank(pairs(GRADES), grades=2, baseline="B", resamples=4000)
    shares = np.array([(1 - grade / 2) / 2 for grade in GRADES])
    drawn = np.random.default_rng(8).choice(shares, (100_000, len(shares))).mean(axis=1)
    share = expanded(0.95, len(shares))
    low, high = np.quantile(drawn, [(1 - share) / 2, (1 + share) / 2])
    assert [ranked.rows[0].rate_low, ranked.rows[0].rate_high] == pytest.approx([low, high], abs=0.013)


def test_grades_are_probabilities_of_a_win() -> None:
    records = [
        {**row, "first": first, "second": second}
        for first, second, shift in (("A", "B", 0), ("A", "C", 1), ("C", "B", 3))
        for row in pairs(GRADES[shift:] + GRADES[:shift])
    ]
    soft = [
        {key: value for key, value in row.items() if key != "grade"} | {"win": (1 - row["grade"] / 3) / 2}
        for row in records
    ]
    graded = rank(records, grades=3, resamples=60)
    assert graded.to_csv() == rank(soft, resamples=60).to_csv()
    assert graded.p.tolist() == rank(soft, resamples=60).p.tolist()


def test_sides_do_not_matter() -> None:
    turned = [
        {**row, "first": "B", "second": "A", "grade": -row["grade"]} if row["item"] % 2 else row
        for row in pairs(GRADES)
    ]
    for grades in (None, 2):
        assert (
            rank(turned, grades=grades, resamples=40).to_csv()
            == rank(pairs(GRADES), grades=grades, resamples=40).to_csv()
        )


def test_strengths_of_winners_and_arrows() -> None:
    strong = [
        {
            "item": row["item"],
            "first": "A",
            "second": "B",
            "winner": "tie" if grade == 0 else "A" if grade < 0 else "B",
            # A tie has no strength, even if the record has one.
            "strength": abs(grade) or 3,
        }
        for row, grade in zip(pairs(GRADES), GRADES, strict=True)
    ]
    arrows = {-2: "A>>B", -1: "A>B", 0: "A=B", 1: "b>a"}
    shown = [
        {"item": item, "first": "A", "second": "B", "winner": arrows[grade]}
        for item, grade in enumerate(GRADES)
    ]
    for records in (strong, shown):
        for grades in (None, 2):
            found = rank(records, grades=grades, resamples=30)
            assert found.to_csv() == rank(pairs(GRADES), grades=grades, resamples=30).to_csv()
            assert found.notes == rank(pairs(GRADES), grades=grades, resamples=30).notes


def test_missing_grades_are_left_out_and_counted() -> None:
    absent = [{"item": 90, "first": "A", "second": "B"}]
    ranked = rank([*pairs([*GRADES, None, math.nan, ""]), *absent], grades=2, resamples=0)
    assert ranked.made["comparisons"] == 20
    assert "4 records without a verdict or its grade left out." in ranked.notes
    winners = [{"first": "A", "second": "B", "winner": "A", "strength": strength} for strength in (1, None)]
    winners.append({"first": "A", "second": "B", "winner": "B", "strength": None})
    assert rank(winners, resamples=0).made["comparisons"] == 3
    assert rank(winners, grades=3, prior=0.5, resamples=0).made["comparisons"] == 1
    # A tie needs no strength.
    winners.append({"first": "A", "second": "B", "winner": "tie", "strength": None})
    assert rank(winners, grades=3, prior=0.5, resamples=0).made["comparisons"] == 2


@pytest.mark.parametrize(
    ("records", "options", "message"),
    [
        (pairs([3, 1]), {"grades": 2}, "record 0 has a grade of 3, above the highest grade of 2"),
        (pairs([1, "much"]), {}, "'grade' is 'much', but must be a number (above 0: the second is better)."),
        (pairs([1, math.inf]), {}, "record 1: 'grade' is inf"),
        (pairs([True]), {}, "record 0: 'grade' is True"),
        (pairs([1], strength=0, winner="A"), {"grades": 2}, "'strength' is 0, but must be a number above 0."),
        (
            [{"first": "A", "second": "B", "winner": each} for each in ("A>>B", "A")],
            {},
            "must be A>>B, A>B, A=B",
        ),
        ([{"first": "A", "second": "B", "human": {"overall": 1}}], {}, "ratings of people (human.overall)"),
        (pairs([1]), {"verdict": "score"}, "have no field 'score'"),
    ],
)
def test_bad_grades(records: list[dict[str, Any]], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as raised:
        rank(records, **options)
    assert message in str(raised.value)


@pytest.mark.parametrize("grades", [0, -1, math.nan, math.inf, True, "2"])
def test_the_highest_grade_is_a_number_above_0(grades: Any) -> None:
    with pytest.raises(ParameterError, match="grades must be a number above 0"):
        rank(pairs(GRADES), grades=grades)


def test_verdicts_without_grades_have_no_highest_grade() -> None:
    for verdict in ({"winner": "A"}, {"win": 0.5}, {"preference": 1.2}):
        with pytest.raises(ParameterError, match="verdicts have no grades"):
            rank([{"first": "A", "second": "B", **verdict}], grades=2)


def test_a_named_field_has_grades_or_winners() -> None:
    judged = [{**row, "judge": row["grade"], "grade": 1} for row in pairs(GRADES)]
    assert rank(judged, verdict="judge", resamples=0).to_csv() == rank(pairs(GRADES), resamples=0).to_csv()
    named = [{**row, "ana": "B" if row["item"] % 4 else "A"} for row in pairs(GRADES)]
    assert rank(named, verdict="ana", resamples=0).win_rates == {"A": 0.25, "B": 0.75}


def test_the_pairs_of_ragchecker() -> None:
    """Counts of the file itself, without any function of this package."""
    lines = rows_of("ragchecker_meta")
    records = [line for line in lines if line["human"]["overall"] is not None]
    won, played, shares = Counter[str](), Counter[str](), Counter[str]()
    for line in records:
        first, second, grade = line["first"]["system"], line["second"]["system"], line["human"]["overall"]
        for system, sign in ((first, -1), (second, 1)):
            played[system] += 1
            won[system] += 0.5 if grade == 0 else sign * grade > 0
            shares[system] += (1 + sign * grade / 2) / 2
    by_sign = rank(records, verdict="human.overall", resamples=0)
    assert by_sign.win_rates == pytest.approx({name: won[name] / played[name] for name in played})
    in_proportion = rank(records, verdict="human.overall", grades=2, resamples=0)
    assert in_proportion.win_rates == pytest.approx({name: shares[name] / played[name] for name in played})
    assert sum(played.values()) == 560 and len(played) == 8
