"""docs/command-line.md runs from top to bottom in one directory, and names every command."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nlgauge.cli import app

PAGE = (Path(__file__).parents[1] / "docs" / "command-line.md").read_text("utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page")


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a POSIX shell")
@pytest.mark.parametrize("commands", BLOCKS, ids=range(len(BLOCKS)))
def test_the_block_runs_as_printed(commands: str, directory: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    own = {"NLGAUGE_STATISTICS_CACHE": str(directory / "own.sqlite"), "PYTHONUTF8": "1", "COLUMNS": "80"}
    environment = {**os.environ, **own, "PATH": path}
    done = subprocess.run(["sh", "-e", "-c", commands], cwd=directory, env=environment, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    if "nlgauge" in commands:
        assert done.stdout


def test_the_page_names_every_command() -> None:
    registered = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback is not None]
    assert len(registered) > 10
    assert [name for name in registered if f"nlgauge {name}" not in PAGE] == []
