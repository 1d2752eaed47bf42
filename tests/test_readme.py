"""The README works when it is read from top to bottom: every block runs, in order and in one directory,
and prints what the page shows.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import NamedTuple

import pytest
import shell

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
_BLOCK = re.compile(
    r"(?:<!-- needs (?P<needs>[^>]+) -->\n)?```(?P<language>\w+)\n(?P<body>.*?)\n?```", re.DOTALL
)
_SET_UP = re.compile(r"(make|pip) ")


class Block(NamedTuple):
    line: int
    language: str
    body: str
    needs: tuple[str, ...]

    @property
    def is_set_up(self) -> bool:
        """Whether it installs things, which `make test` has done before it runs this."""
        return self.language == "sh" and all(_SET_UP.match(line) for line in self.body.splitlines())


class Session(NamedTuple):
    """The names that earlier Python blocks defined, and the directory that all blocks work in."""

    names: dict[str, object]
    directory: Path


BLOCKS = [
    Block(
        README.count("\n", 0, found.start("body")) + 1,
        found["language"],
        found["body"] + "\n",
        tuple((found["needs"] or "").split()),
    )
    for found in _BLOCK.finditer(README)
]


def _missing(block: Block) -> list[str]:
    """The models that a block needs and that are not here."""
    if not block.needs:
        return []
    pytest.importorskip("torch")
    from nlgauge.models.weights.store import location

    return [name for name in block.needs if location(name) is None]


def test_every_block_does_what_the_page_says(tmp_path, monkeypatch):
    """Run the blocks in one test, because each uses the files and names of those above it."""
    session = Session({}, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    run = {"python": _run_python, "sh": _run_commands, "console": _run_console}
    blocks = [block for block in BLOCKS if not block.is_set_up]
    lacking = {block.line: _missing(block) for block in blocks}
    problems = {
        block.line: run[block.language](block, session) for block in blocks if not lacking[block.line]
    }
    assert {line: block_problems for line, block_problems in problems.items() if block_problems} == {}
    if models := sorted({model for names in lacking.values() for model in names}):
        lines = ", ".join(str(line) for line, names in lacking.items() if names)
        pytest.skip(
            f"the blocks on lines {lines} need {', '.join(models)}; run: nlgauge models get"
            f" {' '.join(models)}"
        )


def _run_python(block: Block, session: Session) -> list[str]:
    """Runs the examples of a block; what the failed ones say."""
    examples = doctest.DocTestParser().get_doctest(
        block.body, session.names, "README.md", str(ROOT / "README.md"), block.line - 1
    )
    assert examples.examples
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=said.append, clear_globs=False)
    session.names.update(examples.globs)
    return said


def _run_commands(block: Block, session: Session) -> list[str]:
    """Runs each line of a block; those that print nothing, though they do not write to a file."""
    lines = [line for line in block.body.splitlines() if line]
    return [
        line for line in lines if not shell.printed(line).strip() and not _written(line, session.directory)
    ]


def _written(line: str, directory: Path) -> bool:
    """Whether a command has written the file that it names."""
    named = re.search(r"(?: > | -o )([\w.]+)", line)
    return named is not None and (directory / named[1]).stat().st_size > 0


def _run_console(block: Block, session: Session) -> list[tuple[list[str], list[str]]]:
    """Runs each `$ command` and compares what it prints with what the page shows below it; the words of
    both where they differ.
    """
    _, *shown = re.split(r"^\$ (.*)\n", block.body, flags=re.MULTILINE)
    assert shown
    found = []
    for command, expected in zip(shown[::2], shown[1::2], strict=True):
        printed = _words(shell.printed(command))
        wanted = _words(expected)
        if wanted[-1] == "...":
            wanted.pop()
            printed = printed[: len(wanted)]
        assert wanted
        if printed != wanted:
            found.append((printed, wanted))
    return found


def _words(text: str) -> list[str]:
    """The words of what was printed: lines may break elsewhere, and rules may be longer or shorter."""
    return [word for word in text.split() if set(word) != {"─"}]


def test_the_page_opens_with_scores_python_and_an_explanation():
    assert [block.language for block in BLOCKS[:3]] == ["console", "python", "console"]
    first = README.partition("## Set-up")[0]
    assert "95% interval" in first
    assert "p: against" in first
    assert first.count("```") == 6


def test_every_make_target_named_on_the_page_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z-]+)\b", README, re.MULTILINE))
    assert named
    assert named <= targets


def test_the_list_names_every_metric_once():
    from nlgauge.metric.registry import metric_classes

    listed = re.findall(
        r"^- .*?(?=^- |\n\n)",
        README.partition("## Metrics")[2].partition("\n## ")[0],
        re.MULTILINE | re.DOTALL,
    )
    named = re.findall(r"`([a-z0-9_]+)`", "".join(listed))
    own = [
        name for name, metric in metric_classes().items() if metric.__module__.startswith("nlgauge.metrics.")
    ]
    assert sorted(named) == own


def test_the_table_of_variables_names_all_that_the_code_reads():
    folders = (ROOT / name for name in ("src", "studies", "benchmarks"))
    code = "".join(path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py"))
    table = README.partition("## Environment variables")[2].partition("\n## ")[0]
    read = r'(?:environ(?:\.get\(|\[)|user_folder\(.*)"((?:NLGAUGE|HF)_\w+)"'
    assert set(re.findall(read, code)) == set(re.findall(r"`((?:NLGAUGE|HF)_\w+)`", table))


def test_links_to_files_of_the_repository_lead_somewhere():
    linked = [target for target in re.findall(r"\]\(([^)]+)\)", README) if not target.startswith("https://")]
    assert linked
    assert [target for target in linked if not (ROOT / target).is_file()] == []
