"""Texts, ids, titles, names and labels that would be markup, script or commands are shown as they are
written, in the report and the explorer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from page_cases import HOSTILE, pause, result_of

from nlgauge._core.safe_text import visible
from nlgauge.show.explorer import serve

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the explorer serves two results."""
    pytest.importorskip("uvicorn", reason="needs the extra web")
    found: list[str] = []
    started = threading.Event()

    def ready(told: str) -> None:
        found.append(told)
        started.set()

    results = {
        "<img src=x onerror=window.pwned=10>": result_of("hostile"),
        "second": result_of("three systems"),
    }
    threading.Thread(target=serve, args=(results,), kwargs={"ready": ready}, daemon=True).start()
    assert started.wait(600)
    return found[0]


def harmless(shown: Any, begins: str) -> None:
    page = shown.page
    assert page.evaluate("() => window.pwned") is None
    assert shown.dialogs == shown.errors == []
    assert page.evaluate("() => document.querySelectorAll('script:not([type=\"text/plain\"])').length") == 1
    assert page.locator("img, iframe, object, embed, base, b > script, main svg[onload]").count() == 0
    assert [request for request in shown.requests if not request.startswith((begins, "data:"))] == []


def go_through(page: Any) -> list[str]:
    """Looks at every segment with every metric; gives the texts of the first system."""
    found = []
    for _ in HOSTILE:
        for tab in range(page.locator("[role=tab]").count()):
            page.keyboard.press(str(tab + 1))
        pause(page, 20)
        found.append(page.locator("#detail .context .text").first.text_content())
        page.keyboard.press("j")
    for node in page.locator(".tok, mark.n, .sub, .cardname, .cell, .fall").all()[:6]:
        node.hover(force=True)
    return found


def test_the_report(opened: Open, report: Callable[..., Path]) -> None:
    shown = opened(report("hostile"))
    page = shown.page
    assert page.title() == visible("<script>window.pwned=9</script>\u202e")
    # The text of a reference stands as it was written, but for U+0000, which no browser shows.
    assert sorted(go_through(page)) == sorted(HOSTILE)
    assert page.locator(".board tbody th").all_inner_texts() == [
        visible(system) for system in result_of("hostile").systems
    ]
    assert visible("<i>field</i>\u202e: all") in page.locator(".fields option").all_text_contents()
    page.keyboard.press("l")
    harmless(shown, "file:")


def test_ways_to_make_markup_of_text_are_closed(opened: Open, report: Callable[..., Path]) -> None:
    page = opened(report("hostile")).page
    assert (
        page.evaluate(
            "() => { try { document.body.insertAdjacentHTML('beforeend', '<b>x</b>'); return 'done'; } catch"
            " (error) { return error.name; } }"
        )
        == "TypeError"
    )
    assert (
        page.evaluate("() => fetch('https://example.invalid/').then(() => 'done', error => error.name)")
        == "TypeError"
    )


def test_the_explorer(opened: Open, address: str) -> None:
    shown = opened(address)
    page = shown.page
    assert "token" not in page.url
    assert page.locator("#results option").all_text_contents()[0] == "<img src=x onerror=window.pwned=10>"
    go_through(page)
    page.get_by_label("Slice by").select_option(label=visible("<i>field</i>\u202e"))
    page.wait_for_selector(".slices tbody tr")
    assert visible(HOSTILE[0]) in page.locator(".slices").inner_text()
    page.fill("textarea[name=prediction]", HOSTILE[1])
    page.fill("textarea[name=reference]", HOSTILE[0])
    page.fill("textarea[name=source]", "x")
    page.get_by_role("button", name="Explain").click()
    page.wait_for_selector(".own-shown b")
    harmless(shown, address.partition("?")[0])


def test_the_explorer_explains_every_segment_and_changes_results(opened: Open, address: str) -> None:
    shown = opened(address)
    page = shown.page
    page.get_by_label("Result").select_option("1")
    page.wait_for_selector("html[data-ready]", state="attached")
    page.wait_for_function("() => document.querySelectorAll('.board tbody tr').length === 3")
    page.wait_for_selector("#why mark.n")
    page.keyboard.press("3")
    page.wait_for_selector("#why .edits")
    page.get_by_label("Slice by").select_option("domain")
    page.wait_for_selector(".slices tbody tr")
    part = result_of("three systems").where(domain="law")
    rows = page.locator(".slices tbody tr").all_inner_texts()
    assert len(rows) == 9
    assert f"{part['Beta']['bleu']['bleu']:.2f}" in rows[7]
    assert shown.errors == []
