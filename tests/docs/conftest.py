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


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the site: NLGAUGE_SITE, or a build without pictures of models."""
    built = os.environ.get("NLGAUGE_SITE")
    if built:
        return Path(built).resolve()
    pytest.importorskip("sphinx", reason="Sphinx is not installed (dependency group docs)")
    place = tmp_path_factory.mktemp("site")
    pages, target = str(place / "docs"), str(place / "site")
    # The builder html shares sidebars between pages, and takes two thirds of the time of dirhtml.
    # Tutorials that start other programs are executed by `make docs`, and as notebooks by thorough tests.
    executed = r"sphinx_gallery_conf.filename_pattern=/plot_(?!gate|is_my_judge)"
    # An empty cache: tutorials that use a model if it is installed do not load PyTorch.
    environment = {**os.environ, "NLGAUGE_CACHE": str(place / "models")}
    for command in (
        ["-m", "tools.site", "--no-models", pages],
        ["-m", "sphinx", "-W", "--keep-going", "-q", "-D", executed, "-b", "html", pages, target],
    ):
        done = subprocess.run(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
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


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close the browser before tests of other folders."""
    if nextitem is None or not nextitem.path.is_relative_to(_HERE):
        browsers.close()
