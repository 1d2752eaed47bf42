"""Human scores on the page: first in the headline and in the table, with intervals, letters and tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from page_cases import result_of

from nlgauge._core.numbers import number
from nlgauge.results.imported.human import with_human_scores

Open = Callable[..., Any]
Report = Callable[..., Path]


def test_people_come_first_and_are_tested(opened: Open, report: Report) -> None:
    shown = opened(report("people"))
    page = shown.page
    assert page.locator("#verdict").inner_text() == "People put B first (quality), significantly ahead of A."
    lede = page.locator(".lede").inner_text()
    assert "All 2 metrics put A first, significantly ahead of B." in lede
    assert "People disagree with the metrics: they put B significantly ahead of A." in lede
    assert page.locator(".board tbody th").all_inner_texts() == ["B", "A"]
    assert page.locator(".board .groups th").first.inner_text().lower() == "people"
    assert page.locator(".board thead button.sort").first.get_attribute("aria-label") == "sort by quality"
    assert page.locator(".board tbody tr td:nth-of-type(2) sup").all_inner_texts() == ["a", "b"]
    human = with_human_scores(result_of("people")).result
    output = human._tables["A", "quality"].outputs()[0]
    cells = page.locator(".board tbody tr td:nth-of-type(2) .score").all_inner_texts()
    scores = [number(human[system]["quality"]["score"], output) for system in ("B", "A")]
    assert [cell.rstrip("ab").strip() for cell in cells] == scores
    row = page.locator(".forest tbody tr").first
    assert row.locator("button").inner_text().startswith("quality")
    assert row.locator(".pv").last.inner_text() != "n/a"
    # The page still opens on a metric, which can explain its scores.
    assert page.locator(".forest [aria-pressed=true]").inner_text().startswith("bleu")
    assert shown.errors == []


def test_one_rated_system_has_human_scores_and_no_filter_by_them(opened: Open, report: Report) -> None:
    shown = opened(report("one rated system"))
    page = shown.page
    assert "2 human scores" in page.locator("#verdict").inner_text()
    assert page.locator("select[aria-label='coherence']").count() == 0
    assert page.locator("select[aria-label='human.coherence']").count() == 0
    assert page.locator("select[aria-label='year']").count() == 1
    assert "--human year" in page.locator(".filters").inner_text()
    names = page.locator("#agreement .map text.row").all_text_contents()
    assert {"coherence", "fluency"} <= set(names)
    assert page.locator(".board thead button.human").count() == 2
    assert shown.errors == []
