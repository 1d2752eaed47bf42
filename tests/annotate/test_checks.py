"""Checks among the items: damaged, gold and repeated items, marks, additions, and what the log survives."""

from __future__ import annotations

import json
import os
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rating_cases import SYSTEMS, corpus, made, rated

from nlgauge.annotate import assignment, creating, log
from nlgauge.annotate.adding import add
from nlgauge.annotate.builtin import PROTOCOLS
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.checks import failed, progress, sign_test
from nlgauge.annotate.creating import leaks, new
from nlgauge.annotate.plan import Until
from nlgauge.annotate.protocols import protocol_of
from nlgauge.annotate.responses import ratings_of
from nlgauge.annotate.rows import rows
from nlgauge.annotate.state import state_of
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, NlgaugeError, ParameterError, ResultError


def kinds(campaign: Campaign, annotator: str) -> Counter[str]:
    return Counter(campaign.items[key].kind for key in campaign.order(annotator))


def test_keys_do_not_follow_from_the_seed(tmp_path: Path) -> None:
    keys = [
        set(made(tmp_path / str(number), seed=7).items)
        for number in range(2)
        if (tmp_path / str(number)).mkdir() is None
    ]
    assert not keys[0] & keys[1]


@pytest.mark.parametrize("seed", range(10))
def test_checks_are_not_next_to_their_segment(tmp_path: Path, seed: int) -> None:
    campaign = made(tmp_path, repeats=0.1, damaged=0.1, seed=seed)
    for annotator in campaign.plan.annotators:
        units = [campaign.items[key].unit for key in campaign.order(annotator)]
        assert all(one != other for one, other in pairwise(units))
        order = campaign.order(annotator)
        for key in order:
            item = campaign.items[key]
            if item.kind == "repeat":
                assert order.index(key) - order.index(item.of) > assignment.DISTANCE


def test_damaged_items_have_other_texts_and_are_not_in_the_scores(tmp_path: Path) -> None:
    campaign = made(tmp_path, damaged=0.2)
    assert kinds(campaign, "ana")["damaged"] == 9
    for key in campaign.order("ana"):
        item = campaign.items[key]
        if item.kind == "damaged":
            assert item.outputs != campaign.items[item.of].outputs
            assert campaign.items[item.of].systems == item.systems
    # An annotator who notices, and one who rates everything alike.
    rated(campaign, "ana", lambda item: {"da": 20 if item.kind == "damaged" else 80})
    rated(campaign, "ben", {"da": 50})
    assert {row["human"]["da"] for row in rows(campaign)} == {80, 50}
    ana, ben = progress(campaign, campaign.records())
    assert (ana["damaged_lower"], ana["damaged_same"], ana["damaged_p"]) == (9, 0, 0.5**9)
    assert (ben["damaged_lower"], ben["damaged_same"], ben["damaged_p"]) == (0, 9, 1.0)
    assert failed(campaign, campaign.records()) == ["ben"]
    assert {row["human"]["da"] for row in rows(campaign, without=["ben"])} == {80}
    assert Campaign.open(campaign.directory).items == campaign.items


def test_few_damaged_items_fail_nobody(tmp_path: Path) -> None:
    campaign = made(tmp_path, damaged=0.15)
    rated(campaign, "ben", {"da": 50})
    assert progress(campaign, campaign.records())[1]["damaged"] == 7
    assert failed(campaign, campaign.records()) == []


def test_the_sign_test_is_exact() -> None:
    assert sign_test(7, 1) == pytest.approx(9 / 256)
    assert sign_test(1, 7) == pytest.approx(255 / 256)


def test_a_damaged_pair_has_the_original_beside_it(tmp_path: Path) -> None:
    campaign = made(tmp_path, "pairwise", damaged=0.2)
    damaged = [item for item in campaign.items.values() if item.kind == "damaged"]
    assert damaged
    with campaign.rating() as rater:
        for key in campaign.order("ana"):
            original = campaign.shown("ana", key).index(0)
            rater.rate("ana", key, {"preferred": original})
    ana, _ = progress(campaign, campaign.records())
    assert ana["damaged_lower"] == ana["damaged"] > 0
    assert len([row for row in rows(campaign) if row["human"]]) == 45


