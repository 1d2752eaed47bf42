"""The package as its wheel installs it has every file that it needs: it scores its sample, and its
report, figure and explorer open.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

Open = Callable[..., Any]

_ROOT = Path(__file__).parents[3]
_PACKAGE = _ROOT / "src" / "nlgauge"
_PROGRAMS = "Scripts" if os.name == "nt" else "bin"
# Without its compiled kernels: compiling them takes a minute, and tools/try_wheel.py tries them in every
# wheel that is published.
_BUILD = (
    "import sys; from scikit_build_core.build import build_wheel; print(build_wheel(sys.argv[1],"
    " {'wheel.cmake': 'false'}))"
)


class Installed(NamedTuple):
    """A wheel, and the environment that it was installed into."""

    wheel: Path
    environment: Path

    def run(self, program: str, *arguments: str, place: Path) -> str:
        """What a program of the environment prints, run in a folder outside the checkout."""
        path = self.environment / _PROGRAMS / program
        return run(str(path), *arguments, place=place)


def run(*command: str, place: Path) -> str:
    """What a command prints; an error has what it said."""
    done = subprocess.run(
        command, cwd=place, env=_variables(), capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _variables() -> dict[str, str]:
    """Those of this process, without what would lead Python back to the checkout."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel of this checkout in a fresh environment, which sees the packages that it needs where they
    are installed already.
    """
    for tool in ("scikit_build_core", "pip"):
        if importlib.util.find_spec(tool) is None:
            pytest.skip(f"{tool.replace('_', '-')} is not installed (dependency group test)")
    place = tmp_path_factory.mktemp("wheel")
    name = run(sys.executable, "-c", _BUILD, str(place), place=_ROOT).split()[-1]
    environment = place / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", str(environment), place=place)
    python = environment / _PROGRAMS / Path(sys.executable).name
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        str(place / name),
        place=place,
    )
    library = Path(
        run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", place=place).strip()
    )
    # A folder named in a .pth file is searched, but its own .pth files are not read, so that the editable
    # installation of the checkout stays hidden.
    others = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    (library / "others.pth").write_text("\n".join(others), "utf-8")
    return Installed(place / name, environment)


def test_every_file_of_the_package_is_in_it(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        names = wheel.namelist()
        record = wheel.read(next(name for name in names if name.endswith(".dist-info/RECORD"))).decode()
    recorded = {line.rpartition(",")[0].rpartition(",")[0] for line in record.splitlines()}
    files = [
        path
        for path in _PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix not in (".so", ".pyd")
    ]
    wanted = {f"nlgauge/{path.relative_to(_PACKAGE).as_posix()}" for path in files}
    assert "nlgauge/show/web/vendor/inter.woff2" in wanted
    assert wanted - recorded == set()
    assert recorded == set(names)


@pytest.fixture(scope="module")
def scored(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the installed package has scored its sample."""
    place = tmp_path_factory.mktemp("scored")
    where = installed.run("python", "-c", "import nlgauge; print(nlgauge.__file__)", place=place).strip()
    assert Path(where).is_relative_to(installed.environment)
    installed.run("nlgauge", "demo", "-o", "result", place=place)
    return place


def test_its_report_opens_and_its_figure_is_drawn(installed: Installed, scored: Path, opened: Open) -> None:
    installed.run("nlgauge", "report", "result", "-o", "report.html", "--explain", "3", place=scored)
    shown = opened(scored / "report.html")
    assert len(shown.texts(".board tbody th")) > 1
    assert shown.page.evaluate(
        "() => document.fonts.check('16px Inter') && document.fonts.check('16px \"Source Serif 4\"')"
    )
    assert shown.page.locator("#why article").count() > 1
    assert shown.errors == []
    installed.run("nlgauge", "plot", "result", "intervals", "-o", "figure.svg", place=scored)
    assert "<svg" in (scored / "figure.svg").read_text("utf-8")


def test_its_explorer_opens(installed: Installed, scored: Path, opened: Open) -> None:
    pytest.importorskip("uvicorn", reason="needs the extra web")
    program = [str(installed.environment / _PROGRAMS / "nlgauge"), "serve", "result"]
    with subprocess.Popen(
        program, cwd=scored, env=_variables(), stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as explorer:
        # One that says nothing must not keep the tests waiting.
        limit = threading.Timer(120, explorer.kill)
        limit.start()
        try:
            assert explorer.stderr is not None
            address = re.search(r"http://\S+", explorer.stderr.readline())
            assert address is not None
            shown = opened(address[0])
            assert shown.page.locator("#why article").count() > 1
            assert shown.page.locator("#live select").first.is_visible()
            assert shown.errors == []
        finally:
            limit.cancel()
            explorer.terminate()
