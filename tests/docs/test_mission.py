"""The page of items of the documents: its counts are those of its tables, and whatever it names exists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest
from cli_cases import run

import nlgauge
from nlgauge.metric.registry import metric_classes
from nlgauge.reproduce.planning import document

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "about" / "mission.md"
STATES = ("done", "partly", "weights", "data", "license", "outlook")


class Item(NamedTuple):
    """A row of the page."""

    name: str
    state: str
    means: str
    remark: str
    shown: str


def sections() -> Iterator[tuple[str, list[Item]]]:
    for part in PAGE.read_text("utf-8").split("\n## ")[2:]:
        name, _, rows = part.partition("\n")
        cells = [
            row.replace("\\|", "/").removeprefix("| ").removesuffix("|").split(" | ")
            for row in rows.splitlines()
            if row.startswith("| ")
        ]
        yield name, [Item(*(cell.strip() for cell in row)) for row in cells[1:]]


ITEMS = [item for _, items in sections() for item in items]


def code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def test_counts_are_those_of_the_tables() -> None:
    counts = PAGE.read_text("utf-8").split("\n## ")[1]
    found: Counter[str] = Counter()
    for name, items in sections():
        states = Counter(item.state for item in items)
        assert set(states) <= set(STATES), name
        assert all(item.state == "done" or item.means + item.remark for item in items)
        numbers = [states[state] for state in STATES]
        assert f"| {name} | {' | '.join(map(str, [*numbers, len(items)]))} |" in counts
        found += states
    assert f"| all | {' | '.join(str(found[state]) for state in STATES)} | {sum(found.values())} |" in counts


def test_every_item_that_runs_names_what_shows_it() -> None:
    assert [
        item.name for item in ITEMS if item.state in ("done", "partly", "weights") and not item.shown
    ] == []


def test_named_tests_and_pages_exist() -> None:
    for item in ITEMS:
        links = re.findall(r"\]\(([^)]+)\)", item.shown + item.means)
        names = code(item.shown)
        for link in links:
            assert (PAGE.parent / link).is_file(), (item.name, link)
        for name in names:
            file, _, test = name.partition("::")
            assert not test or f"\ndef {test}(" in (ROOT / "tests" / file).read_text("utf-8"), name
            assert (ROOT / "tests" / file).is_file(), name


COMMANDS = sorted({each for item in ITEMS for each in code(item.means) if each.startswith("nlgauge ")})


@pytest.mark.parametrize("command", COMMANDS)
def test_named_commands_and_options_exist(command: str) -> None:
    words = [word for word in command.split()[1:] if not word.startswith("-")]
    options = [word for word in command.split() if word.startswith("--")]
    depth = 2 if words[0] in ("meta", "benchmarks") else 1
    named = [word for word in words[:depth] if word.islower()]
    shown = run(*named, "--help")
    assert shown.exit_code == 0
    assert "Usage" in shown.stdout
    assert all(option in shown.stdout for option in options)
    if words[0] == "reproduce" and len(words) > 1:
        known = document(words[1])
        assert "--part" not in options or known.step(words[2])


def test_named_metrics_and_functions_exist() -> None:
    known = {*metric_classes(), *(alias for each in metric_classes().values() for alias in each.aliases)}
    checked = 0
    for item in ITEMS:
        for name in code(item.means):
            if name.startswith(("nlgauge ", "-")) or item.name.startswith(("Data", "BLANC-Shannon")):
                continue
            plain = re.split(r"[(@]", name)[0]
            if plain.startswith(("nlgauge.", "plots.")):
                module, _, last = plain.removeprefix("nlgauge.").rpartition(".")
                place = import_module(f"nlgauge.{module}") if module else nlgauge
                assert hasattr(place, last), name
                checked += 1
            elif item.shown.startswith("`metrics/") and not name.startswith(
                ("output", "compat", "normalized")
            ):
                assert plain in known, name
                checked += 1
    assert checked > 90
