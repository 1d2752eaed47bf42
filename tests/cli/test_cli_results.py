"""Commands on saved results: their scores in every form, segment scores in files, more metrics and
systems, groups.
"""

from __future__ import annotations

import csv
import json
import math
import os
from pathlib import Path
from typing import Any

import polars
import pytest
from cli_cases import document, enter, printed, refused, run, scored, warned, write
from human_judgments import path_of
from messages import mentions

import nlgauge
from nlgauge.metric.card import ApplTasks, QualityDims
from nlgauge.models.weights.catalog import catalog


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return enter(tmp_path, monkeypatch)


RECORDS = [
    {
        "id": f"s{i}",
        "domain": "news" if i % 2 else "ted",
        "system": system,
        "prediction": f"{text} {i}",
        "reference": f"the cat sat {i}",
    }
    for system, text in (("A", "the cat sat"), ("B", "a cat"))
    for i in range(6)
]


def records(path: str = "d.jsonl") -> str:
    return write(path, "".join(json.dumps(record) + "\n" for record in RECORDS))


def rows(text: str, delimiter: str = "\t") -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines(), delimiter=delimiter))


def test_show_prints_what_score_printed() -> None:
    shown = printed("score", "-m", "bleu", "wer", "-r", "refs.txt", "sysA.txt", "sysB.txt", "-o", "out")
    result = run("show", "out")
    assert result.stdout == shown
    assert "bleu: nrefs:1|" in result.stderr
    assert "|bs:1000|confidence:95|ar:1000|seed:12345" in result.stderr
    assert printed("show", "out", "--json") == printed(
        "score", "-m", "bleu", "wer", "-r", "refs.txt", "sysA.txt", "sysB.txt", "--json"
    )
    assert run("show", "out", "-q").stderr == ""


@pytest.mark.parametrize("form", ["markdown", "latex", "tsv", "csv"])
def test_forms_are_those_of_the_library(form: str) -> None:
    scored()
    saved = nlgauge.load("out")
    delimiter = {"delimiter": "\t"} if form == "tsv" else {}
    expected = getattr(saved, f"to_{'csv' if form in ('tsv', 'csv') else form}")(
        confidence=0.9, resamples=50, details=True, **delimiter
    )
    found = run("show", "out", "--format", form, "--confidence", "0.9", "--resamples", "50", "--details")
    assert found.stdout == expected
    # Those for readers name the signatures themselves.
    assert ("nrefs:1|" in found.stderr) == (form in ("tsv", "csv"))
    assert run("score", "-m", "bleu", "-r", "refs.txt", "sysA.txt", "-f", form).exit_code == 0


def test_text_is_a_name_of_the_table() -> None:
    scored()
    assert printed("show", "out", "-f", "text") == printed("show", "out")


def test_segment_files_hold_what_the_frame_holds() -> None:
    for suffix in ("tsv", "csv", "jsonl"):
        printed(
            "score",
            "-m",
            "bleu",
            "wer",
            "-r",
            "refs.txt",
            "sysA.txt",
            "sysB.txt",
            "-o",
            suffix,
            "--segments",
            f"s.{suffix}",
            "--texts",
        )
    expected = nlgauge.load("tsv").segments(texts=True, frame="records")
    assert [json.loads(line) for line in Path("s.jsonl").read_text("utf-8").splitlines()] == expected
    for suffix, delimiter in (("tsv", "\t"), ("csv", ",")):
        found = rows(Path(f"s.{suffix}").read_text("utf-8"), delimiter)
        assert [row["prediction"] for row in found] == [row["prediction"] for row in expected]
        assert [float(row["bleu"]) for row in found] == [row["bleu"] for row in expected]
        assert list(found[0]) == list(expected[0])


def test_parquet_is_written_where_pyarrow_is() -> None:
    arguments = (
        "score",
        "-q",
        "-m",
        "wer",
        "-r",
        "refs.txt",
        "sysA.txt",
        "sysB.txt",
        "--segments",
        "s.parquet",
        "-o",
        "out",
    )
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        assert (
            'writing .parquet files needs pyarrow; run: pip install "nlgauge[parquet]"'
            in run(*arguments).stderr
        )
        return
    printed(*arguments)
    expected = [row["wer"] for row in nlgauge.load("out").segments(frame="records")]
    assert polars.read_parquet("s.parquet")["wer"].to_list() == [
        None if math.isnan(value) else value for value in expected
    ]