_GOLD = [
    {"prediction": "good", "source": "s", "answers": {"esa": {"low": 90, "high": 100}}, "spans": []},
    {
        "prediction": "bad text",
        "answers": {"esa": [0, 1]},
        "spans": [{"start": 0, "end": 3, "severity": "major"}],
    },
]


def test_gold_items_pass_within_the_tolerance(tmp_path: Path) -> None:
    file = tmp_path / "gold.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in _GOLD), "utf-8")
    campaign = made(tmp_path, "esa", gold=file)
    assert kinds(campaign, "ana")["gold"] == kinds(campaign, "ben")["gold"] == 2
    first, second = (item.key for item in campaign.items.values() if item.kind == "gold")
    assert "answers" not in json.dumps(campaign.work("ana"))
    with campaign.rating() as rater:
        rater.rate("ana", first, {"esa": 95})
        rater.rate("ana", second, {"esa": 1}, [{"start": 2, "end": 6, "severity": "major"}])
        rater.rate("ben", first, {"esa": 95}, [{"start": 0, "end": 1, "severity": "minor"}])
        rater.rate("ben", second, {"esa": 1}, [{"start": 0, "end": 7, "severity": "major"}])
    states = progress(campaign, campaign.records())
    assert [(state["gold"], state["gold_passed"]) for state in states] == [(2, 2), (2, 0)]
    assert list(rows(campaign)) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"prediction": 1}', "not a gold item"),
        ('{"prediction": "a", "answer": {}}', "not a gold item"),
        ('{"predictions": ["a", "b"]}', "2 predictions"),
        ('{"prediction": "a", "answers": {"da": 1}}', "no question 'da'"),
        ('{"prediction": "a", "answers": {"esa": 101}}', "0 to 100"),
        ("not json", "not a gold item"),
        ("[" * 5000, "not a gold item"),
        ("\udcff", "not a gold item"),
        ('{"prediction": "a", "spans": [{"start": "a"}]}', "not a gold item"),
        ('{"prediction": "a", "spans": [{"start": 0, "end": 2}]}', "not within the text"),
        ('{"prediction": "a", "spans": [{"start": 0, "end": 1, "severity": "grave"}]}', "severity 'grave'"),
        ('{"prediction": "a", "spans": [{"side": "source"}]}', "'source', which the item does not have"),
    ],
)
def test_mistakes_in_gold_items_are_named(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "gold.jsonl"
    file.write_bytes(f"\n{line}\n".encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=f"line 2.*{message}"):
        made(tmp_path, "esa", gold=file)
    assert not (tmp_path / "campaign").exists()


_SPAN = {"start": 0, "end": 4, "severity": "minor"}


@pytest.mark.parametrize(
    ("protocol", "spans", "message"),
    [
        ("da", [_SPAN], "no marks"),
        ("esa", [{**_SPAN, "severity": "critical"}], "critical"),
        ("esa", [{**_SPAN, "end": 999}], "not within the text"),
        ("esa", [{**_SPAN, "start": -1}], "not within the text"),
        ("esa", [{**_SPAN, "end": 0}], "not within the text"),
        ("esa", [{**_SPAN, "start": True}], "spans"),
        ("esa", [{**_SPAN, "start": "0"}], "spans"),
        ("esa", [{**_SPAN, "who": "ana"}], "spans"),
        ("esa", [{**_SPAN, "side": "source"}], "source"),
        ("esa", [{**_SPAN, "category": "x"}], "category"),
        ("esa", [{**_SPAN, "note": "x" * 2001}], "2,000"),
        ("esa", [{**_SPAN, "end": None}], "no place"),
        ("esa", [_SPAN, {**_SPAN, "start": 3, "end": 6}], "overlap"),
        ("esa", [{"severity": "minor"}] * 201, "at most 200"),
        ("mqm", [_SPAN] * 6, "at most 5"),
        ("esa", ["minor"], "spans"),
        ("esa", "minor", "spans"),
        ("claims", [{"severity": "evidence", "side": "source"}], "no place"),
    ],
)
def test_wrong_marks_are_refused(tmp_path: Path, protocol: str, spans: Any, message: str) -> None:
    texts = corpus()
    if protocol == "claims":
        texts = claimed()
    campaign = new(tmp_path / "campaign", texts, protocol_of(protocol), ["ana"])
    answers: dict[str, Any] = {
        "esa": {"esa": 5},
        "da": {"da": 5},
        "mqm": {},
        "claims": {"claims": ["yes", "no"]},
    }[protocol]
    with campaign.rating() as rater, pytest.raises(InputError, match=message):
        rater.rate("ana", campaign.order("ana")[0], answers, spans)
    assert campaign.records() == []


def claimed() -> Corpus:
    systems = {name: [f"text {number} of {name}" for number in range(3)] for name in SYSTEMS}
    claims = {name: [["first", "second"]] * 3 for name in SYSTEMS}
    rows = [
        {
            "system": name,
            "id": f"s{number}",
            "source": "the source",
            "prediction": systems[name][number],
            "claims": claims[name][number],
        }
        for name in SYSTEMS
        for number in range(3)
    ]
    from dataclasses import replace

    read = Corpus.read(systems, None, ["the source"] * 3, ids=["s0", "s1", "s2"])
    assert rows
    return replace(
        read, system_fields={"claims": {name: tuple(map(tuple, claims[name])) for name in SYSTEMS}}
    )


def test_claims_become_the_share_of_yes(tmp_path: Path) -> None:
    campaign = new(tmp_path / "campaign", claimed(), PROTOCOLS["claims"], ["ana"])
    key = campaign.order("ana")[0]
    assert campaign.work("ana")[key]["claims"] == ["first", "second"]
    with campaign.rating() as rater:
        for wrong in (["yes"], ["yes", "maybe"], "yes", ["yes", True], ["yes"] * 3):
            with pytest.raises(InputError):
                rater.rate("ana", key, {"claims": wrong})
        rater.rate(
            "ana",
            key,
            {"claims": ["yes", "unknown"]},
            [{"severity": "evidence", "start": 0, "end": 3, "side": "source"}],
        )
    (row,) = rows(campaign)
    assert row["human"] == {"claims": 0.5}
    assert row["meta"]["answers"] == {"claims": [["yes", "unknown"]]}
    with pytest.raises(InputError, match="no list of claims"):
        new(tmp_path / "other", corpus(), PROTOCOLS["claims"], ["ana"])


def test_marks_are_in_the_log_and_in_the_export(tmp_path: Path) -> None:
    campaign = made(tmp_path, "esa")
    key = campaign.order("ana")[0]
    marks = [_SPAN, {"severity": "major"}]
    with campaign.rating() as rater:
        rater.rate("ana", key, {"esa": 0}, marks, active=3.21)
    (record,) = campaign.records()
    assert record["spans"] == marks
    assert record["protocol"] == PROTOCOLS["esa"].digest()
    (row,) = rows(campaign)
    assert row["human"] == {"esa": 0.0}
    assert row["meta"]["spans"] == [marks, None]
    assert row["meta"]["seconds"] == [3.2, None]


def test_people_and_segments_are_added_without_a_change_to_the_first_files(tmp_path: Path) -> None:
    campaign = made(tmp_path, overlap=0.2, segments=20)
    before = {path.name: path.read_bytes() for path in campaign.directory.iterdir()}
    rated(campaign, "ana", {"da": 4}, 3)
    more = add(add(campaign, ["cem"]), segments=6)
    assert {name: (campaign.directory / name).read_bytes() for name in before} == before
    assert Campaign.open(campaign.directory).plan == more.plan
    assert Campaign.open(campaign.directory).items == more.items
    assert len(more.plan.segments) == len(set(more.plan.segments)) == 26
    assert more.order("ana")[: len(campaign.order("ana"))] == campaign.order("ana")
    shared = set(campaign.order("ana")) & set(campaign.order("ben"))
    assert shared <= set(more.order("cem"))
    by_segment = Counter(more.items[key].segment for key in more.order("cem"))
    assert set(by_segment.values()) == {3}
    assert len(ratings_of(more)) == 3
    with pytest.raises(ParameterError, match="ana is in the campaign already"):
        add(more, ["ana"])
    with pytest.raises(ParameterError, match="nothing to add"):
        add(more)
    with pytest.raises(ParameterError, match="segments must be 1 to 4"):
        add(more, segments=5)
    with more.rating(), pytest.raises(ResultError, match="is being served"):
        add(more, ["dan"])


def test_some_annotators_share_a_segment(tmp_path: Path) -> None:
    campaign = made(tmp_path, annotators=("a", "b", "c", "d"), overlap=1.0, overlap_of=2)
    raters = Counter(
        segment
        for name in campaign.plan.annotators
        for segment in {campaign.items[key].segment for key in campaign.order(name)}
    )
    assert set(raters.values()) == {2}
    with pytest.raises(ParameterError, match="overlap_of"):
        made(tmp_path / "other", overlap_of=3)


def test_documents_stay_together_if_context_is_shown(tmp_path: Path) -> None:
    protocol = tmp_path / "tone.toml"
    protocol.write_text(
        'name = "tone"\nshow = ["source", "context"]\n[[questions]]\nid = "tone"\ntext = "?"\n', "utf-8"
    )
    names = [f"seg-{number}" for number in range(24)]
    texts = Corpus.read(
        {system: [f"{name} of {system}" for name in names] for system in SYSTEMS},
        None,
        [f"source of {name}" for name in names],
        ids=names,
        documents=[f"doc {number // 4}" for number in range(24)],
    )
    campaign = new(tmp_path / "campaign", texts, protocol_of(str(protocol)), ["ana", "ben"], segments=9)
    assert len(campaign.plan.segments) == 12
    owners: dict[str, set[str]] = {}
    for annotator in ("ana", "ben"):
        for key in campaign.order(annotator):
            owners.setdefault(campaign.items[key].unit, set()).add(annotator)
    assert len(owners) == 3
    assert all(len(people) == 1 for people in owners.values())
    work = campaign.work("ana")
    for key, shown in work.items():
        number = int(campaign.items[key].segment.removeprefix("seg-"))
        assert shown["context"]["before"] == (f"source of seg-{number - 1}" if number % 4 else None)
        assert shown["context"]["after"] == (f"source of seg-{number + 1}" if number % 4 < 3 else None)
    with pytest.raises(InputError, match="no documents"):
        new(tmp_path / "other", corpus(), protocol_of(str(protocol)), ["ana"])


def test_named_segments_are_rated(tmp_path: Path) -> None:
    campaign = made(tmp_path, ids=["seg-3", "seg-1"])
    assert campaign.plan.segments == ["seg-1", "seg-3"]
    state = state_of(campaign, [])
    assert state.population == 2
    assert "named, not drawn" in state.selected
    with pytest.raises(NlgaugeError, match="seg-99"):
        made(tmp_path / "other", ids=["seg-99"])


def test_names_of_systems_in_their_outputs_are_reported(tmp_path: Path) -> None:
    outputs = {"alpha": ["I am Alpha.", "alphabet"], "beta": ["y", "z"], "A": ["A cat", "a dog"]}
    texts = Corpus.read(outputs, None, ["s", "t"])
    (warning,) = leaks(new(tmp_path / "campaign", texts, PROTOCOLS["da"], ["ana"]))
    assert "1 output contains" in warning and "'alpha'" in warning


def test_the_order_of_a_campaign_that_may_stop_is_that_of_its_looks(tmp_path: Path) -> None:
    campaign = made(tmp_path, until=Until(sure=True), overlap=0.2)
    for annotator in campaign.plan.annotators:
        units = list(dict.fromkeys(campaign.items[key].unit for key in campaign.order(annotator)))
        places = [campaign.plan.units.index(unit) for unit in units]
        # Within a block items are shuffled, so only blocks are in the order of looks.
        blocks = [{campaign.items[key].unit for key in block} for block in campaign.plan.orders[annotator]]
        for one, other in pairwise(blocks):
            assert max(campaign.plan.units.index(unit) for unit in one) < min(
                campaign.plan.units.index(unit) for unit in other
            )
        assert len(places) == 18
    with pytest.raises(ParameterError, match="all its segments from the start"):
        add(campaign, segments=1)
    with pytest.raises(ParameterError, match="until-sure"):
        new(tmp_path / "one", corpus(3, ("alpha",)), PROTOCOLS["da"], ["ana"], until=Until(sure=True))


def test_a_byte_that_became_a_carriage_return_is_one_damaged_line(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    rated(campaign, "ana", {"da": 5}, 2)
    file = campaign.directory / "ratings.jsonl"
    content = file.read_bytes()
    last = content[:-1].rindex(b"\n") + 1
    damaged = content[: last + 5] + b"\r" + content[last + 6 :]
    file.write_bytes(damaged)
    assert [record["n"] for record in campaign.records()] == [0]
    with campaign.rating() as rater:
        assert rater.log.notes
    assert file.read_bytes() == content[:last]


def test_the_rest_of_a_failed_write_does_not_damage_the_next_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = made(tmp_path)
    write = os.write

    def refuse(*_: Any) -> None:
        raise OSError(5, "input/output error")

    with campaign.rating() as rater:
        keys = campaign.order("ana")
        rater.rate("ana", keys[0], {"da": 1})
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", lambda file, line: write(file, line[:20]))
            patched.setattr(os, "ftruncate", refuse)
            with pytest.raises(OSError, match="space"):
                rater.rate("ana", keys[1], {"da": 2})
        assert rater.rate("ana", keys[1], {"da": 3}) == 1
    assert [record["answers"]["da"] for record in campaign.records()] == [1, 3]


_RATING = {
    "n": 1,
    "kind": "rating",
    "annotator": "ana",
    "item": "x",
    "answers": {},
    "shown": [0],
    "active": 1.0,
}


@pytest.mark.parametrize(
    "line",
    [
        log.encoded({"n": 1}),
        log.encoded({**_RATING, "annotator": ["ana"]}),
        log.encoded({name: value for name, value in _RATING.items() if name != "answers"}),
        log.encoded({**_RATING, "shown": None}),
        b"[" * 100_000 + b"\n",
        b"null\n",
    ],
)
def test_a_line_that_is_no_event_is_damaged(tmp_path: Path, line: bytes) -> None:
    campaign = made(tmp_path)
    rated(campaign, "ana", {"da": 5}, 1)
    file = campaign.directory / "ratings.jsonl"
    file.write_bytes(line + file.read_bytes())
    with pytest.raises(ResultError, match="line 1"):
        campaign.records()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"gamma"', b'"delta"'),
        (b'"segments": [', b'"segments": ["seg-99", '),
        (b'"systems": [', b'"systems": ["beta", '),
        (b"{", b"[" * 100_000),
    ],
)
def test_a_plan_that_does_not_fit_its_items_is_damaged(tmp_path: Path, old: bytes, new: bytes) -> None:
    campaign = made(tmp_path, segments=6)
    file = campaign.directory / "campaign.json"
    assert old in file.read_bytes()
    file.write_bytes(file.read_bytes().replace(old, new, 1))
    with pytest.raises(ResultError, match="is damaged"):
        Campaign.open(campaign.directory)


@pytest.mark.parametrize("content", [b"junk", b"", {"m0": np.zeros((2, 3))}, {"m0": np.array([{}], object)}])
def test_damaged_scores_of_metrics_are_named(tmp_path: Path, content: Any) -> None:
    campaign = made(tmp_path, segments=6)
    file = campaign.directory / "metrics.npz"
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        np.savez(file, labels=np.array(["chrf"]), allow_pickle=True, **content)
    with pytest.raises(ResultError, match=r"metrics\.npz"):
        state_of(campaign, [])


def test_the_organizer_is_no_annotator(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="organizer"):
        made(tmp_path, annotators=(creating.ORGANIZER,))
