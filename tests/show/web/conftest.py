"""A real Chromium, and pages opened in it that note everything that must not happen."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from page_cases import result_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_HOW = "install it (apt-get install chromium) or name it in NLGAUGE_CHROMIUM"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def _lacking(reason: str) -> None:
    """Skips; fails where a run of all checks must not go without."""
    if os.environ.get("CI") and os.environ.get("NLGAUGE_PAGES") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window; for one module at a time, since Playwright's loop would be in the way of
    tests with one of their own.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _lacking("playwright is not installed (dependency group pages)")
    path = os.environ.get("NLGAUGE_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        _lacking(f"no Chromium was found: {_HOW}")
    with sync_playwright() as playwright:
        # Without --no-sandbox Chromium does not start as root, as in containers.
        started = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--force-color-profile=srgb"]
        )
        yield started
        started.close()


class Shown:
    """A page and what happened on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.errors: list[str] = []
        self.dialogs: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "console",
            lambda message: (
                self.errors.append(f"{message.text} {message.location['url']}")
                if message.type == "error"
                else None
            ),
        )
        page.on("dialog", self._dismiss)
        page.on("request", lambda request: self.requests.append(request.url))

    def _dismiss(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def goto(self, address: str) -> Page:
        self.page.goto(address)
        self.page.wait_for_selector("html[data-ready]", state="attached")
        return self.page

    def texts(self, selector: str) -> list[str]:
        return self.page.locator(selector).all_inner_texts()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Shown]]:
    """Opens an address or a file; `opened(None)` gives a page that is still empty.

    The options are those of a browser's context.
    """
    contexts = []

    def open_(address: str | Path | None, **options: Any) -> Shown:
        context = browser.new_context(
            **{"viewport": {"width": 1400, "height": 900}, "reduced_motion": "reduce", **options}
        )
        contexts.append(context)
        shown = Shown(context.new_page())
        if address is not None:
            shown.goto(address.as_uri() if isinstance(address, Path) else address)
        return shown

    yield open_
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The report of a variant, written once."""
    place = tmp_path_factory.mktemp("reports")
    written: dict[str, Path] = {}

    def of(variant: str, **options: Any) -> Path:
        name = f"{variant} {sorted(options.items())}"
        if name not in written:
            title = "<script>window.pwned=9</script>\u202e" if variant == "hostile" else variant
            written[name] = result_of(variant).report(
                place / f"{len(written)}.html", title=title, resamples=200, **options
            )
        return written[name]

    return of
