"""The state for the organizer: only finished blocks count, and only ratings allow to stop."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rating_cases import corpus, made, rated

import nlgauge
from nlgauge.annotate.builtin import PROTOCOLS
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.creating import new
from nlgauge.annotate.items import Item
from nlgauge.annotate.plan import Until
from nlgauge.annotate.state import state_of
from nlgauge.annotate.stopping import decision_of
from nlgauge.meta import estimate
from nlgauge.stats.sequential.anytime import anytime

_QUALITY = {"alpha": 80, "beta": 60, "gamma": 40}


def noisy(item: Item) -> dict[str, Any]:
    noise = random.Random(f"{item.segment} {item.systems[0]}").randrange(-9, 10)
    return {"da": max(0, min(100, _QUALITY[item.systems[0]] + noise))}


def test_estimates_are_those_of_meta_on_finished_blocks(tmp_path: Path) -> None:
    campaign = made(tmp_path, segments=20)
    rated(campaign, "ana", noisy, 17)
    state = state_of(campaign, campaign.records())
    blocks = campaign.plan.orders["ana"]
    segments = {campaign.items[key].segment for key in blocks[0]}
    assert state.finished == len(segments) == 5
    human = np.full((3, 30), np.nan)
    for key in blocks[0]:
        item = campaign.items[key]
        human[list(_QUALITY).index(item.systems[0]), int(item.segment[4:])] = noisy(item)["da"]
    expected = estimate(human, None, systems=list(_QUALITY), drawn="segments", seed=12345)
    for row, other in zip(state.estimates, expected, strict=True):
        assert [row[name] for name in ("system", "estimate", "low", "high", "labels", "of")] == [
            other[name] for name in ("system", "estimate", "low", "high", "labels", "of")
        ]
    assert {row["better"] for row in state.differences} == {"alpha", "beta"}
    assert state.decision is None
    assert "stop" not in str(state.plain()).lower()


def test_the_number_of_segments_for_a_width_is_that_of_meta(tmp_path: Path) -> None:
    campaign = made(tmp_path, segments=10, annotators=("ana",))
    rated(campaign, "ana", noisy)
    state = state_of(campaign, campaign.records(), 5.0)
    human = np.full((3, 30), np.nan)
    for segment in campaign.plan.segments:
        for place, system in enumerate(_QUALITY):
            human[place, int(segment[4:])] = noisy(Item("", segment, [system]))["da"]
    expected = estimate(human, None, systems=list(_QUALITY), drawn="segments").labels_needed(5.0)
    assert [row["needed"] for row in state.needed] == [row["needed"] for row in expected]
    assert state_of(campaign, campaign.records()).needed == []


def test_marks_have_an_agreement(tmp_path: Path) -> None:
    campaign = made(tmp_path, "esa", segments=5, overlap=1.0)
    mark = {"start": 0, "end": 4, "severity": "minor"}
    with campaign.rating() as rater:
        for number, key in enumerate(campaign.order("ana")):
            rater.rate("ana", key, {"esa": 50}, [mark])
            rater.rate("ben", key, {"esa": 50}, [mark] if number else [])
    (row,) = [row for row in state_of(campaign, campaign.records()).agreement if row["dimension"] == "marks"]
    assert row["n"] == 15
    assert row["value"] == pytest.approx(2 * 14 / 29)


def test_nothing_is_estimated_from_one_segment(tmp_path: Path) -> None:
    campaign = made(tmp_path, segments=1)
    rated(campaign, "ana", noisy)
    rated(campaign, "ben", noisy)
    state = state_of(campaign, campaign.records())
    assert (state.estimates, state.differences, state.agreement) == ([], [], [])


def test_equal_systems_are_not_called_different(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    rated(campaign, "ana", {"da": 50})
    rated(campaign, "ben", {"da": 50})
    assert {row["better"] for row in state_of(campaign, campaign.records()).differences} == {None}


def test_agreement_needs_five_shared_outputs(tmp_path: Path) -> None:
    campaign = made(tmp_path, overlap=1.0, segments=3)
    rated(campaign, "ana", noisy)
    shared = set(campaign.order("ana"))
    for count, known in ((4, False), (5, True)):
        rated(campaign, "ben", noisy, count)
        state = state_of(campaign, campaign.records())
        assert state.shared == count
        assert bool(state.agreement) == known
    assert len(shared) == 9
    alpha = next(row for row in state.agreement if row["coefficient"].startswith("krippendorff"))
    assert alpha["value"] == 1.0


def test_metrics_of_a_result_help_to_estimate(tmp_path: Path) -> None:
    texts = corpus()
    result = nlgauge.Scorer(["chrf"]).score_corpus(texts, None, _options())
    campaign = new(tmp_path / "campaign", result, PROTOCOLS["da"], ["ana"], segments=12)
    rated(campaign, "ana", noisy)
    state = state_of(Campaign.open(campaign.directory), campaign.records())
    assert state.metrics == ["chrf"]
    assert {row["of"] for row in state.estimates} == {30}
    assert len(state.surprises) == 5


def _options() -> Any:
    from nlgauge.engine.run_options import run_options

    return run_options()


@pytest.mark.parametrize(("values", "enough"), [(noisy, True), (lambda _: {"da": 50}, False)])
def test_planned_looks_decide_on_ratings(tmp_path: Path, values: Callable[[Item], Any], enough: bool) -> None:
    campaign = made(tmp_path, until=Until(sure=True))
    rated(campaign, "ana", values)
    rated(campaign, "ben", values)
    decision = decision_of(campaign, campaign.records())
    assert decision is not None
    assert (decision.units, decision.of, decision.enough) == (30, 30, enough)
    assert [row["better"] for row in decision.rows] == (["alpha", "alpha", "beta"] if enough else [None] * 3)
    # The level is shared by the three pairs.
    assert all(row["alpha"] <= 0.05 / 3 + 1e-12 for row in decision.rows)


def test_no_look_before_its_units_are_finished(tmp_path: Path) -> None:
    campaign = made(tmp_path, until=Until(sure=True))
    rated(campaign, "ana", noisy)
    decision = decision_of(campaign, campaign.records())
    assert decision is not None
    assert not decision.enough
    assert {row["looks"] for row in decision.rows} == {0}


def test_a_later_change_changes_no_look(tmp_path: Path) -> None:
    campaign = made(tmp_path, until=Until(sure=True), annotators=("ana",))
    order = campaign.order("ana")
    rated(campaign, "ana", noisy, 60)
    before = decision_of(campaign, campaign.records())
    assert before is not None
    assert before.enough
    rated(campaign, "ana", {"da": 50}, 60)
    with campaign.rating() as rater:
        for key in order[60:]:
            rater.rate("ana", key, noisy(campaign.items[key]))
    after = decision_of(campaign, campaign.records())
    assert after is not None
    assert (after.units, after.rows) == (30, before.rows)


def test_the_width_is_of_the_anytime_interval_of_ratings(tmp_path: Path) -> None:
    campaign = made(tmp_path, until=Until(width=60.0), annotators=("ana",))
    rated(campaign, "ana", noisy)
    decision = decision_of(campaign, campaign.records())
    assert decision is not None
    order = {unit: number for number, unit in enumerate(campaign.plan.units)}
    for row in decision.rows:
        values = np.empty(30)
        for key in campaign.order("ana"):
            item = campaign.items[key]
            if item.systems == [row["system"]]:
                values[order[item.unit]] = noisy(item)["da"]
        found = anytime(values - 50, scale=50, alpha=0.05 / 3)
        assert row["low"] == pytest.approx(found.low + 50)
        assert row["high"] == pytest.approx(found.high + 50)
        assert row["enough"] == (found.high - found.low <= 60)
