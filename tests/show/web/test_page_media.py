"""The page on paper, on a phone, without JavaScript, and for everybody: axe finds nothing in either theme."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Open = Callable[..., Any]
Report = Callable[..., Path]

_AXE = "axe-core@4.14.0"
_CACHE = Path(__file__).parents[3] / ".cache" / "pages"


@pytest.fixture(scope="session")
def axe() -> str:
    """axe-core's code, fetched once by npm; it is not part of the project, whose license is another."""
    kept = _CACHE / f"{_AXE}.js"
    if not kept.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("axe-core is fetched by npm, which is not there")
        _CACHE.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [npm, "pack", "--silent", _AXE], cwd=_CACHE, capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"axe-core could not be fetched: {done.stderr[:200]}")
        packed = _CACHE / done.stdout.strip().splitlines()[-1]
        with tarfile.open(packed) as archive:
            file = archive.extractfile("package/axe.min.js")
            assert file is not None
            kept.write_bytes(file.read())
        packed.unlink()
    return kept.read_text("utf-8")


_RULES = "['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']"
# The rules on which a theme has an influence: it changes colors alone.
_COLORS = "{ type: 'rule', values: ['color-contrast', 'link-in-text-block'] }"


@pytest.mark.parametrize("variant", ["three systems", "seventeen systems"])
def test_axe_finds_nothing(variant: str, opened: Open, report: Report, axe: str) -> None:
    page = opened(report(variant), color_scheme="light", bypass_csp=True).page
    page.evaluate(axe)
    for summary in page.locator("details.data > summary").all():
        summary.click()
    # The tabs of one variant have all kinds of explanation that the metrics here give.
    tabs = page.locator("[role=tab]").count() if variant == "three systems" else 1
    for number in range(tabs):
        page.keyboard.press(str(number + 1))
        page.wait_for_function(
            f"() => document.querySelectorAll('[role=tab]')[{number}]?.getAttribute('aria-selected') ==="
            " 'true'"
        )
        # At the top the header covers nothing; further down it lies over whatever is scrolled below it.
        page.evaluate("() => scrollTo(0, 0)")
        # The whole page once; then what another tab changes.
        where = "document" if number == 0 else "document.getElementById('detail')"
        for theme, rules in (("light", _RULES), ("dark", _COLORS)):
            page.emulate_media(color_scheme=theme)
            assert _faults(page, where, rules) == [], f"tab {number + 1}, {theme}"


def _faults(page: Any, where: str, rules: str) -> list[Any]:
    """Return what axe finds wrong in a part of a page: the rules, and the first elements that break them."""
    options = f"{{ runOnly: {rules}, resultTypes: ['violations'] }}"
    return [
        (fault["id"], [(node["html"][:150], node["failureSummary"][:200]) for node in fault["nodes"][:3]])
        for fault in page.evaluate(f"() => axe.run({where}, {options})")["violations"]
    ]


@pytest.mark.parametrize("variant", ["three systems", "seventeen systems", "only whole-corpus metrics"])
def test_a_phone_is_wide_enough(variant: str, opened: Open, report: Report) -> None:
    shown = opened(report(variant), viewport={"width": 390, "height": 800})
    assert shown.page.evaluate("() => document.documentElement.scrollWidth") == 390
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
