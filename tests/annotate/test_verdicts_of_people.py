"""Verdicts on pairs for `nlgauge rank`, checks in the export, and the functions for Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rating_cases import SYSTEMS, corpus, made, rated

import nlgauge
from nlgauge import annotate
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.files.formats import write_ratings
from nlgauge.annotate.rows import rows
from nlgauge.errors import ParameterError
from nlgauge.meta import Judgments
from nlgauge.preferences import rank


def by_name(campaign: Campaign, annotator: str = "ana") -> None:
    """Rate: the first system of the alphabet is the best."""
    with campaign.rating() as rater:
        for key in campaign.order(annotator):
            shown = [campaign.items[key].systems[number] for number in campaign.shown(annotator, key)]
            places = {name: shown.index(name) for name in shown}
            answers: dict[str, dict[str, Any]] = {
                "pairwise": {"preferred": places[min(shown)]},
                "bws": {"best": places[min(shown)], "worst": places[max(shown)]},
                "ranking": {"rank": [1 + sorted(shown).index(name) for name in shown]},
            }
            rater.rate(annotator, key, answers[campaign.plan.protocol.name])


def verdicts(campaign: Campaign) -> list[dict[str, Any]]:
    path = campaign.directory.parent / "pairs.jsonl"
    assert write_ratings(campaign, path, "pairs") == []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("protocol", "count"), [("pairwise", 3), ("bws", 3), ("ranking", 3)])
def test_comparisons_become_verdicts(tmp_path: Path, protocol: str, count: int) -> None:
    if protocol == "ranking":
        file = tmp_path / "ranking.toml"
        file.write_text(
            'name = "ranking"\nside_by_side = 3\n[[questions]]\nid = "rank"\ntext = "?"\nkind = "order"\n',
            "utf-8",
        )
        protocol = str(file)
    campaign = made(tmp_path, protocol, ("ana",), segments=4)
    by_name(campaign)
    found = verdicts(campaign)
    assert len(found) == 4 * count
    for row in found:
        assert row[row["winner"]] == min(row["first"], row["second"])
    assert {(row["annotator"], row["segment"] in campaign.plan.segments) for row in found} == {("ana", True)}
    # Sides are drawn, so each system is first on some screens.
    assert {row["winner"] for row in found} == {"first", "second"}
    ranked = rank(found, prior=0.5)
    assert list(ranked.systems) == list(SYSTEMS)


def test_nothing_is_known_between_the_best_and_the_worst(tmp_path: Path) -> None:
    names = ("alpha", "beta", "delta", "gamma")
    campaign = annotate.new(tmp_path / "campaign", corpus(3, names), annotate.protocol_of("bws"), ["ana"])
    by_name(campaign)
    found = verdicts(campaign)
    assert len(found) == 3 * 5
    assert not [row for row in found if {row["first"], row["second"]} == {"beta", "delta"}]


def test_ties_and_further_answers_are_in_the_verdicts(tmp_path: Path) -> None:
    file = tmp_path / "strength.toml"
    file.write_text(
        'name = "pairs"\nside_by_side = 2\n[[questions]]\nid = "better"\ntext = "?"\nkind = "output"\nties = true\n'
        '[[questions]]\nid = "strength"\ntext = "How clearly?"\nlow = 1\nhigh = 3\nrequired = false\n',
        "utf-8",
    )
    campaign = made(tmp_path, str(file), ("ana",), segments=2)
    rated(campaign, "ana", {"better": "tie", "strength": 2})
    found = verdicts(campaign)
    assert {(row["winner"], row["strength"]) for row in found} == {("tie", 2)}
    with pytest.raises(ParameterError, match="format pairs needs a protocol that compares texts"):
        other = tmp_path / "other"
        other.mkdir()
        write_ratings(made(other), tmp_path / "x.jsonl", "pairs")


def test_checks_are_beside_the_scores(tmp_path: Path) -> None:
    campaign = made(tmp_path, annotators=("ana",), repeats=0.1, damaged=0.1)
    rated(campaign, "ana", lambda item: {"da": {"rate": 80, "repeat": 70, "damaged": 20}[item.kind]})
    found = list(rows(campaign))
    assert {row["human"]["da"] for row in found} == {80.0}
    checks = [check for row in found for check in row["meta"].get("checks", [])]
    assert sorted({(check["kind"], check["annotator"], check["answers"]["da"]) for check in checks}) == [
        ("damaged", "ana", 20),
        ("repeat", "ana", 70),
    ]
    assert len(checks) == sum(item.kind in ("repeat", "damaged") for item in campaign.items.values())


def test_gold_and_damaged_items_are_exported_with_their_outcome(tmp_path: Path) -> None:
    """Each check is once in the export, with what was shown and whether it passed; the scores know none of them."""
    gold = tmp_path / "gold.jsonl"
    lines = [
        {"prediction": "good", "source": "s", "answers": {"esa": {"low": 90, "high": 100}}, "spans": []},
        {"prediction": "bad text", "answers": {"esa": [0, 1]}},
    ]
    gold.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    campaign = made(tmp_path, "esa", overlap=0.2, damaged=0.1, repeats=0.05, gold=gold)
    mark = {"start": 0, "end": 3, "severity": "minor"}
    with campaign.rating() as rater:
        for annotator in ("ana", "ben"):
            for key in campaign.order(annotator):
                item = campaign.items[key]
                if annotator == "ben" and item.outputs == ["bad text"]:
                    rater.skip(annotator, key, "empty")
                else:
                    score = {"rate": 80, "repeat": 70, "damaged": 20, "gold": 95}[item.kind]
                    rater.rate(annotator, key, {"esa": score}, [mark] if item.kind == "gold" else [])
    found = list(rows(campaign))
    assert {row["human"]["esa"] for row in found} == {80.0}
    assert {row["system"] for row in found} == set(SYSTEMS)
    checks = [check for row in found for check in row["meta"].get("checks", [])]
    assert len(checks) == sum(
        campaign.items[key].kind != "rate" for name in ("ana", "ben") for key in campaign.order(name)
    )
    answers = {"answers": {"esa": 95}, "spans": [mark]}
    by_gold = {
        (check["annotator"], check["predictions"][0]): check for check in checks if check["kind"] == "gold"
    }
    common = {"kind": "gold", "annotator": "ana"}
    expected = {"answers": {"esa": {"low": 90, "high": 100}}, "spans": []}
    # The score is allowed, but nothing must be marked.
    assert by_gold["ana", "good"] == {
        **common,
        **answers,
        "expected": expected,
        "predictions": ["good"],
        "passed": False,
    }
    assert by_gold["ana", "bad text"] == {
        **common,
        **answers,
        "expected": {"answers": {"esa": [0, 1]}},
        "predictions": ["bad text"],
        "passed": False,
    }
    assert by_gold["ben", "bad text"] == {
        "kind": "gold",
        "annotator": "ben",
        "expected": {"answers": {"esa": [0, 1]}},
        "predictions": ["bad text"],
        "skipped": "empty",
        "passed": None,
    }
    # The gold items have no segment of their own: the first record has them.
    assert sum(check["kind"] == "gold" for check in found[0]["meta"]["checks"]) == 4
    damaged = [
        (row, check) for row in found for check in row["meta"].get("checks", []) if check["kind"] == "damaged"
    ]
    assert damaged
    for row, check in damaged:
        assert check["passed"] is True
        assert check["predictions"] != [row["prediction"]]
    assert not [
        check
        for row in rows(campaign, without=["ana"])
        for check in row["meta"].get("checks", [])
        if check["annotator"] == "ana"
    ]
    states = {
        state["annotator"]: state for state in annotate.state_of(campaign, campaign.records()).annotators
    }
    for name in ("ana", "ben"):
        passed = [
            check["passed"] for check in checks if (check["kind"], check["annotator"]) == ("gold", name)
        ]
        assert passed.count(True) == states[name]["gold_passed"]
        assert len(passed) - passed.count(None) == states[name]["gold"]


def test_a_damaged_text_is_not_passed_without_its_original(tmp_path: Path) -> None:
    campaign = made(tmp_path, annotators=("ana",), damaged=0.2)
    keys = [key for key in campaign.order("ana") if campaign.items[key].kind == "damaged"]
    originals = {campaign.items[key].of for key in keys}
    with campaign.rating() as rater:
        for key in campaign.order("ana"):
            if key in originals:
                rater.skip("ana", key)
            else:
                rater.rate("ana", key, {"da": 0 if key in keys else 90})
    checks = [check for row in rows(campaign) for check in row["meta"].get("checks", [])]
    assert [check["passed"] for check in checks] == [None] * len(keys)


def test_the_sides_of_a_damaged_pair_are_exported(tmp_path: Path) -> None:
    campaign = made(tmp_path, "pairwise", ("ana",), damaged=0.1)
    rated(campaign, "ana", {"preferred": 0})
    checks = [check for row in rows(campaign) for check in row["meta"].get("checks", [])]
    assert checks
    for check in checks:
        # The output on the left won; the damaged output is the second.
        assert check["passed"] == (check["shown"][0] == 0)
        assert len(check["predictions"]) == 2


def test_a_campaign_in_python(tmp_path: Path) -> None:
    texts = corpus(8)
    predictions = {name: [f"text {number} of {name}" for number in range(8)] for name in SYSTEMS}
    result = nlgauge.score(
        predictions, [f"text {number}" for number in range(8)], metrics=["chrf"], ids=texts.ids
    )
    campaign = annotate.new(tmp_path / "campaign", result, annotate.protocol_of("likert", ["tone"]), ["ana"])
    rated(campaign, "ana", lambda item: {"tone": 1 + len(item.segment + item.systems[0]) % 5})
    campaign = annotate.Campaign.open(tmp_path / "campaign")
    means = {
        row["system"]: row["estimate"] for row in annotate.state_of(campaign, campaign.records()).estimates
    }
    judged = Judgments.from_result(annotate.with_ratings(result, campaign.directory), ["human.tone"])
    assert dict(zip(judged.systems, judged.human("human.tone").mean(axis=1), strict=True)) == pytest.approx(
        means
    )
    assert set(annotate.__all__) == {*annotate.__all__, "Campaign", "new", "serve"}
