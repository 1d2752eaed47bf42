"""The section "Which metric to trust here" in the report and in the explorer's data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from page_cases import pause, result_of

from nlgauge.results.imported.human import with_human_scores
from nlgauge.show.explorer.served import Served
from nlgauge.show.page_data.trust import trust_of

Open = Callable[..., Any]
Report = Callable[..., Path]


def test_the_section_shows_what_meta_found(opened: Open, report: Report) -> None:
    shown = opened(f"{report('three systems').as_uri()}#trust?t=global")
    page = shown.page
    page.wait_for_selector("#trust table")
    trust = trust_of(with_human_scores(result_of("three systems")))
    assert trust is not None
    found = trust.table("global", "fluency")
    assert page.locator("#trusted").inner_text() == found["sentence"]
    names = page.locator("#trust tbody th").evaluate_all("all => all.map(one => one.firstChild.textContent)")
    assert names == [row["name"] for row in found["rows"]]
    assert {"random numbers", "the length of the output", "the length of the source"} <= set(names)
    remarks = [f"no better than {row['below'][0]}" for row in found["rows"] if row["below"]]
    assert page.locator("#trust .remark").all_inner_texts() == remarks
    letters = [row["letters"] or "" for row in found["rows"]]
    assert page.locator("#trust tbody sup").all_inner_texts() == letters
    # A level, a metric and an output, by the keyboard: the focus stays, and the address has the choice.
    page.get_by_role("button", name="among the outputs of one input").focus()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "text => document.querySelector('#trusted').textContent === text",
        arg=trust.table("input", "fluency")["sentence"],
    )
    assert page.evaluate("() => document.activeElement.dataset.key") == "trust level input"
    page.locator("#trust tbody button", has_text="ter").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#trust h3').textContent.endsWith(' ter')")
    assert page.evaluate("() => document.activeElement.dataset.key") == "trust ter"
    first = page.locator("#trust .quarrel button").first
    wanted = first.locator(".id").inner_text()
    ids = page.locator("#trust .quarrel .id").all_inner_texts()
    assert len(ids) == len(set(ids)) <= 8
    first.click()
    page.wait_for_function("id => document.querySelector('#detail h3').textContent === id", arg=wanted)
    pause(page, 400)
    state = json.loads(page.evaluate("() => document.documentElement.dataset.state"))
    assert (state["level"], page.locator("#detail h3").first.inner_text()) == ("input", wanted)
    assert shown.errors == []


def test_without_enough_ratings_there_is_no_section(opened: Open, report: Report) -> None:
    page = opened(report("one system")).page
    assert page.locator("#trust").is_hidden()
    assert page.locator("nav a[href='#trust']").is_hidden()


def test_the_explorer_computes_it_for_a_selection() -> None:
    served = Served(result_of("pooled"), "x")
    found = served.trust("global", "quality", "domain = law", ())
    result = with_human_scores(result_of("pooled").where("domain = law"))
    expected = trust_of(result)
    assert expected is not None
    assert found["rows"] == expected.table("global", "quality")["rows"]
    assert found["rows"] != served.trust("global", "quality", "", ())["rows"]
