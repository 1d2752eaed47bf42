"""The README works when it is read from top to bottom: every block runs, in order and in one directory,
and prints what the page shows.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import NamedTuple

import shell

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
_BLOCK = re.compile(r"```(?P<language>\w+)\n(?P<body>.*?)\n?```", re.DOTALL)
_SET_UP = re.compile(r"(make|pip) ")


class Block(NamedTuple):
    line: int
    language: str
    body: str

    @property
    def is_set_up(self) -> bool:
        """Whether it installs things, which `make test` has done before it runs this."""
        return self.language == "sh" and all(_SET_UP.match(line) for line in self.body.splitlines())


class Session(NamedTuple):
    """The names that earlier Python blocks defined, and the directory that all blocks work in."""

    names: dict[str, object]
    directory: Path


BLOCKS = [
    Block(README.count("\n", 0, match.start("body")) + 1, match["language"], match["body"] + "\n")
    for match in _BLOCK.finditer(README)
]


def test_every_block_does_what_the_page_says(tmp_path, monkeypatch):
    """Run the blocks in one test, because each uses the files and names of those above it."""
    session = Session({}, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    run = {"python": _run_python, "sh": _run_commands}
    problems = {block.line: run[block.language](block, session) for block in BLOCKS if not block.is_set_up}
    assert {line: block_problems for line, block_problems in problems.items() if block_problems} == {}


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


def test_the_page_is_short():
    assert 800 <= len(README.split()) <= 1250


def test_the_number_of_metrics_is_the_present_one():
    from nlgauge.metric.registry import metric_classes

    own = [
        name for name, metric in metric_classes().items() if metric.__module__.startswith("nlgauge.metrics.")
    ]
    assert f"It has {len(own)} metrics" in README


def test_every_make_target_named_on_the_page_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z-]+)\b", README, re.MULTILINE))
    assert named
    assert named <= targets


def test_links_to_files_of_the_repository_lead_somewhere():
    linked = [target for target in re.findall(r"\]\(([^)]+)\)", README) if not target.startswith("https://")]
    assert linked
    assert [target for target in linked if not (ROOT / target).is_file()] == []
