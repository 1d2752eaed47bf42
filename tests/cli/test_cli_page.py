"""The pages with commands run one after the other in one directory, and name every command."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
import shell

from nlgauge.cli.commands import app

PAGE = "\n".join(
    (Path(__file__).parents[2] / "docs" / "howto" / f"{name}.md").read_text("utf-8")
    for name in ("command-line", "ci", "caches", "meta-commands")
)
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_every_block_runs_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the blocks in one test, because each uses the files of those above it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("NLGAUGE_STATISTICS_CACHE", "NLGAUGE_JUDGE_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / f"{name}.sqlite"))
    for block in BLOCKS:
        printed = "".join(shell.printed(line) for line in block.splitlines() if line)
        assert printed or "nlgauge" not in block, block


def test_the_pages_name_every_command() -> None:
    names = app.list_commands(click.Context(app))
    assert len(names) > 10
    assert [name for name in names if f"nlgauge {name}" not in PAGE] == []
