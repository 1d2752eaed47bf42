"""nlgauge meta: scores a benchmark, goes on where it was, says how well metrics agree with people."""

from __future__ import annotations

import csv
import gzip
import json
import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from messages import mentions

import nlgauge
from nlgauge.cli.commands import app
from nlgauge.corpus import Corpus
from nlgauge.errors import ResultError
from nlgauge.meta import Judgments, compare, seconds_per_thousand
from nlgauge.meta.benchmarks import load
from nlgauge.meta.benchmarks.study import Study, reopened
from nlgauge.metrics.ter import Ter


def run(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["meta", *words])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture(autouse=True)
def _no_benchmarks(tmp_path, monkeypatch):
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path / "none"))


QUICK = ("--resamples", "50", "--level", "system,global", "-c", "kendall")


def test_rows_are_those_of_correlate():
    code, out, err = run("sample", "--human", "relevance", "-m", "chrf", "wer", "--json", *QUICK)
    assert code == 0, err
    document = json.loads(out)
    assert document["made"]["resamples"] == 50
    sample = load("sample")
    expected = sample.judgments(sample.score("chrf", "wer", show_progress=False)).correlate(
        level=["system", "global"], coefficient=["kendall"], human="relevance", resamples=50
    )
    assert len(document["rows"]) == len(expected) == 4
    for found, row in zip(document["rows"], expected, strict=True):
        assert found == {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in row.items()
        }


def test_a_table_names_what_is_the_same_in_its_title():
    code, out, err = run(
        "sample",
        "--human",
        "relevance",
        "-m",
        "chrf",
        "--level",
        "system",
        "-c",
        "kendall",
        "--resamples",
        "50",
    )
    assert code == 0
    assert out.splitlines()[0] == "relevance, system, kendall"
    assert out.splitlines()[1].split() == ["metric", "value", "low", "high", "p", "n", "ceiling"]
    assert "resamples: 50" in err


def test_all_dimensions_without_a_name_and_reasons_below():
    _, out, _ = run("sample", "-m", "vendi", *QUICK)
    assert "relevance" in out
    assert "fluency" in out
    assert out.count("vendi (global): the metric has no scores here") == 1


def test_only_what_is_missing_is_computed(tmp_path):
    place = tmp_path / "out"
    code, _, err = run("sample", "--human", "relevance", "-m", "chrf", "-o", str(place), *QUICK)
    assert code == 0
    assert "scoring chrf" in err
    _, out, err = run(
        "sample", "--human", "fluency", "-m", "chrf", "ter", "-o", str(place), "--format", "csv", *QUICK
    )
    assert "scoring chrf" not in err
    assert "scoring ter" in err
    assert out == (place / "correlations.csv").read_text("utf-8")
    assert {row["metric"] for row in csv.DictReader(out.splitlines())} == {"chrf", "ter"}
    _, out, err = run("sample", "-o", str(place), "--format", "csv", *QUICK)
    assert "scoring" not in err, "without -m the metrics that are there are taken"
    assert {row["metric"] for row in csv.DictReader(out.splitlines())} == {"chrf", "ter"}
    shown = CliRunner().invoke(app, ["show", str(place / "results" / "sample")])
    assert shown.exit_code == 0, shown.stderr
    assert "chrf" in shown.stdout


@pytest.fixture
def interrupted_run(tmp_path, monkeypatch):
    """A study of chrf to which ter was to be added, interrupted after some segments."""
    place = tmp_path / "out"
    assert run("sample", "-m", "chrf", "-o", str(place), *QUICK)[0] == 0
    statistics, calls = Ter.statistics, []

    def interrupted(*given):
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return statistics(*given)

    with monkeypatch.context() as patch:
        patch.setattr(Corpus, "chunks", lambda self, *_: [np.array([i]) for i in range(len(self))])
        patch.setattr(Ter, "statistics", interrupted)
        code, _, err = run("sample", "-m", "chrf", "ter", "-o", str(place), *QUICK)
    assert code == 130
    assert f"interrupted; progress is saved in {place}" in err and "--resume" not in err
    assert nlgauge.load(place / "results" / "sample").labels == ("chrf",)
    assert (place / "results" / "sample.unfinished").is_dir()
    return place


def test_an_interrupted_run_is_resumed(interrupted_run):
    result = interrupted_run / "results" / "sample"
    code, _, err = run("sample", "-m", "chrf", "wer", "-o", str(interrupted_run), *QUICK)
    assert code == 1
    assert "different metrics" in err
    assert "--overwrite" in err
    code, _, err = run("sample", "-m", "chrf", "ter", "-o", str(interrupted_run), *QUICK)
    assert code == 0, err
    assert "scoring ter" in err
    assert nlgauge.load(result).labels == ("chrf", "ter")
    assert [path.name for path in result.parent.iterdir()] == ["sample"]


