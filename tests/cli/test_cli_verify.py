"""nlgauge verify."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_cases import enter, run

from nlgauge.models.weights import fetch
from nlgauge.verification import running
from nlgauge.verification.cases import Case
from nlgauge.verification.running import Outcome


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("COLUMNS", "200")
    return enter(tmp_path, monkeypatch)


def test_missing_weights_have_a_command_and_a_size():
    done = run("verify", "bleurt", "-f", "csv")
    assert done.exit_code == 0
    assert "no weights" in done.stdout
    assert "nlgauge models get bleurt-20 --hub (2.3 GB)" in done.stdout
    assert "not comparable" in done.stdout


def test_fetch_asks_with_the_size_before_it_downloads(monkeypatch: pytest.MonkeyPatch):
    fetched: list[str] = []
    monkeypatch.setattr(fetch, "get", lambda name, hub: fetched.append(name))
    done = run("verify", "unieval", "--fetch", stdin="n\ny\nn\n")
    assert "Download unieval-sum (3.1 GB)?" in done.stderr
    assert fetched == ["unieval-dialog"]
    run("verify", "prism", "--fetch")
    assert fetched == ["unieval-dialog"]


def test_a_report_is_printed_and_read(monkeypatch: pytest.MonkeyPatch):
    def computed(case: Case, instead: Any) -> Outcome:
        numbers = tuple(case.numbers)
        return Outcome(
            case, "equal", 0, 0.0, numbers, case.spans, dict.fromkeys(case.models.values(), "a" * 64)
        )

    monkeypatch.setattr(running, "missing_models", lambda case, instead: ())
    monkeypatch.setattr(running, "_nearest", computed)
    done = run("verify", "bleurt", "--json", "--by", "Example Lab")
    assert done.exit_code == 0
    report = json.loads(done.stdout)
    assert (report["by"], len(report["entries"])) == ("Example Lab", 5)
    Path("report.json").write_text(done.stdout, "utf-8")
    read = run("verify", "--read", "report.json", "-f", "csv")
    assert (read.exit_code, read.stdout.count(",equal,")) == (0, 5)
    report["entries"][0]["numbers"][0] += 1
    Path("report.json").write_text(json.dumps(report), "utf-8")
    read = run("verify", "--read", "report.json", "-f", "csv")
    assert (read.exit_code, read.stdout.count(",different,")) == (1, 1)


def test_options_that_do_not_go_together_are_refused():
    assert run("verify", "--read", "x", "--fetch").exit_code == 2
    assert run("verify", "--model", "bleurt-20").exit_code == 2
    assert run("verify", "blurt").exit_code == 2
