"""Audits of judges: the vectors of real verdicts, the four verdicts, and all kinds of input."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from audit_data import JUDGES, column, expected, few_labels, records

import nlgauge
from nlgauge.errors import InputError, ParameterError, UnknownNameError
from nlgauge.meta import audit
from nlgauge.meta.auditing.audit import CHANCE, CORRECTED, FEW, USABLE
from nlgauge.meta.auditing.biases import covariate_rows
from nlgauge.meta.auditing.cells import Columns, cells_of
from nlgauge.meta.auditing.draws import Draws
from nlgauge.meta.auditing.verdicts import verdicts_of

GPT = "GPT-4.Vanilla"
COLUMNS = {"judge": "verdict", "human": "label"}
VARIANCE = json.loads((Path(__file__).parents[2] / "data" / "variance.json").read_text("utf-8"))


@pytest.fixture(scope="module", params=JUDGES)
def whole(request):
    judge = request.param
    return judge, audit(records(judge), **COLUMNS, swapped="swapped", by="subset", covariates="ratio")


def _interval(row):
    return row["low"], row["high"]


def test_agreement_and_errors_have_the_vectors(whole):
    judge, findings = whole
    numbers = expected(judge)
    for part, measure, name in (
        ("agreement", "agreement", "agreement"),
        ("errors", "sensitivity", "sensitivity"),
        ("errors", "specificity", "specificity"),
    ):
        row = findings.number(part, measure)
        assert row["value"] == pytest.approx(numbers[name], abs=1e-12)
        assert _interval(row) == pytest.approx(numbers[f"{name} Wilson"], abs=1e-12)
    kappa = findings.number("agreement", "kappa")
    assert kappa["value"] == pytest.approx(numbers["kappa (scikit-learn)"], abs=1e-12)
    # The bootstrap and the closed form of independent items agree.
    assert _interval(kappa) == pytest.approx(numbers["kappa interval"], abs=0.01)
    assert findings.number("agreement", "AC1")["value"] == pytest.approx(numbers["AC1 (irrCAC)"], abs=5e-6)
    assert _interval(findings.number("agreement", "AC1")) == pytest.approx(
        numbers["AC1 interval (irrCAC)"], abs=0.01
    )
    assert findings.number("agreement", "alpha")["value"] == pytest.approx(
        numbers["alpha nominal (krippendorff)"], abs=1e-12
    )


def test_position_has_the_vectors(whole):
    judge, findings = whole
    numbers = expected(judge)["position"]
    assert findings.number("position", "same winner")["value"] == numbers["same winner in both orders"]
    first = findings.number("position", "first place")
    assert first["value"] == numbers["first place in both"]
    assert first["p"] == pytest.approx(numbers["mcnemar exact p"], rel=1e-9)
    assert findings.number("position", "second place")["value"] == numbers["second place in both"]
    assert findings.number("position", "share for the first place")["value"] == pytest.approx(
        numbers["share for the first place"], abs=1e-12
    )


def test_a_covariate_has_the_vectors_of_length(whole):
    judge, findings = whole
    numbers = expected(judge)["length"]
    row = findings.number("covariate", "odds ratio", "ratio")
    assert math.log(row["value"]) == pytest.approx(numbers["coefficients"][2], rel=1e-7)
    error = (math.log(row["high"]) - math.log(row["low"])) / (2 * 1.959963984540054)
    assert error == pytest.approx(numbers["se"][2], rel=1e-7)
    assert row["p"] == pytest.approx(numbers["p"][2], rel=1e-6)


def test_twice_the_length_is_printed_as_a_factor_of_the_odds():
    verdicts = verdicts_of(cells_of(records(GPT), Columns(("verdict",), ("label",))))
    (row,) = covariate_rows(verdicts, {"length": column(GPT, "log_length_ratio")}, Draws())
    assert [round(row[name], 2) for name in ("value", "low", "high")] == [1.06, 0.92, 1.21]


def test_the_verdicts_on_real_judges(whole):
    judge, findings = whole
    assert findings.verdict == (CHANCE if judge.startswith("ChatGPT") else CORRECTED)
    natural = findings.number("groups", "agreement", "subset Natural")
    assert natural["value"] == (0.8 if judge.startswith("ChatGPT") else 0.95)
    assert natural["p"] < 0.01


def test_the_lines_of_a_console(whole):
    judge, findings = whole
    text = " ".join(str(findings).split())
    if judge == GPT:
        for words in (
            "419 of 419 answers labeled",
            "0.828 [0.789, 0.861]",
            "kappa 0.657 [0.58",
            "sensitivity 0.850 [0.794, 0.892] specificity 0.808 [0.749, 0.855]",
            "same winner in both orders 92.8%; first place 20, second place 10 (p = 0.0987): no preference shown",
            "verdict usable with correction (the lower bound of kappa is 0.58",
        ):
            assert words in text
    else:
        assert "first place 133, second place 10 (p <.0001): preference shown" in text
        assert "Rogan-Gladen n/a (the judge is no better than chance" in text


def test_equal_labels_have_no_interval_and_intervals_stay_within_the_scale():
    records = [{"id": i, "verdict": i % 3 == 0, "label": 1} for i in range(60)]
    corrected = audit(records, human="label", judge="verdict", resamples=50).number("score", "corrected")
    assert corrected["value"] == 1.0
    assert np.isnan(corrected["low"]) and "all labels are equal" in corrected["remark"]
    few = [{"id": i, "verdict": i, "label": i} for i in (0, 1, 0)]
    corrected = audit(
        [{**each, "id": place} for place, each in enumerate(few)],
        human="label",
        judge="verdict",
        resamples=50,
    ).number("score", "corrected")
    assert (corrected["low"], corrected["high"]) == (0.0, 1.0)


def test_few_labels_have_a_corrected_score():
    findings = audit(records(GPT, few_labels(GPT)), **COLUMNS)
    numbers = expected(GPT)["corrected"]
    assert findings.number("score", "judge")["value"] == pytest.approx(expected(GPT)["judge says"])
    corrected = findings.number("score", "corrected")
    assert (corrected["n"], corrected["value"]) == (100, pytest.approx(numbers["ppi_py mean"], abs=0.005))
    assert _interval(corrected) == pytest.approx(numbers["ppi_py interval"], abs=0.005)
    rate = findings.number("score", "rogan_gladen")
    assert rate["value"] == pytest.approx(numbers["Rogan-Gladen, rate over all items"]["value"], abs=1e-12)
    assert findings.number("score", "labels only")["value"] == pytest.approx(numbers["labels alone"])
    assert 190 < findings.number("worth", "effective labels")["value"] < 215
    needed, alone = (
        findings.number("worth", name)["value"]
        for name in ("labels needed", "labels needed without the judge")
    )
    assert 325 < needed < 350 < alone < 400
    assert "100 labels are worth 20" in " ".join(str(findings).split())


def _random(seed, n=200):
    rng = np.random.default_rng(seed)
    return [{"id": i, "verdict": int(rng.integers(2)), "label": int(rng.integers(2))} for i in range(n)]


def test_a_random_judge_is_no_better_than_chance():
    verdicts = [audit(_random(seed), **COLUMNS, resamples=300).verdict for seed in range(30)]
    assert verdicts.count(CHANCE) >= 28


def test_a_perfect_judge_is_usable():
    data = [{**each, "verdict": each["label"]} for each in _random(0)]
    findings = audit(data, **COLUMNS)
    assert (findings.verdict, findings.reasons) == (USABLE, ())
    assert _interval(findings.number("agreement", "kappa")) == (1.0, 1.0)


def test_a_biased_judge_needs_correction_although_it_agrees():
    data = [{**each, "verdict": each["label"], "swapped": each["label"]} for each in _random(0)]
    for each in data[:20]:
        each["verdict"], each["swapped"] = 1, 0
    findings = audit(data, **COLUMNS, swapped="swapped")
    assert findings.verdict == CORRECTED
    assert "bias of position" in findings.reasons


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (_random(1, 19), "19 labels"),
        (_random(1, 40), "the interval of kappa is"),
        ([{**each, "label": 1} for each in _random(1, 60)], "only one value"),
        ([{**each, "verdict": 0, "label": 0} for each in _random(1, 60)], "only one value"),
    ],
)
def test_not_enough_labels(data, reason):
    findings = audit(data, **COLUMNS, resamples=200)
    assert findings.verdict == FEW
    assert reason in findings.reasons[0]


def test_documents_are_resampled_together():
    data = [{**each, "doc": f"d{i // 10}"} for i, each in enumerate(_random(2))]
    for i, each in enumerate(data):
        each["verdict"] = each["label"] if (i // 10) % 2 else 1 - each["label"]
    plain, clustered = (
        audit([{key: value for key, value in each.items() if key != leave} for each in data], **COLUMNS)
        for leave in ("doc", "")
    )
    widths = [
        np.subtract(*_interval(each.number("agreement", "agreement"))[::-1]) for each in (plain, clustered)
    ]
    assert widths[1] > 2 * widths[0]


def test_levels_have_weighted_coefficients():
    rng = np.random.default_rng(5)
    levels = ["bad", "fair", "good", "great"]
    labels = rng.integers(4, size=150)
    judged = np.clip(labels + rng.integers(-1, 2, size=150), 0, 3)
    data = [
        {"verdict": levels[a], "label": levels[b], "id": i}
        for i, (a, b) in enumerate(zip(judged, labels, strict=True))
    ]
    findings = audit(data, judge="verdict:bad/fair/good/great", human="label", resamples=200)
    kappa = nlgauge.meta.cohen(labels, judged, "quadratic")
    assert findings.number("agreement", "kappa")["value"] == pytest.approx(kappa)
    assert findings.number("agreement", "AC2")["value"] == pytest.approx(
        nlgauge.meta.gwet(labels, judged, "quadratic")
    )
    assert findings.number("agreement", "spearman")["value"] == pytest.approx(
        float(nlgauge.meta.spearman(judged, labels))
    )
    unordered = audit(data, judge="verdict", human="label", resamples=200)
    assert unordered.number("agreement", "kappa")["value"] == pytest.approx(
        nlgauge.meta.cohen(labels, judged)
    )
    row = findings.number("confusion", "judged great", "labeled good")
    assert row["value"] == pytest.approx(np.mean(judged[labels == 2] == 3))


def test_numbers_have_correlations_and_calibration():
    rng = np.random.default_rng(6)
    labels = rng.normal(size=120)
    judged = 0.5 * labels + 0.2 * rng.normal(size=120) + 1
    data = [{"verdict": a, "label": b} for a, b in zip(judged, labels, strict=True)]
    findings = audit(data, **COLUMNS, resamples=200)
    assert findings.number("agreement", "kendall")["value"] == pytest.approx(
        float(nlgauge.meta.kendall(judged, labels))
    )
    assert findings.number("calibration", "mean difference")["value"] == pytest.approx(
        (judged - labels).mean()
    )
    assert findings.number("calibration", "slope")["value"] == pytest.approx(np.polyfit(judged, labels, 1)[0])
    assert "bias of leniency" in findings.reasons


def test_directions_of_judge_and_people_may_differ():
    rng = np.random.default_rng(15)
    data = [{"errors": value + 0.1 * rng.normal(), "rating": -value} for value in rng.normal(size=60)]
    same = audit(data, judge="errors:lower", human="rating", resamples=100)
    assert same.number("agreement", "spearman")["value"] > 0.9
    assert audit(data, judge="errors", human="rating", resamples=100).verdict == CHANCE


def test_whole_numbers_are_levels_in_their_units():
    rng = np.random.default_rng(16)
    labels = rng.choice([1, 2, 4, 5], size=120)
    judged = np.where(rng.random(120) < 0.7, labels, 5)
    data = [{"verdict": int(a), "label": int(b)} for a, b in zip(judged, labels, strict=True)]
    findings = audit(data, **COLUMNS, resamples=100)
    assert findings.made["levels"] == ["1", "2", "3", "4", "5"]
    assert findings.number("agreement", "kappa")["value"] == pytest.approx(
        nlgauge.meta.cohen(labels, judged, "quadratic", [1, 2, 3, 4, 5])
    )
    assert findings.number("score", "judge")["value"] == pytest.approx(judged.mean())
    intercept = findings.number("calibration", "intercept")["value"]
    assert intercept == pytest.approx(np.polyfit(judged, labels, 1)[1])


def test_annotators_and_ties():
    data = [{"verdict": i % 2, "a": i % 2, "b": i % 2 if i % 4 else 1 - i % 2} for i in range(80)]
    findings = audit(data, judge="verdict", human=["a", "b"], resamples=200)
    assert findings.made["labels"] == 60
    assert findings.number("people", "alpha")["n"] == 80
    assert any("20 answers with as many values" in note for note in findings.notes)
    lists = [{"verdict": each["verdict"], "label": [each["a"], each["b"]]} for each in data]
    assert audit(lists, **COLUMNS, resamples=200).made["labels"] == 60


def test_categories_of_two_texts_and_ties_have_positions():
    data = [{"verdict": "A", "swapped": "A", "label": "A"}] * 30
    data += [{"verdict": "B", "swapped": "B", "label": "B"}] * 30
    data += [{"verdict": "A", "swapped": "B", "label": "A"}] * 12
    data += [{"verdict": "A", "swapped": "tie", "label": "B"}] * 2
    data += [{"verdict": "tie", "swapped": "tie", "label": "tie"}] * 5
    findings = audit(data, **COLUMNS, swapped="swapped", resamples=200)
    assert findings.number("position", "first place")["value"] == 14
    turned = audit(data, **COLUMNS, swapped="swapped", positive="B", resamples=200)
    assert turned.number("position", "second place")["value"] == 14


def test_texts_of_pairs_have_length_and_style():
    rng = np.random.default_rng(7)
    data = []
    for _ in range(200):
        label = int(rng.integers(2))
        first, second = ("word " * int(rng.integers(1, 30)) for _ in range(2))
        longer = len(first) > len(second)
        verdict = int(longer) if rng.random() < 0.7 else label
        data.append({"verdict": 2 - verdict, "label": 2 - label, "one": first, "two": f"- {second}"})
    findings = audit(data, **COLUMNS, texts=["one", "two"], resamples=200)
    assert findings.made["levels"] == ["2", "1"]
    row = findings.number("length", "odds ratio")
    assert row["low"] > 1
    assert findings.number("style", "odds ratio", "list items")["n"] == 200
    assert "odds ratio with all covariates" in findings.column("measure")


def _systems(advantage):
    rng = np.random.default_rng(8)
    data = []
    for i in range(60):
        for system in ("ours", "theirs", "third"):
            label = float(rng.normal())
            bonus = advantage if system == "ours" else 0.0
            noise = 0.3 * rng.normal()
            data.append({"id": i, "system": system, "label": label, "verdict": label + bonus + noise})
    return data


def test_self_preference_is_in_human_units():
    findings = audit(_systems(0.5), **COLUMNS, own="ours", resamples=300)
    row = findings.number("self-preference", "advantage")
    assert row["low"] < 0.5 < row["high"]
    assert row["p"] < 0.01
    assert "bias of self-preference" in findings.reasons
    fair = audit(_systems(0.0), **COLUMNS, own="ours", resamples=300)
    assert fair.number("self-preference", "advantage")["p"] > 0.05
    with pytest.raises(ParameterError, match="some of the systems"):
        audit(_systems(0.0), **COLUMNS, own="nobody", resamples=50)


def test_differences_of_systems_have_corrected_scores():
    data = _systems(0.5)
    for each in data[90:]:
        each["label"] = None
    findings = audit(data, **COLUMNS, resamples=200)
    judged = findings.number("score", "judge", "ours - theirs")["value"]
    corrected = findings.number("score", "corrected", "ours - theirs")["value"]
    assert corrected < judged - 0.3
    binary = [
        {**each, **{name: each[name] and int(each[name] > 0) for name in ("label", "verdict")}}
        for each in data
    ]
    for each in binary:
        each["label"] = None if each["label"] is None else int(each["label"])
    row = audit(binary, **COLUMNS, resamples=200).number("score", "rogan_gladen", "theirs - third")
    assert row["low"] < 0 < row["high"]


def test_runs_have_the_variance_components_of_the_vectors():
    scores = VARIANCE["scores[item][answer][judge run]"]
    data = [
        {"id": i, "epoch": a, "verdict": runs, "label": float(i % 7)}
        for i, answers in enumerate(scores)
        for a, runs in enumerate(answers)
    ]
    findings = audit(data, **COLUMNS, resamples=100)
    for name, key in (("item", "item"), ("answer", "answer"), ("run", "judge")):
        row = findings.number("repeatability", f"variance of {name}")
        assert row["value"] == pytest.approx(VARIANCE["anova"][key], rel=1e-9)
    error = findings.number("repeatability", "standard error of the mean")["value"]
    assert error == pytest.approx(VARIANCE["anova"]["se of the mean"], rel=1e-9)
    assert findings.made["cells"] == 120


def test_a_panel_is_compared_with_its_best_member():
    rng = np.random.default_rng(9)
    labels = rng.integers(2, size=300)
    members = {name: np.where(rng.random(300) < 0.8, labels, 1 - labels) for name in ("a", "b", "c")}
    data = [
        {"id": i, "label": int(labels[i]), **{name: int(values[i]) for name, values in members.items()}}
        for i in range(300)
    ]
    findings = audit(data, judge=["a", "b", "c"], human="label", resamples=300)
    majority = (sum(members.values()) >= 2).astype(int)
    assert findings.number("agreement", "kappa")["value"] == pytest.approx(
        nlgauge.meta.cohen(labels, majority)
    )
    lead = findings.rows[[row["measure"] for row in findings.rows].index("difference of kappa")]
    assert lead["low"] > 0
    assert findings.number("panel", "share of rest", "one score")["value"] > 0.3
    assert findings.number("score", "corrected by all judges")["n"] == 300
    same = [{**each, "b": each["a"], "c": each["a"]} for each in data]
    twins = audit(same, judge=["a", "b", "c"], human="label", resamples=100)
    lead = twins.rows[[row["measure"] for row in twins.rows].index("difference of kappa")]
    assert (lead["value"], lead["low"], lead["high"]) == (0.0, 0.0, 0.0)


def test_drift_compares_with_an_anchor():
    now = [{**each, "verdict": [each["label"]] * 2} for each in _random(10, 100)]
    before = [dict(each, verdict=each["label"]) for each in now]
    for each in now[:12]:
        each["verdict"] = [1 - each["label"], 1 - each["label"]]
    findings = audit(now, **COLUMNS, anchor=before[:80], resamples=300)
    change = findings.number("drift", "change of accuracy")
    assert (change["n"], change["value"]) == (80, pytest.approx(-0.15))
    assert change["p"] == pytest.approx(2 * 0.5**12)
    assert findings.number("drift", "changed verdicts")["value"] == pytest.approx(0.15)
    assert findings.number("drift", "unequal runs")["value"] == 0.0
    assert "accuracy on 80 answers 1.000 before, 0.850 now" in " ".join(str(findings).split())
    unlabeled = [{**each, "label": None, "verdict": str(each["verdict"])} for each in before]
    again = audit(now, **COLUMNS, anchor=unlabeled, resamples=100)
    assert again.number("drift", "change of accuracy")["n"] == 100
    with pytest.raises(InputError, match="anchor has no system and segment"):
        audit(now, **COLUMNS, anchor=[{**each, "id": f"x{each['id']}"} for each in before])


def test_a_result_with_imported_scores_and_a_field():
    data = [{**each, "human": "yes" if each["label"] else "no"} for each in _random(11, 60)]
    result = nlgauge.from_scores(data, {"verdict": "higher", "label": "higher"})
    findings = audit(result, human="label", resamples=200)
    assert findings.made["judge"] == ["verdict"]
    direct = audit(data, **COLUMNS, resamples=200)
    assert findings.number("agreement", "kappa") == direct.number("agreement", "kappa")
    levels = nlgauge.from_scores(
        [{**each, "verdict": "yes" if each["verdict"] else "no"} for each in data],
        {"verdict": ["no", "yes"]},
    )
    assert audit(levels, human="human", resamples=200).number("agreement", "kappa") == direct.number(
        "agreement", "kappa"
    )


@pytest.mark.parametrize(
    ("labels", "errors", "verdict"), [(20, 1, "usable with correction"), (20, 0, "usable as is")]
)
def test_one_error_in_few_labels_is_not_usable_as_is(labels, errors, verdict):
    # The true kappa of a judge with one error in 20 labels may be 0.6; resamples alone have a bound of 0.7.
    records = [{"id": i, "verdict": i % 2 if i >= errors else 1, "label": i % 2} for i in range(labels)]
    found = audit(records, human="label", judge="verdict", resamples=500)
    assert found.number("agreement", "kappa")["low"] > 0.6
    assert found.verdict == verdict


@pytest.mark.parametrize("name", ["judge", "faithfulness", "chrf"])
def test_columns_may_have_the_names_of_metrics(name):
    verdicts = [{"id": i, name: i % 2, "label": i % 2 if i % 5 else 0} for i in range(60)]
    found = audit(verdicts, human="label", judge=name, resamples=100)
    plain = [{"id": each["id"], "verdict": each[name], "label": each["label"]} for each in verdicts]
    same = audit(plain, human="label", judge="verdict", resamples=100)
    assert [row["value"] for row in found.rows] == pytest.approx(
        [row["value"] for row in same.rows], nan_ok=True
    )
    saved = nlgauge.from_scores(verdicts, {name: "higher", "label": "higher"})
    assert audit(saved, human="label", judge=name, resamples=100).verdict == same.verdict


def test_a_field_of_segments_does_not_label_systems():
    data = [{**each, "note": each["id"] % 2} for each in _systems(0.0)]
    result = nlgauge.from_scores(data, {"verdict": "higher"})
    with pytest.raises(InputError, match="one value for all systems"):
        audit(result, human="note")
    findings = audit(result, human="label", by="note", resamples=100)
    assert findings.number("groups", "spearman", "note 0")["n"] == 90


def test_an_empty_answer_without_a_label_is_not_labeled():
    data = [{**each, "prediction": "text"} for each in _random(14, 60)]
    for each in data[:10]:
        each |= {"prediction": "", "label": None, "verdict": None}
    labels = [
        {**each, "label": ["no", "yes"][each["label"]] if each["label"] is not None else None}
        for each in data
    ]
    verdicts = [{**each, "verdict": ["no", "yes"][each["verdict"] or 0]} for each in labels]
    assert audit(verdicts, **COLUMNS, resamples=50).made["labels"] == 50
    result = nlgauge.from_scores(verdicts, {"verdict": ["no", "yes"], "label": ["no", "yes"]})
    assert audit(result, human="label", resamples=50).made["labels"] == 50


def test_refusals():
    data = _random(12, 30)
    with pytest.raises(ParameterError, match="column of the judge"):
        audit(data, human="label")
    with pytest.raises(InputError, match="no field 'lebal'"):
        audit(data, judge="verdict", human="lebal")
    with pytest.raises(InputError, match="no answer has a label"):
        audit([{**each, "label": None} for each in data], **COLUMNS)
    with pytest.raises(ParameterError, match="not one of the categories 0, 1"):
        audit(data, **COLUMNS, positive="2")
    with pytest.raises(ParameterError, match="scale must be"):
        audit(data, **COLUMNS, scale="ratio")
    with pytest.raises(ParameterError, match="two fields"):
        audit(data, **COLUMNS, texts=["verdict"])
    with pytest.raises(InputError, match="result or records"):
        audit(3, **COLUMNS)
    result = nlgauge.from_scores(
        [{**each, "other": 1.0} for each in data], dict.fromkeys(("verdict", "label", "other"), "higher")
    )
    with pytest.raises(ParameterError, match="2 metrics that may be the judge"):
        audit(result, human="label")
    with pytest.raises(UnknownNameError, match="kapa"):
        audit(data, **COLUMNS, resamples=10).number("agreement", "kapa")


def test_exports(tmp_path):
    findings = audit(_random(13, 60), **COLUMNS, resamples=100)
    page = findings.to_html(tmp_path / "audit.html")
    assert findings.verdict in page
    assert "sensitivity" in page
    assert findings.to_csv().startswith("part,measure,of,value,low,high,p,n,remark\n")
    assert len(findings.frame("records")) == len(findings)
    for text in (findings.to_markdown(), findings.to_latex(), findings.to_text()):
        assert findings.verdict in text