def test_an_interrupted_run_is_started_again_on_request(interrupted_run):
    result = interrupted_run / "results" / "sample"
    code, _, err = run("sample", "-m", "wer", "-o", str(interrupted_run), "--overwrite", *QUICK)
    assert code == 0, err
    assert nlgauge.load(result).labels == ("chrf", "wer"), "what is finished stays"
    assert [path.name for path in result.parent.iterdir()] == ["sample"]


def test_a_directory_is_of_one_study(tmp_path):
    place = tmp_path / "out"
    run("sample", "-m", "chrf", "-o", str(place), *QUICK)
    code, _, err = run("sample", "-m", "chrf", "--sample", "5", "-o", str(place), *QUICK)
    assert code == 2
    assert "contains another study" in err
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    code, _, err = run("sample", "-m", "chrf", "-o", str(tmp_path / "full"), *QUICK)
    assert code == 2
    assert "no study" in err


def test_a_study_is_opened_again(tmp_path):
    place = tmp_path / "out"
    run("sample", "--human", "relevance", "-m", "chrf", "--sample", "5", "-o", str(place), *QUICK)
    study, benchmark, scores = reopened(place)
    assert (study.benchmark, study.segments, len(benchmark.segments)) == ("sample", 5, 5)
    assert [result.labels for result in scores.values()] == [("chrf",)]
    assert list(study.judgments(benchmark, scores).humans) == ["relevance"]
    (place / "study.json").write_text("{", "utf-8")
    with pytest.raises(ResultError, match="is damaged"):
        reopened(place)
    with pytest.raises(ResultError, match="no study"):
        reopened(tmp_path)


def test_only_plots_need_matplotlib(tmp_path, monkeypatch):
    place = str(tmp_path / "out")
    run("sample", "--human", "relevance", "-m", "chrf", "wer", "-o", place, *QUICK)
    monkeypatch.setitem(sys.modules, "nlgauge.show.plots.files", None)  # cannot be imported
    for command in (("compare", place, "--resamples", "50"), ("cost", place)):
        code, _, err = run(*command)
        assert code == 0, err


def test_compare_tests_the_metrics_that_are_kept(tmp_path):
    place = str(tmp_path / "out")
    run("sample", "--human", "relevance,fluency", "-m", "chrf", "ter", "wer", "-o", place, *QUICK)
    code, out, err = run("compare", place, "--human", "relevance", "--resamples", "50", "--json")
    assert code == 0, err
    document = json.loads(out)
    assert document["made"]["generalize_to"] == "systems"
    assert [(row["metric"], row["other"]) for row in document["rows"]] == [
        ("chrf", "ter"),
        ("chrf", "wer"),
        ("ter", "wer"),
    ]
    _, benchmark, scores = reopened(tmp_path / "out")
    expected = compare(benchmark.judgments(scores), human="relevance", resamples=50, coefficient="kendall")
    assert [row["p_adjusted"] for row in document["rows"]] == [row["p_adjusted"] for row in expected]
    code, out, err = run("compare", place, "-m", "chrf,wer", "--resamples", "50", "--generalize-to", "inputs")
    assert code == 0, err
    assert "The claims are about new inputs" in out
    rows = [line.split()[:3] for line in out.splitlines() if re.match(r"(relevance|fluency) +chrf", line)]
    assert rows == [["relevance", "chrf", "wer"], ["fluency", "chrf", "wer"]]
    assert "test: randomization" in err
    code, _, err = run("compare", str(tmp_path))
    assert code == 1
    assert "is not an nlgauge result" in err


def test_compare_takes_the_level_and_coefficient_that_were_asked_for(tmp_path):
    place = str(tmp_path / "out")
    words = ("sample", "--human", "relevance", "-m", "chrf", "ter", "wer", "-o", place, "--resamples", "20")
    run(*words, "--level", "global", "-c", "kendall")
    for command in ("compare", "cost"):
        made = json.loads(run(command, place, "--json")[1])
        row = made["made"] if command == "compare" else made["rows"][0]
        assert (row["level"], row["coefficient"]) == ("global", "kendall")
    _, out, _ = run("compare", place, "--resamples", "20")
    assert out.splitlines()[0] == "Differences in Kendall's tau-b, global level: relevance"
    made = json.loads(
        run("compare", place, "--level", "system", "-c", "pearson", "--resamples", "20", "--json")[1]
    )["made"]
    assert (made["level"], made["coefficient"]) == ("system", "pearson")
    # A coefficient takes a level at which it has a meaning; what was asked for last counts, and a run without
    # such options asks for the usual.
    run(*words, "-c", "darr", "--level", "system,input")
    assert Study(benchmark="sample", levels=["system", "input"], coefficients=["darr"]).asked(None, None) == (
        "input",
        "darr",
    )
    assert reopened(tmp_path / "out")[0].coefficients == ["darr"]
    run(*words)
    assert (
        json.loads(run("compare", place, "--resamples", "20", "--json")[1])["made"]["coefficient"]
        == "pearson"
    )
    run(*words, "-c", "spearman")
    run("estimate", "sample", "--human", "relevance", "-m", "chrf", "-o", place)
    assert reopened(tmp_path / "out")[0].coefficients == ["spearman"]


