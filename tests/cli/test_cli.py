"""The command line: what it prints where, how it ends, and what it leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pandas
import pytest
from cli_cases import document, enter, run, scored, write
from messages import mentions

import nlgauge
from nlgauge._core.backend import chosen
from nlgauge.cli.commands.demo import METRICS, sample
from nlgauge.cli.options import ExecutorOptions
from nlgauge.errors import MissingExtraError, ModelError, UnknownNameError

EVIL = "[red]x[/red] \x1b[31m:smile:"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return enter(tmp_path, monkeypatch)


def test_score_prints_the_table_on_stdout_and_all_else_on_stderr() -> None:
    result = run(
        "score",
        "-m",
        "bleu",
        "-m",
        "chrf(word_order=2)",
        "-r",
        "refs.txt",
        "-s",
        "refs.txt",
        "sysA.txt",
        "sysB.txt",
        "-o",
        "out/",
    )
    assert result.exit_code == 0
    assert "sysA" in result.stdout
    assert "95% interval" in result.stdout
    assert "p: against sysA" in result.stdout
    assert "saved" not in result.stdout
    assert "tok:13a" not in result.stdout
    assert "saved to out" in result.stderr
    assert "bleu: nrefs:1|" in result.stderr
    assert "interval" not in result.stderr
    saved = nlgauge.load("out")
    assert saved.systems == ("sysA", "sysB")
    assert f"{saved['sysA']['bleu']['score']:.2f}" in result.stdout


def test_quiet_prints_the_scores_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    progress = []
    monkeypatch.setattr("nlgauge.scoring.progress", lambda wanted: progress.append(wanted) or nullcontext())
    result = run("score", "-q", "-r", "refs.txt", "sysA.txt")
    assert result.exit_code == 0
    assert progress == [False]
    assert result.stderr == ""
    assert "rouge.rougeL" in result.stdout


def test_json_is_one_document_with_everything() -> None:
    found = document(
        "score",
        "-m",
        "bleu",
        "-m",
        "distinct(max_order=9)",
        "-r",
        "refs.txt",
        "sysA.txt",
        "sysB.txt",
        "--resamples",
        "50",
    )
    direct = nlgauge.score(
        {
            "sysA": ["the cat sat on a mat", "a dog runs", "x"],
            "sysB": ["the cat sat on the mat", "the dog runs off", ""],
        },
        ["the cat sat on the mat", "the dog runs away", ""],
        metrics=["bleu", "distinct(max_order=9)"],
    )
    assert found["systems"]["sysA"]["bleu"]["scores"]["score"] == direct["sysA"]["bleu"]["score"]
    interval = direct.intervals(resamples=50)["sysB"]["bleu"]["score"]
    assert found["systems"]["sysB"]["bleu"]["intervals"]["score"]["low"] == interval.low
    assert found["systems"]["sysA"]["distinct(max_order=9)"]["scores"]["distinct9"] is None
    assert {
        "system": "sysA",
        "metric": "distinct(max_order=9)",
        "output": "distinct9",
        "reason": "no text is long enough to have such an n-gram",
    } in found["reasons"]
    assert found["comparison"]["rows"][0]["p"] == direct.compare(resamples=50)["bleu"].p
    assert found["comparison"]["resamples"] == 50
    assert found["signatures"]["bleu"] == direct.signatures["bleu"]
    assert found["segments"] == 3


def test_one_system_has_no_comparison() -> None:
    assert document("score", "-m", "wer", "-r", "refs.txt", "sysA.txt")["comparison"] is None


def test_options_reach_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    write("meta.tsv", "id\tdoc\tw\na\tx\t1\nb\tx\t2\nc\ty\t1\n")
    columns = {name: f"meta.tsv:{name}" for name in ("id", "doc", "w")}
    options = [
        "--ids",
        columns["id"],
        "--documents",
        columns["doc"],
        "--weights",
        columns["w"],
        "--reduce",
        "mean",
        "--lang",
        "en",
    ]
    options += [
        "--seed",
        "7",
        "--batch-size",
        "3",
        "--device",
        "cpu",
        "--offline",
        "--no-texts",
        "--confidence",
        "0.5",
    ]
    scored(*options, "-r", "sysB.txt")
    saved = nlgauge.load("out")
    assert saved.corpus.ids == ("a", "b", "c")
    assert saved.corpus.documents == ("x", "x", "y")
    assert saved.corpus.lang == "en"
    assert not saved.has_texts
    assert saved.config == {"reduce_fn": "mean", "seed": 7, "batch_size": 3, "device": "cpu"}
    assert saved.corpus.weights is not None
    assert saved.corpus.weights.tolist() == [1, 2, 1]
    assert os.environ["NLGAUGE_OFFLINE"] == "1"


@pytest.mark.parametrize(
    ("words", "executor", "threads"),
    [
        ({"jobs": 1, "executor": "threads"}, "threads", "1"),
        ({"jobs": 3, "executor": None}, "processes", "3"),
        ({"jobs": 1, "executor": None}, None, "7"),
        ({"jobs": None, "executor": "processes"}, "processes", "7"),
    ],
)
def test_jobs_set_the_number_of_threads(
    words: dict[str, object], executor: str | None, threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLGAUGE_THREADS", "7")
    options = ExecutorOptions(**words, address=None, gpus_per_worker=0)
    assert options.chosen() == executor
    assert os.environ["NLGAUGE_THREADS"] == threads


def test_several_jobs_give_the_same_numbers() -> None:
    arguments = ("score", "-m", "wer", "-m", "chrf", "-r", "refs.txt", "sysA.txt", "sysB.txt")
    assert document(*arguments, "--jobs", "2") == document(*arguments)
    assert os.environ["NLGAUGE_THREADS"] == "2"


def test_standard_input_and_names() -> None:
    found = document(
        "score",
        "-m",
        "exact_match",
        "-r",
        "refs.txt",
        "-",
        "mine=sysB.txt",
        stdin="the cat sat on the mat\nthe dog runs away\n\n",
    )
    assert {name: labels["exact_match"]["scores"]["score"] for name, labels in found["systems"].items()} == {
        "stdin": 1.0,
        "mine": pytest.approx(2 / 3),
    }


def test_records_are_scored_as_the_only_argument() -> None:
    write(
        "d.jsonl", '{"src": "s", "mt": "a b", "ref": ["a b", "c"]}\n{"src": "s", "mt": "a", "ref": ["b"]}\n'
    )
    assert (
        document("score", "-m", "exact_match", "d.jsonl")["systems"]["system"]["exact_match"]["scores"][
            "score"
        ]
        == 0.5
    )


def test_blank_lines_of_later_reference_files_are_no_references() -> None:
    write("more.txt", "\n\nx\n")
    plain = document("score", "-m", "wer", "-r", "refs.txt", "sysA.txt")
    more = document("score", "-m", "wer", "-r", "refs.txt", "-r", "more.txt", "sysA.txt")
    wer = [found["systems"]["sysA"]["wer"]["scores"] for found in (plain, more)]
    # "x" against the empty reference is an insertion; with the second file's third line it is a hit, the rest
    # is as before.
    assert [scores["insertions"] for scores in wer] == [1, 0]
    assert [scores["substitutions"] for scores in wer] == [2, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["score", "-m", "blue", "-r", "refs.txt", "sysA.txt"],
            "'blue' ... 'bleu' or 'bleurt'",
        ),
        (["score", "-m", "wer,cre", "-r", "refs.txt", "sysA.txt"], "'cre' ... 'cer'"),
        (["score", "-l", "german", "-r", "refs.txt", "sysA.txt"], "lang is 'german' ... 'de'"),
        (
            ["score", "-r", "d.tsv:2", "d.tsv:1"],
            "d.tsv ... column",
        ),
        (["score", "-m", "bleu(order=2)", "-r", "refs.txt", "sysA.txt"], "bleu ... 'order'"),
        (
            ["score", "-m", "bleu(max_order=0)", "-r", "refs.txt", "sysA.txt"],
            "max_order ... 1 to 100 ... 0",
        ),
        (["score", "-m", "bleu(", "-r", "refs.txt", "sysA.txt"], "cannot read 'bleu('"),
        (["score", "-r", "ref.txt", "sysA.txt"], "ref.txt ... 'refs.txt'"),
        (["score", "-r", "short.txt", "sysA.txt"], "short.txt ... 1 ... sysA.txt ... 3"),
        (["score", "-r", "latin1.txt", "sysA.txt"], "latin1.txt ... UTF-8: line 1, byte 4 is 0xE9"),
        (["score", "-r", "-", "-"], "standard input ... twice"),
        (
            ["score", "sysA.txt"],
            ("bleu ... -r ... sacreBLEU ... REFERENCES -i SYSTEM"),
        ),
        (
            ["score", "-m", "coverage", "sysA.txt"],
            "coverage ... -s",
        ),
        (["score", "-r", "refs.txt", "sysA.txt", "./sysA.txt"], "'sysA' ... A=sysA.txt"),
        (["score", "-r", "refs.txt", "sysA.txt", "--reduce", "nonsense"], "nonsense"),
        (["score", "-r", "refs.txt", "sysA.txt", "--confidence", "95"], "95.0 ... 0 and 1"),
        (
            ["score", "-r", "refs.txt", "sysA.txt", "--resamples", "-1"],
            "invalid ... '--resamples' ... 0",
        ),
        (
            ["score", "-r", "refs.txt", "sysA.txt", "--jobs", "0"],
            "invalid ... '--jobs' ... 1",
        ),
        (
            ["score", "-r", "refs.txt", "sysA.txt", "--jobs", "x"],
            "invalid ... '--jobs'",
        ),
        (
            ["score", "-r", "refs.txt", "sysA.txt", "--device", "gpu"],
            "device ... 'cpu', 'cuda'",
        ),
        (
            ["score", "-r", "refs.txt", "sysA.txt", "--label", "x"],
            "--caption and --label ... LaTeX ... --format",
        ),
        (
            ["score", "-m", "groundedness", "-r", "refs.txt", "sysA.txt"],
            "metric 'groundedness'; faithfulness ... summac, alignscore",
        ),
        (
            ["score", "-m", "bertscore(model=my dir)", "-r", "refs.txt", "sysA.txt"],
            "quotes ... text",
        ),
        (
            ["score", "-r", "refs.txt", "sysA.txt", "--format", "jsn"],
            "markdown ... 'json'",
        ),
        (
            ["score", "-r", "refs.txt", "sysA.txt", "--test", "t"],
            "'t' ... randomization",
        ),
        (
            ["score", "-r", "refs.txt", "sysA.txt", "--segments", "x.xlsx"],
            "'x.xlsx' ... tsv",
        ),
        (
            ["score", "-r", "refs.txt", "sysA.txt", "--segments", "none/x.tsv"],
            "directory ... x.tsv",
        ),
        (["score", "-r", "refs.txt", "sysA.txt", "--wide"], "--texts and --wide ... --segments"),
        (["score", "-r", "refs.txt", "sysA.txt", "-b", "--by", "domain"], "-b ... --by"),
        (
            ["score", "-r", "refs.txt", "sysA.txt", "--where", "kind=Food Court"],
            "'--where' ... 'kind=Food Court' ... Write kind = \"Food Court\"",
        ),
        (["score", "-r", "refs.txt", "sysA.txt", "--where", "kin = 1"], "unknown column kin; ... 'id'"),
        (
            ["score", "-r", "refs.txt", "sysA.txt", "--weights", "refs.txt"],
            "refs.txt, line 1 is 'the cat sat on the mat' ... number",
        ),
        (["score"], "predictions ... -r REFERENCES SYSTEM"),
        (["score", "--nonsense"], "--nonsense"),
        (["nonsense"], "unknown command 'nonsense'"),
        (["card", "blue"], "metric 'blue'"),
        (["list", "--category", "nonsense"], "category 'nonsense' ... Overlap"),
    ],
)
def test_wrong_use_exits_with_2_and_says_what_is_wrong(arguments: list[str], message: str) -> None:
    write("short.txt", "one\n")
    write("latin1.txt", "caf\xe9\n".encode("latin-1"))
    write("d.tsv", "hypothesis\ttruth\na cat\tthe cat\n")
    result = run(*arguments, stdin="one\ntwo\nthree\n")
    assert result.exit_code == 2
    assert mentions(result.stderr, message)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "error",
    [
        ModelError("the model is not installed"),
        MissingExtraError("torch", "models", "bertscore"),
        RuntimeError("odd [red]"),
    ],
)
def test_failure_exits_with_1_and_leaves_nothing(
    error: Exception, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr("nlgauge.engine.engine.run", fail)
    before = sorted(folder.iterdir())
    result = run("score", "-r", "refs.txt", "sysA.txt", "-o", "out")
    assert result.exit_code == 1
    assert f"{error}" in result.stderr
    assert "Traceback" not in result.stderr
    assert ("with --debug" in result.stderr) == (type(error) is RuntimeError)
    assert sorted(folder.iterdir()) == before
    debugged = run("score", "-r", "refs.txt", "sysA.txt", "--debug")
    assert debugged.exit_code == 1
    assert "Traceback" in debugged.stderr


def test_an_unexpected_error_says_how_to_see_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlgauge.engine.engine.check", lambda *_: 1 / 0)
    result = run("score", "-r", "refs.txt", "sysA.txt")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ZeroDivisionError: division by zero\n")
    assert "with --debug" in result.stderr


def test_debug_keeps_the_exit_code_of_wrong_use() -> None:
    result = run("--debug", "score", "-m", "blue", "-r", "refs.txt", "sysA.txt")
    assert result.exit_code == 2
    assert "Traceback" in result.stderr


@pytest.mark.parametrize("where", ["nlgauge.io.Inputs.read", "nlgauge.engine.engine.run"])
def test_a_run_that_is_interrupted_before_anything_is_scored_leaves_nothing(
    where: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(where, interrupt)
    before = sorted(folder.iterdir())
    result = run("score", "-r", "refs.txt", "sysA.txt", "-o", "out")
    assert result.exit_code == 130
    assert result.stderr == "interrupted; nothing was written\n"
    assert result.stdout == ""
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("where", ["nlgauge.results.storage.resume.write_result", "pathlib.Path.replace"])
def test_a_run_that_is_interrupted_later_is_kept_and_goes_on(
    where: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = sorted(folder.iterdir())
    command = "score", "-r", "refs.txt", "sysA.txt", "-o", "out"
    with monkeypatch.context() as patched:
        patched.setattr(where, interrupt)
        result = run(*command)
    assert result.exit_code == 130
    assert result.stderr.startswith("interrupted") and mentions(result.stderr, "out.unfinished ... --resume")
    assert sorted(folder.iterdir()) == sorted([*before, folder / "out.unfinished"])
    assert "3 segments are scored in out.unfinished" in run("show", "out").stderr
    assert mentions(run(*command).stderr, "out.unfinished ... 3 segments ... --resume ... --overwrite")
    assert run(*command, "--resume").exit_code == 0
    assert sorted(folder.iterdir()) == sorted([*before, folder / "out"])


@pytest.mark.parametrize(
    "where",
    [
        "nlgauge.show.pages.result.long_rows",
        "nlgauge.results.result.Result.intervals",
        "nlgauge.results.result.Result.compare",
    ],
)
def test_interrupted_after_scoring_says_where_the_result_is(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(where, interrupt)
    result = run("score", "-r", "refs.txt", "sysA.txt", "sysB.txt", "-o", "out")
    assert result.exit_code == 130
    assert result.stderr == "interrupted; the result is in out\n"
    assert nlgauge.load("out").systems == ("sysA", "sysB")


def test_an_existing_directory_is_refused_before_anything_is_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("taken").mkdir()
    write("taken/file", "")
    Path("empty").mkdir()
    scored()
    saved = Path("out/run.json").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("nlgauge.engine.engine.run", lambda *_: pytest.fail("it was scored"))
        for directory, message in (
            ("out", "out ... --overwrite"),
            ("taken", "is not an nlgauge result"),
        ):
            result = run("score", "-r", "refs.txt", "sysA.txt", "-o", directory)
            assert result.exit_code == 1
            assert mentions(result.stderr, message)
        assert run("score", "-r", "refs.txt", "sysA.txt", "-o", "taken", "--overwrite").exit_code == 1
    assert Path("out/run.json").read_bytes() == saved
    assert run("score", "-r", "refs.txt", "sysA.txt", "-o", "out", "--overwrite").exit_code == 0
    assert nlgauge.load("out").systems == ("sysA",)
    assert run("score", "-r", "refs.txt", "sysA.txt", "-o", "empty").exit_code == 0


def test_texts_are_never_markup_nor_terminal_commands() -> None:
    write(
        "evil.jsonl",
        "".join(
            json.dumps({"id": i, "system": EVIL, "prediction": EVIL, "reference": f"{EVIL} y"}) + "\n"
            for i in range(2)
        ),
    )
    result = run("score", "-m", "wer", "evil.jsonl", "-o", "out")
    shown = [
        result,
        run("explain", "out", "-m", "wer", "--segment", "0"),
        run("score", f"{EVIL}.txt"),
        run(EVIL),
        run("score", f"--{EVIL}"),
    ]
    for found in shown:
        assert "[red]" in found.stdout + found.stderr
        assert "[/red]" in found.stdout + found.stderr
        assert "\x1b" not in found.stdout + found.stderr
        assert "\\x1b" in found.stdout + found.stderr
    assert ":smile:" in result.stdout
    assert json.loads(run("explain", "out", "-m", "wer", "--segment", "0", "--json").stdout)[
        "systems"
    ].keys() == {EVIL}


def test_warnings_are_one_line_on_stderr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "nlgauge.engine.engine.check", lambda *_: warnings.warn("few pairs \x1b", stacklevel=1)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        result = run("score", "-q", "-m", "wer", "-r", "refs.txt", "sysA.txt")
    assert result.exit_code == 0
    assert result.stderr == "warning: few pairs \\x1b\n"


def test_compare() -> None:
    scored()
    result = run("compare", "out")
    assert result.exit_code == 0
    assert "sysB against sysA" in result.stdout
    assert result.stderr == ""
    with pytest.warns(UserWarning, match="paired.*bootstrap"):
        found = document(
            "compare",
            "out",
            "sysB",
            "sysA",
            "--test",
            "bootstrap",
            "--resamples",
            "20",
            "--confidence",
            "0.9",
            "--seed",
            "1",
        )
        expected = nlgauge.load("out").compare(
            "sysB", "sysA", test="bootstrap", resamples=20, confidence=0.9, seed=1
        )
    assert found["rows"][0]["gain_low"] == expected["bleu"].gain_low
    assert found["rows"][-1]["gain_low"] is None
    assert (found["test"], found["confidence"], found["resamples"]) == ("bootstrap", 0.9, 20)
    # What is not computed from rows is tested by recomputing, whatever was asked for.
    assert [row["test"] for row in found["rows"]] == ["bootstrap"] * (len(found["rows"]) - 1) + [
        "randomization"
    ]
    assert "with 3 segments" in found["caution"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["compare", "out", "sysA", "sysC"], 2, "system 'sysC'"),
        (["compare", "out", "--test", "t"], 2, "'--test' ... 't' ... randomization, bootstrap"),
        (["compare", "."], 1, "run.json is missing"),
        (["compare", "nowhere"], 1, "directory ... nowhere"),
        (["explain", "out", "-m", "chrf", "--segment", "0"], 2, "metric 'chrf'"),
        (["explain", "out", "-m", "wer", "--segment", "9"], 2, "segment '9'"),
        (["explain", "out", "-m", "wer", "--segment", "x"], 2, "segment 'x'"),
        (["explain", "out", "-m", "wer", "--segment", "0", "--system", "C"], 2, "system 'C'"),
        (
            ["explain", "out", "-m", "distinct", "--segment", "0"],
            1,
            "distinct ... segment",
        ),
    ],
)
def test_asking_a_result_for_what_it_lacks(arguments: list[str], code: int, message: str) -> None:
    scored()
    result = run(*arguments)
    assert result.exit_code == code
    assert mentions(result.stderr, message)
    assert result.stdout == ""


def test_explain_shows_every_system_or_the_one_that_was_named() -> None:
    write("ids.txt", "1\n0\nlast\n")
    scored("--ids", "ids.txt", "-s", "sysB.txt")
    result = run("explain", "out", "-m", "wer", "--segment", "1")
    assert result.exit_code == 0
    for line in (
        "segment: 1",
        "source: the cat sat on the mat",
        "reference: the cat sat on the mat",
        "system: sysA",
        "prediction: the cat sat on a mat",
    ):
        assert line in result.stdout
    assert "1 substituted (S)" in result.stdout
    assert "system: sysB" in result.stdout
    assert "sysB" not in run("explain", "out", "-m", "wer", "--segment", "1", "--system", "sysA").stdout
    assert "segment: last" in run("explain", "out", "-m", "wer", "--segment", "2").stdout
    found = document("explain", "out", "-m", "wer", "--segment", "last")
    explanation = found["systems"]["sysA"][0]
    assert found["segment"] == "last"
    assert explanation["kind"] == "Edits"
    assert explanation["edits"] == [{"kind": "insert", "reference": [], "prediction": ["x"], "target": None}]
    assert explanation["statistics"]["wer"] == [0, 0, 1, 0]


def test_list_filters_by_the_taxonomy() -> None:
    names = [row["name"] for row in document("list")]
    assert names == nlgauge.list_metrics()
    assert "bleu" in run("list").stdout
    assert [
        row["name"] for row in document("list", "--task", "SR", "--needs-references")
    ] == nlgauge.list_metrics(appl_task="SR", needs_references=True)
    assert all(row["references"] for row in document("list", "--needs-references"))
    assert "distinct" in [
        row["name"] for row in document("list", "--no-references", "--no-source", "--category", "Statistics")
    ]
    assert (
        [row["name"] for row in document("list", "--trained")] == nlgauge.list_metrics(trained=True) != names
    )
    assert document("list", "--untrained", "--supervised", "--quality", "Fluency") == []


def test_list_names_compiled_metrics_and_the_reasons_for_others() -> None:
    reasons = {row["name"]: row["compiled"] for row in document("list", "--compiled")}
    assert (reasons["bleu"], reasons["mauve"]) == ("yes", "no: has no statistics of rows")
    assert "yes" in run("list", "--compiled").stdout.split()


def test_card() -> None:
    result = run("card", "sacrebleu")
    assert result.exit_code == 0
    assert "name: bleu" in result.stdout
    assert "When it misleads" in result.stdout
    fields = document("card", "bleu")
    assert fields["categories"] == ["Overlap"]
    assert "text" not in fields
    assert fields["citation"] == nlgauge.card("bleu").citation
    assert fields["citation"] in result.stdout


def test_models(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nlgauge.models.weights import fetch

    result = run("models", "list")
    assert "smollm2" in result.stdout
    assert str(folder / "cache") in result.stderr.replace("\\\\", "\\")
    assert {"minilm", "smollm2"} <= {row["name"] for row in document("models", "list")}
    assert "sha256: b179c952" in run("models", "info", "smollm2").stdout
    assert document("models", "info", "smollm2")["license"] == "Apache-2.0"
    asked = []

    def get(name: str, hub: bool = False, file: Path | None = None) -> Path:
        asked.append((name, hub))
        if name == "gone":
            raise ModelError("unknown model 'gone'")
        return Path("cache") / name

    monkeypatch.setattr(fetch, "get", get)
    result = run("models", "get", "minilm", "smollm2")
    assert result.stdout.split() == [str(Path("cache") / "minilm"), str(Path("cache") / "smollm2")]
    assert run("models", "get", "owner/name", "--hub").exit_code == 0
    assert asked == [("minilm", False), ("smollm2", False), ("owner/name", True)]
    result = run("models", "get", "gone")
    assert result.exit_code == 1
    assert "unknown model 'gone'" in result.stderr


def test_models_are_checked_and_removed(folder: Path) -> None:
    (folder / "v.vec").write_text("1 3\na 1 2 3\n")
    run("models", "get", "mine", "--from", str(folder / "v.vec"))
    place = folder / "cache" / "mine"
    first = run("models", "list")
    assert first.stdout.splitlines()[2].split()[0] == "mine"
    assert "downloaded models: 1" in first.stderr
    assert run("models", "verify").stderr == "mine: 2 of 2 files are unchanged\n"
    (place / "words.txt").write_text("b\n")
    result = run("models", "verify", "mine")
    assert result.exit_code == 1
    assert "changed since the download: words.txt" in result.stderr
    for name, message in (
        ("..", "begins with '.'"),
        ("min", "did you mean 'mine'"),
        ("minilm", "is not downloaded"),
    ):
        result = run("models", "remove", name, "--yes")
        assert result.exit_code in (1, 2), name
        assert mentions(result.stderr, message)
    assert mentions(run("models", "remove", "mine").stderr, "--yes")
    (folder / "w.vec").write_text("1 3\na 1 2 3\n")
    run("models", "get", "other", "--from", str(folder / "w.vec"))
    answered = run("models", "remove", "other", "mine", stdin="y\nn\n")
    assert answered.exit_code == 1 and "nothing was removed" in answered.stderr
    assert place.is_dir() and (folder / "cache" / "other").is_dir()
    assert "removed mine" in run("models", "remove", "mine", "--yes").stderr
    assert not place.exists()


def test_version_and_help() -> None:
    assert run("--version").stdout == f"nlgauge 0.1.0 ({chosen()} kernels)\n"
    for arguments in ([], ["--help"], ["-h"]):
        result = run(*arguments)
        assert result.exit_code == 0
        assert "explain" in result.stdout
    assert "--resamples" in run("score", "-h").stdout
    shown = " ".join(run("help", "files").stdout.split())
    for said in ("RFC 4180", "without a header row"):
        assert said in shown


def test_a_quoted_tsv_scores_as_its_texts_do() -> None:
    texts = ['the "cat" sat', 'a "dog"\tran', "x"]
    frame = pandas.DataFrame({"mt": texts, "ref": texts[::-1]})
    write("d.tsv", frame.to_csv(sep="\t", index=False))
    found = document("score", "-m", "chrf", "-r", "d.tsv:ref", "d.tsv:mt")["systems"]["mt"]["chrf"]["scores"][
        "score"
    ]
    assert found == nlgauge.score(texts, texts[::-1], metrics="chrf")["chrf"]["score"]


def test_an_unknown_name_is_incorrect_usage_and_has_the_hint_for_the_command_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    error = UnknownNameError("no such thing", python="pass another", cli="use --another")

    def fail(*_: Any, **__: Any) -> None:
        raise error

    scored()
    monkeypatch.setattr("nlgauge.results.result.Result.compare", fail)
    monkeypatch.setattr("nlgauge.results.result.Result.explain", fail)
    for arguments in (["compare", "out"], ["explain", "out", "-m", "wer", "--segment", "0"]):
        result = run(*arguments)
        assert (result.exit_code, result.stderr) == (2, f"error: {error.for_cli()}\n")
        assert "--another" in result.stderr


def test_the_sample_is_what_the_demo_needs() -> None:
    corpus = sample()
    assert corpus.systems == ("baseline", "improved")
    assert corpus.references is not None
    assert set(corpus.references.lengths.tolist()) == {1, 2, 3}
    records = corpus.records()
    assert [record["predictions"]["baseline"] for record in records].count([""]) == 1
    assert any(record["predictions"]["baseline"] == record["predictions"]["improved"] for record in records)
    assert (
        sum(any("\u0900" <= character <= "\u097f" for character in record["source"]) for record in records)
        == 4
    )
    assert corpus.documents is not None
    assert len(set(corpus.documents)) > 7


def test_demo() -> None:
    result = run("demo")
    assert result.exit_code == 0
    assert "95% interval" in result.stdout
    assert "improved against baseline" in result.stdout
    assert result.stderr.split("\n")[-2] == "try next: nlgauge explain demo-result -m bleu --segment ferry-1"
    saved = nlgauge.load("demo-result")
    assert saved.labels == METRICS
    row = saved.compare()["bleu"]
    assert row.better == "improved"
    assert row.p_holm < 0.05
    assert run("explain", "demo-result", "-m", "bleu", "--segment", "ferry-1").exit_code == 0
    assert run("demo").exit_code == 1
    assert run("demo", "--overwrite").exit_code == 0


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "nlgauge", *arguments], capture_output=True, check=False, **options
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk is imitated by /dev/full")
def test_a_full_disk_is_said_plainly() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "nlgauge", "version"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (1, b"error: No space left on device\n")


@pytest.mark.parametrize("stream", [1, 2])
def test_a_closed_stream_takes_nothing_and_breaks_nothing(stream: int) -> None:
    command = f'"{sys.executable}" -m nlgauge score -m bleu -r refs.txt sysA.txt -o out {stream}>&-'
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert bool(done.stdout) == (stream == 2)
    assert Path("out/run.json").is_file()


def test_as_a_program_with_a_pipe_and_a_poor_terminal() -> None:
    write("hindi.txt", "नमस्ते दुनिया\n" * 3)
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = program(
        "score",
        "-m",
        "wer",
        "-r",
        "refs.txt",
        "-",
        "हिन्दी=hindi.txt",
        input="नमस्ते\n".encode() * 3,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert b"lower" in done.stdout
    assert b"\\u0939" in done.stdout
    done = program(
        "score", "-m", "wer", "-r", "refs.txt", "-", "--json", input="नमस्ते\n".encode() * 3, env=environment
    )
    assert json.loads(done.stdout.decode())["systems"]["stdin"]["wer"]["scores"]["hits"] == 0
    assert program("score", "-r", "none.txt", "sysA.txt").returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="has no such pipes")
@pytest.mark.parametrize(
    "arguments", [["list"], ["card", "bleu"], ["segments", "out"], ["show", "out", "--json"], ["--help"]]
)
def test_a_reader_that_leaves_early_is_no_failure(arguments: list[str]) -> None:
    scored()
    writer = subprocess.Popen(
        [sys.executable, "-m", "nlgauge", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    writer.stdout.close()
    said = writer.stderr.read().decode()
    writer.stderr.close()
    assert writer.wait() == 0, said
    assert "error" not in said.lower()


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_control_c_ends_a_program_without_traceback(folder: Path) -> None:
    before = sorted(folder.iterdir())
    command = [sys.executable, "-m", "nlgauge", "score", "-m", "wer", "-r", "refs.txt", "-", "-o", "out"]
    # A child inherits an ignored signal, as that of a background job is, but not a handled one.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        running = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    finally:
        signal.signal(signal.SIGINT, handler)
    assert running.stdin is not None
    # More than a pipe holds: once it is written, the program is past its imports and waits for more.
    running.stdin.write(b"word\n" * 200_000)
    running.stdin.flush()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=600)
    assert running.returncode == 130
    assert err == b"interrupted; nothing was written\n"
    assert out == b""
    assert sorted(folder.iterdir()) == before


def test_importing_the_command_line_is_quick() -> None:
    code = (
        "import sys, nlgauge.cli; print([name for name in ('numpy', 'sacrebleu', 'torch', 'msgspec',"
        " 'nlgauge.corpus') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"
