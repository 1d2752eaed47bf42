"""The documentation site builds without warnings, its links lead somewhere, and it needs no other host.

All tests of the built site are in this file: each test process builds the site again.
"""

from __future__ import annotations

import os
import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from browsers import COLORS, RULES, axe, chromium, faults

from tools.site.api import MODULES, names
from tools.site.files import ADDRESS
from tools.site.metrics import packaged
from tools.site.versions import SWITCHER

ROOT = Path(__file__).parents[2]
# Seven kinds of pages, and the pages with tables that scripts draw.
PAGES = (
    "index",
    "metrics/chrf",
    "leaderboard",
    "tutorials/plot_compare_two_systems",
    "reference/api/generated/nlgauge.score",
    "reference/cli/score",
    "statistics/intervals",
    "metrics/compare",
    "choose",
)


class _Links(HTMLParser):
    """Targets of links, files that the page loads, and anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name == "id":
                self.anchors.add(value)
            if value and (name, tag) == ("href", "a"):
                self.links.append(value)
            elif value and (name in ("src", "srcset") or (name, tag) == ("href", "link")):
                self.loaded.append(value)


def file_of(site: Path, page: str) -> Path:
    """Return the file of a page."""
    file = site / "index.html" if page == "index" else site / page / "index.html"
    assert file.is_file(), page
    return file


def test_every_metric_and_every_public_name_has_a_page(site: Path) -> None:
    for name in packaged():
        text = file_of(site, f"metrics/{name}").read_text("utf-8")
        assert 'class="math' in text and "When it misleads" in text and "@misc" in text, name
    for module in MODULES:
        for name in set(names(module)) - {"benchmarks"}:
            file_of(site, f"reference/api/generated/{module}.{name}")


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, _Links]:
    """All pages, parsed once."""
    return {path: _Links(path.read_text("utf-8")) for path in site.rglob("*.html")}


def test_links_lead_to_files_and_anchors_of_the_site(site: Path, pages: dict[Path, _Links]) -> None:
    broken = []
    for path, page in pages.items():
        for link in {*page.links, *page.loaded} if "_static" not in path.parts else ():
            if re.match(r"[a-z]+:", link):
                continue
            target, anchor = urldefrag(
                urljoin(f"{ADDRESS}{path.relative_to(site).as_posix()}", link.partition("?")[0] or "#")
            )
            file = site / unquote(target.removeprefix(ADDRESS))
            file = file / "index.html" if file.is_dir() else file
            if not file.is_file() or (
                anchor and file in pages and unquote(anchor) not in pages[file].anchors
            ):
                broken.append((path.relative_to(site).as_posix(), link))
    assert broken == []


def test_pages_load_nothing_from_other_hosts(pages: dict[Path, _Links]) -> None:
    foreign = [
        (path.name, link)
        for path, page in pages.items()
        for link in page.loaded
        if re.match(r"(https?:)?//", link) and not link.startswith(ADDRESS)
    ]
    assert foreign == []


def test_the_lists_for_language_models_name_every_metric(site: Path) -> None:
    short, full = ((site / name).read_text("utf-8") for name in ("llms.txt", "llms-full.txt"))
    assert all(f"({ADDRESS}metrics/{name}/)" in short for name in packaged())
    assert all(f"\n{ADDRESS}metrics/{name}/\n" in full for name in packaged())
    # A language model with a context of half a million tokens can read the whole file.
    assert len(full.encode()) < 1_500_000


def test_pages_read_the_list_of_versions_from_the_site(site: Path) -> None:
    text = (site / "index.html").read_text("utf-8")
    assert "theme_switcher_json_url = '_static/switcher.json'" in text
    assert (site / "_static" / "switcher.json").read_text("utf-8") == SWITCHER.read_text("utf-8")


def test_the_package_names_the_address_of_the_site() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["urls"]["Documentation"] == ADDRESS


@pytest.mark.thorough
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_fits_a_phone_and_asks_no_other_host(
    name: str, site: Path, address: str
) -> None:
    requests: list[str] = []
    errors: list[str] = []
    for theme, rules in (("light", RULES), ("dark", COLORS)):
        context = chromium().new_context(
            viewport={"width": 1280, "height": 900},
            color_scheme=theme,
            reduced_motion="reduce",
            bypass_csp=True,
        )
        try:
            page = context.new_page()
            page.on("request", lambda request: requests.append(request.url))
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.goto(urljoin(address, file_of(site, name).relative_to(site).as_posix()))
            page.wait_for_load_state("networkidle")
            assert page.evaluate("() => document.documentElement.dataset.theme") == theme
            page.evaluate(axe())
            assert faults(page, rules=rules) == [], theme
            page.set_viewport_size({"width": 390, "height": 800})
            assert page.evaluate("() => document.documentElement.scrollWidth") == 390
        finally:
            context.close()
    assert errors == []
    assert [url for url in requests if not url.startswith((address, "data:"))] == []


@pytest.mark.thorough
def test_the_leaderboard_sorts_filters_and_keeps_its_address(site: Path, address: str) -> None:
    context = chromium().new_context()
    try:
        page = context.new_page()
        page.goto(urljoin(address, file_of(site, "leaderboard").relative_to(site).as_posix()))
        page.get_by_label("task", exact=True).select_option("dialogue")
        page.get_by_label("metric", exact=True).fill("meteor")
        rows = page.locator(".lb-table tbody tr")
        assert rows.count() >= 1
        assert all("meteor" in text for text in rows.all_inner_texts())
        assert "task=dialogue" in page.url
        page.goto(page.url)
        assert all("meteor" in text for text in rows.all_inner_texts())
    finally:
        context.close()


def test_the_site_of_make_docs_has_pictures_of_models() -> None:
    """Look for pictures that need a model in a site that `make docs` built."""
    site = os.environ.get("NLGAUGE_SITE")
    if not site:
        pytest.skip("NLGAUGE_SITE does not name a site")
    assert (Path(site) / "_images" / "bertscore.svg").is_file()
