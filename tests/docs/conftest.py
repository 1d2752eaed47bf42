"""The documentation site, built once, and Chromium."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import browsers
import pytest

ROOT = Path(__file__).parents[2]
_HERE = Path(__file__).parent
# Sphinx without garbage collection, and an index for the search whose words keep their endings: a third of the
# time, and no test searches.
_SPHINX = """
import gc, sys
from sphinx.cmd.build import main
from sphinx.search.en import SearchEnglish
gc.disable()
SearchEnglish.stem = lambda self, word: word
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the site: NLGAUGE_SITE, or a build with few pictures whose tutorials are not executed."""
    built = os.environ.get("NLGAUGE_SITE")
    if built:
        return Path(built).resolve()
    pytest.importorskip("sphinx", reason="Sphinx is not installed (dependency group docs)")
    place = tmp_path_factory.mktemp("site")
    pages, target = str(place / "docs"), str(place / "site")
    for command in (
        ["-m", "tools.site", pages, "--pictures", "chrf", "wer"],
        ["-c", _SPHINX, "-W", "--keep-going", "-q", "-D", "plot_gallery=0", "-b", "dirhtml", pages, target],
    ):
        done = subprocess.run(
            [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-5000:]
    return Path(target)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """The address of a server with the site."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close the browser before tests of other folders."""
    if nextitem is None or not nextitem.path.is_relative_to(_HERE):
        browsers.close()
