"""A whole study without code: two systems are rated in Chromium, the server is killed once, and the commands
read the outcome.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import browsers
import pytest
import servers
from click.testing import CliRunner
from marks import thorough

from nlgauge.annotate.campaign import Campaign
from nlgauge.cli.commands import app

pytest.importorskip("uvicorn", reason="needs the extra web")
_WORDS = "the cat sat on a red mat near old trees while rain fell in quiet towns by the sea".split()


def run(*words: str) -> str:
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def texts(path: Path, count: int) -> None:
    """A system that leaves out few words, and one that leaves out many."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            words = [_WORDS[(number * 7 + place * 3) % len(_WORDS)] for place in range(9)]
            for system, left_out in (("careful", 8), ("hasty", 2)):
                kept = [word for place, word in enumerate(words) if (place + number) % left_out]
                record = {
                    "id": f"s{number}",
                    "system": system,
                    "source": " ".join(reversed(words)),
                    "reference": " ".join(words),
                    "prediction": " ".join(kept),
                }
                file.write(json.dumps(record) + "\n")


@pytest.fixture(scope="module", autouse=True)
def _servers_stop() -> Iterator[None]:
    with servers.stopped():
        yield


class Server:
    """`nlgauge annotate serve` in its own process."""

    def __init__(self, campaign: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nlgauge", "annotate", "serve", str(campaign)],
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        self.lines = []
        for line in self.process.stderr:
            self.lines.append(line)
            if "Ratings are saved" in line:
                break

    def address(self, who: str) -> str:
        return next(line.split()[-1] for line in self.lines if who in line.partition("http")[0])

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is a signal of Unix")
@pytest.mark.parametrize("count", [3, *thorough(30)])
def test_a_study_from_texts_to_a_report(tmp_path: Path, opened: Callable[..., Any], count: int) -> None:
    texts(tmp_path / "texts.jsonl", count)
    result, campaign = tmp_path / "out", tmp_path / "campaign"
    run("score", str(tmp_path / "texts.jsonl"), "-m", "chrf", "-o", str(result), "--quiet")
    run("annotate", "new", str(result), "-o", str(campaign), "--protocol", "da", "--annotators", "a1")
    server = Server(campaign)
    try:
        shown = opened(server.address("a1"))
        page = shown.page
        total = 2 * count
        for number in range(total):
            # The scripted annotator gives as many points as the text has words.
            words = len(page.locator("[aria-label=Text] .rate-text").inner_text().split())
            page.locator("#scale-da").focus()
            for digit in str(10 * words):
                page.keyboard.press(digit)
            page.keyboard.press("Enter")
            if number == total // 2:
                server.kill()
                page.keyboard.press("Enter")
                page.wait_for_function(
                    "() => document.getElementById('saved').textContent.startsWith('Not saved yet')"
                )
                server = Server(campaign)
                assert "as before" in "".join(server.lines)
            else:
                page.keyboard.press("Enter")
        page.wait_for_function("() => document.getElementById('saved').textContent === 'Saved.'")
        assert "All items are rated" in page.locator("#needed").inner_text()
        # What was expected of the page was the refused connection alone.
        assert not [error for error in shown.errors if "ERR_CONNECTION" not in error]
    finally:
        server.kill()
    opened_again = Campaign.open(campaign)
    records = opened_again.records()
    assert [record["n"] for record in records] == list(range(len(records)))
    ratings = [record for record in records if record["kind"] == "rating"]
    assert len(ratings) == total
    for record in ratings:
        text = opened_again.items[record["item"]].outputs[0]
        assert record["answers"] == {"da": 10 * len(text.split())}
    state = json.loads(run("annotate", "status", str(campaign), "-f", "json"))
    assert state["finished"] == count
    assert {row["system"]: row["better"] for row in state["differences"]} == {"careful": "careful"}
    exported = tmp_path / "ratings.jsonl"
    run("annotate", "export", str(campaign), "-o", str(exported))
    expected = {row["system"]: row["estimate"] for row in state["estimates"]}
    rows = [json.loads(line) for line in exported.read_text("utf-8").splitlines()]
    for system, mean in expected.items():
        values = [row["human"]["da"] for row in rows if row["system"] == system]
        assert sum(values) / len(values) == pytest.approx(mean)
    findings = json.loads(
        run(
            "meta", str(exported), "--human", "da", "-m", "chrf", "--level", "global", "-f", "json", "--quiet"
        )
    )
    assert {row["metric"] for row in findings["rows"]} == {"chrf"}
    agreement = json.loads(run("meta", "agreement", str(exported), "--human", "da", "-f", "json"))
    assert {row["dimension"] for row in agreement["rows"]} == {"da"}
    report = tmp_path / "report.html"
    run("report", str(result), "--ratings", str(campaign), "-o", str(report))
    assert "People" in opened(report).page.locator("#leaderboard").inner_text()


def test_the_organizer_sees_what_is_known(tmp_path: Path, opened: Callable[..., Any]) -> None:
    from test_rate_page import SMALL, cut_off, served

    texts(tmp_path / "texts.jsonl", 12)
    run("score", str(tmp_path / "texts.jsonl"), "-m", "chrf", "-o", str(tmp_path / "out"), "--quiet")
    words = (
        "annotate",
        "new",
        str(tmp_path / "out"),
        "--annotators",
        "a1,a2",
        "--overlap",
        "1",
        "--protocol",
        "likert",
    )
    run(*words, "-o", str(tmp_path / "campaign"), "--until-sure", "--damaged", "0.1")
    campaign = Campaign.open(tmp_path / "campaign")
    names = [question.id for question in campaign.plan.protocol.questions]
    with campaign.rating() as rater:
        for annotator in ("a1", "a2"):
            for key in campaign.order(annotator):
                item = campaign.items[key]
                value = 1 + 3 * (item.systems == ["careful"]) + (item.segment in ("s1", "s3"))
                if item.segment == "s5" and item.systems == ["hasty"] and item.kind == "rate":
                    rater.skip(annotator, key, "<b>no</b> text", active=12.0)
                else:
                    rater.rate(annotator, key, dict.fromkeys(names, value), active=12.0)
    shown = opened(served(campaign)["organizer"], bypass_csp=True, viewport={"width": 1180, "height": 900})
    page = shown.page
    text = page.locator("main").inner_text()
    for words in (
        "Scores: fluency",
        "careful minus hasty",
        "Agreement of annotators",
        "krippendorff",
        "When to stop",
        "2 skipped texts have no score (hasty 2 of 24)",
        "leave out 1 finished segment",
        "<b>no</b> text",
    ):
        assert words in text, words
    assert "24 of 24" in text.replace("26 of 26", "24 of 24")
    page.evaluate(browsers.axe())
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        assert browsers.faults(page) == [], theme
    assert shown.errors == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert browsers.faults(page) == []
    for size in SMALL:
        page.set_viewport_size(size)
        assert cut_off(page) == [], size