def test_planned_comparisons_of_a_study(tmp_path):
    place = str(tmp_path / "out")
    run("sample", "--human", "relevance", "-m", "bleu", "chrf", "ter", "-o", place, *QUICK)
    code, out, err = run("compare", place, "--against", "bleu", "--resamples", "50", "--json")
    assert code == 0, err
    document = json.loads(out)
    assert [(row["metric"], row["other"]) for row in document["rows"]] == [("chrf", "bleu"), ("ter", "bleu")]
    assert document["made"]["against"] == ["bleu"]
    _, out, _ = run("compare", place, "--against", "bleu", "--resamples", "50")
    assert "letters" not in out
    assert "corrected for 2 pairs of metrics, each metric with bleu" in " ".join(out.split())


def test_the_answer_is_sorted_and_says_no_more_than_the_table(tmp_path):
    path = tmp_path / "data.jsonl"
    rng = np.random.default_rng(1)
    quality = np.repeat(np.linspace(0, 1, 12), 6)
    lines = [
        {
            "id": i % 6,
            "system": f"s{i // 6:02}",
            "prediction": "good " * int(1 + 8 * q) + "bad",
            "reference": "good " * 9,
            "adequacy": q + 0.1 * e,
        }
        for i, (q, e) in enumerate(zip(quality, rng.normal(size=72), strict=True))
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    code, out, err = run(
        str(path),
        "--human",
        "adequacy",
        "-m",
        "chrf",
        "mattr",
        "--level",
        "system",
        "-c",
        "pearson",
        "--resamples",
        "200",
    )
    assert code == 0, err
    rows = [line.split() for line in out.splitlines() if line.startswith(("chrf", "mattr"))]
    assert [float(row[1]) for row in rows] == sorted((float(row[1]) for row in rows), reverse=True)
    best, other = rows
    sentence = " ".join(out.split())
    assert f"adequacy: {best[0]} agrees best with people (pearson {best[1]}, system level)" in sentence
    separated = not set(best[2]) & set(other[2])
    assert (f"{best[0]} is significantly better than all others" in sentence) == separated
    assert (f"{other[0]} cannot be separated from {best[0]}" in sentence) != separated
    # Four systems can show nothing, and equal metrics lead together.
    _, out, _ = run("sample", "--human", "relevance", "-m", "chrf", "rouge", "ter", *QUICK)
    sentence = " ".join(out.split())
    assert (
        "chrf and rouge agree equally and best with people (kendall 1.000, system level); ter cannot be"
        " separated from chrf." in sentence
    )
    assert "4 systems are too few for any difference to be significant (p is at least 0.12)." in sentence


def records(*, judged: bool = True) -> list[dict]:
    texts = {
        "A": ["the cat sat", "a dog ran", "birds sing"],
        "B": ["the cat", "dog", "birds"],
        "C": ["x", "y", "birds sing"],
    }
    references = ["the cat sat down", "a dog ran off", "birds sing"]
    return [
        {
            "id": i,
            "system": system,
            "prediction": text,
            "reference": references[i],
            "lp": "de-en" if i else "fr-en",
        }
        | ({"adequacy": len(text)} if judged else {})
        for system, predictions in texts.items()
        for i, text in enumerate(predictions)
    ]


def test_a_file_of_records_with_human_columns(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records()), "utf-8")
    code, out, err = run(str(path), "--human", "adequacy", "-m", "chrf", "--json", *QUICK)
    assert code == 0, err
    assert {row["human"] for row in json.loads(out)["rows"]} == {"adequacy"}
    code, _, err = run(str(path), "-m", "chrf", *QUICK)
    assert code == 2
    assert mentions(" ".join(err.split()), "human scores ... --human ... lp, adequacy")
    code, out, err = run(str(path), "--human", "adequacy", "--group-by", "lp", "-m", "chrf", "--json", *QUICK)
    assert code == 0, err
    assert {row["group"] for row in json.loads(out)["rows"]} == {"fr-en", "de-en", "average"}
    code, _, err = run(str(path), "--human", "adequacy", "--group", "de-en", "-m", "chrf", *QUICK)
    assert code == 2
    assert mentions(err, "'de-en' ... --group-by")
    code, _, err = run(str(path), "--human", "adequecy", "-m", "chrf", *QUICK)
    assert code != 0
    assert mentions(" ".join(err.split()), "did you mean 'adequacy'? ... lp, adequacy")


def test_groups_that_are_not_language_pairs(tmp_path):
    path = tmp_path / "data.jsonl"
    domains = [{**record, "domain": "news" if record["lp"] == "fr-en" else "web"} for record in records()]
    path.write_text("".join(json.dumps(record) + "\n" for record in domains), "utf-8")
    options = (str(path), "--human", "adequacy", "--group-by", "domain", "-m", "chrf", "--json", *QUICK)
    code, out, err = run(*options)
    assert code == 0, err
    assert {row["group"] for row in json.loads(out)["rows"]} == {"news", "web", "average"}
    code, _, err = run(*options, "--group", "news")
    assert code == 0, err


