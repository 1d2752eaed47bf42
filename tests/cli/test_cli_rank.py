"""nlgauge rank: files, saved results, formats and errors."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from cli_cases import enter, printed, refused, run, scored, write

from nlgauge.preferences import rank


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "100")
    return enter(tmp_path, monkeypatch)


def verdicts() -> list[dict[str, Any]]:
    winners = ["first", "second", "tie", "first", "first"]
    return [
        {
            "item": n,
            "doc": n // 2,
            "first": pair[n % 2],
            "second": pair[1 - n % 2],
            "winner": winners[(n + k) % 5],
            "first_length": 10 + n % 7,
            "second_length": 12,
        }
        for n in range(40)
        for k, pair in enumerate(("AB", "AC", "BC"))
    ]


def saved(name: str = "verdicts.jsonl") -> str:
    return write(name, "".join(json.dumps(record) + "\n" for record in verdicts()))


def test_tables_and_json_are_those_of_python():
    saved()
    options = {"control": ["length"], "baseline": "B", "resamples": 100, "elo": True}
    words = ["--control", "length", "--baseline", "B", "--resamples", "100", "--elo", "--documents", "doc"]
    expected = rank(verdicts(), **options)
    shown = run("rank", "verdicts.jsonl", *words)
    assert all(line.strip() in shown.stdout for line in expected.to_text(width=100).splitlines()[:6])
    assert "against B" in shown.stdout and "seed: 12345" in shown.stderr
    document = json.loads(printed("rank", "verdicts.jsonl", *words, "--json"))
    assert document["rows"] == json.loads(expected.to_json())["rows"]
    quiet = run("rank", "verdicts.jsonl", *words, "-q")
    assert (quiet.stderr, quiet.stdout) == ("", shown.stdout)
    assert printed("rank", "verdicts.jsonl", *words, "-f", "csv") == expected.to_csv()


def test_a_csv_file_and_standard_input_have_the_same_numbers():
    saved()
    with Path("verdicts.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(verdicts()[0]))
        writer.writeheader()
        writer.writerows(verdicts())
    words = ("--control", "position", "--control", "length", "--resamples", "50", "--json")
    first, second = (json.loads(printed("rank", name, *words)) for name in ("verdicts.jsonl", "verdicts.csv"))
    assert first["rows"] == second["rows"]


def test_a_metric_of_a_saved_result():
    scored()
    document = json.loads(printed("rank", "out", "--from", "wer", "--tie", "0.1", "--prior", "0.5", "--json"))
    assert document["systems"] == ["sysB", "sysA"]
    assert "a result needs a metric whose scores decide; use --from" in refused("rank", "out")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("verdicts.jsonl --ties skip", "'skip' is not one of davidson, half, drop"),
        ("verdicts.jsonl --control style", "'style' is not one of length, position"),
        ("verdicts.jsonl --from wer", "--from needs the directory of a saved result"),
        ("verdicts.jsonl --tie 1", "leave out --from and --tie"),
        ("verdicts.jsonl --baseline D", "unknown baseline 'D'"),
        ("verdicts.jsonl --documents topic", "no field 'topic'"),
        ("verdicts.jsonl --confidence 2", "2.0 is not between 0 and 1"),
        ("refs.txt", "refs.txt must be a file of records"),
        ("none.jsonl", "none.jsonl"),
        ("one.jsonl", "A won all of its 1 comparison: its strength has no upper bound"),
        ("bad.jsonl", "bad.jsonl, line 2: 'winner' is 'X'"),
    ],
)
def test_errors(words: str, message: str):
    saved()
    record = {"item": 1, "first": "A", "second": "B", "winner": "A"}
    write("one.jsonl", json.dumps(record) + "\n")
    write("bad.jsonl", json.dumps(record) + "\n" + json.dumps({**record, "winner": "X"}) + "\n")
    assert message in refused("rank", *words.split())


def test_grades_of_a_field_count_by_sign_or_in_proportion():
    records = [
        {
            "segment": str(n),
            "first": {"system": "A", "text": "a"},
            "second": {"system": "B", "text": "b"},
            "human": {"overall": (-2, -1, 0, 1)[n % 4], "fluency": 0},
        }
        for n in range(24)
    ]
    write("pairs.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    for further, options in (([], {}), (["--grades", "2"], {"grades": 2.0})):
        expected = rank(records, verdict="human.overall", resamples=50, **options)
        words = ["pairs.jsonl", "--verdict", "human.overall", "--resamples", "50", *further]
        assert printed("rank", *words, "-f", "csv") == expected.to_csv()
    message = refused("rank", "pairs.jsonl")
    assert "(human.overall, human.fluency); name one of these fields; use --verdict FIELD" in message
    message = refused("rank", "pairs.jsonl", "--verdict", "human.overall", "--grades", "1")
    assert "record 0" in message or "line 1" in message
    assert (
        "has a grade of 2, above the highest grade of 1; pass the highest" in message
        and "--grades" in message
    )
