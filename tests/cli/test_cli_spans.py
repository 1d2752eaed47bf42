"""nlgauge spans, nlgauge meta spans, nlgauge meta agreement: files in, tables out, errors with exit code 2."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from span_cases import TARGETS, annotations, write_texts

import nlgauge
from nlgauge import meta, spans
from nlgauge.cli.commands import app
from nlgauge.results.imported.human import with_human_scores


def run(*words: str | Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "spans.jsonl"
    spans.write(annotations(), path)
    return path


def test_a_file_is_converted_and_what_is_lost_is_named(file: Path, tmp_path: Path):
    code, out, err = run("spans", "convert", file, "--to", "mqm", "-o", tmp_path / "mqm.tsv")
    assert code == 0 and out == ""
    assert "8 texts of 2 annotators (nlgauge): 8 spans, 1 error without a place." in err
    assert "mqm.tsv (mqm) does not contain: scores; seconds; ids of segments" in err
    code, _, err = run("spans", "convert", tmp_path / "mqm.tsv", "-o", tmp_path / "again.jsonl", "-q")
    assert code == 0 and err == ""
    assert len(spans.read(tmp_path / "again.jsonl").annotations) == 8


def test_texts_are_scored_by_weights(file: Path):
    code, out, _ = run("spans", "score", file, "--weights", "mqm,critical=10", "-f", "csv")
    rows = {row["system"]: float(row["score"]) for row in csv.DictReader(out.splitlines())}
    # A: ana -6 and ben -5 on the first text; B: -5 and -1, and -6 and -11 on the second.
    assert code == 0 and rows == {"A": -2.75, "B": -5.75}
    code, out, _ = run("spans", "score", file, "--weights", "mqm,critical=10", "--level", "segment", "--json")
    assert code == 0 and len(json.loads(out)["rows"]) == 4
    code, _, err = run("spans", "score", file)
    assert code == 2 and "severity 'critical' has no weight; add it to the weights, such as --weights" in err


def test_metrics_are_evaluated_on_spans(file: Path, tmp_path: Path):
    words = ("--measure", "mpp,em", "--resamples", "50")
    ben = [each for each in annotations() if each.annotator == "ben"]
    spans.write(ben, tmp_path / "ben.jsonl")
    code, out, err = run(
        "meta", "spans", file, "--spans", f"detector={tmp_path / 'ben.jsonl'}", *words, "--json"
    )
    assert code == 0, err
    document = json.loads(out)
    people = spans.read(file)
    expected = meta.span_scores(list(people), {"detector": people[1]}, ("mpp", "em"), resamples=50)
    assert [(row["metric"], row["measure"], row["value"]) for row in document["rows"]] == [
        (row["metric"], row["measure"], row["value"]) for row in expected.rows
    ]
    assert document["made"]["average"] == "micro" and document["made"]["penalty"] == 0.5
    code, out, _ = run("meta", "spans", file, "--spans", f"detector={tmp_path / 'ben.jsonl'}", *words)
    assert (
        code == 0
        and "precision" in out
        and "detector" in out
        and "about new inputs of these very systems" in out
    )
    code, out, _ = run("meta", "spans", file, *words, "--compare", "-f", "csv")
    assert code == 0 and "p_adjusted" in out.splitlines()[0]


def test_edits_of_a_metric_are_spans(tmp_path: Path):
    rows = [
        {
            "segment": str(n),
            "system": "A",
            "annotator": "ana",
            "target": "the cat sat on a mat",
            "references": ["the dog sat on a mat"],
            "spans": [{"start": 4, "end": 7, "severity": "minor"}],
        }
        for n in range(3)
    ]
    path = tmp_path / "spans.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, err = run("meta", "spans", path, "-m", "ter", "wer", "--resamples", "20", "--json")
    assert code == 0, err
    values = {row["metric"]: row["value"] for row in json.loads(out)["rows"]}
    assert values["ter"] == values["wer"] == 1
    code, _, err = run("meta", "spans", path, "-m", "chrf")
    assert code == 2 and "chrf marks no errors" in err


def test_agreement_of_annotators_is_printed(file: Path):
    code, out, _ = run("meta", "agreement", file, "--spans", "--resamples", "20", "--chance", "2", "--json")
    rows = json.loads(out)["rows"]
    assert code == 0 and {row["annotators"] for row in rows} == {"all pairs"}
    assert run("meta", "agreement", file)[0] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("spans", "score", "none.jsonl"), "cannot find the file none.jsonl"),
        (("spans", "convert", "FILE", "--to", "docx", "-o", "x"), "is not one of nlgauge, appraise"),
        (("spans", "score", "FILE", "--weights", "mqn"), "unknown weights 'mqn'"),
        (("meta", "spans", "FILE", "--measure", "f1"), "unknown measure 'f1'"),
        (("meta", "spans", "FILE", "--spans", "FILE"), "it must be NAME=VALUE"),
        (("meta", "spans", "FILE", "--penalty", "2"), "0 to 1"),
    ],
)
def test_wrong_use_exits_with_2(file: Path, words: tuple[str, ...], message: str):
    code, _, err = run(*(str(file) if word == "FILE" else word for word in words))
    assert code == 2 and message in err


def test_spans_of_a_metric_are_not_people(tmp_path: Path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"A.txt": [{"src": "s", "mt": "text", "errors": []}]}))
    code, _, err = run("meta", "spans", path)
    assert code == 2 and "needs spans of people" in err


def test_texts_join_a_file_without_texts(tmp_path: Path, file: Path):
    run("spans", "convert", file, "--to", "appraise", "-o", tmp_path / "esa.csv", "-q")
    code, _, err = run("meta", "spans", tmp_path / "esa.csv", "--resamples", "20")
    assert code == 2 and "sentinels need the texts" in err
    texts = write_texts(tmp_path / "texts.jsonl")
    code, out, _ = run("meta", "spans", tmp_path / "esa.csv", "--texts", texts, "--resamples", "20")
    assert code == 0 and "everything" in out


def test_spans_are_added_to_a_saved_result(file: Path, tmp_path: Path):
    texts = {system: [TARGETS[system, "1"], TARGETS[system, "2"]] for system in ("A", "B")}
    nlgauge.score(texts, ["A reference.", "Another one."], ids=["1", "2"], metrics=["ter", "chrf"]).save(
        tmp_path / "out"
    )
    code, _, err = run("spans", "add", tmp_path / "out", "--file", file, "-m", "ter")
    assert code == 0 and "has spans of ana, ben, ter." in err
    saved = spans.spans_of_corpus(nlgauge.load(tmp_path / "out").corpus)
    assert [(each.who, each.kind) for each in saved] == [
        ("ana", "people"),
        ("ben", "people"),
        ("ter", "metric"),
    ]
    weights = ("--weights", "mqm,critical=10")
    code, _, err = run("spans", "add", tmp_path / "out", "--file", file, *weights, "-o", tmp_path / "scored")
    assert code == 0, err
    scored = nlgauge.load(tmp_path / "scored")
    assert (scored["A"]["human.mqm"]["score"], scored["B"]["human.mqm"]["score"]) == (-2.75, -5.75)
    assert with_human_scores(scored).labels == ("human.mqm",)
    code, _, err = run("spans", "add", tmp_path / "out", "-m", "chrf")
    assert code == 2 and "chrf marks no errors" in err
    assert run("spans", "add", tmp_path / "out")[0] == 2
    nlgauge.score({"A": ["other"]}, ["x"], ids=["1"], metrics=["wer"]).save(tmp_path / "other")
    code, _, err = run("spans", "add", tmp_path / "other", "--file", file)
    assert code == 2 and "differs from the text in the corpus" in err