def test_segments_on_standard_output_leave_scores_to_standard_error() -> None:
    result = run("score", "-m", "wer", "-r", "refs.txt", "sysA.txt", "--segments", "-")
    assert [row["system"] for row in rows(result.stdout)] == ["sysA"] * 3
    assert "95% interval" in result.stderr
    assert run("score", "-m", "wer", "-r", "refs.txt", "sysA.txt", "-sl").stdout == result.stdout
    quiet = run("score", "-q", "-m", "wer", "-r", "refs.txt", "sysA.txt", "-sl")
    assert (quiet.stdout, quiet.stderr) == (result.stdout, "")


def test_segments_of_a_saved_result() -> None:
    write("ids.txt", "a\nb\nlast\n")
    scored("--ids", "ids.txt")
    saved = nlgauge.load("out")
    long = rows(printed("segments", "out"))
    assert [(row["segment"], row["system"]) for row in long] == [
        (name, system) for system in ("sysA", "sysB") for name in ("a", "b", "last")
    ]
    assert "prediction" not in long[0]
    assert "every segment" in run("segments", "out", "-m", "wer", "--missing").stderr
    wide = rows(printed("segments", "out", "--wide", "--texts", "-m", "wer", "-m", "bleu"))
    assert [row["segment"] for row in wide] == ["a", "b", "last"]
    assert wide[0]["sysB/prediction"] == "the cat sat on the mat"
    assert float(wide[1]["sysA/wer"]) == saved._tables["sysA", "wer"].segments()["wer"][1]
    assert (
        rows(printed("segments", "out", "-m", "wer", "bleu"))[0].keys()
        == rows(printed("segments", "out", "-m", "wer,bleu"))[0].keys()
    )
    assert "bleu" not in rows(printed("segments", "out", "-m", "wer"))[0]
    assert {row["system"] for row in rows(printed("segments", "out", "--system", "sysB"))} == {"sysB"}
    printed("segments", "out", "-o", "x.csv")
    assert rows(Path("x.csv").read_text(), ",") == long
    assert [
        json.loads(line)["segment"]
        for line in printed("segments", "out", "-f", "jsonl", "--wide").splitlines()
    ] == ["a", "b", "last"]


def test_the_worst_segments() -> None:
    scored()
    expected = nlgauge.load("out").worst("wer", 2)
    shown = printed("segments", "out", "-m", "wer", "--worst", "2")
    assert "prediction: x" in shown
    assert shown.split("\n")[0].split() == ["segment", "system", "wer", "texts"]
    found = [
        json.loads(line)
        for line in printed("segments", "out", "-m", "wer", "--worst", "2", "-f", "jsonl").splitlines()
    ]
    assert [(row["segment"], row["system"]) for row in found] == [
        (row["segment"], row["system"]) for row in expected
    ]


def test_missing_values_are_empty_and_several_texts_a_list() -> None:
    write("more.txt", "\nit runs\n\n")
    write("sources.txt", "\na b c\nd e f\n")
    printed(
        "score",
        "-m",
        "compression",
        "wer",
        "-r",
        "refs.txt",
        "-r",
        "more.txt",
        "-s",
        "sources.txt",
        "sysB.txt",
        "-o",
        "out",
    )
    found = rows(printed("segments", "out", "--texts"))
    assert json.loads(found[1]["references"]) == ["the dog runs away", "it runs"]
    empty = [i for i, row in enumerate(found) if row["compression"] == ""]
    scores = nlgauge.load("out")._tables["sysB", "compression"].segments()["compression"]
    assert empty == [i for i, value in enumerate(scores) if math.isnan(value)]
    assert empty
    assert json.loads(printed("segments", "out", "-f", "jsonl").splitlines()[empty[0]])["compression"] is None


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["segments", "out", "-f", "xlsx"], 2, "'xlsx' ... tsv"),
        (["segments", "out", "-o", "x"], 2, "must end in .tsv"),
        (["segments", "out", "-f", "parquet"], 2, "Parquet ... file"),
        (["segments", "out", "-m", "chrf"], 2, "metric ... 'chrf'"),
        (["segments", "out", "-m", "distinct"], 1, "distinct ... segment scores"),
        (["segments", "out", "--system", "C"], 2, "system 'C'"),
        (["segments", "hashed", "--texts"], 1, "saved without its texts"),
        (["add", "out"], 2, "add ... -m METRIC"),
        (["add", "out", "-m", "wer"], 2, "'wer' ... result"),
        (["add", "out", "--system", "sysA.txt"], 2, "system ... 'sysA'"),
        (["add", "out", "--system", "short.txt"], 2, "short.txt ... 1 ... 3"),
        (["add", "hashed", "-m", "chrf"], 1, "saved without its texts"),
        (["add", "out", "-m", "chrf", "-o", "hashed"], 1, "hashed ... --overwrite"),
        (["show", "out", "--by", "domain"], 2, "domain"),
        (["show", "out", "--where", "domain=x"], 2, "domain"),
        (
            ["compare", "alone"],
            1,
            "'sysA' ... --system FILE",
        ),
        (["compare", "out", "-f", "x"], 2, "'x' ... table"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], code: int, message: str) -> None:
    write("short.txt", "one\n")
    scored()
    printed("score", "-m", "wer", "-r", "refs.txt", "sysA.txt", "-o", "hashed", "--no-texts")
    printed("score", "-m", "wer", "-r", "refs.txt", "sysA.txt", "-o", "alone")
    assert mentions(refused(*arguments, code=code), message)


