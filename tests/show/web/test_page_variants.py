"""Results of every shape open without an error, and show the numbers of the result."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from page_cases import VARIANTS, outputs_of, rated_result_of, result_of

from nlgauge.results.result import Result

Open = Callable[..., Any]
Report = Callable[..., Path]

# For each row of the leaderboard its system and the texts of its scores, without letters.
_BOARD = """() => [...document.querySelectorAll(".board tbody tr")].map(row =>
    [row.querySelector("th").textContent, ...[...row.querySelectorAll(".score")].map(cell => cell.firstChild.textContent)])"""
_MINI = """() => [...document.querySelectorAll(".mini tbody tr")].map(row =>
    [row.querySelector("th").textContent, ...[...row.querySelectorAll("td")].map(cell => cell.firstChild.textContent)])"""


def same(shown: str, value: float) -> bool:
    """Whether a number is shown to its last digit; "n/a" is what is not known."""
    if shown == "n/a":
        return value != value
    digits = len(shown.partition(".")[2])
    return digits > 0 and abs(float(shown.replace("−", "-")) - value) <= 0.5 * 10**-digits + 1e-9


def choose(page: Any, segment: int, title: str) -> None:
    """Choose a segment by the address, which the page follows, and wait until it is drawn."""
    page.evaluate("address => { location.hash = address }", f"#segments?s={segment}")
    page.wait_for_function("title => document.querySelector('#detail h3').textContent === title", arg=title)


# The variants whose segments are compared, too: the others have nothing that these do not have.
_EACH_SEGMENT = {"three systems", "one system", "one segment", "no references", "unknown scores"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_opens_and_shows_the_scores(variant: str, opened: Open, report: Report) -> None:
    shown = opened(report(variant))
    result = rated_result_of(variant)
    rows = shown.page.evaluate(_BOARD)
    assert sorted(row[0] for row in rows) == sorted(result.systems)
    for system, *scores in rows:
        wanted = [result[system][label][name] for label, name in outputs_of(result)]
        assert len(scores) == len(wanted)
        assert all(map(same, scores, wanted)), (scores, wanted)
    assert shown.errors == shown.dialogs == []
    assert not shown.page.locator(".failed").count()
    assert all(address.startswith(("file:", "data:")) for address in shown.requests)
    if variant in _EACH_SEGMENT:
        check_segments(shown.page, result)
        assert shown.errors == []


def check_segments(page: Any, result: Result) -> None:
    """Compare the scores of every third segment."""
    columns = [
        (label, name)
        for label, name in outputs_of(result)
        if name in result._tables[result.systems[0], label].segments()
    ]
    for segment in range(0, len(result.corpus), 3):
        choose(page, segment, str(result.corpus.ids[segment]))
        rows = page.evaluate(_MINI)
        assert sorted(row[0] for row in rows) == sorted(result.systems)
        for system, *scores in rows:
            wanted = [
                float(result._tables[system, label].segments()[name][segment]) for label, name in columns
            ]
            assert len(scores) == len(wanted)
            assert all(map(same, scores, wanted)), (segment, system, scores, wanted)


def test_many_systems_have_ranks_and_few_have_letters(opened: Open, report: Report) -> None:
    ranks = result_of("seventeen systems").ranks(resamples=200)
    of_bleu = next(row for row in ranks if row.label == "bleu").ranks
    marks = dict(
        opened(report("seventeen systems")).page.evaluate(
            """() => [...document.querySelectorAll(".board tbody tr")].map(row =>
        [row.querySelector("th").textContent, row.querySelector("td sup").textContent])"""
        )
    )
    for system, rank in zip(result_of("seventeen systems").systems, of_bleu, strict=True):
        assert marks[system] == (str(rank[0]) if rank[0] == rank[1] else f"{rank[0]}–{rank[1]}")
    letters = next(
        row for row in result_of("three systems").ranks(resamples=200) if row.label == "bleu"
    ).letters
    shown = opened(report("three systems")).page.evaluate(
        """() => [...document.querySelectorAll(".board tbody tr")].map(row =>
        [row.querySelector("th").textContent, row.querySelector("td:nth-child(3) sup").textContent])"""
    )
    assert dict(shown) == dict(zip(result_of("three systems").systems, letters, strict=True))


def test_one_system_is_not_called_better(opened: Open, report: Report) -> None:
    shown = opened(report("one system"))
    assert "there is no other system" in shown.page.locator("h1").inner_text()
    assert not shown.page.locator("#compare").is_visible()


def test_a_report_without_texts_says_so_and_has_none(opened: Open, report: Report) -> None:
    path = report("three systems", texts=False)
    shown = opened(path)
    assert "made without texts" in shown.page.locator("#why").inner_text()
    assert (
        shown.page.locator("script[id^='d-text'], script[id^='d-why'], #d-predictions, #d-sources").count()
        == 0
    )
    assert shown.errors == []


def test_texts_beyond_the_budget_are_those_of_the_chosen_segments(opened: Open, report: Report) -> None:
    shown = opened(report("three systems", max_size=0, explain=5))
    said = {}
    for segment in range(12):
        choose(shown.page, segment, f"doc-{segment}")
        said[segment] = "texts of only 5 segments" in shown.page.locator("#why").inner_text()
    assert sum(said.values()) == 7
    assert shown.errors == []


def test_whole_corpus_metrics_have_no_segments(opened: Open, report: Report) -> None:
    shown = opened(report("only whole-corpus metrics"))
    assert (
        "No metric of this result scores segments one by one." in shown.page.locator("#segments").inner_text()
    )


@pytest.mark.parametrize("variant", ["three systems", "one system"])
def test_what_a_page_opens_with_is_explained(variant: str, opened: Open, report: Report) -> None:
    shown = opened(report(variant, explain=1))
    assert shown.page.locator("#why .whyscore").count() == len(result_of(variant).systems)
    assert "no explanation" not in shown.page.locator("#why").inner_text()
