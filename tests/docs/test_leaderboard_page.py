"""The leaderboard of the site in Chromium: its filters, its address, the keyboard, and accessibility.

The page is the generated one without Sphinx, so that no site is built.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browsers import RULES, axe, chromium, faults

from tools.site import leaderboard
from tools.site.evidence import other_tables, tables
from tools.site.files import ROOT, Target

if TYPE_CHECKING:
    from playwright.sync_api import Page

STATIC = ROOT / "docs" / "_static"
HTML = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Leaderboard</title></head>
<body><main><h1>Leaderboard</h1>{body}</main></body></html>"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("site")
    leaderboard.write(Target(place), [*tables(), *other_tables()])
    for name in ("leaderboard.js", "nlgauge.css"):
        (place / "_static" / name).write_bytes((STATIC / name).read_bytes())
    [body] = re.findall(r"^```{raw} html\n(.*?)^```$", leaderboard.PAGE, re.MULTILINE | re.DOTALL)
    page = place / "leaderboard" / "index.html"
    page.parent.mkdir()
    page.write_text(HTML.format(body=body), "utf-8")
    return page


@pytest.fixture
def page(file: Path) -> Iterator[Page]:
    context = chromium().new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True)
    errors: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    yield page
    context.close()
    assert errors == []


def shown(page: Page) -> int:
    return int(str(page.locator(".lb-count").inner_text()).split(" ")[0].replace(",", ""))


def values(language: str, levels: tuple[str, ...] = ("texts",), has_samples: bool = False) -> int:
    """Count the values of a language in the evidence, by default those that the filters of the start leave."""
    return sum(
        level in entry
        for table in [*tables(), *other_tables()]
        if language in table.languages and (has_samples or not table.sample)
        for entry in table.metrics.values()
        for level in levels
    )


def choices(page: Page, label: str) -> list[str]:
    options = page.get_by_label(label, exact=True).locator("option")
    return [str(option) for option in options.evaluate_all("each => each.map(option => option.value)")]


def test_every_language_of_the_evidence_can_be_chosen(page: Page) -> None:
    spoken = {code for table in [*tables(), *other_tables()] for code in table.languages}
    assert set(choices(page, "language")) == {"", *spoken}
    for label in ("task", "segments", "level"):
        page.get_by_label(label, exact=True).select_option("")
    for code in sorted(spoken):
        page.get_by_label("language", exact=True).select_option(code)
        assert shown(page) == values(code, ("texts", "systems"), has_samples=True), code


def test_the_other_filters_offer_what_a_language_has(page: Page) -> None:
    """Nothing in German is a summary, so the task of the start is reset."""
    page.get_by_label("language", exact=True).select_option(label="German")
    own = [table for table in [*tables(), *other_tables()] if "de" in table.languages]
    assert set(choices(page, "task")) == {"", *(table.task for table in own)}
    assert page.get_by_label("task", exact=True).input_value() == ""
    assert set(choices(page, "benchmark")) == {"", *(table.benchmark for table in own)}
    assert shown(page) == values("de")


def test_a_benchmark_of_several_languages_is_in_each(page: Page) -> None:
    several = [table for table in other_tables() if len(table.languages) > 1]
    assert several
    for code in several[0].languages:
        page.get_by_label("language", exact=True).select_option(code)
        assert several[0].benchmark in choices(page, "benchmark")


def test_the_address_has_the_language(page: Page) -> None:
    page.get_by_label("language", exact=True).select_option("ja")
    assert "language=ja" in page.url
    count = shown(page)
    page.goto(page.url)
    assert page.get_by_label("language", exact=True).input_value() == "ja"
    assert shown(page) == count == values("ja")
    page.goto(page.url.replace("language=ja", "language=xx"))
    assert page.get_by_label("language", exact=True).input_value() == ""
    assert "language" not in page.url


def test_the_language_is_chosen_and_sorted_with_the_keyboard(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.ariaLabel") == "language"
    page.keyboard.type("Japan")
    assert page.get_by_label("language", exact=True).input_value() == "ja"
    assert shown(page) == values("ja")
    # The next filter follows in the order of the keys.
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.ariaLabel") == "task"
    page.get_by_label("language", exact=True).select_option("")
    button = page.locator(".lb-table thead button", has_text="language")
    button.focus()
    page.keyboard.press("Enter")
    languages = page.locator(".lb-table thead th").all_inner_texts().index("language") + 1
    cells = page.locator(f".lb-table tbody tr td:nth-child({languages})").all_inner_texts()
    assert cells == sorted(cells, reverse=True) and len(set(cells)) > 1


def test_the_filters_have_no_faults_of_accessibility(page: Page) -> None:
    page.evaluate(axe())
    for code in ("", "de"):
        page.get_by_label("language", exact=True).select_option(code)
        assert faults(page, rules=RULES) == []


def test_languages_have_names(file: Path) -> None:
    text = (file.parents[1] / "_static" / "leaderboard-data.js").read_text("utf-8")
    data: dict[str, Any] = json.loads(text.removeprefix("window.nlgaugeLeaderboard=").rstrip(";\n"))
    assert data["languages"]["de"] == "German" and all(len(row) == 13 for row in data["rows"])