def test_add_metrics_and_systems() -> None:
    scored()
    write("sysC.txt", "the cat\nthe dog runs away\n\n")
    result = run("add", "out", "-m", "chrf", "cer", "--system", "sysC.txt")
    assert result.exit_code == 0, result.stderr
    saved = nlgauge.load("out")
    assert saved.systems == ("sysA", "sysB", "sysC")
    assert saved.labels == ("bleu", "wer", "distinct", "chrf", "cer")
    assert "saved to out" in result.stderr
    assert result.stdout == printed("show", "out")
    printed("add", "out", "--system", "mine=sysC.txt", "-o", "other", "-q")
    assert nlgauge.load("other").systems == ("sysA", "sysB", "sysC", "mine")
    assert nlgauge.load("out").systems == ("sysA", "sysB", "sysC")
    whole = nlgauge.score(
        {name: Path(f"{name}.txt").read_text().split("\n")[:3] for name in ("sysA", "sysB", "sysC")},
        Path("refs.txt").read_text().split("\n")[:3],
        metrics=["chrf"],
    )
    assert saved["sysC"]["chrf"] == whole["sysC"]["chrf"]


def test_a_system_of_records_is_added_by_its_ids() -> None:
    printed("score", "-m", "exact_match", records(), "-o", "out")
    turned = [{"id": record["id"], "prediction": record["reference"]} for record in RECORDS[:6]][::-1]
    write("C.jsonl", "".join(json.dumps(record) + "\n" for record in turned))
    printed("add", "out", "--system", "C.jsonl")
    printed("add", "out", "--system", "D=C.jsonl")
    saved = nlgauge.load("out")
    assert {system: saved[system]["exact_match"]["score"] for system in saved.systems} == {
        "A": 1.0,
        "B": 0.0,
        "C": 1.0,
        "D": 1.0,
    }
    assert list(document("score", "-m", "distinct", "mine=C.jsonl")["systems"]) == ["mine"]
    assert list(document("score", "-m", "distinct", "C.jsonl")["systems"]) == ["system"]
    write(
        "D.jsonl",
        json.dumps({"id": "x", "prediction": "p"})
        + "\n"
        + "".join(json.dumps(record) + "\n" for record in turned[1:]),
    )
    assert "lacks the segment 's5'" in refused("add", "out", "--system", "D.jsonl")


def test_groups_and_conditions() -> None:
    records()
    printed("score", "-m", "wer", "d.jsonl", "-o", "out")
    whole = nlgauge.load("out")
    shown = printed("score", "-m", "wer", "d.jsonl", "--by", "domain", "-q")
    assert shown == printed("show", "out", "--by", "domain", "-q")
    assert "n=3" in shown
    groups = document("show", "out", "--by", "domain")
    assert [group["value"] for group in groups["groups"]] == ["ted", "news"]
    assert groups["groups"][1]["systems"]["B"]["wer"]["scores"] == whole.where(domain="news")["B"]["wer"]
    assert (
        groups["groups"][0]["comparison"]["rows"][0]["p_holm"]
        == whole.by("domain").compare()["ted"].rows[0].p_holm
    )
    news = document("score", "-m", "wer", "d.jsonl", "--where", "domain=news")
    assert news["segments"] == 3
    assert document("show", "out", "--where", "domain=news")["systems"] == news["systems"]
    assert (
        document("show", "out", "--where", "id = s1 or id = s2", "--no-intervals", "--test", "none")[
            "segments"
        ]
        == 2
    )
    assert [
        row["segment"] for row in rows(printed("segments", "out", "--where", "domain=ted", "--system", "A"))
    ] == ["s0", "s2", "s4"]
    assert (
        document("compare", "out", "--where", "domain=news")["rows"][0]["p"]
        == whole.where(domain="news").compare()["wer"].p
    )
    assert printed("show", "out", "--by", "domain", "-f", "latex") == whole.by("domain").to_latex()


