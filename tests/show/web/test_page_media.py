"""The page on paper, on a phone, without JavaScript, and for everybody: axe finds nothing in either theme."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsers import COLORS, RULES, axe, faults

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


@pytest.mark.parametrize("variant", ["three systems", "seventeen systems", "many human scores"])
def test_a_phone_is_wide_enough(variant: str, opened: Open, report: Report) -> None:
    shown = opened(report(variant), viewport={"width": 390, "height": 800})
    page = shown.page
    assert page.evaluate("() => document.documentElement.scrollWidth") == 390
    outside = """() => [...document.querySelectorAll(".filters :is(input, select, .count)")]
        .filter(node => node.getBoundingClientRect().right > 390).map(node => node.outerHTML)"""
    assert page.evaluate(outside) == []
    # The names of systems leave room for their first score.
    names = "() => [...document.querySelectorAll('.board tbody th')].map(node => node.offsetWidth)"
    assert max(page.evaluate(names)) < 200
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