def test_a_human_column_of_several_annotators_is_read_as_human_raw_is(tmp_path):
    ratings = [
        [len(record["prediction"]), len(record["prediction"]) % 4, None if i % 4 else i]
        for i, record in enumerate(records())
    ]
    own, benchmark = tmp_path / "own.jsonl", tmp_path / "benchmark.jsonl"
    own.write_text(
        "".join(
            json.dumps({**record, "adequacy": each}) + "\n"
            for record, each in zip(records(), ratings, strict=True)
        ),
        "utf-8",
    )
    lines = [
        {
            "segment": record["id"],
            "system": record["system"],
            "prediction": record["prediction"],
            "references": [record["reference"]],
        }
        | {
            "human": {"adequacy": float(np.nanmean(np.array(each, dtype=float)))},
            "human_raw": {"adequacy": each},
        }
        for record, each in zip(records(), ratings, strict=True)
    ]
    benchmark.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    words = "--human", "adequacy", "-m", "chrf", "--json", "--interval", "none"
    found = [json.loads(run(str(path), *words)[1])["rows"] for path in (own, benchmark)]
    assert found[0] == found[1]
    assert any(row["ceiling"] is not None and row["disattenuated"] is not None for row in found[0])
    own.write_text(json.dumps({**records()[0], "adequacy": [4, "much"]}), "utf-8")
    code, _, err = run(str(own), *words)
    assert code == 2
    assert "adequacy of segment '0' must be a number, got 'much'" in err


def test_a_ceiling_that_is_not_known_is_explained_below_the_table(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records()), "utf-8")
    _, out, _ = run(str(path), "--human", "adequacy", "-m", "chrf", *QUICK)
    assert "no ceiling for adequacy: only one rating per output" in out
    assert "no ceiling" not in run("sample", "--human", "relevance", "-m", "chrf", *QUICK)[1]


def test_a_study_of_a_file_is_opened_again_from_elsewhere(tmp_path, monkeypatch):
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records()), "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("data.jsonl", "--human", "adequacy", "-m", "chrf", "-o", "out", *QUICK)[0] == 0
    assert run("data.jsonl", "--human", "adequacy", "-m", "chrf", "-o", "out", *QUICK)[0] == 0
    monkeypatch.chdir("/")
    assert reopened(tmp_path / "out")[1].systems == ("A", "B", "C")


def test_judged_pairs_are_told_by_darr(tmp_path):
    path = tmp_path / "pairs.jsonl"
    sides = {"better": {"system": "A", "text": "the cat sat"}, "worse": {"system": "B", "text": "cat"}}
    path.write_text(
        json.dumps({"segment": 1, "references": ["the cat sat"], **sides, "meta": {}}) + "\n", "utf-8"
    )
    code, out, err = run(str(path), "-m", "chrf", "--json", "--resamples", "50")
    assert code == 0, err
    (row,) = json.loads(out)["rows"]
    assert (row["coefficient"], row["value"]) == ("darr", 1.0)


def test_published_metrics_need_no_texts(tmp_path, monkeypatch):
    rows = [
        {"segment": s, "system": str(n), "human": {"pyramid": n}, "metrics": {"METEOR": n * n}}
        for s in "xyz"
        for n in range(4)
    ]
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path))
    (tmp_path / "tac2008.scores.jsonl.gz").write_bytes(
        gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode())
    )
    code, out, err = run(
        "tac2008", "--peers", "--json", "--interval", "none", "--level", "system", "-c", "kendall"
    )
    assert code == 0, err
    assert [(row["metric"], row["value"]) for row in json.loads(out)["rows"]] == [("METEOR", 1.0)]
    code, _, err = run("tac2008", "-m", "chrf", *QUICK)
    assert code == 2
    assert "--peers" in err


def test_what_people_wrote_is_left_out_unless_it_is_asked_for(tmp_path):
    judged = {"A": 1.0, "B": 2.0, "C": 3.0, "person": 5.0}
    rows = [
        {
            "segment": i,
            "system": system,
            "prediction": f"{system} {i}",
            "references": [f"x {i}"],
            "human": {"q": q},
        }
        | {"meta": {"human_reference": system == "person"}}
        for i in range(3)
        for system, q in judged.items()
    ]
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    for words, systems in (((), 3), (("--with-people",), 4)):
        _, out, _ = run(
            str(path),
            "-m",
            "chrf",
            "--json",
            "--interval",
            "none",
            "--level",
            "system",
            "-c",
            "pearson",
            *words,
        )
        assert [row["n"] for row in json.loads(out)["rows"]] == [systems]


