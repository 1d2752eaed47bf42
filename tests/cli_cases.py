"""What the tests of the command line share: a folder with the files of a small task, and ways to run a
command in it.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from nlgauge.cli.commands import app


def enter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes the folder the current one and writes the files."""
    monkeypatch.chdir(folder)
    # The commands may set these; here they are put back.
    monkeypatch.setenv("NLGAUGE_OFFLINE", "")
    monkeypatch.setenv("NLGAUGE_THREADS", "")
    monkeypatch.setenv("NLGAUGE_CACHE", str(folder / "cache"))
    write("refs.txt", "the cat sat on the mat\nthe dog runs away\n\n")
    write("sysA.txt", "the cat sat on a mat\na dog runs\nx\n")
    write("sysB.txt", "the cat sat on the mat\nthe dog runs off\n\n")
    return folder


def write(path: str, content: str | bytes) -> str:
    Path(path).write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def run(*arguments: str, stdin: str | bytes | None = None) -> Any:
    return CliRunner().invoke(app, list(arguments), input=stdin)


def commands() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command and group, with the words that call it."""

    def below(
        path: tuple[str, ...], command: click.Command
    ) -> Iterator[tuple[tuple[str, ...], click.Command]]:
        yield path, command
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                found = command.get_command(context, name)
                assert found is not None
                yield from below((*path, name), found)

    return below((), app)


def warned(*arguments: str) -> Any:
    """What a command prints that warns, as a user sees it."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        return run(*arguments)


def printed(*arguments: str, stdin: str | bytes | None = None) -> str:
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return str(result.stdout)


def refused(*arguments: str, code: int = 2) -> str:
    result = run(*arguments)
    assert result.exit_code == code, result.stdout
    assert result.stdout == ""
    return str(result.stderr)


def document(*arguments: str, stdin: str | None = None) -> Any:
    return json.loads(printed(*arguments, "--json", stdin=stdin))


def scored(*arguments: str) -> str:
    printed(
        "score",
        "-m",
        "bleu",
        "-m",
        "wer",
        "-m",
        "distinct",
        "-r",
        "refs.txt",
        "sysA.txt",
        "sysB.txt",
        "-o",
        "out",
        *arguments,
    )
    return "out"