def test_inputs_in_other_forms() -> None:
    write("ref.csv", "caf\xe9;x\n".encode("cp1252") * 3)
    write("hyp.csv", "caf\xe9;y\n".encode("cp1252") * 3)
    found = document(
        "score",
        "-m",
        "exact_match",
        "--encoding",
        "cp1252",
        "--delimiter",
        ";",
        "-r",
        "ref.csv:1",
        "hyp.csv:1",
    )
    assert next(iter(found["systems"].values()))["exact_match"]["scores"]["score"] == 1.0
    write("tabs.csv", "caf\tx\n" * 3)
    assert (
        document("score", "-m", "exact_match", "--delimiter", "\\t", "-r", "tabs.csv:1", "T=tabs.csv:1")[
            "segments"
        ]
        == 3
    )
    write("gaps.jsonl", '{"prediction": "a", "reference": "a"}\n{"prediction": null, "reference": "b"}\n')
    skipped = warned("score", "-b", "-m", "wer", "gaps.jsonl", "--skip-missing")
    assert (skipped.stdout, skipped.stderr) == (
        "0.0000\n",
        "warning: 1 of 2 segments is left out: a text is missing.\n",
    )
    assert "gaps.jsonl, line 2" in refused("score", "-m", "wer", "gaps.jsonl")
    uneven = RECORDS[:5] + RECORDS[6:]
    write("uneven.jsonl", "".join(json.dumps(record) + "\n" for record in uneven))
    common = warned("score", "-m", "wer", "uneven.jsonl", "--common", "--json")
    assert "1 of 6 segments is left out" in common.stderr
    assert json.loads(common.stdout)["segments"] == 5
    assert document("score", "-m", "wer", records(), "--pooled")["segments"] == 12
    write("wide.tsv", "ref\tA\tB\nx\tx\ty\n")
    assert list(document("score", "-m", "wer", "wide.tsv", "--column", "A", "--column", "B")["systems"]) == [
        "A",
        "B",
    ]
    assert list(document("score", "-m", "wer", records(), "--column", "B")["systems"]) == ["B"]


def test_comparisons_in_other_forms() -> None:
    scored()
    comparison = nlgauge.load("out").compare()
    assert printed("compare", "out", "-f", "latex") == comparison.to_latex()
    assert printed("compare", "out", "-f", "tsv") == comparison.to_csv(delimiter="\t")
    assert json.loads(printed("compare", "out", "-f", "json")) == document("compare", "out")


def test_eval_and_version() -> None:
    found = json.loads(
        printed("eval", "--predictions", "sysA.txt", "--references", "refs.txt", "--export", "e.json")
    )
    assert found["total_items"] == 3
    assert json.loads(Path("e.json").read_text())["bleu"]["score"] == found["bleu"]["score"]
    write(
        "cfg.json",
        json.dumps(
            {"predictions": "sysA.txt", "references": "refs.txt", "metrics": ["wer"], "reduce_fn": "max"}
        ),
    )
    assert "wer" in json.loads(printed("eval", "--config", "cfg.json"))
    assert "--predictions and --references" in refused("eval")
    assert printed("version") == printed("--version")


def test_the_path_of_a_new_user() -> None:
    printed("score", "-r", "refs.txt", "sysA.txt", "sysB.txt", "-o", "results")
    table = printed("show", "results", "--format", "latex")
    for part in (r"\toprule", "sysA", "sysB", r"\textbf{", r"{\small [", "p: against sysA"):
        assert part in table


def test_lists_fit_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for arguments in (["list"], ["models", "list"], ["list", "--help"]):
        lines = printed(*arguments).split("\n")
        assert max(map(len, lines)) <= 80
        assert not any("…" in line for line in lines)
    metrics = {line.split()[0]: line for line in printed("list").split("\n")[2:] if line.strip()}
    assert "↑" in metrics["bertscore"]
    assert "references, model" in metrics["bertscore"]
    assert "↓" in metrics["wer"]
    assert "source, model" in metrics["blanc"]
    assert len(printed("models", "list").strip().split("\n")) < 2 * len(catalog())
    shown = " ".join(printed("list", "--help").split())
    for value in (*ApplTasks, *QualityDims):
        assert value.value in shown


