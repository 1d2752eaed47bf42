"""Chromium for tests of pages, and axe, which looks for faults of accessibility in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_HOW = "install it (apt-get install chromium) or name it in NLGAUGE_CHROMIUM"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_AXE = "axe-core@4.14.0"
_CACHE = Path(__file__).parents[1] / ".cache" / "pages"
RULES = "['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']"
# The rules on which a theme has an influence: it changes colors alone.
COLORS = "{ type: 'rule', values: ['color-contrast', 'link-in-text-block'] }"
# Closes the browser, if it was started.
_STARTED = ExitStack()


def chromium() -> Browser:
    """Return Chromium without a window, always the same; skip the test if there is none."""
    if find_spec("playwright") is None:
        _without("playwright is not installed (dependency group pages)")
    if _path() is None:
        _without(f"Chromium is not installed: {_HOW}")
    return _launched()


def close() -> None:
    """Close the browser: Playwright's loop would be in the way of tests with their own loop."""
    _STARTED.close()
    _launched.cache_clear()


def _without(reason: str) -> NoReturn:
    """Skip the test; fail if NLGAUGE_PAGES requires that the pages are tested."""
    if os.environ.get("NLGAUGE_PAGES") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@cache
def _launched() -> Browser:
    from playwright.sync_api import sync_playwright

    # Without --no-sandbox Chromium does not start as root, as in containers.
    browser = _STARTED.enter_context(sync_playwright()).chromium.launch(
        executable_path=_path(), args=["--no-sandbox", "--force-color-profile=srgb"]
    )
    _STARTED.callback(browser.close)
    return browser


def _path() -> str | None:
    return os.environ.get("NLGAUGE_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)


@cache
def axe() -> str:
    """Return the code of axe-core, downloaded once by npm; it is not part of the project, whose license differs."""
    file = _CACHE / f"{_AXE}.js"
    if not file.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("npm, which downloads axe-core, is not installed")
        _CACHE.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [npm, "pack", "--silent", _AXE], cwd=_CACHE, capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"axe-core could not be downloaded: {done.stderr[:200]}")
        packed = _CACHE / done.stdout.strip().splitlines()[-1]
        with tarfile.open(packed) as archive:
            code = archive.extractfile("package/axe.min.js")
            assert code is not None
            file.write_bytes(code.read())
        packed.unlink()
    return file.read_text("utf-8")


def faults(page: Any, where: str = "document", rules: str = RULES) -> list[Any]:
    """Return the faults that axe finds in a part of a page: the rules, and the first elements that break them."""
    options = f"{{ runOnly: {rules}, resultTypes: ['violations'] }}"
    return [
        (fault["id"], [(node["html"][:150], node["failureSummary"][:200]) for node in fault["nodes"][:3]])
        for fault in page.evaluate(f"() => axe.run({where}, {options})")["violations"]
    ]
