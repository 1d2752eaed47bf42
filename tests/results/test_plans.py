"""Plans: the table of the specification, the cheapest plan, standard deviations from pilots, and power."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from cli_cases import enter, printed, refused
from hypothesis import given, settings
from hypothesis import strategies as st
from number_cases import NUMBER

import nlgauge
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.diagnostics.power import mcnemar_power
from nlgauge.results.plans.pilot import pilot_of_result, pilot_of_scores
from nlgauge.results.plans.repeats import repeats_of
from nlgauge.stats.sample_size import Prices, Spread, Target, best_runs, cheapest

SPREAD = {"sd_items": 0.15, "sd_answers": 0.20, "sd_judge": 0.15}
COSTS = {"cost_item": 0.50, "cost_answer": 0.02, "cost_judge": 0.01}


def drawn(
    items: int, answers: int, runs: int, seed: int, sd: tuple[float, float, float] = (0.15, 0.2, 0.15)
) -> dict[str, list]:
    """Scores of two systems [item][answer][run] with these standard deviations."""
    rng = np.random.default_rng(seed)
    level = rng.normal(0.6, 0.3, (items, 1, 1))
    return {
        system: (
            level
            + rng.normal(0, sd[0] / math.sqrt(2), (items, 1, 1))
            + rng.normal(0, sd[1], (items, answers, 1))
            + rng.normal(0, sd[2], (items, answers, runs))
        ).tolist()
        for system in "AB"
    }


def test_the_table_of_the_specification():
    planned = nlgauge.plan(detect=0.05, answers=[1, 3], judge_runs=[1, 4], **SPREAD, **COSTS)
    rows = {(row.answers, row.judge_runs): (row.units, row.requests) for row in planned.shown()}
    expected = {(1, 1): (464, 928), (3, 1): (202, 1212), (3, 4): (167, 4008), (7, 1): (127, 1778)}
    assert rows.items() >= expected.items()
    assert planned.cheapest is not None
    assert (planned.cheapest.answers, planned.cheapest.judge_runs) == (7, 1)
    assert planned.cheapest.cost == pytest.approx(116.84)
    exact = [
        Spread(0.15, 0.2, 0.15).variance(a, j) * (Target(0.05).effect / 0.05) ** 2
        for a, j in list(expected)[:3]
    ]
    assert exact == pytest.approx([463.1, 201.5, 166.1], abs=0.1)


@given(st.floats(0.05, 1), st.floats(0.05, 1), st.floats(0.05, 1), st.floats(0.001, 1), st.floats(0.001, 1))
@settings(max_examples=25, deadline=None)
def test_the_cheapest_plan_has_about_the_judge_runs_of_the_closed_form(items, answers, judge, cost, price):
    spread, prices = Spread(items, answers, judge), Prices(1.0, cost, price)
    runs = best_runs(spread, prices)
    # Rounding to whole segments is small if the difference is.
    best = cheapest(spread, Target(items / 50), prices)
    if runs <= 19 and best.answers < 20:
        values = {j: (answers**2 + judge**2 / j) * (cost + j * price) for j in range(1, 21)}
        assert values[best.judge_runs] <= 1.15 * min(values.values())
        nearest = min(values, key=values.__getitem__)
        assert math.floor(runs) <= nearest <= max(1, math.ceil(runs))


def test_a_pilot_with_repeats_and_judge_runs_gives_its_standard_deviations():
    pilot = pilot_of_scores(drawn(3000, 3, 2, seed=1))
    assert pilot.spread == pytest.approx((0.15, 0.20, 0.15, 1.0), rel=0.06)
    assert (pilot.unit, pilot.units, pilot.remarks) == ("segments", 3000, ())


def test_a_pilot_without_repeats_plans_segments_only_and_states_it():
    scores = {system: [item[0][0] for item in items] for system, items in drawn(200, 1, 1, seed=2).items()}
    planned = nlgauge.plan(scores, detect=0.05)
    assert [(row.answers, row.judge_runs) for row in planned.rows] == [(1, 1)]
    differences = np.subtract(scores["A"], scores["B"])
    assert planned.spread.items == pytest.approx(differences.std(ddof=1))
    assert len([remark for remark in planned.remarks if "cannot be planned" in remark]) == 2
    assert "cannot be planned" in " ".join(str(planned).split())
    # The caller may know the noise that the pilot cannot separate.
    more = nlgauge.plan(scores, detect=0.05, sd_answers=0.2)
    assert more.spread.items**2 == pytest.approx(differences.var(ddof=1) - 2 * 0.04)
    assert more.rows[0].units == planned.rows[0].units
    assert more.rows[-1].units < planned.rows[0].units


def test_repeats_of_a_result_are_single_predictions_whatever_its_reduction():
    values = drawn(80, 3, 1, seed=3)
    texts = {
        system: [[str(run) for answer in item for run in answer] for item in items]
        for system, items in values.items()
    }
    expected = pilot_of_scores(values)
    for rule in ("mean", None):
        result = nlgauge.score(texts, metrics=NUMBER, reduce_fn=rule, show_progress=False)
        assert repeats_of(result, "A", "number").values("number") == [
            [run for answer in item for run in answer] for item in values["A"]
        ]
        found = pilot_of_result(result, "number")
        assert found.spread == pytest.approx(expected.spread, rel=1e-6, nan_ok=True)
        assert found.remarks == expected.remarks


def test_documents_are_counted_with_their_design_effect():
    rng = np.random.default_rng(4)
    shift = np.repeat(rng.normal(0, 0.2, 40), 5)
    systems = {"A": rng.normal(0.5, 0.1, 200), "B": rng.normal(0.5, 0.1, 200) + shift}
    documents = [f"d{number // 5}" for number in range(200)]
    texts = {name: list(map(str, values)) for name, values in systems.items()}
    result = nlgauge.score(texts, metrics=NUMBER, documents=documents, show_progress=False)
    planned = nlgauge.plan(result, "number", detect=0.05)
    by_document = (systems["A"] - systems["B"]).reshape(40, 5).mean(axis=1)
    assert planned.unit == "documents"
    assert planned.spread.items == pytest.approx(by_document.std(ddof=1))
    assert planned.spread.per_unit == 5
    assert planned.design_effect == pytest.approx(
        by_document.var(ddof=1) / 40 / ((systems["A"] - systems["B"]).var(ddof=1) / 200)
    )
    assert planned.rows[0].requests == planned.rows[0].units * 10
    assert "design effect" in str(planned)


def test_missing_scores_and_weights():
    systems = {"A": ["1", "2", "", "4", "7"], "B": ["2", "2", "3", "", "5"]}
    weights = [1.0, 2.0, 1.0, 1.0, 1.0]
    result = nlgauge.score(systems, metrics=NUMBER, weights=weights, show_progress=False)
    found = pilot_of_result(result, None)
    differences, weight = np.array([-1.0, 0.0, 2.0]), np.array([1.0, 2.0, 1.0])
    influence = 3 * weight * (differences - np.average(differences, weights=weight)) / 4
    assert found.spread.items == pytest.approx(influence.std(ddof=1))


def test_a_score_that_is_no_mean_is_planned_without_repeats():
    references = [f"the cat number {number} sat on the mat" for number in range(60)]
    systems = {
        name: [
            text.replace("cat", "dog") if number % step == 0 else text
            for number, text in enumerate(references)
        ]
        for name, step in (("A", 2), ("B", 3))
    }
    result = nlgauge.score(systems, references, metrics="bleu", show_progress=False)
    planned = nlgauge.plan(result, detect=1.0)
    row = result.compare("A", "B", resamples=2000)["bleu"]
    error = (row.gain_high - row.gain_low) / 3.92
    assert planned.spread.items / math.sqrt(60) == pytest.approx(error, rel=0.1)
    assert "not the mean" in planned.remarks[0]


def test_power_by_simulation():
    rng, target = np.random.default_rng(6), Target(0.1, 0.8)
    for sd in ((0.3, 0.2, 0.1), (0.1, 0.4, 0.3), (0.4, 0.0, 0.0)):
        for answers, runs in ((1, 1), (3, 2)):
            units = target.units(Spread(*sd).variance(answers, runs))
            deviation = math.sqrt(Spread(*sd).variance(answers, runs))
            means = rng.normal(0.1, deviation, (4000, units))
            z = means.mean(axis=1) / means.std(axis=1, ddof=1) * math.sqrt(units)
            assert np.mean(np.abs(z) > 1.96) == pytest.approx(0.8, abs=0.03)


def test_binary_scores_have_the_power_of_mcnemars_test():
    # The systems differ on 20% of the segments. The exact test is conservative, less so with more segments.
    for difference, least in ((0.10, 0.74), (0.04, 0.77)):
        units = Target(difference, 0.8).units(0.20 - difference**2)
        (row,) = mcnemar_power(0.6 + difference, 0.6, 0.8, units)
        assert least < row["power"] < 0.8


def test_until_sure_has_more_segments_and_uses_fewer():
    once, looks = (nlgauge.plan(detect=0.05, until_sure=sure, **SPREAD) for sure in (False, True))
    assert looks.rows[0].units == math.ceil(464 * 1.09)
    assert math.isnan(once.expected_share)
    assert 0.6 < looks.expected_share < 0.8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "standard deviations"),
        ({"sd_items": -1}, "sd_items"),
        ({"sd_items": 0}, "are 0"),
        ({"sd_items": 1, "detect": 0}, "detect"),
        ({"sd_items": 1, "power": 0.01}, "power"),
        ({"sd_items": 1, "alpha": 2}, "alpha"),
        ({"sd_items": 1, "answers": [0]}, "answers"),
        ({"sd_items": 1, "cost_item": -1}, "cost_item"),
        ({"pilot": [1, 2]}, "pilot"),
        ({"pilot": {"A": [1, 2]}}, "two systems"),
        ({"pilot": {"A": [1, 2], "B": [1, 2], "C": [2, 3]}, "systems": ["A", "D"]}, "'D'"),
    ],
)
def test_numbers_out_of_their_domain_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        nlgauge.plan(**{"detect": 0.1, **options})


def test_pilots_that_cannot_be_used_are_refused():
    with pytest.raises(InputError, match="same segments"):
        nlgauge.plan({"A": [1, 2, 3], "B": [1, 2]}, detect=0.1)
    with pytest.raises(InputError, match="two or more segments"):
        nlgauge.plan({"A": [1, None, 3], "B": [None, 2, 3]}, detect=0.1)


def test_the_command(tmp_path, monkeypatch):
    enter(tmp_path, monkeypatch)
    words = ["--sd-items", "0.15", "--sd-answers", "0.20", "--sd-judge", "0.15", "--detect", "0.05"]
    shown = printed("plan", *words, "--cost-item", "0.5", "--cost-answer", "0.02", "--cost-judge", "0.01")
    assert "116.84  cheapest" in shown
    document = json.loads(printed("plan", *words, "--answers", "3", "--judge-runs", "4", "--json"))
    assert document["plans"] == [
        {"answers": 3, "judge_runs": 4, "segments": 167, "requests": 4008, "cost": None, "cheapest": False}
    ]
    printed("score", "-q", "-m", "wer", "-r", "refs.txt", "sysA.txt", "sysB.txt", "-o", "run")
    assert "not the mean" in printed("plan", "run", "--metric", "wer", "--detect", "0.1")
    assert "--sd-items" in refused("plan", "--detect", "0.1")


def test_imported_repeats_are_the_repeats_of_a_pilot() -> None:
    rng = np.random.default_rng(2)
    records = [
        {"id": i, "system": system, "epoch": epoch, "quality": float(base + rng.normal(0, 0.3))}
        for i, base in enumerate(rng.normal(0, 1, 40))
        for system in "AB"
        for epoch in range(3)
    ]
    result = nlgauge.from_scores(records, "quality:higher")
    pilot = pilot_of_result(result, "quality")
    assert pilot.spread.answers == pytest.approx(0.3, abs=0.06)
