"""docs/howto/command-line.md runs from top to bottom in one directory, and names every command."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nlgauge.cli import app

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "command-line.md").read_text("utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a POSIX shell")
def test_every_block_runs_as_printed(tmp_path: Path) -> None:
    """Run the blocks in one test, because each uses the files of those above it."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    caches = {
        name: str(tmp_path / f"{name}.sqlite") for name in ("NLGAUGE_STATISTICS_CACHE", "NLGAUGE_JUDGE_CACHE")
    }
    environment = {**os.environ, **caches, "PYTHONUTF8": "1", "COLUMNS": "80", "PATH": path}
    for commands in BLOCKS:
        shell = ["sh", "-e", "-c", commands]
        done = subprocess.run(
            shell, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, f"{commands}\n{done.stderr}"
        assert "Traceback" not in done.stderr, commands
        if "nlgauge" in commands:
            assert done.stdout, commands


def test_the_page_names_every_command() -> None:
    registered = [
        command.name or command.callback.__name__
        for command in app.registered_commands
        if command.callback is not None
    ]
    assert len(registered) > 10
    assert [name for name in registered if f"nlgauge {name}" not in PAGE] == []
