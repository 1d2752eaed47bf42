"""A real Chromium, and pages opened in it that note everything that must not happen."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from page_cases import result_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

_HOW = "install it (apt-get install chromium) or name it in NLGAUGE_CHROMIUM"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


_HERE = Path(__file__).parent
# Closes the browser, if one was started.
_STARTED = ExitStack()


def _without(reason: str) -> NoReturn:
    """Skip the test; fail if NLGAUGE_PAGES says that the pages must be tested."""
    if os.environ.get("NLGAUGE_PAGES") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@cache
def _chromium() -> Browser:
    from playwright.sync_api import sync_playwright

    # Without --no-sandbox Chromium does not start as root, as in containers.
    started = _STARTED.enter_context(sync_playwright()).chromium.launch(
        executable_path=_path(), args=["--no-sandbox", "--force-color-profile=srgb"]
    )
    _STARTED.callback(started.close)
    return started


@cache
def _shared_context() -> BrowserContext:
    """Return the context of the pages without options of their own: another one would start slowly."""
    return _new_context(_chromium())


def _new_context(browser: Browser, **options: Any) -> BrowserContext:
    context = browser.new_context(
        **{"viewport": {"width": 1400, "height": 900}, "reduced_motion": "reduce", **options}
    )
    context.set_default_timeout(600_000)  # only what hangs takes so long
    return context


def _path() -> str | None:
    return os.environ.get("NLGAUGE_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)


@pytest.fixture
def browser() -> Browser:
    """Chromium without a window, the same for all tests of this folder."""
    if find_spec("playwright") is None:
        _without("playwright is not installed (dependency group pages)")
    if _path() is None:
        _without(f"no Chromium was found: {_HOW}")
    return _chromium()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close the browser before tests of other folders: Playwright's loop would be in the way of those with a loop
    of their own.
    """
    if nextitem is None or not nextitem.path.is_relative_to(_HERE):
        _STARTED.close()
        _chromium.cache_clear()
        _shared_context.cache_clear()


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
        if options:
            contexts.append(_new_context(browser, **options))
        shown = Shown((contexts[-1] if options else _shared_context()).new_page())
        if address is not None:
            shown.goto(address.as_uri() if isinstance(address, Path) else address)
        return shown

    yield open_
    for context in contexts:
        context.close()
    # The last page stays, so that the next one is in its process, which need not be started.
    *others, last = _shared_context().pages or [_shared_context().new_page()]
    for page in others:
        page.close()
    if last.url != "about:blank":
        last.evaluate("() => localStorage.clear()")


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
