"""Proposals: after each block, metrics choose the next segments, and the estimates know their probabilities."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from rating_cases import corpus, rated

import nlgauge
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.creating import new
from nlgauge.annotate.items import Item
from nlgauge.annotate.metrics import metrics_of
from nlgauge.annotate.pages import offline_page
from nlgauge.annotate.plan import Until
from nlgauge.annotate.proposals import noted
from nlgauge.annotate.protocols import protocol_of
from nlgauge.annotate.rows import rows
from nlgauge.annotate.state import state_of
from nlgauge.cli.commands import app
from nlgauge.errors import NlgaugeError, ParameterError
from nlgauge.meta import estimate, segments_to_label
from nlgauge.meta.labeling.selection import strata_of


@pytest.fixture(scope="module")
def result() -> nlgauge.Result:
    """Three systems, whose scores are high for some segments and low for others."""
    texts = corpus()
    predictions = {
        system: [f"reference {number * place}" for number in range(30)]
        for place, system in enumerate(texts.systems, 1)
    }
    references = [f"reference {number}" for number in range(30)]
    return nlgauge.score(predictions, references, metrics=["chrf"], ids=texts.ids)


def made(
    tmp_path: Path, result: nlgauge.Result, annotators: tuple[str, ...] = ("ana", "ben"), **options: Any
) -> Campaign:
    return new(tmp_path / "campaign", result, protocol_of("da"), annotators, proposals=True, **options)


# With this seed the shares of the strata differ.
SEED = 6


def grade(item: Item) -> dict[str, Any]:
    return {"da": random.Random(f"{item.segment} {item.systems[0]}").randrange(101)}


def finish(campaign: Campaign, annotator: str, blocks: int) -> Campaign:
    """Rate this many blocks; the campaign with the blocks that were proposed meanwhile."""
    for _ in range(blocks):
        done = {record["item"] for record in campaign.records() if record["annotator"] == annotator}
        with campaign.rating() as rater:
            for key in rater.campaign.order(annotator):
                if key not in done:
                    rater.rate(annotator, key, grade(campaign.items[key]))
        campaign = Campaign.open(campaign.directory)
    return campaign


def test_each_finished_block_is_followed_by_a_proposed_one(tmp_path: Path, result: nlgauge.Result) -> None:
    campaign = made(tmp_path, result, segments=21)
    assert [len(campaign.order(name)) for name in ("ana", "ben")] == [15, 15]
    first = finish(campaign, "ana", 1)
    assert [len(first.order(name)) for name in ("ana", "ben")] == [30, 15]
    (note,) = [record for record in first.records() if record["kind"] == "note"]
    assert first.plan.orders["ana"] == [*campaign.plan.orders["ana"], note["block"]]
    # The proposal is that of meta, with the segments of ben pending.
    human = np.full((3, 30), np.nan)
    for key in campaign.order("ana"):
        item = campaign.items[key]
        human[campaign.plan.systems.index(item.systems[0]), int(item.segment[4:])] = grade(item)["da"]
    expected = segments_to_label(
        human,
        5,
        metrics_of(campaign, list(campaign.texts)),
        segments=list(campaign.texts),
        pending=np.isin(list(campaign.texts), campaign.plan.segments),
        strata=3,
        seed=12345 + 10,
    )
    assert note["proposed"] == [
        {"segment": row["segment"], "probability": round(row["probability"], 6)}
        for row in expected
        if row["proposed"]
    ]
    # Ten, five, then six: a single last segment would have its items as neighbors.
    last = finish(finish(first, "ben", 1), "ana", 3)
    assert len(last.plan.segments) == len(set(last.plan.segments)) == 21
    assert [len(last.order(name)) for name in ("ana", "ben")] == [30, 33]
    for name in ("ana", "ben"):
        assert set(Counter(last.items[key].segment for key in last.order(name)).values()) == {3}


def test_estimates_have_the_share_of_finished_segments_as_probabilities(
    tmp_path: Path, result: nlgauge.Result
) -> None:
    campaign = finish(finish(made(tmp_path, result, segments=25, seed=SEED), "ana", 2), "ben", 1)
    # One item of the next block of ben is rated: that block is not finished.
    with campaign.rating() as rater:
        rater.rate("ben", campaign.order("ben")[15], {"da": 1})
    campaign = Campaign.open(campaign.directory)
    state = state_of(campaign, campaign.records())
    assert (state.finished, state.segments) == (15, 25)
    metrics = metrics_of(campaign, list(campaign.texts))
    stratum = strata_of(metrics, 3)
    human = np.full((3, 30), np.nan)
    for row in rows(campaign):
        human[campaign.plan.systems.index(row["system"]), int(row["segment"][4:])] = row["human"]["da"]
    half = {campaign.items[key].segment for key in campaign.order("ben")[15:]}
    human[:, [int(name[4:]) for name in half]] = np.nan
    finished = np.isfinite(human).all(axis=0)
    shares = np.array([finished[stratum == h].mean() for h in range(3)])
    assert len(set(shares)) > 1
    expected = estimate(
        human,
        metrics,
        systems=campaign.plan.systems,
        drawn="segments",
        probabilities=shares[stratum],
        seed=SEED,
    )
    for row, other in zip(state.estimates, expected, strict=True):
        for name in ("estimate", "low", "high", "classical_low", "labels"):
            assert row[name] == pytest.approx(other[name])
    assert "Metrics propose segments" in state.selected


def test_nothing_is_estimated_before_each_stratum_has_two_finished_segments(
    tmp_path: Path, result: nlgauge.Result
) -> None:
    campaign = made(tmp_path, result, ("ana", "ben", "cem"), segments=30)
    assert campaign.plan.proposals is not None
    assert campaign.plan.proposals.strata == 5
    campaign = finish(campaign, "ana", 1)
    state = state_of(campaign, campaign.records())
    assert state.finished == 5
    assert state.estimates == state.differences == []


def test_a_proposal_that_fails_loses_no_rating(
    tmp_path: Path, result: nlgauge.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = made(tmp_path, result, ("ana",), segments=10)
    metrics = campaign.directory / "metrics.npz"
    metrics.rename(tmp_path / "aside.npz")
    rated(campaign, "ana", grade)
    assert [record["kind"] for record in campaign.records()] == ["rating"] * 15
    (tmp_path / "aside.npz").rename(metrics)
    with campaign.rating() as rater:
        assert len(rater.campaign.order("ana")) == 30
    assert Campaign.open(campaign.directory).plan == noted(campaign.plan, campaign.records())


def test_the_export_warns_of_unequal_probabilities(tmp_path: Path, result: nlgauge.Result) -> None:
    campaign = finish(made(tmp_path, result, ("ana",), segments=10), "ana", 2)
    words = ["annotate", "export", str(campaign.directory), "-o", str(tmp_path / "ratings.jsonl")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0
    assert "means of this file are biased" in done.stderr
    assert len((tmp_path / "ratings.jsonl").read_text("utf-8").splitlines()) == 30


def test_an_undone_rating_proposes_nothing_twice(tmp_path: Path, result: nlgauge.Result) -> None:
    campaign = finish(made(tmp_path, result, ("ana",), segments=20), "ana", 1)
    with campaign.rating() as rater:
        key = campaign.order("ana")[0]
        rater.undo("ana", key)
        rater.rate("ana", key, {"da": 3})
    assert [record["kind"] for record in campaign.records()].count("note") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"overlap": 0.5}, "leave out overlap"),
        ({"repeats": 0.5}, "leave out overlap"),
        ({"ids": ["seg-1", "seg-2"]}, "named segments"),
        ({"until": Until(sure=True)}, "advice to stop"),
        ({"segments": 31}, "1 to 30"),
    ],
)
def test_what_proposals_cannot_be_combined_with(
    tmp_path: Path, result: nlgauge.Result, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        made(tmp_path, result, **options)
    assert not (tmp_path / "campaign").exists()


def test_proposals_need_metrics_and_the_server(tmp_path: Path, result: nlgauge.Result) -> None:
    with pytest.raises(ParameterError, match="metric that scores segments"):
        new(tmp_path / "c", corpus(), protocol_of("da"), ["ana"], proposals=True)
    campaign = made(tmp_path, result)
    with pytest.raises(NlgaugeError, match="needs the server"):
        offline_page(campaign, "ana", tmp_path / "ana.html")


def test_pending_segments_are_not_proposed_again() -> None:
    rng = np.random.default_rng(3)
    metrics = {"m": rng.normal(size=(2, 40))}
    pending = np.arange(40) % 2 == 0
    found = segments_to_label(np.full((2, 40), np.nan), 10, metrics, pending=pending)
    assert not any(row["proposed"] for row, waits in zip(found, pending, strict=True) if waits)
    assert sum(found.column("proposed")) == 10
    shares = np.array(found.column("probability"))
    stratum = strata_of(metrics, 5)
    taken = pending | np.array(found.column("proposed"))
    assert shares == pytest.approx(np.array([taken[stratum == h].mean() for h in stratum]))
    with pytest.raises(NlgaugeError, match="one truth value per segment"):
        segments_to_label(np.full((2, 40), np.nan), 10, metrics, pending=pending[:3])
