"""Kept reproductions: numbers without texts, from which the same pages are made."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from marks import thorough

from nlgauge import reproduce
from nlgauge.meta.benchmarks import read_scores
from nlgauge.meta.benchmarks.places import place_of
from nlgauge.reproduce.infolm import webnlg
from nlgauge.reproduce.page import markdown_page
from nlgauge.reproduce.planning import document
from nlgauge.reproduce.settings import plain
from tools.keep_reproductions import without_texts

KEPT = Path(__file__).resolve().parents[2] / "docs" / "results" / "reproduce"
NAMES = sorted(folder.name for folder in KEPT.iterdir())
# Longer texts would be texts of the benchmarks.
LONGEST = 400


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from (name, *_texts(each))
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


@pytest.mark.parametrize("name", NAMES)
def test_scores_have_no_texts(name: str) -> None:
    files = list((KEPT / name / "scores").rglob("*.json.gz"))
    assert files
    for file in files:
        numbers = msgspec.json.decode(gzip.decompress(file.read_bytes()))["numbers"]
        assert max(map(len, _texts(numbers)), default=0) < LONGEST, file


@pytest.mark.parametrize("name", NAMES)
def test_the_page_and_its_figures_are_complete(name: str) -> None:
    found = reproduce.Reproduction.load(KEPT / name)
    page = (KEPT / name / "index.md").read_text("utf-8")
    assert found.document == name
    for figure in found.figures:
        assert (KEPT / name / figure.file).is_file() and figure.file in page
    for claim in found.claims:
        assert claim.numbers


@pytest.mark.parametrize("benchmark", ["summeval", "realsumm"])
def test_cosmic_has_the_scores_of_the_leaderboard(benchmark: str) -> None:
    found = reproduce.Reproduction.load(KEPT / "cosmic")
    (table,) = (table for table in found.tables if table.id == "information-of-systems")
    shown = {row["system"]: row["information"] for row in table.rows if row["benchmark"] == benchmark}
    scores = read_scores(KEPT.parent / "scores" / "leaderboard" / f"{benchmark}.jsonl.xz")["cosmic"]
    (expected,) = scores.systems["cosmic"].values()
    assert shown == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    ("benchmark", "information", "words"), [("summeval", 0.631, 0.875), ("realsumm", 0.664, 0.718)]
)
def test_sentiment_agrees_with_an_independent_program(
    benchmark: str, information: float, words: float
) -> None:
    """Coefficients of SciPy from information and lengths that were rounded, so that some systems change places."""
    found = reproduce.Reproduction.load(KEPT / "cosmic")
    (table,) = (table for table in found.tables if table.id == "tasks")
    shown = {
        row["metric"]: row["value"]
        for row in table.rows
        if (row["task"], row["benchmark"]) == ("sentiment", benchmark)
    }
    assert shown["I(S;T)"] == pytest.approx(information, abs=0.03)
    assert shown["words"] == pytest.approx(words, abs=0.03)


def _needs_benchmarks(name: str) -> None:
    """Skip if a benchmark of a document is not installed."""
    needed = {
        benchmark
        for step in document(name).steps
        for benchmark in (step.benchmark, *step.further_benchmarks)
        if benchmark
    }
    missing = [benchmark for benchmark in needed if place_of(benchmark) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed")


@pytest.mark.parametrize("name", [*(name for name in NAMES if name != "infolm"), *thorough("infolm")])
def test_the_kept_page_is_made_from_kept_scores(name: str, tmp_path: Path) -> None:
    _needs_benchmarks(name)
    again = reproduce.run(name, tmp_path / "again", scores=KEPT / name)
    assert markdown_page(without_texts(again)) == (KEPT / name / "index.md").read_text("utf-8")


def test_numbers_of_infolm_are_made_from_kept_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything but the figures; parameters are chosen for one of the five dimensions only, because that takes long."""
    _needs_benchmarks("infolm")
    monkeypatch.setattr(webnlg, "HUMAN", {"Fluency": "fluency"})
    kept = reproduce.Reproduction.load(KEPT / "infolm")
    again = reproduce.run("infolm", scores=KEPT / "infolm")
    assert [table.id for table in again.tables] == [table.id for table in kept.tables]
    compared = 0
    for table, other in zip(kept.tables, again.tables, strict=True):
        rows = table.rows
        if table.id in ("chosen", "williams"):
            rows = [row for row in rows if row["human"] == "fluency"]
        assert (other.cells, plain(other.rows)) == (table.cells, rows), table.id
        assert (other.caption, other.remarks) == (table.caption, table.remarks)
        compared += len(table.cells) + len(rows)
    assert compared > 400
    of_five = {"gains", "norms", "alike"}
    claims = [[claim for claim in each.claims if claim.id not in of_five] for each in (kept, again)]
    assert claims[0] == claims[1]
    assert again.notes == kept.notes
