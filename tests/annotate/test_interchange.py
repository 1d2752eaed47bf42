"""Ratings go to the formats of other tools and come back; nothing is added by halves."""

from __future__ import annotations

import gzip
import json
import random
import statistics
from pathlib import Path
from typing import Any

import msgspec
import pytest
from human_judgments import path_of
from rating_cases import made, rated
from span_cases import sample

from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.creating import new
from nlgauge.annotate.files.formats import annotations_of, write_ratings, write_rows
from nlgauge.annotate.files.merging import add_annotations, merge
from nlgauge.annotate.protocols import protocol_of
from nlgauge.annotate.responses import ratings_of
from nlgauge.annotate.rows import rows
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError
from nlgauge.io import Inputs
from nlgauge.meta.benchmarks.rows import read_lines
from nlgauge.spans import read

_PROTOCOL = """
name = "esa_of_samples"
[[questions]]
id = "score"
text = "How good is the text?"
low = 0
high = 100
required = false
[spans]
severities = ["minor", "major"]
sides = ["target", "source"]
categories = ["accuracy/mistranslation", "accuracy/omission", "fluency/grammar"]
overlap = true
"""
_FILES = {
    "appraise": "appraise.csv",
    "mqm": "mqm.tsv",
    "label-studio": "label_studio.json",
    "pearmut": "pearmut.jsonl",
    "factgenie": "factgenie.jsonl",
}


def of_samples(tmp_path: Path) -> Campaign:
    protocol = tmp_path / "protocol.toml"
    protocol.write_text(_PROTOCOL, "utf-8")
    texts = Inputs([str(sample("texts.jsonl"))]).read()
    return new(tmp_path / "campaign", texts, protocol_of(str(protocol)), ["ana", "ben"], overlap=1.0)


def expected() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(sample("expected.jsonl")).read_text("utf-8").splitlines()]


def test_the_samples_are_ratings_of_a_campaign(tmp_path: Path) -> None:
    campaign = of_samples(tmp_path)
    file = read(sample("expected.jsonl"))
    assert add_annotations(campaign, file, "ratings.jsonl") == 8
    assert add_annotations(campaign, file, "ratings.jsonl") == 0
    merged, *added = campaign.records()
    assert (merged["kind"], merged["file"], merged["events"]) == ("merged", "ratings.jsonl", 8)
    assert [(record["kind"], record["merged"]) for record in added] == [("rating", 0)] * 8
    found = [each.plain() for each in annotations_of(campaign, ratings_of(campaign))]
    by_key = {(row["annotator"], row["system"], row["segment"]): row for row in found}
    for row in expected():
        other = by_key[row["annotator"], row["system"], row["segment"]]
        for name in ("score", "seconds", "source", "target"):
            assert other[name] == row[name]
        assert other["spans"] == row["spans"]


@pytest.mark.parametrize("form", list(_FILES))
def test_other_formats_come_back(tmp_path: Path, form: str) -> None:
    """What a format can say about the ratings of a campaign is read from the file that was written."""
    campaign = of_samples(tmp_path)
    add_annotations(campaign, read(sample("expected.jsonl")), "ratings.jsonl")
    path = tmp_path / f"ratings-{form}{Path(_FILES[form]).suffix}"
    lost = write_ratings(campaign, path, form)
    again = read(path, texts=sample("texts.jsonl") if form in ("appraise", "pearmut", "factgenie") else None)
    has_scores = not any("scores" in each for each in lost)
    targets = sorted(
        (row["annotator"], row["target"], row["score"] if has_scores else None) for row in expected()
    )
    known = [each for each in again.annotations if each.target is not None]
    if form != "factgenie":
        assert sorted((each.annotator, each.target, each.score) for each in known) == targets
    placed = sorted(
        (each.annotator, each.target, span.start, span.end)
        for each in known
        for span in each.spans
        if span.start is not None and span.side == "target"
    )
    if known:
        assert placed == sorted(
            (row["annotator"], row["target"], span["start"], span["end"])
            for row in expected()
            for span in row["spans"]
            if span["start"] is not None and span["side"] == "target"
        )


