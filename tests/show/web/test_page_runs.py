"""Two runs on one page: the conclusion in words, tested differences, lists of what differs, and both texts."""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browsers import COLORS, RULES, axe, faults

import nlgauge
from nlgauge._core.numbers import number, p_value
from nlgauge.results.result import Result
from nlgauge.results.runs.alignment import aligned
from nlgauge.results.runs.testing import compare_runs
from nlgauge.show.explorer import serve

Open = Callable[..., Any]

_WORDS = (
    "the ferry leaves at ten and old letters lie under the stairs of a small museum near the river".split()
)
_EVIL = "<img src=x onerror=window.pwned=1>"


def _run(old: bool) -> Result:
    """Score 90 segments; the new run is worse in the domain of law, 3 segments are new, 2 missing, 1 changed."""
    draw = random.Random(5)
    rows = []
    for i in range(90):
        text = " ".join(draw.choices(_WORDS, k=8 + i % 7))
        domain = ("news", "law")[i % 2]
        words = text.split()
        if domain == "law" and not old:
            words[2:6] = ["x", "y"]
        if i % 3 == 0:
            words.append("again")
        if i in ((88, 89) if not old else (0, 1, 2)):
            continue
        reference = f"{text} indeed" if i == 7 and old else text
        prediction = " ".join(words) + (f" {_EVIL}" if i == 5 else "")
        rows.append(
            {
                "id": f"s{i}",
                "system": "ours",
                "prediction": prediction,
                "references": [reference],
                "domain": domain,
            }
        )
    return nlgauge.score(rows, metrics=["bleu", "chrf", "ter", "rouge"])


@pytest.fixture(scope="module")
def runs() -> tuple[Result, Result]:
    new, old = _run(False), _run(True)
    signatures = {**old.signatures, "ter": old.signatures["ter"].replace("case:lc", "case:mixed")}
    return new, replace(old, signatures=signatures)


