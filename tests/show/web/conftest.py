"""A real Chromium, and pages opened in it that note everything that must not happen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import browsers
import pytest
from page_cases import result_of

from nlgauge.results.result import Result
from nlgauge.show.explorer import serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

_HERE = Path(__file__).parent


_WINDOW = {"width": 1400, "height": 900}


@cache
def _kept_context(browser: Browser, bypass_csp: bool) -> BrowserContext:
    """Return the context of all pages without further options: another one would start slowly."""
    return _new_context(browser, bypass_csp=bypass_csp)


def _new_context(browser: Browser, **options: Any) -> BrowserContext:
    context = browser.new_context(**{"viewport": _WINDOW, "reduced_motion": "reduce", **options})
    context.set_default_timeout(600_000)  # only what hangs takes so long
    return context


@pytest.fixture
def browser() -> Browser:
    """Chromium without a window, the same for all tests of this folder."""
    return browsers.chromium()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close the browser before tests of other folders."""
    if nextitem is None or not nextitem.path.is_relative_to(_HERE):
        browsers.close()
        _kept_context.cache_clear()


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

    A page that is `alone`, or has further options of a browser's context, gets a context of its own.
    """
    own: list[BrowserContext] = []
    used: set[BrowserContext] = set()

    def open_(
        address: str | Path | None,
        viewport: dict[str, int] | None = None,
        color_scheme: str | None = None,
        bypass_csp: bool = False,
        alone: bool = False,
        **options: Any,
    ) -> Shown:
        if alone or options:
            context = _new_context(browser, bypass_csp=bypass_csp, **options)
            own.append(context)
        else:
            context = _kept_context(browser, bypass_csp)
            used.add(context)
        page: Any = context.new_page()
        if viewport is not None:
            page.set_viewport_size(viewport)
        if color_scheme is not None:
            page.emulate_media(color_scheme=color_scheme)
        shown = Shown(page)
        if address is not None:
            shown.goto(address.as_uri() if isinstance(address, Path) else address)
        return shown

    yield open_
    for context in own:
        context.close()
    for context in used:
        # The last page stays, so that the next one is in its process, which need not be started.
        *others, last = context.pages or [context.new_page()]
        for page in others:
            page.close()
        if last.url != "about:blank":
            last.evaluate("() => localStorage.length && localStorage.clear()")
        if last.url.startswith("http"):
            context.clear_cookies()


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
                place / f"{len(written)}.html", title=title, **{"resamples": 200, **options}
            )
        return written[name]

    return of


@pytest.fixture(scope="session")
def explorer() -> Callable[..., str]:
    """The address of an explorer of some results by name, started once for the same results."""
    addresses: dict[tuple[int, ...], str] = {}

    def of(**results: Result) -> str:
        key = tuple(map(id, results.values()))
        if key not in addresses:
            started = threading.Event()

            def ready(address: str) -> None:
                addresses[key] = address
                started.set()

            # As a daemon it ends with the tests.
            threading.Thread(target=serve, args=(results,), kwargs={"ready": ready}, daemon=True).start()
            assert started.wait(600)
        return addresses[key]

    return of