def test_corpus_scores_and_all_outputs():
    def rows(*words):
        _, out, _ = run(
            "sample",
            "--human",
            "relevance",
            "--json",
            "--interval",
            "none",
            "--level",
            "system",
            "-c",
            "pearson",
            *words,
        )
        return json.loads(out)["rows"]

    (means,), (whole,) = rows("-m", "bleu"), rows("-m", "bleu", "--corpus-scores")
    assert means["value"] != whole["value"]
    assert len(rows("-m", "rouge", "--all-outputs")) > 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sample", "--human", "relevence", "-m", "chrf"), "did you mean 'relevance'"),
        (("sampel", "-m", "chrf"), "did you mean 'sample'"),
        (("sample", "--group", "en-de", "-m", "chrf"), "has no group 'en-de'"),
        (("sample", "-m", "chrf", "--level", "word"), "level ... 'word'"),
        (("sample", "-m", "chrf", "-c", "tau"), "coefficient ... 'tau'"),
        (("sample", "-m", "chrf", "--interval", "x"), "--interval"),
        (("hanna", "-m", "chrf"), "License: MIT"),
        (("none.csv", "--human", "q", "-m", "chrf"), "file ... none.csv"),
    ],
)
def test_what_is_asked_wrongly_is_answered(words, message):
    code, out, err = run(*words)
    assert code != 0
    assert out == ""
    assert mentions(err, message)


def test_help_lists_the_commands_and_the_options_of_the_benchmark_form():
    for words in ((), ("--help",), ("-h",)):
        code, out, _ = run(*words)
        assert code == 0
        assert "--human" in out
        assert "meta run" not in out
        for command in ("compare", "between", "cost", "estimate"):
            assert re.search(rf"^  {command} ", out, re.MULTILINE), command
    assert "--against" in run("compare", "--help")[1]
    assert Study(benchmark="sample").read().systems == load("sample").systems


def test_systems_of_a_file_need_not_have_the_same_segments(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records()[1:]), "utf-8")
    with pytest.warns(UserWarning, match="judged on different inputs"):
        benchmark = Study(benchmark=str(path), humans=["adequacy"]).read()
        judged = benchmark.judgments(benchmark.score("chrf", show_progress=False))
        judged.correlate(interval=None)
    assert (judged.systems, judged.segments) == (("A", "B", "C"), ("1", "2", "0"))
    assert [math.isnan(value) for value in judged.human("adequacy")[:, 2]] == [True, False, False]
    without = [{name: value for name, value in record.items() if name != "id"} for record in records()]
    path.write_text("".join(json.dumps(record) + "\n" for record in without), "utf-8")
    code, _, err = run(str(path), "--human", "adequacy", "-m", "chrf", *QUICK)
    assert code == 2
    assert "need an 'id'" in err


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    place = tmp_path_factory.mktemp("kept") / "out"
    assert run("sample", "--human", "relevance", "-m", "chrf", "ter", "-o", str(place), *QUICK)[0] == 0
    return place


def test_between_metrics_of_a_study(kept, tmp_path):
    code, out, err = run(
        "between", str(kept), "--level", "system", "-c", "kendall", "--with-humans", "--json"
    )
    assert code == 0, err
    _, benchmark, scores = reopened(kept)
    judged = benchmark.judgments(scores, dimensions=["relevance"])
    expected = judged.between_metrics(level="system", coefficient="kendall", with_human=True)
    assert [row["value"] for row in json.loads(out)["rows"]] == expected.column("value")
    code, _, err = run("between", str(kept), "-m", "chrf")
    assert (code, "got chrf" in err) == (2, True)
    code, _, err = run("between", str(kept), "--human", "relevance")
    assert (code, "--human relevance requires --with-humans" in err) == (2, True)
    code, _, err = run("between", str(kept), "--with-humans", "--human", "nothing")
    assert (code, "'nothing'" in err) == (2, True)
    _, out, _ = run("between", str(kept), "-m", "chrf,ter")
    assert out.splitlines()[0] == "Agreement of metrics with each other: global, pearson"


def test_what_agreement_costs(kept):
    code, out, err = run("cost", str(kept), "--level", "global", "--json")
    assert code == 0, err
    (result,) = reopened(kept)[2].values()
    seconds = {row["metric"]: row["seconds_per_1000"] for row in json.loads(out)["rows"]}
    assert seconds == {label: seconds_per_thousand(result)[label] for label in ("chrf", "ter")}
    assert [row["metric"] for row in json.loads(out)["rows"]] == sorted(seconds, key=seconds.get)
    assert any(row["frontier"] for row in json.loads(out)["rows"])
    code, _, err = run("cost", str(kept), "-m", "bleu")
    assert code != 0
    assert "metric 'bleu'" in err


