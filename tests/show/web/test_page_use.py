"""The page is used: keys, search, brush, order, filters, address, theme."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from page_cases import pause

from nlgauge import score
from nlgauge.engine.electricity import Carbon

Open = Callable[..., Any]


@pytest.fixture
def shown(opened: Open, report: Callable[..., Path]) -> Any:
    return opened(report("three systems"))


def chosen(page: Any) -> str:
    """The segment that is shown at the right, which is the one that is marked in the list."""
    title = page.locator("#detail h3").first.inner_text()
    assert page.locator("[role=option][aria-selected=true] .id").all_inner_texts() == [title]
    return str(title)


def listed(page: Any) -> list[str]:
    return list(page.locator("[role=option] .id").all_inner_texts())


def wait(page: Any, condition: str) -> None:
    # A function and not an expression: Trusted Types refuse to make code of text.
    page.wait_for_function(f"() => {condition}")


def test_keys_go_through_segments(shown: Any) -> None:
    page = shown.page
    order = listed(page)
    assert chosen(page) == order[0]
    page.keyboard.press("j")
    wait(page, f"document.querySelector('#detail h3').textContent === '{order[1]}'")
    assert chosen(page) == order[1]
    assert "2 of 12" in page.locator("#said").inner_text()
    page.keyboard.press("k")
    wait(page, f"document.querySelector('#detail h3').textContent === '{order[0]}'")
    page.locator("[role=listbox]").focus()
    page.keyboard.press("End")
    wait(page, f"document.querySelector('#detail h3').textContent === '{order[-1]}'")
    assert page.locator("[role=listbox]").get_attribute("aria-activedescendant") == page.locator(
        "[aria-selected=true][role=option]"
    ).get_attribute("id")
    assert shown.errors == []


def test_keys_choose_metric_system_form_and_pair(shown: Any) -> None:
    page = shown.page
    tabs = page.locator("[role=tab]")
    for number in range(tabs.count()):
        page.keyboard.press(str(number + 1))
        wait(
            page,
            f"document.querySelectorAll('[role=tab]')[{number}]?.getAttribute('aria-selected') === 'true'",
        )
    tabs.nth(tabs.count() - 1).focus()
    page.keyboard.press("ArrowRight")
    wait(
        page,
        "document.activeElement.id === 'tab-0' && document.activeElement.getAttribute('aria-selected') ==="
        " 'true'",
    )
    marked = (
        "[...document.querySelectorAll('#why article.sys')].findIndex(node => node.classList.contains('on'))"
    )
    before = page.evaluate(f"() => {marked}")
    page.keyboard.press("]")
    wait(page, f"{marked} === {(before + 1) % 3}")
    page.keyboard.press("[")
    wait(page, f"{marked} === {before}")
    pair = "[...document.querySelectorAll('#compare .duel select')].map(node => node.value).join()"
    first = page.evaluate(f"() => {pair}")
    page.keyboard.press("x")
    wait(page, f"{pair} === '{','.join(first.split(',')[::-1])}'")
    page.keyboard.press("c")
    assert page.evaluate("() => document.activeElement.id") == "compare"
    assert shown.errors == []


def test_swapping_turns_the_differences(shown: Any) -> None:
    page = shown.page
    before = page.locator(".forest tbody td.num:nth-of-type(2)").all_inner_texts()
    page.keyboard.press("x")
    pause(page, 50)
    after = page.locator(".forest tbody td.num:nth-of-type(2)").all_inner_texts()
    assert len(before) > 5
    assert after == [{"+": "−", "−": "+"}.get(text[0], text[0]) + text[1:] for text in before]
    assert all(float(text) == 0 for text in before if text[0] not in "+−")


def test_help_and_theme(opened: Open, report: Callable[..., Path]) -> None:
    # Pages of other tests would share the stored theme.
    page = opened(report("three systems"), alone=True).page
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    wait(page, "!document.querySelector('dialog')")
    color = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(f"() => {color}")
    page.keyboard.press("t")
    page.keyboard.press("t")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate(f"() => {color}") != light
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_search(shown: Any) -> None:
    page = shown.page
    page.keyboard.press("/")
    assert page.evaluate("() => document.activeElement.id") == "query"
    for query, wanted in (
        ("LETTERS", ["doc-2"]),
        ("🐋", ["doc-10"]),
        ("الأمطار", ["doc-9"]),
        ("预算", ["doc-6"]),
        ("doc-11", ["doc-11"]),
        ("(.*", []),
    ):
        page.fill("#query", query)
        page.wait_for_function(
            "ids => [...document.querySelectorAll('[role=option] .id')].map(node => node.textContent).join()"
            " === ids",
            arg=",".join(wanted),
        )
        assert page.locator(".count").inner_text() == f"{len(wanted)} of 12 segments"
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.id") != "query"
    page.keyboard.press("j")
    assert shown.errors == []


def test_filters_and_orders(shown: Any) -> None:
    page = shown.page
    page.get_by_label("Order").select_option("order")
    wait(page, "document.querySelector('[role=option] .id').textContent === 'doc-0'")
    assert listed(page) == [f"doc-{number}" for number in range(12)]
    page.get_by_label("domain").select_option(label="domain: law")
    wait(page, "document.querySelector('.count').textContent === '4 of 12 segments'")
    assert listed(page) == ["doc-2", "doc-5", "doc-8", "doc-11"]
    for order in ("gap", "worst", "best", "long"):
        page.get_by_label("Order").select_option(order)
        pause(page, 30)
        assert sorted(listed(page)) == sorted(["doc-2", "doc-5", "doc-8", "doc-11"])
    page.get_by_label("Order").select_option("best")
    pause(page, 30)
    best = listed(page)
    page.get_by_label("Order").select_option("worst")
    pause(page, 30)
    assert listed(page) == best[::-1]
    assert shown.errors == []


def test_the_leaderboard_sorts(shown: Any) -> None:
    page = shown.page
    page.get_by_role("button", name="sort by ter").click()
    scores = [
        float(row)
        for row in page.evaluate(
            "() => [...document.querySelectorAll('.board tbody tr')].map(row =>"
            " row.querySelectorAll('.score')[3].firstChild.textContent)"
        )
    ]
    assert scores == sorted(scores)
    assert page.locator(".board th[aria-sort=ascending]").count() == 1


def test_the_brush_with_the_pointer_and_with_keys(shown: Any) -> None:
    page = shown.page
    area = page.get_by_role("slider", name="Range kept")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.99 * box["width"], box["y"] + 20, steps=4)
    page.mouse.up()
    wait(page, "/^\\d+ of 12/.test(document.querySelector('.count').textContent)")
    fewer = len(listed(page))
    assert 0 < fewer < 12
    assert page.locator(".selection").is_visible()
    area.focus()
    page.keyboard.press("Escape")
    wait(page, "document.querySelector('.count').textContent === '12 segments'")
    assert not page.locator(".selection").is_visible()
    for _ in range(8):
        page.keyboard.press("Shift+ArrowLeft")
    wait(page, "/^\\d+ of 12/.test(document.querySelector('.count').textContent)")
    assert " to " in area.get_attribute("aria-valuetext")
    assert shown.errors == []


def test_the_address_brings_everything_back(shown: Any, opened: Open) -> None:
    page = shown.page
    page.get_by_label("Order").select_option("best")
    page.get_by_label("domain").select_option(label="domain: sport")
    page.get_by_label("Score", exact=True).select_option(label="ter ↓")
    page.fill("#query", "a")
    page.locator("#query").blur()
    pause(page, 300)
    page.keyboard.press("j")
    page.keyboard.press("3")
    page.keyboard.press("x")
    wait(page, "location.hash.includes('q=a') && location.hash.includes('f.domain=sport')")
    pause(page, 300)
    again = opened(page.url)
    state = """() => ({
        title: document.querySelector('#detail h3').textContent,
        list: [...document.querySelectorAll('[role=option] .id')].map(node => node.textContent),
        tab: document.querySelector('[role=tab][aria-selected=true]').textContent,
        pair: [...document.querySelectorAll('#compare .duel select')].map(node => node.value),
        chosen: [...document.querySelectorAll('.filters select, #query')].map(node => node.value) })"""
    assert again.page.evaluate(state) == page.evaluate(state)
    assert again.errors == []


@pytest.mark.parametrize(
    "address",
    [
        "#segments?s=99&o=77&a=5&b=5&w=nothing&by=x&r=a~b&f0=9",
        "#segments?s=-1&a=1&b=1",
        "#nothing?%",
        "#segments?r=1~2~3&s=1e3",
    ],
)
def test_addresses_that_say_nothing_that_there_is(
    address: str, opened: Open, report: Callable[..., Path]
) -> None:
    shown = opened(report("three systems").as_uri() + address)
    assert shown.page.locator("#detail h3").first.inner_text().startswith("doc-")
    assert shown.errors == []


def test_a_metric_card_opens_and_closes(shown: Any) -> None:
    page = shown.page
    button = page.locator(".board .cardname").first
    button.focus()
    page.keyboard.press("Enter")
    assert "BLEU" in page.locator(".card h3").inner_text()
    assert button.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Escape")
    assert not page.locator(".card").count()


def test_a_bar_and_a_disagreement_open_their_segment(shown: Any) -> None:
    page = shown.page
    page.locator(".fall").first.click()
    first = page.locator("#detail h3").first.inner_text()
    page.locator("#agreement .quarrel button").first.click()
    wanted = page.locator("#agreement .quarrel .id").first.inner_text()
    wait(page, f"document.querySelector('#detail h3').textContent === '{wanted}'")
    assert first.startswith("doc-")
    assert shown.errors == []


def test_the_costs_of_the_whole_run_are_shown(opened: Open, tmp_path: Path) -> None:
    result = score(["a cat", "a dog"], ["a cat", "a hen"], metrics="wer")
    result.costs.memory, result.costs.memory_note = 3.2e8, "no more than <b>this</b>"
    result.costs.carbon = Carbon("DEU", 2e-3, 1e-3, "processor estimated from a constant")
    found = opened(result.report(tmp_path / "report.html"))
    assert found.errors == []
    assert [" ".join(row.split()) for row in found.texts("#cost .whole")] == [
        "peak memory 320 MB no more than <b>this</b>",
        "energy 2 Wh of the whole machine: processor estimated from a constant",
        "CO2-equivalents, DEU 1 g",
    ]


def test_commands_are_shown_to_copy(shown: Any) -> None:
    section = shown.page.locator("#provenance .commands")
    texts = section.locator("dd code").all_inner_texts()
    assert texts[0] == "nlgauge compare RESULT --baseline Alpha"
    assert any("--fail-if" in text for text in texts)
    assert section.locator("dd button").count() == len(texts)
    assert shown.errors == []
