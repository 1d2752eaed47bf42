"""The address has everything that was chosen, the page follows it, and the keyboard focus stays where it
was.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from page_cases import pause

Open = Callable[..., Any]
Report = Callable[..., Path]

# Everything that a reader can choose, as the page shows it.
_CHOSEN = """() => ({
    title: document.querySelector("#detail h3").textContent,
    list: [...document.querySelectorAll("[role=option] .id")].map(node => node.textContent),
    tab: document.querySelector("[role=tab][aria-selected=true]").textContent,
    controls: [...document.querySelectorAll("main select, #query")].map(node => node.value),
    pressed: [...document.querySelectorAll("[aria-pressed=true]")].map(node => node.textContent),
    board: [...document.querySelectorAll(".board tbody th")].map(node => node.textContent),
    sorted: [...document.querySelectorAll(".board th[aria-sort]")].map(node => node.getAttribute("aria-sort")),
    system: document.querySelector("#why .sys.on h4").textContent })"""
_SECTIONS = ("compare", "agreement", "segments", "cost", "provenance", "leaderboard")


def wait(page: Any, condition: str) -> None:
    page.wait_for_function(f"() => {condition}")


def settled(page: Any) -> str:
    """Return the hash of the address after the pause in which choices are collected."""
    pause(page, 400)
    return str(page.evaluate("() => location.hash"))


def choose_everything(page: Any) -> None:
    page.get_by_role("button", name="sort by ter").click()
    page.get_by_role("button", name="Kendall").click()
    page.get_by_label("Score across").select_option(label="meteor")
    page.get_by_label("Score upwards").select_option(label="chrf")
    page.get_by_label("Compared system").select_option(label="Gamma")
    page.get_by_label("Order").select_option("best")
    page.get_by_label("domain").select_option(label="domain: sport")
    page.get_by_label("Score", exact=True).select_option(label="ter ↓")
    page.fill("#query", "a")
    page.locator("#query").blur()
    pause(page, 300)
    page.keyboard.press("j")
    page.keyboard.press("2")
    page.keyboard.press("]")
    page.get_by_role("button", name="Reference 2").click()


def test_everything_chosen_is_in_the_address_and_comes_back(opened: Open, report: Report) -> None:
    shown = opened(report("three systems"))
    page = shown.page
    choose_everything(page)
    address = settled(page)
    for key in ("s", "o", "w", "a", "sort", "by", "q", "x", "y", "c", "one", "ref", "f.domain"):
        assert re.search(rf"[?&]{re.escape(key)}=", address), key
    again = opened(page.url)
    assert again.page.evaluate(_CHOSEN) == page.evaluate(_CHOSEN)
    assert shown.errors == again.errors == []


def test_an_untouched_page_has_no_query(opened: Open, report: Report) -> None:
    page = opened(report("three systems")).page
    assert settled(page) == ""
    page.keyboard.press("c")
    assert settled(page) == "#compare"


def test_the_navigation_keeps_the_query(opened: Open, report: Report) -> None:
    page = opened(report("three systems")).page
    choose_everything(page)
    query = settled(page).partition("?")[2]
    for section in _SECTIONS:
        page.locator(f"nav a[href='#{section}']").click()
        wait(page, f"location.hash.startsWith('#{section}?')")
        assert page.evaluate("() => location.hash").partition("?")[2] == query
        assert page.evaluate("() => document.activeElement.id") == section


def test_the_page_follows_an_address_that_is_edited(opened: Open, report: Report) -> None:
    shown = opened(report("three systems"))
    page = shown.page
    page.evaluate("() => { location.hash = '#segments?s=doc-5&w=ter&by=order&q=bread'; }")
    wait(page, "document.querySelector('#detail h3').textContent === 'doc-5'")
    wait(page, "document.querySelector('[role=tab][aria-selected=true]').textContent.startsWith('ter')")
    assert page.locator("#query").input_value() == "bread"
    assert page.locator("[aria-label=Order]").input_value() == "order"
    assert page.evaluate(
        "() => Math.abs(document.getElementById('segments').getBoundingClientRect().top) < innerHeight / 2"
    )
    page.evaluate("() => { location.hash = ''; }")
    wait(
        page,
        "document.querySelector('#query').value === '' && document.querySelector('.count').textContent ==="
        " '12 segments'",
    )
    assert shown.errors == []


def test_an_address_opens_at_its_section(opened: Open, report: Report) -> None:
    shown = opened(report("three systems").as_uri() + "#segments?s=doc-5")
    assert shown.page.locator("#detail h3").first.inner_text() == "doc-5"
    wait(
        shown.page,
        "Math.abs(document.getElementById('segments').getBoundingClientRect().top) < innerHeight / 2",
    )


def test_back_undoes_a_step(opened: Open, report: Report) -> None:
    shown = opened(report("three systems"))
    page = shown.page
    first = page.locator("#detail h3").first.inner_text()
    page.keyboard.press("j")
    settled(page)
    page.get_by_role("button", name="sort by ter").click()
    settled(page)
    page.go_back()
    wait(page, "!document.querySelector('.board th[aria-sort=ascending]')")
    assert page.locator("#detail h3").first.inner_text() != first
    page.go_back()
    wait(page, f"document.querySelector('#detail h3').textContent === '{first}'")
    page.go_forward()
    wait(page, f"document.querySelector('#detail h3').textContent !== '{first}'")
    assert shown.errors == []


# Each control by its name, and the key that uses it.
_CONTROLS = {
    "sort": ("button[aria-label='sort by ter']", "Enter"),
    "score of Compare": (".forest tbody tr:nth-child(3) button", "Enter"),
    "system": ("[aria-label='Compared system']", "ArrowDown"),
    "coefficient": ("#agreement .choose button:nth-child(2)", "Enter"),
    "score across": ("[aria-label='Score across']", "ArrowDown"),
    "score of the segment table": (".mini thead th:nth-child(4) button", "Enter"),
    "metric tab": ("#tab-2", "Enter"),
    "reference": ("[aria-label='Reference 2']", "Enter"),
    "next segment": ("[aria-label='Next segment']", "Enter"),
    "order of segments": ("[aria-label=Order]", "ArrowDown"),
    "range": ("rect.overlay", "ArrowRight"),
    "score of the list": (".filters [aria-label=Score]", "ArrowDown"),
}


@pytest.fixture(scope="module")
def names() -> str:
    return (
        "() => { const node = document.activeElement; return [node.tagName, node.getAttribute('aria-label')"
        " ?? node.textContent].join(' '); }"
    )


def test_the_focus_stays_on_every_control(opened: Open, report: Report, names: str) -> None:
    shown = opened(report("three systems"))
    page = shown.page
    for control, (selector, key) in _CONTROLS.items():
        page.locator(selector).first.focus()
        before = page.evaluate(names)
        assert not before.startswith("BODY"), control
        page.keyboard.press(key)
        pause(page, 150)
        assert page.evaluate(names) == before, control
    assert shown.errors == []


def test_hits_are_marked_and_no_hit_is_said(opened: Open, report: Report) -> None:
    shown = opened(report("three systems"))
    page = shown.page
    page.fill("#query", "old letters in")
    wait(page, "document.querySelector('.count').textContent === '1 of 12 segments'")
    page.locator("[role=option]").first.click()
    wait(page, "document.querySelectorAll('#detail mark.hit').length > 0")
    hits = "node => [...node.querySelectorAll('.hit')].map(hit => hit.textContent).join('')"
    texts = page.evaluate(f"() => [...document.querySelectorAll('#detail .context .text')].map({hits})")
    assert texts == ["old letters in"] * len(texts)
    assert page.locator("#detail .eyebrow").inner_text().lower() == "segment 1 of 1"
    page.fill("#query", "xyzzy")
    wait(page, "!document.querySelector('.nothing').hidden")
    assert page.locator(".nothing").inner_text() == "No segment of this selection contains “xyzzy”."
    wait(page, "document.querySelector('#detail .eyebrow').textContent === 'segment, not in this selection'")
    page.fill("#query", "")
    wait(
        page,
        "document.querySelector('.nothing').hidden && / of 12$/.test(document.querySelector('#detail"
        " .eyebrow').textContent)",
    )
    assert shown.errors == []


def test_what_an_address_cannot_mean_is_announced(opened: Open, report: Report) -> None:
    address = report("three systems").as_uri() + "#segments?s=doc-5&by=nothing&on=Nobody&on=Beta&f.domain=x"
    shown = opened(address)
    page = shown.page
    wait(page, "document.querySelector('#selection b') !== null")
    said = "Not on this page, and left out of the address: by=nothing, f.domain=x, on=Nobody"
    assert page.evaluate("() => document.getElementById('said').textContent") == said
    assert page.locator("#selection b").inner_text() == "1 of 3 systems"
    assert page.locator("#compare").is_hidden()
    assert page.locator("#detail h3").first.inner_text() == "doc-5"
    page.keyboard.press("l")
    assert settled(page) == "#leaderboard?s=doc-5&on=Beta"
    assert shown.errors == []


def test_every_control_can_be_found_again_when_it_is_drawn_again(opened: Open, report: Report) -> None:
    page = opened(report("three systems")).page
    nameless = """() => [...document.querySelectorAll("main :is(button, select, input, summary, a[href], [tabindex])")]
        .filter(node => !(node.dataset.key || node.id || node.getAttribute("aria-label") || node.textContent.trim()))
        .map(node => node.outerHTML.slice(0, 100))"""
    assert page.evaluate(nameless) == []