@pytest.fixture(scope="module")
def page_of_runs(runs: tuple[Result, Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    new, old = runs
    path = tmp_path_factory.mktemp("runs") / "new.html"
    return new.report(path, against=old, resamples=200, run_names=("NEW", "OLD"))


def test_a_page_of_two_runs(page_of_runs: Path, runs: tuple[Result, Result], opened: Open) -> None:
    shown = opened(page_of_runs)
    page = shown.page
    tests = compare_runs(aligned(*runs), resamples=200)
    rows = [row for row in tests.rows if (row.label, row.output.name) not in tests.equal]
    sure = sum(tests.is_significant(row) for row in rows)
    assert sure == len(rows) > 2
    assert (
        page.locator("#runs-verdict").inner_text()
        == f"The new run is significantly worse on {sure} of {len(rows)} scores and better on none."
    )
    lede = page.locator("#runs .lede").inner_text()
    assert re.search(r" and \d more scores are significantly worse on domain = law \(.*: gain -", lede)
    assert (
        "84 of 88 segments are compared; 3 are new; 2 are missing; 1 has another source or other references."
        in lede
    )
    cells = [
        row.locator("td.num").all_inner_texts()
        for row in page.locator("#runs .forest table.runs tbody tr").all()
    ]
    expected = [
        [
            number(row.first_score, row.output),
            number(row.second_score, row.output),
            number(row.gain, row.output, sign=True).replace("-", "−"),
            p_value(row.p),
            p_value(row.p_holm),
        ]
        for row in rows
    ]
    assert cells == expected
    slices = page.locator("#runs > .scroll table.runs tbody tr").all_inner_texts()
    assert slices
    assert any("domain = law" in text for text in slices)
    assert not any("domain = news" in text for text in slices)
    lists = {
        node.locator("summary").inner_text(): node.locator("li").all_text_contents()
        for node in page.locator("#runs .differs").all()
    }
    assert lists["Segments of the new run only: 3"] == ["s0", "s1", "s2"]
    assert lists["Segments of the old run only: 2"] == ["s88", "s89"]
    assert lists["Segments with other texts, not compared: 1"] == ["s7: other references"]
    (refused,) = lists["Metrics with other parameters, not compared: 1"]
    assert "case:lc" in refused and "case:mixed" in refused
    assert not any("ter" in text for text in page.locator("#runs .forest tbody th").all_inner_texts())
    assert shown.errors == []
    assert shown.requests == [page_of_runs.as_uri()]


def test_texts_of_both_runs(page_of_runs: Path, opened: Open) -> None:
    shown = opened(f"{page_of_runs.as_uri()}#segments?s=s5")
    page = shown.page
    page.wait_for_selector(".rundiff")
    assert page.locator(".rundiff del").count() == 1
    assert page.locator(".rundiff ins").inner_text().split() == ["x", "y"]
    assert _EVIL in page.locator(".rundiff .text").inner_text()
    assert page.evaluate("() => window.pwned") is None
    page.get_by_role("button", name="old", exact=True).click()
    page.wait_for_function("() => document.querySelectorAll('.rundiff del').length === 0")
    page.wait_for_function("() => location.hash.includes('run=old')")
    assert page.evaluate("() => document.activeElement.dataset.key") == "form of runs 0 old"
    assert " x y " not in page.locator(".rundiff .text").inner_text()
    # A segment that lost most opens below; a segment of the new run has no old text.
    page.locator("#runs .makers button").first.click()
    page.wait_for_function("() => location.hash.includes('s=s') && !location.hash.includes('s=s5')")
    page.goto(f"{page_of_runs.as_uri()}#segments?s=s1")
    page.wait_for_function(
        "() => document.querySelector('#why')?.textContent.includes('Not compared with OLD.')"
    )
    page.goto(f"{page_of_runs.as_uri()}#segments?s=s4")
    page.wait_for_function(
        "() => document.querySelector('#why')?.textContent.includes('The same text as in OLD.')"
    )
    assert shown.errors == []


def test_equal_runs_cannot_be_told_apart(runs: tuple[Result, Result], opened: Open, tmp_path: Path) -> None:
    new, _ = runs
    shown = opened(new.report(tmp_path / "r.html", against=new, resamples=50, explain=0))
    assert shown.page.locator("#runs-verdict").inner_text() == "No score can tell the two runs apart."
    assert shown.page.locator("#runs .differs").count() == 0
    assert shown.page.locator("#runs tr.sure").count() == 0
    assert shown.page.locator(".rundiff").count() == 0
    assert shown.errors == []


def test_the_explorer_compares_two_results(runs: tuple[Result, Result], opened: Open) -> None:
    pytest.importorskip("uvicorn", reason="needs the extra web")
    addresses: list[str] = []
    started = threading.Event()

    def ready(told: str) -> None:
        addresses.append(told)
        started.set()

    results = dict(zip(("NEW", "OLD"), runs, strict=True))
    threading.Thread(target=serve, args=(results,), kwargs={"ready": ready}, daemon=True).start()
    assert started.wait(600)
    shown = opened(addresses[0])
    page = shown.page
    assert page.locator("#runs").is_hidden()
    assert page.locator("nav a[href='#runs']").is_hidden()
    page.get_by_role("button", name="Compare these two").click()
    page.wait_for_selector("html[data-ready] #runs-verdict")
    assert "significantly worse" in page.locator("#runs-verdict").inner_text()
    assert page.get_by_label("Result").locator("option:checked").inner_text() == "NEW against OLD"
    page.get_by_label("Result").select_option("1")
    page.wait_for_function(
        "() => document.documentElement.dataset.ready !== undefined && document.querySelector('#runs').hidden"
    )
    assert shown.errors == []


def test_axe_finds_nothing_in_runs_and_a_phone_is_wide_enough(page_of_runs: Path, opened: Open) -> None:
    page = opened(f"{page_of_runs.as_uri()}#segments?s=s5", color_scheme="light", bypass_csp=True).page
    page.wait_for_selector(".rundiff")
    page.locator("#runs details").last.locator("summary").click()
    page.evaluate(axe())
    page.evaluate("() => scrollTo(0, 0)")
    for theme, rules in (("light", RULES), ("dark", COLORS)):
        page.emulate_media(color_scheme=theme)
        for where in ("runs", "detail"):
            assert faults(page, f"document.getElementById('{where}')", rules) == [], (theme, where)
    page = opened(page_of_runs, viewport={"width": 390, "height": 800}).page
    assert page.evaluate("() => document.documentElement.scrollWidth") == 390