@pytest.mark.parametrize("name", ["appraise.csv", "label_studio.json", "pearmut.jsonl", "expected.jsonl"])
def test_files_of_other_tools_become_benchmarks(tmp_path: Path, name: str) -> None:
    file = read(
        sample(name), texts=None if name in ("expected.jsonl", "label_studio.json") else sample("texts.jsonl")
    )
    target = tmp_path / "ratings.jsonl"
    assert write_rows(file, target, "mqm") == 4
    benchmark, _ = read_lines(target)
    scores = {(row.segment, row.system): row.human["score"] for row in benchmark}
    by_cell: dict[tuple[str, str], list[float]] = {}
    for row in expected():
        by_cell.setdefault((row["segment"], row["system"]), []).append(row["score"])
    assert scores == {cell: sum(values) / 2 for cell, values in by_cell.items()}
    cell = next(row for row in benchmark if (row.segment, row.system) == ("s2", "beta"))
    if name != "appraise.csv":
        assert cell.human["errors"] == -5.5


def test_files_without_scores_need_weights(tmp_path: Path) -> None:
    file = read(sample("mqm.tsv"))
    with pytest.raises(InputError, match="no scores"):
        write_rows(file, tmp_path / "ratings.jsonl")
    assert not (tmp_path / "ratings.jsonl").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"system": "delta"}, "not an item"),
        ({"segment": "s9"}, "not an item"),
        ({"annotator": "eve"}, "not an item"),
        ({"score": 101}, "0 to 100"),
        ({"target": "Another text."}, "another text"),
    ],
)
def test_nothing_is_added_if_one_annotation_is_wrong(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    campaign = of_samples(tmp_path)
    changed = [{**row, "spans": []} for row in expected()]
    changed[5] |= change
    if "target" in change:  # texts must agree within a file
        changed[4] |= change
    path = tmp_path / "changed.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in changed), "utf-8")
    with pytest.raises(InputError, match=f"{message}.*nothing was added"):
        add_annotations(campaign, read(path), "ratings.jsonl")
    assert campaign.records() == []


def test_comparisons_have_no_other_format(tmp_path: Path) -> None:
    campaign = made(tmp_path, "pairwise")
    with pytest.raises(ParameterError, match="one text per rating"):
        write_ratings(campaign, tmp_path / "x.tsv", "mqm")
    with pytest.raises(ParameterError, match="label"):
        write_ratings(campaign, tmp_path / "x.tsv", "label-studo")


def test_scores_of_marks_are_those_of_spans(tmp_path: Path) -> None:
    campaign = made(tmp_path, "mqm")
    with campaign.rating() as rater:
        for number, key in enumerate(campaign.order("ana")):
            severity = ("neutral", "minor", "major", "critical")[number % 4]
            marks = [{"severity": severity, "start": 0, "end": 3, "category": "fluency/punctuation"}] * (
                number % 2 + 1
            )
            rater.rate("ana", key, {}, [{**mark, "end": 3 + place} for place, mark in enumerate(marks)])
    values = {row["human"]["mqm"] for row in rows(campaign)}
    assert values == {0.0, -0.2, -5.0, -20.0}


def offline_line(made_of: Campaign, key: str, value: int = 7, **change: Any) -> str:
    line = {
        "campaign": f"{made_of.plan.items[:12]}-ana",
        "annotator": "ana",
        "kind": "rating",
        "item": key,
        "answers": {"da": value},
        "spans": [],
        "seconds": 3.0,
        "active": 2.0,
        "request": f"offline.{key}",
        "at": 1763374021.5,
    }
    return json.dumps({**line, **change}) + "\n"


def test_ratings_of_an_offline_page_are_merged_once(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    rated(campaign, "ana", {"da": 1}, 2)
    keys = campaign.order("ana")
    file = tmp_path / "ana-ratings.jsonl"
    file.write_text(offline_line(campaign, keys[2]) + offline_line(campaign, keys[3], 9), "utf-8")
    assert [merge(campaign, file) for _ in range(2)] == [2, 0]
    _, _, merged, *added = campaign.records()
    assert (merged["kind"], merged["file"], merged["events"]) == ("merged", "ana-ratings.jsonl", 2)
    assert [(record["at"], record["merged"]) for record in added] == [(1763374021.5, merged["n"])] * 2
    assert len(ratings_of(campaign)) == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"campaign": "other-ana"}, "another campaign"),
        ({"annotator": "ben"}, "another campaign"),
        ({"item": "nothing"}, "no such item"),
        ({"answers": {"da": True}}, "whole number"),
        ({"who": "eve"}, "not a rating"),
        ({"kind": "note"}, "not a rating"),
        ({"seconds": -1.0}, "seconds must be"),
        ({"active": 1e300}, "seconds must be"),
        ({"at": -1.0}, "seconds must be"),
        ({"request": "x" * 65}, "request must be"),
        ({"request": "FIRST"}, "has another item too"),
    ],
)
def test_a_wrong_line_adds_nothing(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    campaign = made(tmp_path)
    keys = campaign.order("ana")
    file = tmp_path / "ana-ratings.jsonl"
    first = offline_line(campaign, keys[0])
    if change.get("request") == "FIRST":
        change = {"request": json.loads(first)["request"]}
    file.write_text(first + offline_line(campaign, keys[1], **change), "utf-8")
    with pytest.raises(InputError, match=f"line 2.*{message}.*nothing was added"):
        merge(campaign, file)
    assert campaign.records() == []


def offline_skip(made_of: Campaign, key: str, **change: Any) -> str:
    line = json.loads(offline_line(made_of, key, request=f"skip.{key}"))
    names = ("campaign", "annotator", "item", "seconds", "active", "request", "at")
    return (
        json.dumps({name: line[name] for name in names} | {"kind": "skip", "reason": "hard", **change}) + "\n"
    )


def offline_undo(campaign: Campaign, key: str) -> str:
    line = json.loads(offline_line(campaign, key, request=f"undo.{key}"))
    names = ("campaign", "annotator", "item", "request", "at")
    return json.dumps({name: line[name] for name in names} | {"kind": "undo"}) + "\n"


def test_skips_of_an_offline_page_are_merged_in_their_order(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    one, two, three = campaign.order("ana")[:3]
    file = tmp_path / "ana-ratings.jsonl"
    first = offline_skip(campaign, one) + offline_line(campaign, two, 9) + offline_skip(campaign, two)
    file.write_text(first, "utf-8")
    assert merge(campaign, file) == 3
    assert ratings_of(campaign) == {}
    # The page saves all events again: those that are in the log are left out.
    file.write_text(first + offline_undo(campaign, two) + offline_skip(campaign, three, reason=""), "utf-8")
    assert merge(campaign, file) == 2
    assert {key: record["answers"] for (_, key), record in ratings_of(campaign).items()} == {two: {"da": 9}}
    kinds = [record["kind"] for record in campaign.records()]
    assert kinds == ["merged", "skip", "rating", "skip", "merged", "undo", "skip"]
    assert [record.get("merged") for record in campaign.records()] == [None, 0, 0, 0, None, 4, 4]
    assert [record["n"] for record in campaign.records()] == list(range(7))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reason": 5}, "not a rating"),
        ({"reason": "x" * 2001}, "reason of a skip"),
        ({"answers": {"da": 5}}, "not a rating"),
        ({"item": "nothing"}, "no such item"),
        ({"at": -1.0}, "seconds must be"),
        ({"merged": 0}, "not a rating"),
        ({"request": ""}, "has no request"),
        ({"at": None}, "has no time"),
        ({"campaign": "other-ana"}, "another campaign"),
    ],
)
def test_a_wrong_skip_of_a_file_adds_nothing(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    campaign = made(tmp_path)
    keys = campaign.order("ana")
    file = tmp_path / "ana-ratings.jsonl"
    file.write_text(offline_line(campaign, keys[0]) + offline_skip(campaign, keys[1], **change), "utf-8")
    with pytest.raises(InputError, match=f"line 2.*{message}.*nothing was added"):
        merge(campaign, file)
    assert campaign.records() == []


def test_a_merge_that_was_killed_is_completed(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    file = tmp_path / "ana-ratings.jsonl"
    keys = campaign.order("ana")[:4]
    file.write_text("".join(offline_line(campaign, key) for key in keys), "utf-8")
    assert merge(campaign, file) == 4
    written = campaign.directory / "ratings.jsonl"
    lines = written.read_bytes().splitlines(keepends=True)
    for count in range(1, len(lines)):
        written.write_bytes(b"".join(lines[:count]) + lines[count][:20])
        assert merge(campaign, file) == 5 - count
        assert [key for _, key in ratings_of(campaign)] == keys
        records = campaign.records()
        sources = {record["n"]: record["events"] for record in records if record["kind"] == "merged"}
        assert list(sources.values()) == [4, 5 - count]
        assert {record["merged"] for record in records if record["kind"] == "rating"} <= set(sources)
        assert merge(campaign, file) == 0


def real_marks(row: dict[str, Any]) -> list[dict[str, Any]]:
    """The marks of the first annotator; those of missing words have no place."""
    names = ("severity", "start", "end")
    return [
        {name: span[name] for name in names if span[name] != "missing"} for span in row["meta"]["spans"][0]
    ]


def test_real_ratings_come_back_exactly(tmp_path: Path) -> None:
    """WMT24 ESA, English to Czech: scores and marks of 3 systems on 40 segments, rated again, are those of the source."""
    systems = ("Claude-3.5", "GPT-4", "CommandR-plus")
    found: dict[str, dict[str, Any]] = {}
    with gzip.open(path_of("wmt24_esa"), "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith('{"segment": "en-cs:') and (row := json.loads(line))["system"] in systems:
                found.setdefault(row["segment"], {})[row["system"]] = row
    whole = {name: rows for name, rows in found.items() if len(rows) == 3}
    chosen = random.Random(1).sample(sorted(whole), 40)
    texts = Corpus.read(
        {system: [whole[name][system]["prediction"] for name in chosen] for system in systems},
        None,
        [whole[name][systems[0]]["source"] for name in chosen],
        ids=chosen,
    )
    protocol = protocol_of("esa")
    assert protocol.spans is not None
    # People marked some words twice.
    protocol = msgspec.structs.replace(protocol, spans=msgspec.structs.replace(protocol.spans, overlap=True))
    campaign = new(tmp_path / "campaign", texts, protocol, ["ana", "ben"])
    count = 0
    with campaign.rating() as rater:
        for annotator in ("ana", "ben"):
            for key in campaign.order(annotator):
                item = campaign.items[key]
                row = whole[item.segment][item.systems[0]]
                marks = real_marks(row)
                rater.rate(annotator, key, {"esa": int(row["human_raw"]["esa"][0])}, marks)
                count += len(marks)
    assert count > 50
    path = tmp_path / "ratings.jsonl"
    write_ratings(campaign, path)
    back = {
        (row["segment"], row["system"]): row for row in map(json.loads, path.read_text("utf-8").splitlines())
    }
    assert len(back) == 120
    for system in systems:
        mean = statistics.fmean(row["human"]["esa"] for (_, name), row in back.items() if name == system)
        assert mean == statistics.fmean(whole[name][system]["human_raw"]["esa"][0] for name in chosen)
    for (segment, system), row in back.items():
        marks = next(each for each in row["meta"]["spans"] if each is not None)
        assert marks == real_marks(whole[segment][system])
