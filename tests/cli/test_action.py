"""The GitHub action: its shell builds the right command, runs no input, and passes the exit code on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import nlgauge

yaml = pytest.importorskip("yaml")
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
INSTALL, CHECK, COMMENT = ACTION["runs"]["steps"]
# Prints its words, one per line, writes a summary, and exits with CODE.
FAKE = '#!/bin/bash\nprintf "%s\\n" "$@"\necho verdicts > "$RUNNER_TEMP/nlgauge.md"\nexit "${CODE:-0}"\n'


def shell(
    step: dict[str, Any], folder: Path, program: Path, **values: str
) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub does; `program` is a directory of programs that comes first."""
    temporary = folder / "temp"
    temporary.mkdir(exist_ok=True)
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env={
            **os.environ,
            **dict.fromkeys(step.get("env", {}), ""),
            "PATH": f"{program}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": str(temporary),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "GITHUB_OUTPUT": str(folder / "outputs"),
            "GITHUB_REPOSITORY": "some/repository",
            **values,
        },
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    """A directory with programs that print their words."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("nlgauge", "gh"):
        (folder / name).write_text(FAKE, "utf-8")
        (folder / name).chmod(0o755)
    return folder


def words(folder: Path, done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line.replace(str(folder), "") for line in done.stdout.splitlines()]


def test_inputs_are_declared_and_reach_the_shell_only_as_variables():
    assert ACTION["runs"]["using"] == "composite"
    named = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text("utf-8")))
    assert named == set(ACTION["inputs"])
    assert all("${{" not in step["run"] and step["shell"] == "bash" for step in ACTION["runs"]["steps"])
    assert all("default" in each and each["description"] for each in ACTION["inputs"].values())


def test_a_run_file_is_run(tmp_path, fake):
    done = shell(CHECK, tmp_path, fake, RUN_FILE="eval.toml")
    assert words(tmp_path, done) == [
        "run",
        "--annotations",
        "--summary",
        "/temp/nlgauge.md",
        "--",
        "eval.toml",
    ]
    assert (tmp_path / "summary.md").read_text() == "verdicts\n"
    assert (tmp_path / "outputs").read_text() == "exit-code=0\n"


def test_a_result_is_checked_and_nothing_in_an_input_is_run(tmp_path, fake):
    hostile = '$(touch pwned)"; touch pwned; `touch pwned`'
    values = {"BASELINE": hostile, "FAIL_IF": "chrf drops\n\nwer rises\n", "MARGIN": "chrf=1\n1%"}
    done = shell(CHECK, tmp_path, fake, RESULT="-out", INCONCLUSIVE="fail", CODE="3", **values)
    assert words(tmp_path, done)[4:] == [
        *(
            "--inconclusive",
            "fail",
            "--baseline",
            hostile,
            "--fail-if",
            "chrf drops",
            "--fail-if",
            "wer rises",
        ),
        *("--margin", "chrf=1", "--margin", "1%", "--", "-out"),
    ]
    assert done.returncode == 3
    assert (tmp_path / "outputs").read_text() == "exit-code=3\n"
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("values", [{}, {"RUN_FILE": "eval.toml", "BASELINE": "main"}])
def test_contradictions_are_errors(tmp_path, fake, values):
    done = shell(CHECK, tmp_path, fake, **values)
    assert done.returncode == 2
    assert done.stdout.startswith("::error::")


def test_a_comment_that_fails_is_a_warning(tmp_path, fake):
    (tmp_path / "temp").mkdir()
    (tmp_path / "temp" / "nlgauge.md").write_text("verdicts")
    done = shell(COMMENT, tmp_path, fake, NUMBER="7")
    assert words(tmp_path, done)[:3] == ["pr", "comment", "7"]
    done = shell(COMMENT, tmp_path, fake, NUMBER="7", CODE="1")
    assert done.returncode == 0
    assert "::warning::" in done.stdout


def test_an_installed_nlgauge_is_not_installed_again(tmp_path, fake):
    assert shell(INSTALL, tmp_path, fake).stdout == ""


def test_the_real_command_fails_with_its_code(tmp_path):
    texts = [f"page {number} of the book" for number in range(12)]
    nlgauge.score({"old": texts, "new": ["x"] * 12}, texts, metrics="chrf").save(tmp_path / "out")
    program = Path(sys.executable).parent
    done = shell(CHECK, tmp_path, program, RESULT="out", BASELINE="old", INCONCLUSIVE="report")
    assert done.returncode == 3, done.stderr
    assert "::error title=chrf worsens (new)::failed: significantly worse" in done.stderr
    page = (tmp_path / "summary.md").read_text("utf-8")
    assert page.startswith("### nlgauge check: 1 failed")
    assert "    nlgauge check --inconclusive report --baseline old -- out\n" in page
