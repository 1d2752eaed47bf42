"""Where caches and data are kept, on each operating system."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge.meta.benchmarks.places import folder
from nlgauge.models.weights.store import cache_directory


@pytest.mark.parametrize(
    ("platform", "caches", "data"),
    [
        ("win32", "local/nlgauge/models", "local/nlgauge/benchmarks"),
        (
            "darwin",
            "home/Library/Caches/nlgauge/models",
            "home/Library/Application Support/nlgauge/benchmarks",
        ),
        ("linux", "xdg/cache/nlgauge/models", "xdg/data/nlgauge/benchmarks"),
    ],
)
def test_each_operating_system_has_its_places(
    platform: str, caches: str, data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nlgauge._core.folders.sys.platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    variables = {"LOCALAPPDATA": "local", "XDG_CACHE_HOME": "xdg/cache", "XDG_DATA_HOME": "xdg/data"}
    for variable, place in variables.items():
        monkeypatch.setenv(variable, str(tmp_path / place))
    for variable in ("NLGAUGE_CACHE", "NLGAUGE_BENCHMARKS"):
        monkeypatch.delenv(variable, raising=False)
    assert (cache_directory(), folder()) == (tmp_path / caches, tmp_path / data)


def test_without_variables_the_home_is_used_and_nlgauges_own_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nlgauge._core.folders.sys.platform", "linux")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for variable in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "NLGAUGE_CACHE", "NLGAUGE_BENCHMARKS"):
        monkeypatch.delenv(variable, raising=False)
    assert (cache_directory(), folder()) == (
        tmp_path / ".cache/nlgauge/models",
        tmp_path / ".local/share/nlgauge/benchmarks",
    )
    monkeypatch.setenv("NLGAUGE_CACHE", "here")
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", "there")
    assert (cache_directory(), folder()) == (Path("here"), Path("there"))
