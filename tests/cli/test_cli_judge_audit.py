"""nlgauge judge audit: files and results, formats, and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from audit_data import few_labels, records
from cli_cases import enter, printed, refused, write
from messages import mentions

import nlgauge

GPT = "GPT-4.Vanilla"
OPTIONS = ("--judge", "verdict", "--human", "label", "--resamples", "200")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    enter(tmp_path, monkeypatch)
    data = records(GPT, few_labels(GPT))
    write("verdicts.jsonl", "".join(f"{json.dumps(each)}\n" for each in data))
    return tmp_path


def test_a_file_of_records():
    text = printed("judge", "audit", "verdicts.jsonl", *OPTIONS, "--swapped", "swapped", "--by", "subset")
    words = " ".join(text.split())
    assert words.startswith("verdict against people, 100 of 419 answers labeled")
    assert "first place 20, second place 10 (p = 0.0987): no preference shown" in words
    assert "Rogan-Gladen 0.493 [0.418, 0.568]" in words
    assert "verdict usable as is" in words


def test_json_has_every_number(folder):
    text = printed(
        "judge",
        "audit",
        "verdicts.jsonl",
        *OPTIONS,
        "--anchor",
        "verdicts.jsonl",
        "--write",
        "a.html",
        "--json",
    )
    document = json.loads(text)
    assert document["verdict"] == "usable as is"
    assert document["made"]["labels"] == 100
    drift = [row for row in document["rows"] if row["part"] == "drift"]
    assert {row["measure"]: row["value"] for row in drift}["changed verdicts"] == 0.0
    assert "usable as is" in (folder / "a.html").read_text("utf-8")


def test_a_saved_result_and_details(folder):
    result = nlgauge.from_scores(records(GPT), {"verdict": "higher", "label": "higher"})
    result.save(folder / "out")
    text = printed("judge", "audit", "out", "--human", "label", "--resamples", "100", "--details")
    assert "kappa" in text and "0.6565" in text
    assert printed("judge", "audit", "out", "--human", "label", "--resamples", "100", "-f", "csv").startswith(
        "part,measure,of,value,low,high,p,n,remark\n"
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--judge", "verdict"), "missing human labels ... --human COLUMN"),
        (("--human", "label"), "column of the judge ... --judge COLUMN"),
        ((*OPTIONS, "--scale", "ratio"), "--scale ... interval"),
        ((*OPTIONS, "--positive", "2"), "'2' ... --positive"),
        ((*OPTIONS, "--texts", "label"), "--texts FIRST,SECOND"),
        ((*OPTIONS, "--by", "subst"), "no field 'subst' ... subset"),
    ],
)
def test_refusals(options, words):
    assert mentions(refused("judge", "audit", "verdicts.jsonl", *options), words)
