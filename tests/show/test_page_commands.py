"""The commands that a page shows run as they are printed, on the saved result."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from cli_cases import enter, run

import nlgauge
from nlgauge import Result
from nlgauge.show.page_data.commands import commands
from nlgauge.show.page_data.data import view_of

TEXTS = [f"page {number} of the book" for number in range(6)]
WORSE = ["page"] * 6


def _scored() -> Result:
    return nlgauge.score({"old": TEXTS, "new": WORSE}, TEXTS, metrics=["wer(lowercase=True)", "bleu"])


def _hostile() -> Result:
    texts = {"a'; touch evil; '": TEXTS, "-x": WORSE}
    return nlgauge.score(texts, TEXTS, metrics=["chrf"], ids=["--help", *map(str, range(1, 6))])


def _imported() -> Result:
    return nlgauge.from_scores({"A": [0, 1, 1, 0, 1, 1], "B": [0, 0, 1, 0, 0, 1]}, name="pass:higher:0..1")


def _single() -> Result:
    return nlgauge.score(TEXTS, TEXTS, metrics=["chrf"])


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (_scored, ["compare", "check", "explain", "add", "serve"]),
        (_hostile, ["compare", "check", "explain", "add", "serve"]),
        (_imported, ["compare", "check", "serve"]),
        (_single, ["check", "explain", "add", "serve"]),
    ],
)
def test_every_command_runs(made: object, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    enter(tmp_path, monkeypatch)
    result = made()  # type: ignore[operator]
    result.save("RESULT")
    result.save("BASELINE_RESULT")
    shown = [shlex.split(command) for _, command in commands(result)]
    assert [command[:2] for command in shown] == [["nlgauge", word] for word in words]
    with_another = [shlex.split(command) for _, command in commands(result, result.systems[-1])]
    shown += [command for command in with_another if command[1] != "add"]
    for _, *command in shown:
        if command[0] == "serve":
            continue
        if command[0] == "add":  # the result may already have the metric of the example
            command[-1] = "rouge"
        outcome = run(*command)
        assert outcome.exit_code in ((0, 3, 4) if command[0] == "check" else (0,)), outcome.output
    assert not Path("evil").exists()


def test_the_condition_has_the_direction_of_the_metric_and_the_baseline_of_the_page():
    result = _scored()
    assert "nlgauge check RESULT --baseline old --fail-if 'wer rises'" in dict(commands(result)).values()
    shown = view_of(result, "x", baseline="new", resamples=100).meta["commands"]
    assert ["Compare with the baseline", "nlgauge compare RESULT --baseline new"] in shown
