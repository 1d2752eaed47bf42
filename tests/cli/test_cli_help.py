"""Help pages and shell completion."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import click
import pytest
from cli_cases import commands, enter, printed, refused, scored
from click.shell_completion import ShellComplete

import nlgauge
from nlgauge.cli import program
from nlgauge.cli.commands import app
from nlgauge.cli.commands.about import TOPICS, page
from nlgauge.cli.help import filled, summary
from nlgauge.cli.parameters import SACREBLEU
from nlgauge.corpus.records import FIELD_NAMES

VERBS = (
    "Add Check Choose Collect Compare Convert Create Delete Describe Download Draw Estimate Exit Explain Explore Generate Import"
    " Let List Manage Measure Plan Print Rank Read Recommend Remove Replace Reproduce Score Show Test Write"
).split()
COMMANDS = list(commands())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "80")
    return enter(tmp_path, monkeypatch)


def panels(text: str) -> dict[str, list[str]]:
    """The lines of each panel of a page."""
    found: dict[str, list[str]] = {}
    for block in text.split("\n\n"):
        title, *lines = block.split("\n")
        if title.endswith(":") and lines and lines[0].startswith("  "):
            found[title[:-1]] = lines
    return found


def broken(text: str) -> Iterator[str]:
    """Lines of less than 40 characters whose paragraph continues on the next line."""
    for block in text.split("\n\n"):
        lines = block.split("\n")
        if block.startswith(("    ", "Usage:")):
            continue
        for line, following in pairwise(lines):
            continues = re.match(r"\S|\s{4,}", following) and not line.endswith(":")
            # Long names have a line without help.
            is_name = re.fullmatch(r"  \S+( \S+){0,3}", line) and len(line) > 28
            if continues and len(line) < 40 and not is_name:
                yield line


@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=[" ".join(words) for words, _ in COMMANDS])
def test_every_command_has_a_readable_page(words: tuple[str, ...], command: click.Command) -> None:
    line = summary(command)
    assert line.split()[0].rstrip(",") in VERBS
    assert len(line) <= 80 or not words
    assert line.endswith(".")
    text = printed(*words, "--help")
    assert text == printed(*words, "-h") == (printed("help", *words) if words else printed())
    assert max(map(len, text.split("\n"))) <= 80
    assert list(broken(text)) == []
    unnamed = command.commands.get("", command) if isinstance(command, click.Group) else command
    for parameter in unnamed.params:
        described = getattr(parameter, "help", None)
        if described is None or (parameter.name, described) == ("names", ""):
            assert words == ("plot",), parameter.name
            continue
        assert 0 < len(described) <= 80, described
        assert described.endswith(".")
        if isinstance(parameter, click.Option):
            assert all(
                re.search(rf"(^|[\s,]){name}([\s,]|$)", text, re.M)
                for name in parameter.opts
                if name not in getattr(parameter, "aliases", ())
            )
            assert parameter.is_flag or parameter.metavar, parameter.name
        else:
            assert parameter.metavar in text


def test_the_program_lists_its_commands_by_group() -> None:
    shown = panels(printed())
    assert list(shown) == ["Score", "Look", "Decide", "Trust", "Set up", "Options"]
    names = [
        match[1] for lines in shown.values() for line in lines if (match := re.match(r"  ([a-z]+) ", line))
    ]
    assert names == app.list_commands(click.Context(app))


def test_the_program_lists_the_summary_of_each_command() -> None:
    context = click.Context(app)
    for entries in app.groups.values():
        for name, entry in entries.items():
            command = app.get_command(context, name)
            assert command is not None
            assert entry.summary == summary(command)


def test_score_has_five_panels_and_those_of_sacrebleu() -> None:
    shown = panels(printed("score", "--help"))
    assert list(shown) == ["Files", "Metrics", "Output", "Statistics", "Running", SACREBLEU]
    options = [line for title in ("Files", "Metrics") for line in shown[title] if re.match(r"  -", line)]
    assert len(options) <= 12


def test_ranges_and_defaults_are_words() -> None:
    text = printed("score", "--help")
    for words in ("[1 or more]", "[0 to 15]", "[0 or more; default: 1000]", "[default: --intervals]"):
        assert words in text
    for word in ("INTEGER", "FLOAT", "BOOLEAN", "<bool>", "x>="):
        assert word not in text


def test_paragraphs_follow_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, printed("show", "--help").split("\n"))) <= 60
    assert (
        filled('see\n"nlgauge[plot]" [x]\n\n    a   b\n    c', 80)
        == 'see "nlgauge[plot]" [x]\n\n    a   b\n    c'
    )


def test_topics_are_listed_and_shown() -> None:
    assert sum(len(page(topic).encode()) for topic in TOPICS) < 40_000
    folder_of_pages = Path(nlgauge.__file__).parent / "data" / "help"
    assert sorted(path.stem for path in folder_of_pages.glob("*.md")) == sorted(TOPICS)
    listed = printed("help")
    for topic in TOPICS:
        title = page(topic).split("\n")[0].removeprefix("# ")
        assert topic in listed and title in listed
        assert title in printed("help", topic)
    assert "did you mean 'files'" in refused("help", "file")
    assert "neither a topic nor a command" in refused("help", "meta", "nonsense")


def test_pages_name_what_the_code_has() -> None:
    read = "".join(path.read_text("utf-8") for path in Path(nlgauge.__file__).parent.rglob("*.py"))
    variables = set(re.findall(r'environ\.get\("(NLGAUGE_\w+)"', read))
    variables |= set(re.findall(r'user_folder\("\w+", "\w+", "(\w+)"\)', read))
    assert len(variables) >= 9
    assert variables <= set(re.findall(r"`(\w+)`", page("environment")))
    codes = {0, *(getattr(program, name) for name in ("FAILURE", "USAGE", "WORSE", "INCONCLUSIVE"))}
    codes |= {program.INTERRUPTED, program.TERMINATED}
    assert codes == set(map(int, re.findall(r"^\| (\d+) \|", page("exit-codes"), re.M)))
    names = {name for names in FIELD_NAMES.values() for name in names}
    assert names <= set(re.findall(r"`(\w+)`", page("files")))


def test_the_names_of_similar_commands_are_suggested() -> None:
    assert "unknown command 'modls' (did you mean 'models'?)" in refused("modls")
    assert "unknown command 'lst' (did you mean 'list'?)" in refused("models", "lst")
    assert "--metric" in refused("explain", "out", "--metrc", "x")


def test_scripts_of_three_shells() -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_NLGAUGE_COMPLETE" in printed("completion", shell)
    assert "'tcsh' is not one of bash, zsh, fish" in refused("completion", "tcsh")


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("score --confid", ["--confidence"]),
        ("score -m chr", ["chrf"]),
        ("score -m bleu chr", ["chrf"]),
        ("show o", ["out"]),
        ("explain out -m bleu --system ", ["sysA", "sysB"]),
        ("explain out -m ", ["bleu", "distinct", "wer"]),
        ("meta summ", ["summeval", "summedits"]),
        ("meta compare --adj", ["--adjust"]),
        ("models get minil", ["minilm"]),
        ("benchmarks info summev", ["summeval"]),
        ("card chr", ["chrf"]),
        ("help exit", ["exit-codes"]),
        ("explain nowhere --system ", []),
    ],
)
def test_words_are_completed(line: str, answers: list[str]) -> None:
    scored()
    *words, start = line.split(" ")
    completed = ShellComplete(app, {}, "nlgauge", "_NLGAUGE_COMPLETE").get_completions(words, start)
    assert [item.value for item in completed] == answers


@pytest.mark.parametrize(
    ("line", "kind"),
    [("score -r ", "file"), ("score sys", "file"), ("show oth", "dir"), ("score -m bleu sys", "file")],
)
def test_the_shell_completes_files(line: str, kind: str) -> None:
    *words, start = line.split(" ")
    [item] = ShellComplete(app, {}, "nlgauge", "_NLGAUGE_COMPLETE").get_completions(words, start)
    assert item.type == kind


BASH = 'eval "$(nlgauge completion bash)"\n' + "".join(
    f"COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=();"
    """ _nlgauge_completion nlgauge; printf '%s\\n' "${COMPREPLY[@]}"\n"""
    for line in ("nlgauge comp", "nlgauge compare out ''")
)
FISH = "nlgauge completion fish | source; complete -C 'nlgauge comp'; complete -C 'nlgauge compare out '"


@pytest.mark.parametrize(("shell", "code"), [("bash", BASH), ("fish", FISH)])
def test_shells_complete_commands_and_systems(shell: str, code: str, folder: Path) -> None:
    if shutil.which(shell) is None or os.name == "nt":
        pytest.skip(f"needs {shell}")
    scored()
    start = Path("bin/nlgauge")
    start.parent.mkdir()
    start.write_text(f'#!/bin/sh\nexec {sys.executable} -m nlgauge "$@"\n')
    start.chmod(0o755)
    environment = {**os.environ, "PATH": f"{start.parent.absolute()}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([shell, "-c", code], env=environment, capture_output=True, text=True, check=True)
    # fish prints the help of a word behind a tab.
    words = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert words == ["compare", "completion", "sysA", "sysB"]
