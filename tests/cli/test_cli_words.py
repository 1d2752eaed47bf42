"""The words of a command line: the forms that users of sacreBLEU type mean what they mean there, and what
is unclear is refused.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
from pathlib import Path
from types import ModuleType

import pytest
from cli_cases import commands, document, enter, printed, refused, run, write
from messages import mentions

import nlgauge
from nlgauge.cli.sacrebleu.words import INSTEAD, SAME, translated
from nlgauge.cli.words import Names, arranged

NAMES = Names(
    {
        **dict.fromkeys(("--metric", "-m"), "--metric"),
        **dict.fromkeys(("--references", "-r"), "--references"),
        **dict.fromkeys(("--input", "-i"), "--input"),
        **dict.fromkeys(("--quiet", "-q"), "--quiet"),
        **dict.fromkeys(("--score-only", "-b"), "--score-only"),
        **dict.fromkeys(("--lowercase", "-lc"), "--lowercase"),
        **dict.fromkeys(("--lang", "-l"), "--lang"),
        **{name: name for name in ("--confidence", "--echo", "--output")},
    },
    frozenset({"--quiet", "--score-only", "--lowercase"}),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ref0", "ref1", "C.txt"):
        (tmp_path / name).write_text("the cat sat on the mat\na dog\n\n")
    return enter(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("-m bleu -r refs.txt sysA.txt sysB.txt", "--metric bleu --references refs.txt -- sysA.txt sysB.txt"),
        (
            "-m bleu chrf,ter -r refs.txt sysA.txt",
            "--metric bleu --metric chrf --metric ter --references refs.txt -- sysA.txt",
        ),
        ("-m bleu,chrf(word_order=2,beta=3)", "--metric bleu --metric chrf(word_order=2,beta=3)"),
        (
            "-m infolm(model='a),b',measure=('kl','l1')),bleu",
            "--metric infolm(model='a),b',measure=('kl','l1')) --metric bleu",
        ),
        ("-m bleu wer sysA.txt -r refs.txt", "--metric bleu --metric wer --references refs.txt -- sysA.txt"),
        ("-m bleu nowhere.txt -r refs.txt", "--metric bleu --references refs.txt -- nowhere.txt"),
        ("-m bleu A=sysA d.tsv:mt", "--metric bleu -- A=sysA d.tsv:mt"),
        (
            "-r ref0 ref1 -i sysA.txt sysB.txt",
            "--references ref0 --references ref1 --input sysA.txt --input sysB.txt",
        ),
        (
            "ref0 ref1 -i sysA.txt -m bleu",
            "--input sysA.txt --metric bleu --references ref0 --references ref1",
        ),
        ("-i sysA.txt -q ref0", "--input sysA.txt --quiet --references ref0"),
        ("sysA.txt -r ref0", "--references ref0 -- sysA.txt"),
        ("-r refs.txt - sysB.txt", "--references refs.txt -- - sysB.txt"),
        ("-r refs.txt sysA.txt -r C.txt", "--references refs.txt --references C.txt -- sysA.txt"),
        ("-qmbleu sysA.txt", "--quiet --metric bleu -- sysA.txt"),
        ("-qbm bleu sysA.txt", "--quiet --score-only --metric bleu -- sysA.txt"),
        ("--metric=bleu sysA.txt", "--metric bleu -- sysA.txt"),
        ("-lc -l de -lzh", "--lowercase --lang de --lang zh"),
        ("--confidence sysA.txt", "--confidence 0.95 -- sysA.txt"),
        ("--confidence 0.9 sysA.txt", "--confidence 0.9 -- sysA.txt"),
        ("--confidence=.9", "--confidence .9"),
        ("--confidence", "--confidence 0.95"),
        ("--echo src ref", "--echo src --echo ref"),
        ("--output out sysA.txt --quiet sysB.txt", "--output out --quiet -- sysA.txt sysB.txt"),
        ("-q -- -odd -m", "--quiet -- -odd -m"),
        ("--unknown x -z y", "--unknown -z -- x y"),
        ("-m", "--metric"),
        ("--quiet=1 x", "--quiet=1 -- x"),
    ],
)
def test_words_in_one_form(words: str, expected: str) -> None:
    assert arranged(words.split(), NAMES) == expected.split()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "-r ref0 ref1 sysA.txt",
            "ref1 ... -r ref0 -r ref1 sysA.txt",
        ),
        ("-r ref0 ref1", "-r ref0 -r ref1 SYSTEM"),
        ("sysA.txt -r ref0 C.txt", "write -r ref0 -r C.txt sysA.txt, for a system -r ref0 -i sysA.txt C.txt"),
        (
            "-r ref0 -i sysA.txt -q sysB.txt",
            "'sysB.txt' ... -r ... -i",
        ),
        (
            "-m bleu chfr -r refs.txt sysA.txt",
            "'chfr' ... 'chrf'",
        ),
        ("-m bleu nonsense(x=1) sysA.txt", "'nonsense' ... metric"),
        (
            "-m bleu wer -r refs.txt sysA.txt",
            "'wer' ... -m ... ./wer",
        ),
    ],
)
def test_what_is_unclear_is_refused_with_the_right_form(words: str, message: str) -> None:
    if "./wer" in message:
        write("wer", "x\n")
    error = refused("score", *words.split())
    assert mentions(error, message)


def test_the_first_word_after_m_is_a_metric_even_where_a_file_has_its_name() -> None:
    write("wer", "x\n")
    assert arranged(["-m", "wer", "sysA.txt"], NAMES) == ["--metric", "wer", "--", "sysA.txt"]
    # A file whose name is near a metric's is a file.
    write("bleus", "x\n")
    assert arranged(["-m", "wer", "bleus"], NAMES) == ["--metric", "wer", "--", "bleus"]


def test_the_form_of_sacrebleu_scores_against_all_references() -> None:
    found = document("score", "refs.txt", "ref1", "-i", "sysA.txt", "sysB.txt", "-m", "bleu", "wer")
    assert list(found["systems"]) == ["sysA", "sysB"]
    assert list(found["signatures"]) == ["bleu", "wer"]
    assert found["signatures"]["bleu"].startswith("nrefs:var|")
    same = document("score", "-r", "refs.txt", "ref1", "-m", "bleu,wer", "-i", "sysA.txt", "-i", "sysB.txt")
    assert (
        same
        == found
        == document(
            "score", "-m", "bleu", "-m", "wer", "-r", "refs.txt", "-r", "ref1", "sysA.txt", "sysB.txt"
        )
    )


def test_tokenizer_and_case_reach_the_metrics_that_take_them() -> None:
    found = document(
        "score", "-m", "bleu", "chrf", "rouge", "-tok", "char", "-lc", "-r", "refs.txt", "sysA.txt"
    )
    assert list(found["signatures"]) == ["bleu(tokenizer='char', lowercase=True)", "chrf", "rouge"]
    without = document("score", "-m", "chrf", "wer", "-lc", "-r", "refs.txt", "sysA.txt")
    assert list(without["signatures"]) == ["chrf(lowercase=True)", "wer(lowercase=True)"]
    kept = document(
        "score", "-m", "bleu(tokenizer='none')", "bleu", "-tok", "intl", "-r", "refs.txt", "sysA.txt"
    )
    assert list(kept["signatures"]) == ["bleu(tokenizer='none')", "bleu(tokenizer='intl')"]
    assert "(distinct) has the parameter lowercase; omit --lowercase" in refused(
        "score", "-m", "distinct", "-lc", "sysA.txt"
    )
    assert "tokenizer must be one of" in refused(
        "score", "-m", "bleu", "-tok", "nonsense", "-r", "refs.txt", "sysA.txt"
    )


@pytest.fixture
def sacrebleu_program() -> ModuleType:
    """sacreBLEU's command line, which is not allowed to change what happens to a process that writes to a
    closed socket.
    """
    before = signal.getsignal(signal.SIGPIPE) if hasattr(signal, "SIGPIPE") else None
    program: ModuleType = pytest.importorskip("sacrebleu.sacrebleu")
    if before is not None:
        signal.signal(signal.SIGPIPE, before)
    return program


def test_every_name_of_sacrebleu_means_something(sacrebleu_program: ModuleType) -> None:
    given: list[str] = []
    original = argparse.ArgumentParser.parse_args
    argparse.ArgumentParser.parse_args = lambda self, *_: (
        given.extend(self._option_string_actions) or original(self, [])
    )  # type: ignore[method-assign]
    try:
        sacrebleu_program.parse_args()
    finally:
        argparse.ArgumentParser.parse_args = original  # type: ignore[method-assign]
    assert len(given) > 50
    shown = " ".join(printed("score", "--help").replace(",", " ").split())
    for name in set(given) - {"-h", "--help", "-V", "--version"}:
        # -s is the sources here, and smoothing after it is answered.
        assert name in SAME or name in INSTEAD or f" {name} " in shown, name


@pytest.mark.parametrize("name", sorted(INSTEAD))
def test_what_is_written_otherwise_is_answered(name: str) -> None:
    error = refused("score", "-m", "bleu", name, "2", "-r", "refs.txt", "sysA.txt")
    assert error == f"error: {name} {INSTEAD[name]}\ntry: nlgauge score --help\n"
    metric = INSTEAD[name].partition('-m "')[2].rstrip('"')
    if metric:
        assert str(nlgauge.metric.registry.parse(metric)).partition("(")[0] in ("bleu", "chrf", "ter")


def test_smoothing_after_s_is_answered() -> None:
    assert "-m \"bleu(smooth_method='floor')\"" in refused(
        "score", "-s", "floor", "-r", "refs.txt", "sysA.txt"
    )
    write("floor", "a\nb\nc\n")
    assert run("score", "-q", "-m", "wer", "-s", "floor", "-r", "refs.txt", "sysA.txt").exit_code == 0


@pytest.mark.parametrize("name", ["--paired-bs", "-pbs"])
def test_the_paired_bootstrap_by_its_name_there(name: str) -> None:
    with pytest.warns(UserWarning, match="paired bootstrap"):
        found = document(
            "score", "-m", "wer", name, "--paired-bs-n", "30", "-r", "refs.txt", "sysA.txt", "sysB.txt"
        )["comparison"]
        assert found["rows"][0]["p"] == nlgauge_compared("bootstrap", 30)
    assert (found["test"], found["resamples"]) == ("bootstrap", 30)


def nlgauge_compared(test: str, resamples: int) -> float:
    texts = {name: Path(f"{name}.txt").read_text().split("\n")[:3] for name in ("sysA", "sysB", "refs")}
    result = nlgauge.score({name: texts[name] for name in ("sysA", "sysB")}, texts["refs"], metrics=["wer"])
    return float(result.compare(test=test, resamples=resamples)["wer"].p)


def test_intervals_and_tests_can_be_chosen_or_left_out() -> None:
    systems = ("-m", "wer", "-r", "refs.txt", "sysA.txt", "sysB.txt")
    for arguments, intervals, tested in (
        ([], True, True),
        (["--no-intervals"], False, True),
        (["--test", "none"], True, False),
        (["--resamples", "0"], False, False),
        (["--confidence"], True, True),
        (["-ci", "-cin", "10"], True, True),
    ):
        found = document("score", *systems, *arguments)
        assert bool(found["systems"]["sysA"]["wer"]["intervals"]) == intervals
        assert (found["comparison"] is not None) == tested
        shown = printed("score", *systems, *arguments)
        assert ("95% interval" in shown) == intervals
        assert ("Holm" in shown) == tested
    plain = run("score", *systems, "--resamples", "0").stderr
    assert "|bs:" not in plain
    assert "|ar:" not in plain


def test_translated_words_keep_values_and_what_other_commands_do_not_know() -> None:
    assert translated(["--metrics=bleu", "-sl"], ["--metric", "--segments"]) == [
        "--metric=bleu",
        "--segments",
        "-",
    ]
    assert translated(["-sl", "--detail"], ["--metric"]) == ["-sl", "--detail"]


def test_scores_alone() -> None:
    texts = Path("sysA.txt").read_text().split("\n")[:3], Path("refs.txt").read_text().split("\n")[:3]
    bleu, wer = (nlgauge.score(*texts, metrics=[name])[name]["score"] for name in ("bleu", "wer"))
    result = run("score", "-b", "-w", "3", "-m", "bleu", "wer", "-r", "refs.txt", "sysA.txt", "sysB.txt")
    assert result.stdout.split("\n")[0] == f"{bleu:.3f}\t{wer:.3f}"
    assert result.stdout.count("\n") == 2
    assert result.stderr == ""
    assert printed("score", "-b", "-m", "bleu", "-r", "refs.txt", "sysA.txt") == f"{bleu:.2f}\n"


def test_help_is_named_with_the_command() -> None:
    assert "try: nlgauge score --help" in refused("score", "-r")
    assert "try: nlgauge score --help" in refused("score", "--nonsense")
    assert "try: nlgauge models get --help" in refused("models", "get")
    assert "try: nlgauge --help" in refused("nonsense")


def test_json_of_details_and_widths_in_tables() -> None:
    arguments = ("score", "-q", "-m", "bleu", "-r", "refs.txt", "sysA.txt")
    assert "brevity_penalty" not in printed(*arguments)
    detailed = printed(*arguments, "--details", "-w", "1")
    for name in ("precision1", "precision4", "brevity_penalty"):
        assert name in detailed
    found = json.loads(printed(*arguments, "--json"))["systems"]["sysA"]["bleu"]["scores"]
    assert f" {found['precision1']:.1f} " in detailed
    assert f" {found['precision1']:.2f} " not in detailed


@pytest.mark.parametrize("predictions", ["--hyp", "--predictions", "--cand", "--systems"])
@pytest.mark.parametrize("references", ["--ref", "--reference", "--refs"])
def test_options_of_other_programs_are_understood(predictions: str, references: str) -> None:
    ours = printed("score", "-m", "wer", "-r", "refs.txt", "sysA.txt", "-b")
    assert printed("score", "-m", "wer", predictions, "sysA.txt", references, "refs.txt", "-b") == ours


def test_no_help_text_loses_its_brackets() -> None:
    for path, command in commands():
        texts = [command.help or "", *(getattr(parameter, "help", "") or "" for parameter in command.params)]
        wanted = [word for text in texts for word in re.findall(r"\w*\[[^\]]*\]", text)]
        shown = printed(*path, "--help") if wanted else ""
        assert all(word in shown for word in wanted), path
    assert 'pip install "nlgauge[plot]"' in printed("plot", "--help")
