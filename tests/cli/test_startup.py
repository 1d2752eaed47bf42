"""A command starts quickly: it imports only what it uses. No test here looks at a clock."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge._core import backend

# Packages that `nlgauge score -m bleu -b` does not use.
UNUSED = (
    "concurrent.futures",
    "email",
    "hashlib",
    "importlib.metadata",
    "importlib.resources",
    "logging",
    "msgspec",
    "pydantic",
    "rapidfuzz",
    "regex",
    "rich",
    "sacrebleu",
    "scipy",
    "shutil",
    "sqlite3",
    "subprocess",
    "tempfile",
    "torch",
    "typer",
)
PROBE = """
import sys
before = set(sys.modules)
import dataclasses, gc, json
made, passes = [], {"before": 0, "later": 0}
process = dataclasses._process_class

def counted(kind, *options):
    made.append(f"{kind.__module__}.{kind.__qualname__}")
    return process(kind, *options)

def collected(phase, _):
    # Objects are frozen when the command starts.
    passes["later" if gc.get_freeze_count() else "before"] += phase == "start"

dataclasses._process_class = counted
from nlgauge.cli import main
gc.callbacks.append(collected)
try:
    main()
except SystemExit as end:
    code = end.code
modules = sorted(set(sys.modules) - before)
report = {"code": code, "made": made, "passes": passes, "on": gc.isenabled(), "modules": modules}
print(json.dumps(report), file=sys.stderr)
"""


def started(*words: str) -> tuple[str, dict[str, Any]]:
    """Run a command in a new process; return what it prints, and what its start took."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *words], capture_output=True, text=True, timeout=600, check=True
    )
    report: dict[str, Any] = json.loads(done.stderr.splitlines()[-1])
    assert report["code"] == 0, done.stderr
    return done.stdout, report


def of(modules: list[str], *packages: str) -> list[str]:
    """Return the modules of some packages."""
    return [name for name in modules if f"{name}.".startswith(tuple(f"{package}." for package in packages))]


@pytest.mark.skipif(backend.NATIVE is None, reason="Python kernels import more")
def test_scoring_a_file_imports_little(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for name in ("predictions", "references"):
        lines = [" ".join(rng.choice(["the", "cat", "sat", "on", "mat."], 12)) for _ in range(500)]
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    printed, report = started(
        "score", "-m", "bleu", "-b", "-r", str(tmp_path / "references"), str(tmp_path / "predictions")
    )
    assert 0 < float(printed) < 100
    modules = report["modules"]
    assert of(modules, *UNUSED) == []
    assert len(of(modules, "nlgauge")) <= 95
    assert len(modules) - len(of(modules, "numpy", "click", "nlgauge")) <= 90
    assert len(report["made"]) <= 27, report["made"]
    assert report["passes"]["before"] == 0
    assert report["on"]


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["score", "--help"], []])
def test_help_and_version_import_no_numpy_and_no_other_command(words: list[str]) -> None:
    printed, report = started(*words)
    assert printed
    assert (
        of(report["modules"], "numpy", "msgspec", "rich", "importlib.metadata", "importlib.resources") == []
    )
    commands = [name for name in report["modules"] if name.startswith("nlgauge.cli.commands.")]
    expected = {"--version": ["about"], "score": ["score"]}.get("".join(words[:1]), [])
    assert commands == [f"nlgauge.cli.commands.{name}" for name in expected]
    assert report["made"] == []
    assert report["passes"]["before"] == 0


REWARD = """
import json, sys
before = set(sys.modules)
import dataclasses
made, process = [], dataclasses._process_class

def counted(kind, *options):
    made.append(f"{kind.__module__}.{kind.__qualname__}")
    return process(kind, *options)

dataclasses._process_class = counted
from nlgauge import reward
scores = reward("bleu")(["the cat sat on the mat"], ["the cat sat on a mat"])
print(json.dumps({"scores": scores, "made": made, "modules": sorted(set(sys.modules) - before)}))
"""


@pytest.mark.skipif(backend.NATIVE is None, reason="Python kernels import more")
def test_the_first_call_of_a_reward_imports_little() -> None:
    done = subprocess.run(
        [sys.executable, "-c", REWARD], capture_output=True, text=True, timeout=600, check=True
    )
    report = json.loads(done.stdout)
    assert 0 < report["scores"][0] < 100
    modules = report["modules"]
    unused = ("click", "nlgauge.models", "nlgauge.results", "numpy.typing", "pathlib", "string", "urllib")
    assert of(modules, *UNUSED, *unused) == []
    assert len(of(modules, "nlgauge")) <= 58
    assert len(report["made"]) <= 14, report["made"]
