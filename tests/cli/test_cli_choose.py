"""nlgauge choose: what it prints, what it refuses, and what it asks on a terminal."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest
from cli_cases import document, printed, refused, run

import nlgauge


def test_the_command_prints_the_advice():
    text = printed("choose", "--task", "translation")
    assert text.split() == nlgauge.choose("translation").to_text().split()
    assert text.startswith("Task: translation (en), overall, to compare texts; you have: references.")


def test_json_is_the_record_of_the_advice():
    found = document("choose", "--task", "MT", "--lang", "de", "--have", "references,source", "--budget", "1")
    assert found == nlgauge.choose("translation", "de", ("references", "source"), budget=1.0).record()
    options = ("--want", "consistency", "--level", "systems", "--labels", "50", "--have", "none")
    found = document("choose", "--task", "Summarisation", *options)
    assert found["question"] == {
        "task": "summarization",
        "lang": "en",
        "have": [],
        "want": "consistency",
        "level": "systems",
        "budget": 60.0,
        "labels": 50,
    }


def test_a_refusal_is_an_answer():
    assert "No recommendation" in printed("choose", "--task", "captioning")
    assert document("choose", "--task", "captioning")["verdict"] == "none"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "translation, summarization"),
        (("--task", "poetry"), "translation, summarization"),
        (("--task", "MT", "--lang", "xx"), "de, dv, dz"),
        (("--task", "MT", "--have", "images"), "references, source"),
        (("--task", "MT", "--want", "beauty"), "overall, content"),
        (("--task", "MT", "--level", "words"), "texts, systems"),
        (("--task", "MT", "--budget", "-1"), "--budget"),
        (("--task", "MT", "--labels", "1.5"), "--labels"),
    ],
)
def test_unknown_values_are_refused_with_the_list(arguments, words):
    assert words in refused("choose", *arguments)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_task_is_asked_for_on_a_terminal(monkeypatch):
    from nlgauge.cli.commands import choose

    answers = iter(["poetry", "SUM"])
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda _: next(answers))
    assert choose._asked() == "summarization"
    asked = sys.stderr.getvalue()
    assert "question-answering" in asked and "'poetry'" in asked


def test_the_help_lists_tasks_and_qualities():
    text = run("choose", "--help").stdout
    for word in (*nlgauge.advisor.settings.TASKS, *nlgauge.advisor.settings.QUALITIES):
        assert word in text


def test_the_command_loads_little():
    """Counted in modules, because seconds depend on the machine."""
    code = (
        "import sys; from nlgauge.cli.commands import app\n"
        "try: app(['choose', '--task', 'translation', '--json'])\n"
        "except SystemExit: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["verdict"] == "fair"
    modules = done.stderr.split()
    assert {module.partition(".")[0] for module in modules}.isdisjoint({"numpy", "msgspec", "rich", "regex"})
    assert len(modules) <= 300