def test_plots_on_request(kept, tmp_path):
    pytest.importorskip("matplotlib")
    files = {kind: str(tmp_path / f"{kind}.svg") for kind in ("forest", "heatmap", "pareto", "topk")}
    words = [
        word
        for kind, path in files.items()
        for word in ("--plot", path if kind == "forest" else f"{kind}={path}")
    ]
    code, _, err = run("sample", "--human", "relevance", "-m", "chrf", "ter", *words, *QUICK)
    assert code == 0, err
    alone = {
        kind: str(tmp_path / f"{kind}.svg")
        for kind in ("scatter", "distributions", "calibration", "landscape")
    }
    words = [word for kind, path in alone.items() for word in ("--plot", f"{kind}={path}")]
    code, _, err = run("sample", "--human", "relevance", "-m", "chrf", *words, *QUICK)
    assert code == 0, err
    of_kept = {"compare": ("--resamples", "20"), "between": (), "cost": ()}
    for command, options in of_kept.items():
        files[command] = str(tmp_path / f"{command}.svg")
        code, _, err = run(command, str(kept), *options, "--plot", files[command])
        assert code == 0, err
    drawn = {kind: Path(path).read_text("utf-8") for kind, path in {**files, **alone}.items()}
    assert len(drawn) == 11
    # `between` draws the heatmap, and `cost` what pareto draws, of seconds that may be the same twice.
    assert len({text for kind, text in drawn.items() if kind not in ("heatmap", "pareto")}) == 9
    titles = {
        "forest": "ceiling",
        "pareto": "Agreement and cost",
        "compare": "p of differences in kendall",
        "between": "Pearson between metrics",
    }
    for kind, text in titles.items():
        assert f">{text}" in drawn[kind], kind
    code, _, err = run(
        "sample",
        "--human",
        "relevance",
        "-m",
        "chrf",
        "ter",
        "--plot",
        f"scatter={tmp_path / 'x.pdf'}",
        *QUICK,
    )
    assert code == 2
    assert "-m: chrf, ter" in err


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("x.gif", ".pdf, .png or .svg"),
        ("scater=x.pdf", "did you mean 'scatter'"),
        ("none/x.pdf", "directory none"),
    ],
)
def test_a_plot_that_cannot_be_drawn_is_refused_before_any_work(word, message):
    pytest.importorskip("matplotlib")
    code, out, err = run("sample", "-m", "chrf", "--plot", word)
    assert code == 2
    assert mentions(err, message)
    assert out == ""
    assert "scoring" not in err


def test_without_matplotlib_a_plot_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, _, err = run("sample", "-m", "chrf", "--plot", "x.pdf")
    assert code == 1
    assert 'pip install "nlgauge[plot]"' in err


def half_judged(tmp_path):
    path, references = (
        tmp_path / "half.jsonl",
        [" ".join(f"w{(i * j) % 11}" for j in range(1, 9)) for i in range(30)],
    )
    rows = [
        {
            "id": i,
            "system": system,
            "prediction": " ".join(words.split()[: 3 + (i + k) % 5]),
            "reference": words,
            "adequacy": None,
        }
        | ({"adequacy": 1 + (i + k) % 5 + k} if i % 3 == 0 else {})
        for k, system in enumerate("AB")
        for i, words in enumerate(references)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_estimates_from_few_labels(tmp_path):
    path = half_judged(tmp_path)
    benchmark = Study(benchmark=str(path), humans=["adequacy"]).read()
    judged = benchmark.judgments(benchmark.score("chrf", show_progress=False))
    for words, options in (
        ((), {}),
        (("--differences", "--generalise-to", "none"), {"of": "differences", "generalize_to": "none"}),
    ):
        code, out, err = run("estimate", str(path), "--human", "adequacy", "-m", "chrf", "--json", *words)
        assert code == 0, err
        expected = judged.estimate(seed=12345, **options)
        assert [(row["estimate"], row["low"], row["labels"]) for row in json.loads(out)["rows"]] == [
            (row["estimate"], row["low"], 10) for row in expected
        ]
    _, out, _ = run("estimate", str(path), "--human", "adequacy", "-m", "chrf", "--width", "1", "--json")
    assert [row["needed"] for row in json.loads(out)["rows"]] == judged.estimate(seed=12345).labels_needed(
        1.0
    ).column("needed")


def test_what_to_label_next_and_what_came_of_it(tmp_path):
    path = half_judged(tmp_path)
    code, out, err = run(
        "estimate", str(path), "--human", "adequacy", "-m", "chrf", "--next", "5", "-f", "csv"
    )
    assert code == 0, err
    rows = list(csv.DictReader(out.splitlines()))
    assert (len(rows), sum(row["proposed"] == "True" for row in rows)) == (30, 5)
    (tmp_path / "next.csv").write_text(out, "utf-8")
    _, table, _ = run("estimate", str(path), "--human", "adequacy", "-m", "chrf", "--next", "5")
    assert len([line for line in table.splitlines() if line[:1].isdigit()]) == 5
    code, out, err = run(
        "estimate",
        str(path),
        "--human",
        "adequacy",
        "-m",
        "chrf",
        "--probabilities",
        str(tmp_path / "next.csv"),
    )
    assert code == 0, err
    assert "with the specified probabilities" in " ".join(out.split())
    (tmp_path / "next.csv").write_text("segment,probability\n0,1\n", "utf-8")
    code, _, err = run(
        "estimate",
        str(path),
        "--human",
        "adequacy",
        "-m",
        "chrf",
        "--probabilities",
        str(tmp_path / "next.csv"),
    )
    assert code == 2
    assert "lacks the probability of segment '1'" in err
    code, _, err = run("estimate", str(path), "--human", "adequacy", "--next", "5", "--width", "1")
    assert code == 2
    assert "--width and --next cannot be combined" in err


def test_reasons_stand_below_the_table_with_what_they_are_of(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps({**record, "adequacy": 3}) + "\n" for record in records()), "utf-8")
    _, out, _ = run(
        str(path),
        "--human",
        "adequacy",
        "-m",
        "chrf",
        "ter",
        "--level",
        "system",
        "-c",
        "kendall",
        "-o",
        str(tmp_path / "out"),
    )
    assert out.splitlines()[1].split() == ["metric", "value", "n"]
    assert "chrf, ter (system): all scores are equal" in out
    _, out, _ = run("compare", str(tmp_path / "out"), "--resamples", "20")
    assert "chrf - ter: kendall of chrf and ter is undefined" in out


