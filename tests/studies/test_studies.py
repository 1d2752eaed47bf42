"""The studies in studies/: their command, their tables, and a page that quotes kept scores."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

from nlgauge.meta.benchmarks import read_scores
from studies.__main__ import main
from studies.study import table

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"


@pytest.mark.parametrize(("benchmark", "heading"), [("summeval", "## SummEval"), ("realsumm", "## REALSumm")])
def test_page_of_cosmic_shows_the_scores_of_the_leaderboard(benchmark: str, heading: str) -> None:
    page = (RESULTS / "cosmic-systems.md").read_text(encoding="utf-8")
    section = page[page.index(heading) :].partition("system-level")[0]
    (kept,) = (
        read_scores(RESULTS / "scores" / "leaderboard" / f"{benchmark}.jsonl.xz")["cosmic"]
        .systems["cosmic"]
        .values()
    )
    for system, score in kept.items():
        assert f"| {system} | {score:.2f} [" in section


@pytest.mark.parametrize("name", ["hidden_labels"])
def test_command_line_calls_every_study(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = import_module(f"studies.{name}")
    taken = set(signature(module.report).parameters)
    monkeypatch.setattr(module, "report", lambda **given: f"called: {set(given) == taken}")
    monkeypatch.setattr("sys.argv", ["studies", name])
    main()
    assert capsys.readouterr().out == "called: True\n"


def test_table() -> None:
    assert table(["a", "b"], [["x", 0.5]]) == "| a | b |\n| --- | --- |\n| x | 0.5000 |"
