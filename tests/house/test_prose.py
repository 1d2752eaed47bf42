"""Prose has at most as many hits of each rule as its limit, and a limit that can be lower is lowered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.prose import Piece, pieces
from tools.prose_lint import (
    LIMITS,
    RULES,
    count,
    exceeded,
    hits,
    lowered,
    read_limits,
    read_rules,
    write_limits,
)

ROOT = Path(__file__).parents[2]
MODULE = '''"""What the module keeps."""

import warnings

import click


@Command
@click.option("--out", help="Directory to write to.")
def run(out):
    """Runs it."""


def _check(value, name):
    """Check # that a value is known."""
    if not value:
        # A comment that goes on
        # over two lines.
        raise ParameterError(f"{name} is {value}, give {'a known name' if name else ''}", python="pass x=1")
    warnings.warn("the value is low", stacklevel=2)
    return "four words are enough", "not three words", "# no comment"  # a comment at the end
'''


def test_the_limits_are_the_counts():
    rules = read_rules(RULES.read_text("utf-8"))
    counts = count([hit for piece in pieces(ROOT) for hit in hits(piece, rules)], rules)
    limits = read_limits(LIMITS.read_text("utf-8"))
    assert exceeded(limits, counts) == []
    assert limits == counts, "run: python tools/prose_lint.py --update"
    assert LIMITS.read_text("utf-8") == write_limits(counts)
    assert len(json.loads(write_limits(counts))) == len(counts)


def test_every_piece_of_prose_has_its_kind(tmp_path: Path):
    files = {
        "src/nlgauge/cli/run.py": MODULE,
        "src/nlgauge/metrics/bleu.md": "+++\nname = 'a name in the header'\n+++\n\nA card.\n",
        "docs/page.md": "# Title\n\nText\nof two lines.\n\n```sh\nno prose\n```\n\n    no prose\n\nThe `f('no prose')`.\n",
        "README.md": "Read me.",
        "CHANGELOG.md": "A change.",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = {(piece.kind, piece.line, piece.text) for piece in pieces(tmp_path)}
    assert found == {
        ("docstring-public", 1, "What the module keeps."),
        ("help", 9, "Directory to write to."),
        ("help", 11, "Runs it."),
        ("docstring-private", 15, "Check # that a value is known."),
        ("comment", 17, "A comment that goes on\nover two lines."),
        ("error", 19, "{} is {}, give {}"),
        ("error", 19, "a known name"),
        ("error", 19, "pass x=1"),
        ("warning", 20, "the value is low"),
        ("message", 21, "four words are enough"),
        ("comment", 21, "a comment at the end"),
        ("card", 5, "A card."),
        ("docs", 1, "# Title"),
        ("docs", 3, "Text\nof two lines."),
        ("docs", 12, "The `code`."),
        ("readme", 1, "Read me."),
        ("changelog", 1, "A change."),
    }


@pytest.mark.parametrize(
    ("kind", "text", "names"),
    [
        ("error", "there is no metric 'x'; give one\nof these", ["give", "there-is-no"]),
        ("error", "unknown metric 'x'; use one of these", []),
        ("docstring-public", "Return 0 where nothing matches.", ["where-condition"]),
        ("docstring-public", "Return 0 if nothing matches, where n is the size.", []),
        ("help", "Scores texts.", ["third-person-summary"]),
        ("comment", "Scores texts.", []),
        ("docs", "a 95 % interval", ["percent-space"]),
        ("docs", "a 95% interval", []),
    ],
)
def test_rules_find_their_patterns(kind: str, text: str, names: list[str]):
    rules = read_rules(RULES.read_text("utf-8"))
    assert sorted(hit.rule.name for hit in hits(Piece(kind, "file", 1, text), rules)) == names


def test_an_update_lowers_limits_and_adds_new_rules():
    limits = {("docs", "alone"): 5, ("docs", "stands"): 2, ("docs", "removed"): 9}
    counts = {("docs", "alone"): 3, ("docs", "stands"): 4, ("error", "alone"): 1, ("docs", "new"): 7}
    updated = lowered(limits, counts)
    assert updated == {("docs", "alone"): 3, ("docs", "stands"): 2, ("error", "alone"): 0, ("docs", "new"): 7}
    assert [line.partition(":")[0] for line in exceeded(updated, counts)] == [
        "stands in docs",
        "alone in error",
    ]


def test_limits_are_read_from_both_sides_of_a_conflict():
    ours, theirs = {("docs", "alone"): 3}, {("docs", "alone"): 2, ("help", "alone"): 1}
    text = f"<<<<<<< HEAD\n{write_limits(ours)}=======\n{write_limits(theirs)}>>>>>>> main\n"
    assert read_limits(text) == {("docs", "alone"): 2, ("help", "alone"): 1}
