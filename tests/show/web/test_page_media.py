"""The page on paper, on a phone, without JavaScript, and for everybody: axe finds nothing in either theme."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsers import COLORS, RULES, axe, faults
from page_cases import pause, result_of

Open = Callable[..., Any]
Report = Callable[..., Path]


# The later rows of the tables below pictures have the elements of the first ones, and axe takes long for each.
_PAGE = "{ exclude: [['details.data tbody tr:nth-child(n + 4)']] }"


@pytest.mark.parametrize("variant", ["three systems", "seventeen systems"])
def test_axe_finds_nothing(variant: str, opened: Open, report: Report) -> None:
    page = opened(report(variant), color_scheme="light", bypass_csp=True).page
    page.evaluate(axe())
    # The tabs of one variant have all kinds of explanation that the metrics here give, and its tables are of all kinds.
    every = variant == "three systems"
    for number in reversed(range(page.locator("[role=tab]").count() if every else 1)):
        page.keyboard.press(str(number + 1))
        page.wait_for_function(
            f"() => document.querySelectorAll('[role=tab]')[{number}]?.getAttribute('aria-selected') ==="
            " 'true'"
        )
        # What another tab changes; then the whole page once, with all its tables, which slow axe down.
        where = "document.getElementById('detail')"
        if number == 0:
            where = _PAGE
            for summary in page.locator("details.data > summary").all() if every else ():
                summary.click()
        # At the top the header covers nothing; further down it lies over whatever is scrolled below it.
        page.evaluate("() => scrollTo(0, 0)")
        for theme, rules in (("light", RULES), ("dark", COLORS)):
            page.emulate_media(color_scheme=theme)
            assert faults(page, where, rules) == [], f"tab {number + 1}, {theme}"


# What is cut off at the side of the page, or of a box that hides what is too wide: tables and pictures that are wider have
# scroll bars of their own, and texts of one line end with an ellipsis.
_CUT_OFF = """() => {
  const wide = document.documentElement.clientWidth;
  const scrolls = node => ["auto", "scroll"].includes(getComputedStyle(node).overflowX);
  const within = node => node === document.body ? false : scrolls(node) || within(node.parentElement);
  const isSeen = node => node.getClientRects().length > 0 && !node.closest("#tip, .sr, .skip, svg svg, svg *");
  const seen = [...document.querySelectorAll("body *")].filter(node => isSeen(node) && !within(node.parentElement));
  const isOutside = node => {
    const box = node.getBoundingClientRect();
    return box.width > 1 && (box.right > wide + 1 || box.left < -1);
  };
  const isCut = node => {
    const style = getComputedStyle(node);
    return style.overflowX === "hidden" && style.textOverflow !== "ellipsis" && node.scrollWidth > node.clientWidth + 1;
  };
  return seen.filter(node => isOutside(node) || isCut(node)).map(node => node.outerHTML.slice(0, 150)).slice(0, 5);
}"""
# A phone; 400% zoom of a window of 1,280 pixels; 200% zoom of one of 1,280 x 800.
_WINDOWS = ((390, 800), (320, 640), (640, 400))


def check_reflow(page: Any) -> None:
    """Nothing is cut off, the page does not scroll sideways, and what stays in place leaves most of a window."""
    for width, height in _WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        pause(page, 0)
        assert page.evaluate("() => document.documentElement.scrollWidth") == width
        assert page.evaluate(_CUT_OFF) == [], width
        stays = """() => [...document.querySelectorAll("body *")].filter(node => getComputedStyle(node).position === "sticky"
            && !node.closest("table")).reduce((sum, node) => sum + node.offsetHeight, 0)"""
        assert page.evaluate(stays) < height / 4, width


@pytest.mark.parametrize("variant", ["three systems", "seventeen systems", "many human scores"])
def test_a_phone_and_a_zoomed_window_are_wide_enough(variant: str, opened: Open, report: Report) -> None:
    shown = opened(report(variant), viewport={"width": 390, "height": 800})
    page = shown.page
    outside = """() => [...document.querySelectorAll(".filters :is(input, select, .count)")]
        .filter(node => node.getBoundingClientRect().right > innerWidth).map(node => node.outerHTML)"""
    assert page.evaluate(outside) == []
    # The names of systems leave room for their first score.
    names = "() => [...document.querySelectorAll('.board tbody th')].map(node => node.offsetWidth)"
    assert max(page.evaluate(names)) < 200
    check_reflow(page)
    # The card of a metric and the list of keys fit too.
    page.set_viewport_size({"width": 320, "height": 640})
    page.locator(".board .cardname").first.click()
    page.locator("#help").focus()
    page.keyboard.press("Enter")
    sides = """() => [...document.querySelectorAll("dialog, .card")].map(node => node.getBoundingClientRect()).flatMap(box =>
        [box.left, box.right])"""
    places = page.evaluate(sides)
    assert len(places) >= 2
    assert 0 <= min(places) < max(places) <= 320
    assert shown.errors == []


def test_the_explorer_fits_a_zoomed_window(opened: Open, explorer: Callable[..., str]) -> None:
    results = {"pooled": result_of("pooled"), "with another name": result_of("three systems")}
    shown = opened(explorer(**results), viewport={"width": 390, "height": 800})
    page = shown.page
    page.get_by_label("Slice by").select_option(index=1)
    page.wait_for_selector("table.slices")
    page.fill("#where", "domain = law")
    page.wait_for_function("() => document.querySelector('#selection b')?.checkVisibility()")
    check_reflow(page)
    # Parts of the header do not lie on each other.
    boxes = """() => [...document.querySelectorAll("header#top > *")].filter(node => node.offsetHeight).map(node => {
        const box = node.getBoundingClientRect();
        return [box.left, box.top, box.right, box.bottom];
    })"""
    for width in (320, 640):
        page.set_viewport_size({"width": width, "height": 640})
        places = page.evaluate(boxes)
        for number, one in enumerate(places):
            assert all(
                one[2] <= other[0] + 1
                or other[2] <= one[0] + 1
                or one[3] <= other[1] + 1
                or other[3] <= one[1] + 1
                for other in places[:number]
            ), (width, places)
    assert shown.errors == []


def test_on_paper(opened: Open, report: Report) -> None:
    page = opened(report("three systems"), color_scheme="dark").page
    pdf = page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    pages = re.findall(rb"/Type /Page\b[^s]", pdf)
    assert 3 <= len(pages) <= 9
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("header#top").is_visible()


def test_without_javascript_the_table_is_there(opened: Open, report: Report) -> None:
    shown = opened(None, java_script_enabled=False)
    shown.page.goto(report("three systems").as_uri())
    text = shown.page.locator("main").inner_text()
    assert "needs JavaScript" in text
    for system in ("Alpha", "Beta", "Gamma"):
        assert system in text


def test_two_pictures_of_one_page_are_equal(opened: Open, report: Report) -> None:
    first, second = (opened(report("three systems")).page.screenshot(full_page=True) for _ in range(2))
    assert first == second
