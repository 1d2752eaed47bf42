"""Campaigns: whole segments, blind items, and a log that loses nothing that it acknowledged."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rating_cases import SYSTEMS, corpus, made, rated

from nlgauge.annotate import assignment, log
from nlgauge.annotate.adding import add
from nlgauge.annotate.builtin import PROTOCOLS
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.checks import progress
from nlgauge.annotate.creating import new
from nlgauge.annotate.protocols import protocol_of
from nlgauge.annotate.rows import export
from nlgauge.annotate.state import state_of
from nlgauge.errors import InputError, NlgaugeError, ParameterError, ResultError, UnknownNameError
from nlgauge.meta.benchmarks.rows import read_lines


@pytest.mark.parametrize("seed", range(20))
def test_annotators_get_whole_segments_in_equal_shares(tmp_path: Path, seed: int) -> None:
    campaign = made(tmp_path, annotators=("ana", "ben", "cem"), overlap=0.2, segments=25, seed=seed)
    by_annotator = {}
    for annotator in campaign.plan.annotators:
        items = [campaign.items[key] for key in campaign.order(annotator)]
        counts = Counter(item.segment for item in items)
        assert set(counts.values()) == {len(SYSTEMS)}
        assert all(one.segment != other.segment for one, other in pairwise(items))
        by_annotator[annotator] = set(counts)
    shared = set.intersection(*by_annotator.values())
    assert len(shared) == 5
    assert set.union(*by_annotator.values()) == set(campaign.plan.segments)
    assert sum(len(part - shared) for part in by_annotator.values()) == 20
    sizes = [len(part) for part in by_annotator.values()]
    assert max(sizes) - min(sizes) <= 1
    again = Campaign.open(campaign.directory)
    assert again.plan == campaign.plan
    assert again.items == campaign.items


def test_repeats_come_at_least_twenty_items_later(tmp_path: Path) -> None:
    campaign = made(tmp_path, repeats=0.1)
    order = campaign.order("ana")
    repeats = [key for key in order if campaign.items[key].kind == "repeat"]
    assert len(repeats) == round(0.1 * 45)
    for key in repeats:
        item = campaign.items[key]
        assert order.index(key) - order.index(item.of) > assignment.DISTANCE
        assert item.outputs == campaign.items[item.of].outputs


def test_an_annotator_sees_no_system_and_no_segment(tmp_path: Path) -> None:
    campaign = made(tmp_path, "pairwise", overlap=0.5)
    sent = json.dumps(campaign.work("ana"))
    assert not [name for name in (*SYSTEMS, "seg-", "ben", "ana") if name in sent]
    sides = Counter(tuple(campaign.shown("ana", key)) for key in campaign.order("ana"))
    assert set(sides) == {(0, 1), (1, 0)}
    common = set(campaign.order("ana")) & set(campaign.order("ben"))
    assert any(campaign.shown("ana", key) != campaign.shown("ben", key) for key in common)


def test_systems_occur_equally_often_in_best_worst_screens() -> None:
    screens = assignment.screens(list("abcdef"), 4, random.Random(1))
    assert set(Counter(system for screen in screens for system in screen).values()) == {4}
    assert assignment.screens(list("abc"), 4, random.Random(1)) == [("a", "b", "c")]


@pytest.mark.parametrize(
    ("protocol", "answers"),
    [
        ("da", {}),
        ("da", {"da": True}),
        ("da", {"da": "50"}),
        ("da", {"da": 50.0}),
        ("da", {"da": -1}),
        ("da", {"da": 101}),
        ("da", {"da": None}),
        ("da", {"da": 50, "other": 1}),
        ("da", []),
        ("likert", {"fluency": 3}),
        ("yes_no", {"acceptable": 1}),
        ("pairwise", {"preferred": 2}),
        ("pairwise", {"preferred": -1}),
        ("pairwise", {"preferred": False}),
        ("pairwise", {"preferred": "left"}),
        ("bws", {"best": 1, "worst": 1}),
        ("bws", {"best": "tie", "worst": 1}),
    ],
)
def test_wrong_answers_are_refused_and_nothing_is_written(
    tmp_path: Path, protocol: str, answers: Any
) -> None:
    campaign = made(tmp_path, protocol)
    with campaign.rating() as rater, pytest.raises(InputError, match="not a rating"):
        rater.rate("ana", campaign.order("ana")[0], answers)
    assert campaign.records() == []


def test_items_of_others_and_unknown_items_are_refused(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    of_ben = next(key for key in campaign.order("ben") if key not in campaign.order("ana"))
    with campaign.rating() as rater:
        for key in (of_ben, "", "unknown", -1, 0):
            with pytest.raises(InputError, match="no such item"):
                rater.rate("ana", key, {"da": 1})  # type: ignore[arg-type]
            with pytest.raises(InputError, match="no such item"):
                rater.undo("ana", key)  # type: ignore[arg-type]
        with pytest.raises(UnknownNameError):
            rater.rate("eve", of_ben, {"da": 1})
        with pytest.raises(InputError, match="seconds"):
            rater.rate("ben", of_ben, {"da": 1}, seconds=float("nan"))
    assert campaign.records() == []


def test_undo_is_an_event_and_restores_the_rating_before(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    key = campaign.order("ana")[0]
    with campaign.rating() as rater:
        assert [rater.rate("ana", key, {"da": value}) for value in (0, 70)] == [0, 1]
        assert log.current(campaign.records())["ana", key]["answers"] == {"da": 70}
        rater.undo("ana", key)
        assert log.current(campaign.records())["ana", key]["answers"] == {"da": 0}
        rater.undo("ana", key)
        rater.undo("ana", key)
    assert log.current(campaign.records()) == {}
    assert [record["kind"] for record in campaign.records()] == ["rating", "rating", "undo", "undo", "undo"]


def test_a_repeated_request_is_written_once(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    key = campaign.order("ana")[0]
    for _ in range(2):  # also after a restart
        with campaign.rating() as rater:
            assert [rater.rate("ana", key, {"da": 5}, request="r1") for _ in range(2)] == [0, 0]
    assert len(campaign.records()) == 1


def test_a_log_cut_at_any_byte_of_its_last_line_has_the_state_before_it(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    rated(campaign, "ana", {"da": 5}, 3)
    file = campaign.directory / "ratings.jsonl"
    content = file.read_bytes()
    start = content[:-1].rindex(b"\n") + 1
    for end in range(start, len(content)):
        file.write_bytes(content[:end])
        assert [record["n"] for record in campaign.records()] == [0, 1]
        assert file.read_bytes() == content[:end]
        with campaign.rating() as rater:
            assert file.read_bytes() == content[:start]
            assert bool(rater.log.notes) == (end > start)
    assert sorted(campaign.directory.glob("ratings.torn-*"))[0].read_bytes() == content[start : start + 1]
    with campaign.rating() as rater:
        assert rater.rate("ana", campaign.order("ana")[5], {"da": 1}) == 2


def test_a_flipped_bit_is_noticed_and_repair_sets_the_line_aside(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    rated(campaign, "ana", {"da": 5}, 3)
    file = campaign.directory / "ratings.jsonl"
    content = file.read_bytes()
    second = content.index(b"\n") + 1
    for place in range(0, second - 1):
        damaged = bytearray(content)
        damaged[place] ^= 1
        file.write_bytes(damaged)
        with pytest.raises(ResultError, match=r"line [12] of ratings\.jsonl is damaged"):
            campaign.records()
        with pytest.raises(ResultError), campaign.rating():
            pass
        assert file.read_bytes() == damaged
    assert campaign.repair() == 1
    assert [record["n"] for record in campaign.records()] == [1, 2]
    assert (campaign.directory / "ratings.damaged-1").read_bytes() == bytes(damaged[:second])
    with campaign.rating() as rater:
        assert rater.rate("ana", campaign.order("ana")[5], {"da": 1}) == 3


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = made(tmp_path)
    rated(campaign, "ana", {"da": 5}, 2)
    before, write = campaign.records(), os.write
    with campaign.rating() as rater:
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", lambda file, line: write(file, line[:20]))
            with pytest.raises(OSError, match="space"):
                rater.rate("ana", campaign.order("ana")[2], {"da": 1})
        assert campaign.records() == before
        assert rater.rate("ana", campaign.order("ana")[2], {"da": 1}) == 2
    assert [record["n"] for record in campaign.records()] == [0, 1, 2]


_ENDLESS = """
import sys
from nlgauge.annotate.campaign import Campaign
campaign = Campaign.open(sys.argv[1])
with campaign.rating() as rater:
    while True:
        for key in campaign.order("ana"):
            print(rater.rate("ana", key, {"da": 5}), flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is a signal of Unix")
def test_no_acknowledged_rating_is_lost_by_kill(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    for number in (3, 17):
        process = subprocess.Popen(
            [sys.executable, "-c", _ENDLESS, str(campaign.directory)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline()) for _ in range(number)]
        with pytest.raises(ResultError, match=f"process {process.pid}"), campaign.rating():
            pass
        process.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in process.stdout.read().splitlines()]
        process.wait()
        process.stdout.close()
        with (campaign.directory / "ratings.jsonl").open("ab") as file:
            file.write(b'{"n":999,"at":1,"kind":"rat')
        numbers = [record["n"] for record in campaign.records()]
        assert numbers == list(range(len(numbers)))
        assert set(acknowledged) <= set(numbers)


def test_the_export_is_a_benchmark_that_meta_reads(tmp_path: Path) -> None:
    campaign = made(tmp_path, overlap=1.0, repeats=0.1, segments=20)
    quality = {"alpha": 80, "beta": 60, "gamma": 40}
    rated(campaign, "ana", lambda item: {"da": quality[item.systems[0]] - 7 * (item.kind == "repeat")})
    rated(campaign, "ben", lambda item: {"da": quality[item.systems[0]] + 10}, 30)
    assert export(campaign, tmp_path / "ratings.jsonl") == 60
    lines = [json.loads(line) for line in (tmp_path / "ratings.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == 60
    both = [line for line in lines if None not in line["human_raw"]["da"]]
    assert both and len(both) < 60
    for line in lines:
        value = quality[line["system"]]
        assert line["human_raw"]["da"] == [value, value + 10 if line in both else None]
        assert line["human"]["da"] == (value + 5 if line in both else value)
        number = line["segment"].removeprefix("seg-")
        assert line["prediction"] == f"text {number} of {SYSTEMS.index(line['system'])}"
        assert (line["source"], line["references"]) == (f"source {number}", [f"reference {number}"])
    benchmark, _ = read_lines(tmp_path / "ratings.jsonl")
    assert [(row.segment, row.system, row.human["da"]) for row in benchmark] == [
        (line["segment"], line["system"], line["human"]["da"]) for line in lines
    ]
    (ana, ben) = progress(campaign, campaign.records())
    assert (ana["done"], ana["of"], ana["repeats"], ana["repeat_difference"]) == (66, 66, 6, 7)
    assert (ben["done"], ben["of"]) == (30, 66)


@pytest.mark.parametrize("protocol", ["pairwise", "bws"])
def test_choices_among_outputs_become_scores_of_systems(tmp_path: Path, protocol: str) -> None:
    campaign = made(tmp_path, protocol, ("ana",), segments=6)
    with campaign.rating() as rater:
        for key in campaign.order("ana"):
            order = [campaign.items[key].systems[number] for number in campaign.shown("ana", key)]
            best, worst = order.index(min(order)), order.index(max(order))
            answers = {"preferred": best} if protocol == "pairwise" else {"best": best, "worst": worst}
            rater.rate("ana", key, answers)
    export(campaign, tmp_path / "ratings.jsonl")
    lines = map(json.loads, (tmp_path / "ratings.jsonl").read_text("utf-8").splitlines())
    scores = {(line["system"], line["human"][protocol]) for line in lines}
    expected = (1.0, 0.5, 0.0) if protocol == "pairwise" else (1.0, 0.0, -1.0)
    assert scores == set(zip(SYSTEMS, expected, strict=True))


def test_a_tie_is_half_a_win(tmp_path: Path) -> None:
    campaign = made(tmp_path, "pairwise", ("ana",), segments=2)
    rated(campaign, "ana", {"preferred": "tie"})
    export(campaign, tmp_path / "ratings.jsonl")
    lines = map(json.loads, (tmp_path / "ratings.jsonl").read_text("utf-8").splitlines())
    assert {line["human"]["pairwise"] for line in lines} == {0.5}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"annotators": ()}, "at least one annotator"),
        ({"annotators": ("ana", "ana")}, "named twice"),
        ({"annotators": ("../ana",)}, "begins with '.'"),
        ({"segments": 31}, "1 to 30"),
        ({"segments": 0}, "1 to 30"),
        ({"overlap": 1.5}, "overlap"),
        ({"repeats": -0.1}, "repeats"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, options: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        made(tmp_path, **options)
    assert list(tmp_path.iterdir()) == []


def test_protocols_need_enough_systems_and_a_new_directory(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="pairwise needs 2 systems"):
        new(tmp_path / "c", corpus(3, ("alpha",)), PROTOCOLS["pairwise"], ["ana"])
    made(tmp_path)
    with pytest.raises(ParameterError, match="exists"):
        made(tmp_path)


def test_damaged_and_foreign_campaigns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="not a campaign"):
        Campaign.open(tmp_path)
    campaign = made(tmp_path)
    file = campaign.directory / "campaign.json"
    content = file.read_text("utf-8")
    file.write_text(content.replace('"format": 1', '"format": 2'), "utf-8")
    with pytest.raises(ResultError, match="format 2"):
        Campaign.open(campaign.directory)
    file.write_text(content[:-20], "utf-8")
    with pytest.raises(ResultError, match="damaged"):
        Campaign.open(campaign.directory)
    file.write_text(content, "utf-8")
    for name, old, changed in (("texts.jsonl", "text 1 ", "text 2 "), ("items.jsonl", "alpha", "beta")):
        file = campaign.directory / name
        before = file.read_text("utf-8")
        file.write_text(before.replace(old, changed), "utf-8")
        with pytest.raises(ResultError, match=f"{name} of .* was changed"):
            Campaign.open(campaign.directory)
        file.write_text(before, "utf-8")
    assert Campaign.open(campaign.directory).plan == campaign.plan


_FILE = """
name = "tone"
[[questions]]
id = "politeness"
text = "How polite is the text?"
low = 1
high = 3
labels = { 1 = "rude", 3 = "polite" }
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("low = 1", "kind = 'slider'", r"questions\[0\]: kind must be .* got 'slider'"),
        ("low = 1", "low = 3", "low must be below high"),
        ("low = 1", "kind = 'output'", "kind output needs side_by_side above 1"),
        ("low = 1", "kind = 'order'", "kind order needs side_by_side above 1"),
        ("low = 1", "kind = 'order'\nrequired = false", "side_by_side above 1"),
        ('"tone"', '"tone"\nside_by_side = 3', "one question of kind order, .* got none"),
        ('"politeness"', '"Polite ness"', "lowercase"),
        ("low = 1", "lowest = 1", "not a protocol"),
        ("low = 1", "low = 2", "labels must be for values of the scale, got '1'"),
        ('"tone"', '"politeness"\nspans = { weights = "mqm" }', "called 'politeness', as a question is"),
        ("low = 1", "low = '1'", "not a protocol"),
        ("low = 1", "low = = 1", "not a TOML file"),
        ('"tone"', '"tone"\nshow = ["system"]', "show"),
        ('"tone"', '"tone"\nside_by_side = 10', "side_by_side must be 1 to 9"),
        ("low = 1", "low = 1\nkeys = ['a', 'd']", "one key for each of the 3 answers, got 2"),
        (
            "low = 1",
            "low = 1\nkeys = ['a', 'd', 'ff']",
            "one lowercase letter, punctuation mark or symbol, got 'ff'",
        ),
        (
            "low = 1",
            "low = 1\nkeys = ['a', 'd', '']",
            "one lowercase letter, punctuation mark or symbol, got ''",
        ),
        ("low = 1", "low = 1\nkeys = ['a', 'd', 'F']", "got 'F'"),
        ("low = 1", "low = 1\nkeys = ['a', 'd', '1']", "got '1'"),
        ("low = 1", "low = 1\nkeys = ['a', 'd', ' ']", "got ' '"),
        ("low = 1", "low = 1\nkeys = ['a', 'd', '\\u0301']", "got"),
        ("low = 1", "low = 1\nkeys = ['a', 'd', 5]", "not a protocol"),
        ("low = 1", "low = 1\nkeys = 'adf'", "not a protocol"),
        ("low = 1", "low = 1\nkeys = { 1 = 'a' }", "not a protocol"),
        ("low = 1", "low = 1\nkeys = ['a', 'd', 'a']", "keys has 'a' twice"),
        ("low = 1", "low = 1\nkeys = ['a', 'd', 'u']", "the page uses the key 'u' itself"),
        ("low = 1", "low = 1\nkeys = ['a', 'd', '?']", r"the page uses the key '\?' itself"),
        ("high = 3\nlabels", "high = 11\nkeys = ['a']\n#", "a scale with more than 9 values has no buttons"),
        ("low = 1\nhigh = 3\nlabels", "kind = 'text'\nkeys = ['a']\n#", "a text has no buttons"),
        (
            "labels = ",
            "keys = ['a', 'd', 'f']\n[[questions]]\nid = 'b'\ntext = '?'\nkind = 'yes_no'\nkeys = ['d', 'g']\n#",
            r"questions\[1\]: the key 'd' belongs to 'politeness' already",
        ),
    ],
)
def test_mistakes_in_a_protocol_file_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "tone.toml"
    file.write_text(_FILE, "utf-8")
    assert protocol_of(str(file)).questions[0].labels == {"1": "rude", "3": "polite"}
    file.write_text(_FILE.replace(old, new), "utf-8")
    with pytest.raises(NlgaugeError, match=message):
        protocol_of(str(file))


@pytest.mark.parametrize(
    ("question", "side_by_side", "count"),
    [
        ('kind = "yes_no"', 1, 2),
        ('kind = "choice"\nlabels = { a = "x", b = "y", c = "z" }', 1, 3),
        ("low = 0\nhigh = 16\nstep = 2", 1, 9),
        ('kind = "output"\nties = true', 2, 3),
        ('kind = "order"', 4, 4),
        ('kind = "claims"\nlabels = { yes = "x", no = "y" }', 1, 2),
    ],
)
def test_keys_are_as_many_as_the_answers(
    tmp_path: Path, question: str, side_by_side: int, count: int
) -> None:
    file = tmp_path / "keyed.toml"
    content = (
        f'name = "keyed"\nside_by_side = {side_by_side}\n[[questions]]\nid = "q"\ntext = "?"\n{question}\n'
    )
    letters = list("adfghjklq")
    file.write_text(f"{content}keys = {letters[:count]}\n", "utf-8")
    assert protocol_of(str(file)).questions[0].keys == tuple(letters[:count])
    for wrong in (count - 1, count + 1):
        file.write_text(f"{content}keys = {list('adfghjklqw'[:wrong])}\n", "utf-8")
        with pytest.raises(NlgaugeError, match=f"{count} answers, got {wrong}"):
            protocol_of(str(file))


def test_dimensions_replace_those_of_likert() -> None:
    assert [question.id for question in protocol_of("likert", ["clarity", "tone"]).questions] == [
        "clarity",
        "tone",
    ]
    for name, dimensions, message in (
        ("da", ["clarity"], "likert"),
        ("likert", ["a", "a"], "twice"),
        ("likrt", [], "likert"),
        ("absent.toml", [], "does not exist"),
    ):
        with pytest.raises(NlgaugeError, match=message):
            protocol_of(name, dimensions)


def test_segments_are_drawn_from_those_that_meet_an_expression(tmp_path: Path) -> None:
    campaign = made(tmp_path, where='prediction ~ "[02468] of"', segments=6)
    even = [f"seg-{number}" for number in range(0, 30, 2)]
    assert campaign.plan.population == even
    assert len(campaign.plan.segments) == 6
    assert set(campaign.plan.segments) <= set(even)
    for annotator in campaign.plan.annotators:
        rated(campaign, annotator, {"da": 50})
    state = state_of(campaign, campaign.records())
    assert state.population == 15
    assert "valid only for segments that meet" in state.selected
    more = add(campaign, segments=9)
    assert set(more.plan.segments) == set(even)
    assert Campaign.open(campaign.directory).plan == more.plan
    with pytest.raises(ParameterError, match="segments must be"):
        add(more, segments=1)
    with pytest.raises(ParameterError, match="named or selected"):
        new(tmp_path / "b", corpus(), protocol_of("da"), ["ana"], where="id = seg-1", ids=["seg-1"])
    with pytest.raises(InputError, match="no segment meets"):
        new(tmp_path / "b", corpus(), protocol_of("da"), ["ana"], where="id = seg-99")