def test_what_is_of_one_dimension_and_group_says_how_to_choose(tmp_path):
    pytest.importorskip("matplotlib")
    code, _, err = run("estimate", "sample", "-m", "chrf")
    assert code == 2
    assert "--human: relevance, fluency" in err
    code, _, err = run("sample", "-m", "chrf", "--plot", f"topk={tmp_path / 'x.pdf'}", *QUICK)
    assert code == 2
    assert "--plot topk needs exactly one human dimension" in err
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records()), "utf-8")
    code, _, err = run("estimate", str(path), "--human", "adequacy", "--group-by", "lp", "-m", "chrf")
    assert code == 2
    assert "--group: fr-en, de-en" in err


def saved_result(tmp_path: Path, rows: list[dict], **options) -> Path:
    """A result of records, saved as `nlgauge score -o` does."""
    result = nlgauge.score(rows, metrics=["chrf", "ter"], show_progress=False, **options)
    return result.save(tmp_path / "result")


WORDS = ("--human", "adequacy", "--json", "--resamples", "20")


@pytest.mark.filterwarnings("ignore:systems were judged on different inputs")
@pytest.mark.parametrize("kind", ["numbers", "missing", "ratings", "gap"])
def test_a_saved_result_gives_the_numbers_of_its_file(tmp_path, kind):
    rows = records()
    if kind == "missing":
        rows[2]["adequacy"] = None
    if kind == "ratings":
        rows = [
            {**row, "adequacy": [row["adequacy"] / 10, i % 4 / 7, 0.3, None]} for i, row in enumerate(rows)
        ]
    if kind == "gap":
        rows = rows[1:]
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    place = saved_result(tmp_path, rows, pooled=kind == "gap")
    (code, of_result, err), (_, of_file, _) = (
        run(str(place), *WORDS),
        run(str(path), "-m", "chrf", "ter", *WORDS),
    )
    assert code == 0, err
    assert json.loads(of_result)["rows"] == json.loads(of_file)["rows"]
    assert any(row["value"] is not None for row in json.loads(of_result)["rows"])


@pytest.mark.parametrize("options", [(), ("--corpus-scores", "--all-outputs"), ("--group-by", "lp")])
def test_options_of_a_saved_result_are_those_of_a_file(tmp_path, options):
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in records()), "utf-8")
    place = saved_result(tmp_path, records())
    of_result = run(str(place), "-m", "chrf", *options, *WORDS)[1]
    assert (
        json.loads(of_result)["rows"] == json.loads(run(str(path), "-m", "chrf", *options, *WORDS)[1])["rows"]
    )


def test_a_result_of_a_study_gives_the_numbers_of_its_benchmark(kept):
    words = ("--human", "relevance,fluency", "-m", "chrf", "ter", "--json", *QUICK)
    code, out, err = run(str(kept / "results" / "sample"), *words)
    assert code == 0, err
    rows = json.loads(out)["rows"]
    assert rows == json.loads(run("sample", *words)[1])["rows"]
    assert all(row["ceiling"] is not None for row in rows), "ratings of annotators are there too"


def test_a_result_without_texts_has_numbers_enough(tmp_path):
    result = nlgauge.score(records(), metrics=["chrf"], show_progress=False)
    for place, texts in ((tmp_path / "with", True), (tmp_path / "without", False)):
        result.save(place, texts=texts)
    found = [json.loads(run(str(tmp_path / name), *WORDS)[1])["rows"] for name in ("with", "without")]
    assert found[0] == found[1]
    as_text = [{**row, "adequacy": str(row["adequacy"])} for row in records()]
    nlgauge.score(as_text, metrics=["chrf"]).save(tmp_path / "text", texts=False)
    code, _, err = run(str(tmp_path / "text"), *WORDS)
    assert code == 1
    assert "without texts, and adequacy" in " ".join(err.split())
    nlgauge.score(records()[1:], metrics=["chrf"], pooled=True).save(tmp_path / "pooled", texts=False)
    code, _, err = run(str(tmp_path / "pooled"), *WORDS)
    assert code == 1
    assert "the systems of the records are not known" in " ".join(err.split())


