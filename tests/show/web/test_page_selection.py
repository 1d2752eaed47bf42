"""The selection of segments and systems recomputes the page: in the report from its sums, in the explorer on the server."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from browsers import axe, faults
from page_cases import POOLED, rated_result_of, result_of
from test_page_files import records, saved

from nlgauge.results.joined import of_systems

Open = Callable[..., Any]
Report = Callable[..., Path]

# Enough resamples for ends of intervals from two seeds to agree.
_DRAWN = {"resamples": 4000, "explain": 0}
_READY = "document.querySelector('#selection b') && !document.querySelector('#selection').innerText.includes('computing')"


def wait(page: Any, condition: str) -> None:
    page.wait_for_function(f"() => {condition}")


def scores_of(page: Any) -> dict[tuple[str, str], dict[str, str]]:
    """The numbers of the leaderboard by system and output, from its file."""
    return {(row["system"], row["score of"]): row for row in records(saved(page, "leaderboard", 0, "CSV")[1])}


def check_numbers(page: Any, expected: Any, tolerance: float, stale: set[str]) -> int:
    """Compare the leaderboard with a result: scores, intervals and letters; return the number of outputs."""
    found = scores_of(page)
    intervals = expected.intervals(resamples=4000)
    ranks = {(row.label, row.output.name): row for row in expected.ranks()}
    compared = 0
    for (label, name), row in ranks.items():
        shown = f"rouge.{name}" if label == "rouge" else label
        if (expected.systems[0], shown) not in found or label in stale:
            continue
        compared += 1
        for place, system in enumerate(expected.systems):
            got, interval = found[system, shown], intervals[system][label][name]
            assert float(got["score"]) == pytest.approx(interval.score, rel=tolerance), (label, system)
            assert got["letters"] == (row.letters[place] or ""), (label, system)
            half = (interval.high - interval.low) / 2
            for end in ("low", "high"):
                assert float(got[end]) == pytest.approx(getattr(interval, end), abs=0.15 * half + 1e-9), label
    return compared


def test_a_report_computes_every_pooled_metric_on_a_selection(opened: Open, report: Report) -> None:
    where = "domain = law and length > 10"
    shown = opened(f"{report('pooled', **_DRAWN).as_uri()}#leaderboard?where={quote(where)}")
    page = shown.page
    wait(page, _READY)
    expected = rated_result_of("pooled").where(where)
    assert (
        page.locator("#selection b").inner_text()
        == f"{len(expected.corpus)} of {len(result_of('pooled').corpus)} segments"
    )
    assert 20 <= len(expected.corpus) < len(result_of("pooled").corpus)
    assert check_numbers(page, expected, 1e-5, {"compression_ratio"}) >= len(POOLED) + 2
    assert page.locator("td.stale").count() == 3
    assert (
        "compression_ratio (not computed from statistics of segments)"
        in page.locator("#leaderboard .caption").inner_text()
    )
    assert page.locator("#verdict .scope").inner_text().startswith("Of all 42 segments")
    for section in ("trust", "agreement"):
        assert "Of all 42 segments" in page.locator(f"#{section} .unfiltered").inner_text()
    assert "42" not in page.locator("#compare figcaption").inner_text()
    assert page.locator(".count").inner_text().startswith(f"{len(expected.corpus)} of ")
    page.get_by_role("button", name="Clear").click()
    wait(page, "document.querySelector('#selection').hidden")
    assert page.locator("td.stale").count() == 0
    assert float(scores_of(page)["poor", "bleu"]["score"]) == result_of("pooled")["poor"]["bleu"]["score"]
    assert page.evaluate("() => document.querySelector('#where').value") == ""
    assert shown.errors == [] and len(shown.requests) == 1


def test_chosen_systems_and_few_segments(opened: Open, report: Report) -> None:
    shown = opened(f"{report('pooled', **_DRAWN).as_uri()}#compare?on=good&on=poor")
    page = shown.page
    wait(page, _READY)
    assert page.locator("#selection b").inner_text() == "2 of 3 systems"
    assert sorted(page.locator(".board tbody th").all_inner_texts()) == ["good", "poor"]
    assert page.locator("#compare .duel select").first.locator("option").all_inner_texts() == ["good", "poor"]
    expected = of_systems(rated_result_of("pooled"), "good", "poor")
    p = {row["score of"]: row["p (max-T)"] for row in records(saved(page, "compare", 0, "CSV")[1])}
    tested = {row.label: row.p for row in expected.compare() if row.label in ("bleu", "quality", "wer")}
    assert {label: float(p[label]) for label in tested} == pytest.approx(tested, abs=0.02)
    page.evaluate(axe())
    for section in ("selection", "leaderboard", "trust"):
        assert faults(page, f"document.getElementById('{section}')") == [], section
    page.locator("details.systems summary").click()
    page.get_by_label("good", exact=True).focus()
    page.get_by_label("middle", exact=True).check()
    wait(page, "document.querySelector('#selection').hidden")
    page.fill("#where", "id = s1 or id = s2")
    wait(page, "document.querySelector('.count').textContent.startsWith('2 of')")
    wait(page, "document.querySelector('#selection').innerText.includes('fewer than 5 segments')")
    found = scores_of(page)["good", "wer"]
    assert float(found["score"]) == pytest.approx(
        result_of("pooled").where("id = s1 or id = s2")["good"]["wer"]["score"], rel=1e-5
    )
    assert found["low"] == found["letters"] == ""
    assert shown.errors == []


def test_a_mistake_in_an_expression_is_explained(opened: Open, report: Report) -> None:
    shown = opened(report("pooled", **_DRAWN))
    page = shown.page
    page.locator("body").press("e")
    assert page.evaluate("() => document.activeElement.id") == "where"
    page.fill("#where", "blue < 5")
    wait(page, "document.querySelector('#mistake').textContent !== ''")
    said = "unknown column blue; did you mean bleu? (at character 1 of the expression)."
    assert page.locator("#mistake").inner_text() == said
    assert page.locator("#where").get_attribute("aria-invalid") == "true"
    assert page.locator("#selection").is_hidden()
    page.fill("#where", "bleu < 0")
    wait(page, "document.querySelector('#selection').innerText.includes('no segment')")
    assert page.locator(".nothing").is_visible()
    assert page.evaluate("() => document.activeElement.id") == "where"
    state = json.loads(page.evaluate("() => document.documentElement.dataset.state"))
    assert state["where"] == "bleu < 0"
    wait(page, "location.hash.includes('where=bleu')")
    page.go_back()
    wait(page, "document.querySelector('#where').value === 'blue < 5'")
    assert shown.errors == []


def test_the_explorer_asks_its_server(opened: Open, explorer: Callable[..., str]) -> None:
    shown = opened(explorer(pooled=result_of("pooled")))
    page = shown.page
    page.get_by_label("domain").select_option(label="domain: law")
    page.fill("#where", "wer[poor] > 0.5")
    wait(page, "document.querySelector('#selection b')?.textContent.includes('segments')")
    expected = rated_result_of("pooled").where("domain = law and wer[poor] > 0.5")
    wait(
        page,
        f"document.querySelector('#selection b').textContent.startsWith('{len(expected.corpus)} of') && {_READY}",
    )
    assert page.locator("td.stale").count() == 0
    assert check_numbers(page, expected, 0.0, set()) >= len(POOLED) + 2
    assert page.locator("#verdict .scope").count() == 0
    ratio = scores_of(page)["good", "compression_ratio"]["score"]
    assert float(ratio) == expected["good"]["compression_ratio"]["score"]
    # The sections that a report leaves are computed again.
    assert page.locator(".unfiltered").count() == 0
    assert np.isfinite(float(ratio))
    assert shown.errors == []
