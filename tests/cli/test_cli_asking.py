"""`score --until-sure --budget`, continued with `add --until-sure`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli_cases import refused, run
from hostile_server import Answer, completion, serving
from messages import mentions

import nlgauge

SEGMENTS = 60


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for system, bad in (("A", 3), ("B", 2)):
        words = ["bad" if i % bad == 0 else "good" for i in range(SEGMENTS)]
        Path(f"{system}.txt").write_text("".join(f"{word} {system} {i}\n" for i, word in enumerate(words)))
    return tmp_path


def answer(body: dict[str, Any], number: int) -> Answer:
    return completion("no" if "bad" in str(body["messages"][-1]) else "yes")


def test_a_run_that_stopped_at_its_budget_is_continued_by_add() -> None:
    with serving(answer) as server:
        metric = (
            f"yes_no(question='Good?', model='gpt', base_url='{server.url}', scoring='single',"
            " calls='prices=1000,1000 cache=off')"
        )
        asking = ("--until-sure", "--no-cache")
        assert mentions(
            refused("score", "-m", metric, "A.txt", "B.txt", *asking, "--alpha", "2"), "alpha ... 2"
        )
        assert not server.bodies
        done = run(
            "score",
            "-m",
            metric,
            "A.txt",
            "B.txt",
            *asking,
            "--alpha",
            "0.01",
            "--looks",
            "4",
            "--budget",
            "7",
            "-o",
            "out",
        )
        assert done.exit_code == 0, done.stderr
        assert mentions(done.stderr, "continue with: nlgauge add out --until-sure --budget MONEY")
        before = nlgauge.load("out").sequential
        assert before is not None
        assert before["stopped"] == "budget"
        sent = len(server.bodies)
        done = run("add", "out", *asking)
        assert done.exit_code == 0, done.stderr
    after = nlgauge.load("out").sequential
    assert after is not None
    assert after["stopped"] == "all looks made"
    assert after["state"]["alpha"] == 0.01
    assert after["look"] == 4 > before["look"]
    assert len(server.bodies) - sent == 2 * (SEGMENTS - before["asked"])
    assert "continue with" not in done.stderr
    assert mentions(done.stderr, "look 4 of 4")
    assert mentions(refused("add", "out", "--until-sure"), "has ended ... look 4 of 4")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("add out --until-sure -m ari", "--until-sure ... -m"),
        ("add out --until-sure --resume", "--until-sure ... --resume"),
        ("score A.txt B.txt -m ari --alpha 0.1", "--alpha ... add --until-sure"),
        ("add out --budget 2", "--budget ... add --until-sure"),
    ],
)
def test_wrong_use_is_refused(arguments: str, message: str) -> None:
    assert mentions(refused(*arguments.split()), message)