def test_human_scores_of_a_result_may_be_in_a_file(tmp_path):
    place = saved_result(tmp_path, records(judged=False))
    path = tmp_path / "human.csv"
    lines = [f"{row['system']},{row['id']},{row['adequacy']}" for row in records()]
    path.write_text("\n".join(["system,segment,adequacy", *lines]), "utf-8")
    of_file = json.loads(run(str(place), "--human", str(path), "--json", "--resamples", "20")[1])["rows"]
    judged = Judgments.from_result(nlgauge.load(place), str(path)).correlate(resamples=20)
    assert sorted(row["value"] or 0 for row in of_file) == sorted(
        0 if math.isnan(row["value"]) else row["value"] for row in judged
    )
    for command in ("compare", "cost"):
        code, out, err = run(command, str(place), "--human", str(path), "--json")
        assert (code, {row["human"] for row in json.loads(out)["rows"]}) == (0, {"adequacy"}), err


def test_commands_that_read_a_study_read_a_saved_result(tmp_path):
    place = str(saved_result(tmp_path, records()))
    code, out, err = run("compare", place, "--human", "adequacy", "--resamples", "20", "--json")
    assert code == 0, err
    assert [(row["metric"], row["other"]) for row in json.loads(out)["rows"]] == [("chrf", "ter")]
    code, out, err = run("cost", place, "--human", "adequacy", "--json")
    assert code == 0, err
    assert {row["metric"] for row in json.loads(out)["rows"]} == {"chrf", "ter"}
    code, out, err = run("between", place, "--json")
    assert code == 0, err
    assert len(json.loads(out)["rows"]) == 1
    _, out, _ = run("between", place, "--with-humans", "--human", "adequacy", "--json")
    assert len(json.loads(out)["rows"]) == 3
    code, out, err = run("estimate", place, "--human", "adequacy", "--json")
    assert code == 0, err


def test_what_a_saved_result_cannot_answer_is_said(tmp_path, kept):
    place = str(saved_result(tmp_path, records()))
    for words, message in (
        ((place,), "human scores ... --human ... adequacy, lp"),
        (
            (place, "--human", "adequecy"),
            "'adequecy' (did you mean 'adequacy'?) ... adequacy, lp",
        ),
        ((place, "--human", "lp"), "one value for all systems"),
        ((place, "--human", "adequacy", "-m", "bleu"), "metric 'bleu'"),
        ((place, "--human", "adequacy", "--group", "fr-en"), "--group-by"),
        ((place, "--human", "adequacy", "--sample", "2"), "--sample ... benchmark"),
        ((place, "--human", "adequacy", "-o", str(tmp_path / "x")), "-o ... benchmark"),
        ((str(kept), "--human", "relevance"), "is a study, not a result"),
        ((str(tmp_path), "--human", "adequacy"), "is not an nlgauge result"),
        (("compare", place), "human scores ... --human"),
    ):
        code, out, err = run(*words)
        assert code != 0, words
        assert out == ""
        assert mentions(" ".join(err.replace("│", " ").split()), message), words


def test_one_system_is_judged_at_the_levels_that_it_has(tmp_path):
    alone = [{name: value for name, value in row.items() if name != "system"} for row in records()[:3]]
    place = str(saved_result(tmp_path, alone))
    code, _, err = run(place, "--human", "adequacy", "--level", "system,input", "-c", "kendall")
    assert code == 2
    assert "--level system,input needs two systems" in " ".join(err.split())
    _, out, _ = run(place, "--human", "adequacy", "--level", "global", "-c", "kendall", "--json")
    assert all(row["value"] is not None for row in json.loads(out)["rows"])


def test_parts_of_a_benchmark_and_of_its_directory(tmp_path):
    place = str(tmp_path / "out")
    assert run("sample", "--human", "relevance", "-m", "chrf", "-o", place, *QUICK)[0] == 0
    systems = load("sample").systems
    words = ("--format", "csv")
    code, out, err = run(
        "sample", "--without", systems[0], "-m", "chrf", "--human", "relevance", *words, *QUICK
    )
    assert code == 0, err
    (row, _) = csv.DictReader(out.splitlines())
    assert int(row["n"]) == len(systems) - 1
    code, _, err = run(
        "sample", "--human", "relevance", "-m", "chrf", "-o", place, "--without", systems[0], *QUICK
    )
    assert code == 2
    assert mentions(err, "contains another study: without was [] ... -o")
    code, out, err = run("between", place, "--with-humans", "--systems", f"{systems[0]},{systems[1]}", *words)
    assert code == 0, err
    assert {row["n"] for row in csv.DictReader(out.splitlines())} == {str(2 * len(load("sample").segments))}
    for command in (("compare", place), ("between", place), ("cost", place, "--human", "relevance")):
        code, _, err = run(*command, "--where", "systm = x")
        assert code == 2
        assert mentions(err, "unknown column systm; did you mean system")
        code, _, err = run(*command, "--systems", "nobody")
        assert code == 2
        assert mentions(err, "no system 'nobody'")
    code, _, err = run("sample", "--where", "system = a b")
    assert code == 2
    assert mentions(err, "'--where' ... Write system = \"a b\"")
