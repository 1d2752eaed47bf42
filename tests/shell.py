"""Run the commands that a page shows, line by line."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import cli_cases
import pytest

_OPERATORS = frozenset("();<>|&")


def printed(line: str) -> str:
    """Run a line in the current directory, assert that it succeeds, and return its standard output.

    `nlgauge` runs in this process, because each start takes long; everything else, also pipes and redirections,
    runs in a shell.
    """
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    if words[0] == "nlgauge" and not any(_OPERATORS.issuperset(word) for word in words):
        done = cli_cases.warned(*words[1:])
        status, stdout, stderr = done.exit_code, done.stdout, done.stderr
    else:
        status, stdout, stderr = _in_shell(line)
    assert status == 0, f"{line}\n{stderr}"
    assert "Traceback" not in stderr, line
    return str(stdout)


def _in_shell(line: str) -> tuple[int, str, str]:
    """Return the exit code of a command, its standard output and its standard error."""
    if shutil.which("sh") is None:
        pytest.skip("needs a POSIX shell")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    # Output is UTF-8 whatever the locale, so that arrows and rules are printed as the page shows them.
    environment = {**os.environ, "PATH": path, "PYTHONUTF8": "1"}
    done = subprocess.run(
        ["sh", "-e", "-c", line], env=environment, capture_output=True, encoding="utf-8", check=False
    )
    return done.returncode, done.stdout, done.stderr
