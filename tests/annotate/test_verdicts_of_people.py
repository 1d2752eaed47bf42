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
from nlgauge.annotate.interchange import write_ratings
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
