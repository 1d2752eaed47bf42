"""Skips: an item that cannot be rated is finished, but is never a score, and no system looks better silently."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from rating_cases import SYSTEMS, corpus, made, rated

import nlgauge
from nlgauge import annotate
from nlgauge.annotate import log
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.checks import failed, progress
from nlgauge.annotate.files.formats import write_ratings
from nlgauge.annotate.items import Item
from nlgauge.annotate.metrics import metrics_of
from nlgauge.annotate.plan import Until
from nlgauge.annotate.responses import ratings_of
from nlgauge.annotate.rows import pairs, rows
from nlgauge.annotate.state import State, state_of
from nlgauge.annotate.stopping import decision_of
from nlgauge.cli.commands import app
from nlgauge.errors import InputError, ResultError
from nlgauge.meta import Judgments, estimate
from nlgauge.meta.benchmarks.rows import read_lines
from nlgauge.meta.labeling.selection import strata_of

_QUALITY = {"alpha": 80, "beta": 60, "gamma": 40}


def value(item: Item) -> int:
    """The quality of the system, and a number of the segment."""
    return _QUALITY[item.systems[0]] + int(item.segment[4:]) % 7


def respond(
    campaign: Campaign, annotator: str, skips: Sequence[tuple[str, str]] = (), harder: int = 0
) -> None:
    """Rate everything but the (segment, system) pairs to skip; a strict annotator is harder."""
    with campaign.rating() as rater:
        for key in campaign.order(annotator):
            item = campaign.items[key]
            if (item.segment, item.systems[0]) in skips:
                rater.skip(annotator, key, "cannot be read", active=2.0)
            else:
                rater.rate(annotator, key, {"da": value(item) - harder}, active=4.0)


def state(campaign: Campaign) -> State:
    return state_of(campaign, campaign.records())


def test_a_skip_finishes_a_block_and_is_no_score(tmp_path: Path) -> None:
    campaign = made(tmp_path, annotators=("ana",), segments=10)
    hard = campaign.plan.segments[3]
    respond(campaign, "ana", [(hard, "alpha")])
    found = state(campaign)
    assert found.finished == 10
    human = np.full((3, 30), np.nan)
    for segment in campaign.plan.segments:
        for place, system in enumerate(SYSTEMS):
            if segment != hard:  # for all systems
                human[place, int(segment[4:])] = value(Item("", segment, [system]))
    expected = estimate(human, None, systems=list(SYSTEMS), drawn="segments")
    for row, other in zip(found.estimates, expected, strict=True):
        assert [row[name] for name in ("estimate", "low", "high", "labels")] == [
            other[name] for name in ("estimate", "low", "high", "labels")
        ]
    assert found.skips == [
        {"system": system, "skipped": int(system == "alpha"), "of": 10} for system in SYSTEMS
    ]
    assert found.skipped == [
        {"annotator": "ana", "segment": hard, "systems": ["alpha"], "reason": "cannot be read"}
    ]
    assert "1 skipped text has no score (alpha 1 of 10)" in found.selected
    assert "leave out 1 finished segment" in found.selected
    (ana,) = found.annotators
    assert (ana["done"], ana["of"], ana["skipped"], ana["checks_skipped"]) == (30, 30, 1, 0)
    assert (ana["median_seconds"], ana["hours_left"]) == (4.0, 0.0)


def test_a_system_whose_hard_texts_are_skipped_does_not_look_better_than_the_others(tmp_path: Path) -> None:
    """Equal systems; every text of three segments is bad, and those of alpha are skipped."""
    campaign = made(tmp_path, annotators=("ana",), segments=10)
    bad = campaign.plan.segments[:3]
    with campaign.rating() as rater:
        for key in campaign.order("ana"):
            item = campaign.items[key]
            if item.segment in bad and item.systems == ["alpha"]:
                rater.skip("ana", key)
            else:
                rater.rate("ana", key, {"da": 10 if item.segment in bad else 90})
    found = state(campaign)
    assert {row["estimate"] for row in found.differences} == {0.0}
    assert "(alpha 3 of 10)" in found.selected
    assert "looks better than it is" in found.selected
    done = CliRunner().invoke(app, ["annotate", "status", str(campaign.directory)])
    assert "(alpha 3 of 10)" in done.stdout and "leave out 3 finished segments" in done.stdout


def test_a_strict_annotator_who_skips_one_system_makes_no_difference(tmp_path: Path) -> None:
    """Two annotators rate equal systems; the strict one skips half of the texts of alpha."""
    campaign = made(tmp_path, segments=10, overlap=1.0, until=Until(width=60.0))
    half = campaign.plan.segments[::2]
    with campaign.rating() as rater:
        for annotator, score in (("ana", 20), ("ben", 80)):
            for key in campaign.order(annotator):
                item = campaign.items[key]
                if annotator == "ana" and item.segment in half and item.systems == ["alpha"]:
                    rater.skip(annotator, key)
                else:
                    rater.rate(annotator, key, {"da": score})
    found = state(campaign)
    assert found.finished == 10
    assert {row["estimate"] for row in found.differences} == {0.0}
    assert {row["estimate"] for row in found.estimates} == {65.0}
    # Ben rated all of these segments, so none is left out.
    assert "(alpha 5 of 20)" in found.selected and "leave out" not in found.selected
    assert found.decision is not None
    assert {row["mean"] for row in found.decision.rows} == {65.0}


def test_a_skip_is_taken_back_or_replaced(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    key = campaign.order("ana")[0]
    with campaign.rating() as rater:
        rater.rate("ana", key, {"da": 7})
        rater.skip("ana", key, "broken")
        assert ratings_of(campaign) == {}
        rater.undo("ana", key)
        assert ratings_of(campaign)["ana", key]["answers"] == {"da": 7}
        rater.skip("ana", key)
        rater.rate("ana", key, {"da": 9})
    assert ratings_of(campaign)["ana", key]["answers"] == {"da": 9}
    assert [record["kind"] for record in campaign.records()] == ["rating", "skip", "undo", "skip", "rating"]
    (row,) = rows(campaign)
    assert row["human"] == {"da": 9}
    assert "skipped" not in row["meta"]
    assert state(campaign).skips == []


@pytest.mark.parametrize("reason", [None, 5, "x" * 2001, ["x"], b"x"])
def test_wrong_reasons_are_refused(tmp_path: Path, reason: Any) -> None:
    campaign = made(tmp_path)
    key = campaign.order("ana")[0]
    of_ben = next(key for key in campaign.order("ben") if key not in campaign.order("ana"))
    with campaign.rating() as rater:
        with pytest.raises(InputError, match="reason of a skip"):
            rater.skip("ana", key, reason)
        with pytest.raises(InputError, match="no such item"):
            rater.skip("ana", of_ben)
        with pytest.raises(InputError, match="seconds"):
            rater.skip("ana", key, seconds=float("inf"))
        with pytest.raises(InputError, match="request"):
            rater.skip("ana", key, request="")
    assert campaign.records() == []


def test_skipped_texts_are_missing_in_the_export(tmp_path: Path) -> None:
    campaign = made(tmp_path, segments=10, overlap=1.0)
    one, both = campaign.plan.segments[:2]
    respond(campaign, "ana", [(one, "alpha"), (both, "beta")])
    respond(campaign, "ben", [(both, "beta")], harder=10)
    file = tmp_path / "ratings.jsonl"
    done = CliRunner().invoke(app, ["annotate", "export", str(campaign.directory), "-o", str(file)])
    assert "warning: 3 skipped texts have no score (alpha 1 of 20, beta 2 of 20)" in done.stderr
    found = {
        (row["segment"], row["system"]): row for row in map(json.loads, file.read_text("utf-8").splitlines())
    }
    assert len(found) == 30
    row = found[one, "alpha"]
    assert row["human"]["da"] == row["human_raw"]["da"][1]
    assert row["human_raw"]["da"][0] is None
    assert row["meta"]["skipped"] == [["cannot be read"], None]
    row = found[both, "beta"]
    assert (row["human"], row["human_raw"]) == ({"da": None}, {"da": [None, None]})
    assert row["meta"]["skipped"] == [["cannot be read"]] * 2
    assert sum("skipped" in row["meta"] for row in found.values()) == 2
    by_cell = {(row.segment, row.system): row.human["da"] for row in read_lines(file)[0]}
    assert [cell for cell, score in by_cell.items() if np.isnan(score)] == [(both, "beta")]


@pytest.mark.filterwarnings("default")
def test_commands_read_an_export_with_skips(tmp_path: Path) -> None:
    campaign = made(tmp_path, overlap=1.0)
    for annotator in campaign.plan.annotators:
        respond(campaign, annotator, [(segment, "beta") for segment in campaign.plan.segments[:2]])
    file = tmp_path / "ratings.jsonl"
    assert write_ratings(campaign, file) == []

    def rows_of(*words: str, warning: str = "") -> Any:
        done = CliRunner().invoke(app, ["meta", *words, "--human", "da", "-f", "json"])
        assert done.exit_code == 0, done.output
        assert warning in done.stderr
        return json.loads(done.stdout)["rows"]

    metrics = ("-m", "chrf", "--resamples", "100")
    rows_of(str(file), *metrics, "--level", "system", warning="systems were judged on different inputs")
    (row,) = rows_of(str(file), *metrics, "--level", "global", "--coefficient", "pearson")
    assert row["n"] == 88
    for row in rows_of("estimate", str(file), "-m", "chrf", "--differences"):
        assert row["labels"] == (28 if "beta" in (row["system"], row["other"]) else 30)
    assert {row["n"] for row in rows_of("agreement", str(file))} <= {88, 90}


def test_results_get_no_ratings_of_skipped_texts(tmp_path: Path) -> None:
    texts = corpus(8)
    predictions = {name: [f"text {number} of {name}" for number in range(8)] for name in SYSTEMS}
    result = nlgauge.score(
        predictions, [f"text {number}" for number in range(8)], metrics=["chrf"], ids=texts.ids
    )
    campaign = annotate.new(
        tmp_path / "campaign", result, annotate.protocol_of("da"), ["ana", "ben"], overlap=1.0
    )
    respond(campaign, "ana", [("seg-3", "beta")])
    respond(campaign, "ben", [("seg-3", "beta"), ("seg-4", "gamma")])
    judged = Judgments.from_result(annotate.with_ratings(result, campaign.directory), ["human.da"])
    other = annotate.new(tmp_path / "other", result, annotate.protocol_of("da"), ["ana"], segments=2)
    respond(other, "ana", [(segment, system) for segment in other.plan.segments for system in SYSTEMS])
    with pytest.raises(InputError, match="has no ratings"):
        annotate.with_ratings(result, other.directory)
    missing = np.argwhere(np.isnan(judged.human("human.da"))).tolist()
    assert missing == [[judged.systems.index("beta"), 3]]


def test_other_formats_name_skips_and_checks_as_lost(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text(
        '{"prediction": "good", "source": "s", "answers": {"esa": {"low": 90, "high": 100}}}\n', "utf-8"
    )
    campaign = made(tmp_path, "esa", ("ana",), segments=20, repeats=0.05, gold=gold)
    first, *others = campaign.order("ana")
    with campaign.rating() as rater:
        rater.skip("ana", first, "empty")
        for key in others:
            rater.rate("ana", key, {"esa": 50}, [{"start": 0, "end": 4, "severity": "minor"}])
    for form in ("mqm", "appraise", "label-studio", "pearmut", "factgenie", "mtme", "inline"):
        lost = write_ratings(campaign, tmp_path / "file", form)
        assert lost[-2:] == ["1 skip", "answers to checks: 1 gold, 3 repeat"], form
        # A skipped text is not a text without errors.
        if form in ("mqm", "inline"):
            lines = (tmp_path / "file").read_text("utf-8").splitlines()
            assert len(lines) - (form == "mqm") == 59


def test_a_skipped_pair_is_no_verdict_and_no_tie(tmp_path: Path) -> None:
    campaign = made(tmp_path, "pairwise", ("ana",), segments=4)
    with campaign.rating() as rater:
        for number, key in enumerate(campaign.order("ana")):
            if number:
                rater.rate("ana", key, {"preferred": 0})
            else:
                rater.skip("ana", key)
    skipped = campaign.items[campaign.order("ana")[0]]
    found = list(pairs(campaign))
    assert len(found) == 11
    assert not [
        row
        for row in found
        if row["segment"] == skipped.segment and {row["first"], row["second"]} == set(skipped.systems)
    ]
    assert write_ratings(campaign, tmp_path / "pairs.jsonl", "pairs") == ["1 skip"]
    # The two systems have a score from the other pair, but estimates leave the segment out.
    by_cell = {(row["segment"], row["system"]): row for row in rows(campaign)}
    assert by_cell[skipped.segment, skipped.systems[0]]["meta"]["skipped"] == [[""]]
    assert {row["labels"] for row in state(campaign).estimates} == {3}


def test_skipped_checks_are_neither_passed_nor_failed(tmp_path: Path) -> None:
    campaign = made(tmp_path, annotators=("ana", "ben"), damaged=0.3, repeats=0.1)
    with campaign.rating() as rater:
        for annotator in ("ana", "ben"):
            for key in campaign.order(annotator):
                item = campaign.items[key]
                if (annotator == "ben") == (item.kind == "rate"):
                    rater.skip(annotator, key)
                else:
                    rater.rate(annotator, key, {"da": 50})
    for found in progress(campaign, campaign.records()):
        assert found["done"] == found["of"]
        # Those of ben have no original to compare with.
        assert (found["damaged"], found["damaged_p"], found["repeat_difference"]) == (0, None, None)
    ana, ben = progress(campaign, campaign.records())
    checks = sum(campaign.items[key].kind != "rate" for key in campaign.order("ana"))
    assert (ana["skipped"], ana["checks_skipped"], ana["repeats"]) == (checks, checks, 0)
    assert (ben["skipped"], ben["checks_skipped"]) == (45, 0)
    assert failed(campaign, campaign.records()) == []
    # Skipped checks are no skips of systems.
    assert {row["skipped"] for row in state(campaign).skips} == {15}
    done = CliRunner().invoke(app, ["annotate", "status", str(campaign.directory)])
    assert f"{checks} ({checks} checks)" in done.stdout


@pytest.mark.parametrize("until", [Until(sure=True), Until(width=30.0)])
def test_nothing_is_decided_from_skips(tmp_path: Path, until: Until) -> None:
    campaign = made(tmp_path, annotators=("ana",), until=until)
    with campaign.rating() as rater:
        for key in campaign.order("ana"):
            rater.skip("ana", key)
    decision = decision_of(campaign, campaign.records())
    assert decision is not None
    assert (decision.units, decision.enough) == (30, False)
    found = state(campaign)
    assert (found.finished, found.estimates, found.differences) == (30, [], [])
    assert "leave out 30 finished segments" in found.selected
    json.dumps(found.plain(), allow_nan=False)


def test_looks_leave_out_skipped_segments_for_all_systems(tmp_path: Path) -> None:
    campaign = made(tmp_path, annotators=("ana",), until=Until(sure=True))
    respond(campaign, "ana", [(segment, "gamma") for segment in campaign.plan.segments[:6]])
    decision = decision_of(campaign, campaign.records())
    assert decision is not None
    assert decision.units == 30
    assert [row["better"] for row in decision.rows] == ["alpha", "alpha", "beta"]
    (unchanged,) = {row["difference"] for row in decision.rows if row["other"] == "beta"}
    assert unchanged == pytest.approx(20)
    # A rating that replaces a skip after a look changes no look.
    with campaign.rating() as rater:
        for (annotator, key), record in log.current(rater.log.records).items():
            if record["kind"] == "skip":
                rater.rate(annotator, key, {"da": 100})
    assert decision_of(campaign, campaign.records()) == decision


def test_a_skipped_block_is_followed_by_a_proposed_one(tmp_path: Path) -> None:
    texts = corpus()
    predictions = {
        system: [f"reference {number * place}" for number in range(30)]
        for place, system in enumerate(SYSTEMS, 1)
    }
    result = nlgauge.score(
        predictions, [f"reference {number}" for number in range(30)], metrics=["chrf"], ids=texts.ids
    )
    campaign = annotate.new(
        tmp_path / "campaign", result, annotate.protocol_of("da"), ["ana"], segments=20, proposals=True
    )
    first = campaign.order("ana")
    with campaign.rating() as rater:
        for number, key in enumerate(first):
            if number:
                rater.rate("ana", key, {"da": value(campaign.items[key])})
            else:
                rater.skip("ana", key)
        assert len(rater.campaign.order("ana")) == 30
    campaign = Campaign.open(campaign.directory)
    assert len(campaign.plan.segments) == len(set(campaign.plan.segments)) == 10
    with campaign.rating() as rater:
        for _ in range(3):
            for key in rater.campaign.order("ana"):
                if ("ana", key) not in log.current(rater.log.records):
                    rater.rate("ana", key, {"da": value(campaign.items[key])})
    campaign = Campaign.open(campaign.directory)
    found = state(campaign)
    assert found.finished == 20
    # The probability of a segment is the share of its stratum that is finished and rated.
    human = np.full((3, 30), np.nan)
    for row in rows(campaign):
        if row["human"]["da"] is not None:
            human[SYSTEMS.index(row["system"]), int(row["segment"][4:])] = row["human"]["da"]
    whole = np.isfinite(human).all(axis=0)
    human[:, ~whole] = np.nan
    metrics = metrics_of(campaign, list(campaign.texts))
    assert campaign.plan.proposals is not None
    stratum = strata_of(metrics, campaign.plan.proposals.strata)
    shares = np.array([whole[stratum == number].mean() for number in stratum])
    assert whole.sum() == 19 and len(set(shares)) > 1
    expected = estimate(human, metrics, systems=list(SYSTEMS), drawn="segments", probabilities=shares)
    for row, other in zip(found.estimates, expected, strict=True):
        for name in ("estimate", "low", "high", "labels"):
            assert row[name] == pytest.approx(other[name])


def test_other_events_change_no_rating(tmp_path: Path) -> None:
    campaign = made(tmp_path, segments=10, until=Until(sure=True))
    for annotator in ("ana", "ben"):
        respond(campaign, annotator, [(campaign.plan.segments[0], "beta")])
    before, exported = state(campaign).plain(), list(rows(campaign))
    with campaign.rating() as rater:
        rater.opened("ana", request="page.open")
        rater.opened("ana", request="page.open")
        rater.opened("ana", request="other.open")
        rater.merging("nothing.jsonl", 0)
    assert [record["kind"] for record in campaign.records()][-3:] == ["opened", "opened", "merged"]
    after = state(Campaign.open(campaign.directory)).plain()
    assert [row.pop("opened") for row in before["annotators"]] == [0, 0]
    assert [row.pop("opened") for row in after["annotators"]] == [2, 0]
    assert after == before
    assert list(rows(campaign)) == exported


def test_a_log_without_skips_is_read_as_before(tmp_path: Path) -> None:
    """Lines as earlier versions wrote them: ratings and undo only."""
    campaign = made(tmp_path, annotators=("ana",), segments=5)
    key, other = campaign.order("ana")[:2]
    common = {
        "annotator": "ana",
        "shown": [0],
        "active": 1.0,
        "seconds": 1.0,
        "protocol": campaign.protocol_digest,
    }
    lines = [
        {"n": 0, "at": 1.0, "kind": "rating", "item": key, "answers": {"da": 5}, **common},
        {"n": 1, "at": 2.0, "kind": "rating", "item": other, "answers": {"da": 6}, **common},
        {"n": 2, "at": 3.0, "kind": "undo", "annotator": "ana", "item": other},
    ]
    (campaign.directory / "ratings.jsonl").write_bytes(b"".join(map(log.encoded, lines)))
    assert {owner: record["answers"] for owner, record in ratings_of(campaign).items()} == {
        ("ana", key): {"da": 5}
    }
    with campaign.rating() as rater:
        assert rater.skip("ana", other) == 3


def test_kinds_of_another_version_are_named_and_not_thrown_away(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    rated(campaign, "ana", {"da": 5}, 2)
    file = campaign.directory / "ratings.jsonl"
    content = file.read_bytes() + log.encoded(
        {"n": 2, "at": 1.0, "kind": "pause", "annotator": "ana", "item": ""}
    )
    file.write_bytes(content)
    message = (
        r"line 3 of ratings\.jsonl has the kind 'pause'.*reads rating, skip.*use the version that wrote it"
    )
    with pytest.raises(ResultError, match=message):
        campaign.records()
    with pytest.raises(ResultError, match=message), campaign.rating():
        pass
    # It is neither a damaged line nor an incomplete one.
    assert campaign.repair() == 0
    assert file.read_bytes() == content
    done = CliRunner().invoke(app, ["annotate", "status", str(campaign.directory)])
    assert done.exit_code == 1
    assert "has the kind 'pause'" in done.stderr


@pytest.mark.parametrize(
    "record",
    [
        {"n": 1, "kind": "skip", "annotator": "ana", "item": "x", "active": 1.0},
        {"n": 1, "kind": "skip", "annotator": "ana", "item": "x", "reason": 5, "active": 1.0},
        {"n": 1, "kind": "skip", "annotator": "ana", "item": "x", "reason": ""},
        {"n": 1, "kind": "merged", "annotator": "", "item": "", "events": 1},
        {"n": 1, "kind": "opened", "item": ""},
    ],
)
def test_events_without_their_fields_are_damaged(tmp_path: Path, record: dict[str, Any]) -> None:
    campaign = made(tmp_path)
    (campaign.directory / "ratings.jsonl").write_bytes(log.encoded(record) + b"\n")
    with pytest.raises(ResultError, match=r"line 1 .* damaged"):
        campaign.records()


def test_a_skip_that_a_crash_cut_off_was_not_saved(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    first, second = campaign.order("ana")[:2]
    with campaign.rating() as rater:
        rater.skip("ana", first, "grün")
        rater.skip("ana", second, "empty")
    file = campaign.directory / "ratings.jsonl"
    content = file.read_bytes()
    start = content[:-1].rindex(b"\n") + 1
    for end in range(start, len(content)):
        file.write_bytes(content[:end])
        assert [record["reason"] for record in campaign.records()] == ["grün"]
    with campaign.rating() as rater:
        assert rater.log.notes
        assert rater.skip("ana", second) == 1