@pytest.mark.parametrize(
    ("name", "options", "groups"),
    [
        ("webnlg2020_en", ["--common"], 0),
        ("wmt17_da_seg", ["--pooled", "--by", "lp"], 7),
        ("wmt21_mqm_news", ["--pooled", "--by", "lp"], 2),
    ],
)
def test_files_of_the_field_are_scored_as_they_are(name: str, options: list[str], groups: int) -> None:
    path = path_of(name)
    found = warned("score", "-m", "exact_match", str(path), *options, "--resamples", "0", "--json")
    assert found.exit_code == 0, found.stderr
    assert len(json.loads(found.stdout).get("groups", [])) == groups


class Terminal:
    """Standard error that says that it is a terminal, and keeps what is written."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2


def test_fetching_a_model_says_so_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from nlgauge.cli.commands import models

    terminal: Any = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with models._waiting("minilm"):
        pass
    assert "downloading minilm (91 MB)" in terminal.text


def test_places_that_cannot_be_written_to_are_refused_before_anything_is_scored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("nlgauge.scoring.Scorer.score_corpus", lambda *_: pytest.fail("it was scored"))
    words = ("score", "-m", "bleu", "-r", "refs.txt", "sysA.txt")
    assert "refs.txt is not a directory" in refused(*words, "-o", "refs.txt/out")
    assert "directory new" in refused(*words, "-o", "new/out")
    monkeypatch.setattr("nlgauge.cli.segment_files.find_spec", lambda _: None)
    assert 'pip install "nlgauge[parquet]"' in refused(*words, "--segments", "x.parquet", code=1)
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    assert "is not writable, so out cannot be created" in refused(*words, "-o", "out", code=1)
    assert "x.tsv is not writable" in refused(*words, "--segments", "x.tsv")


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "csv", "tsv", "json"])
def test_quiet_means_no_signatures_in_any_form(form: str) -> None:
    scored()
    loud, quiet = run("show", "out", "--format", form), run("show", "out", "--format", form, "-q")
    assert "nrefs:1" in (loud.stdout + loud.stderr).replace("\\", "")
    assert quiet.stderr == ""
    assert form == "json" or "nrefs:1" not in quiet.stdout


def test_latex_has_the_label_and_the_caption_that_were_asked_for() -> None:
    scored()
    text = printed("show", "out", "--format", "latex", "--label", "tab:mt", "--caption", "Results, 50%")
    assert r"\label{tab:mt}" in text
    assert r"\caption{Results, 50\%}" in text
    assert r"BLEU $\uparrow$" in text


def test_a_report_makes_no_directories(folder: Path) -> None:
    scored()
    assert "directory none/there" in refused("report", "out", "-o", "none/there/x.html")
    assert not (folder / "none").exists()


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("summarization", "SUM"),
        ("summarization", "SUM"),
        ("Translation", "MT"),
        ("dialogue", "RG"),
        ("captioning", "IC"),
        ("speech", "SR"),
        ("data-to-text", "D2T"),
    ],
)
def test_usual_words_name_tasks(word: str, name: str) -> None:
    assert printed("list", "--task", word) == printed("list", "--task", name)


def test_a_word_of_several_tasks_is_refused() -> None:
    assert "task 'generation'" in refused("list", "--task", "generation")


def test_where_and_human_reach_every_command_that_shows_a_result(tmp_path: Path) -> None:
    lines = [
        {
            "id": f"s{i}",
            "system": s,
            "mt": "a b" if s == "A" else "a c",
            "ref": "a b",
            "human.q": i + (s == "A"),
        }
        for i in range(8)
        for s in "AB"
    ]
    Path("rated.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    printed("score", "-m", "wer", "rated.jsonl", "-o", "rated", "-q")
    shown = document("show", "rated", "--human", "q", "--where", "q[A] > 4", "--where", "wer[B] > 0")
    assert (shown["segments"], list(shown["systems"]["A"])) == (4, ["q", "wer"])
    assert document("show", "rated", "--where", "q[A] > 4")["systems"]["A"].keys() == {"wer"}
    printed("report", "rated", "-o", str(tmp_path / "some.html"), "--where", "q[A] > 4")
    printed("report", "rated", "-o", str(tmp_path / "all.html"))
    assert "s1" in printed("segments", "rated", "--where", "id = s1")
    for command in ("show", "compare", "segments", "report"):
        wrong = run(command, "rated", "--where", "wre < 1")
        assert wrong.exit_code == 2, command
        assert "unknown column wre; did you mean wer? (at character 1" in wrong.stderr, command
