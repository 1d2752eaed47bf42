"""Every example of the README runs: Python blocks as one session, shell blocks in one directory, in the order of the page."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
_BLOCK = re.compile(r"(?:<!-- needs (?P<needs>[^>]+) -->\n)?```(?P<language>\w+)\n(?P<body>.*?)\n?```", re.DOTALL)
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


BLOCKS = [
    Block(README.count("\n", 0, found.start("body")) + 1, found["language"], found["body"] + "\n", tuple((found["needs"] or "").split()))
    for found in _BLOCK.finditer(README)
]
SHELL_BLOCKS = [block for block in BLOCKS if block.language == "sh" and not block.is_set_up]


def _missing(block: Block) -> list[str]:
    """The models that a block needs and that are not here."""
    if not block.needs:
        return []
    pytest.importorskip("torch")
    from nlgauge.models.store import location

    return [name for name in block.needs if location(name) is None]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """The names that earlier Python blocks have made, and the directory that they work in."""
    return {}, tmp_path_factory.mktemp("readme")


@pytest.fixture(scope="module")
def shell_directory(tmp_path_factory):
    return tmp_path_factory.mktemp("shell")


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.language == "python"], ids=lambda block: f"line{block.line}")
def test_python_example_prints_what_the_page_says(block, session, monkeypatch):
    names, directory = session
    if _missing(block):
        pytest.skip(f"needs {', '.join(_missing(block))}; run: nlgauge models get {' '.join(_missing(block))}")
    monkeypatch.chdir(directory)
    examples = doctest.DocTestParser().get_doctest(block.body, names, "README.md", str(ROOT / "README.md"), block.line - 1)
    assert examples.examples
    said: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=said.append, clear_globs=False)
    names.update(examples.globs)
    assert not failed, "".join(said)


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a POSIX shell")
@pytest.mark.parametrize("block", SHELL_BLOCKS, ids=lambda block: f"line{block.line}")
def test_shell_example_succeeds(block, shell_directory):
    if _missing(block):
        pytest.skip(f"needs {', '.join(_missing(block))}; run: nlgauge models get {' '.join(_missing(block))}")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["sh", "-e", "-c", block.body], cwd=shell_directory, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.strip()


def test_every_make_target_named_on_the_page_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)\b", README)) - {"and"} <= targets


def test_the_table_names_every_metric():
    from nlgauge.metric.registry import metric_classes

    table = README.partition("## Metrics")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([a-z0-9_+]+)`", "".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))))
    own = {name for name, metric in metric_classes().items() if metric.__module__.startswith("nlgauge.metrics.")}
    assert own <= named


def test_links_to_files_of_the_repository_lead_somewhere():
    linked = [target for target in re.findall(r"\]\(([^)]+)\)", README) if not target.startswith("https://")]
    assert linked
    assert [target for target in linked if not (ROOT / target).is_file()] == []
