"""`import nlgauge.meta` costs next to nothing, and offers exactly the public names."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

import nlgauge.meta


@pytest.mark.parametrize("name", dir(nlgauge.meta))
def test_every_public_name_is_there_and_has_a_text(name: str) -> None:
    value = getattr(nlgauge.meta, name)
    assert isinstance(value, ModuleType) == (name == "benchmarks")
    assert value.__doc__


def test_importing_the_package_loads_nothing_heavy() -> None:
    probe = "import sys, nlgauge.meta; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=600
    )
    assert {"numpy", "scipy", "pandas", "polars"}.isdisjoint(done.stdout.split())


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'pearsons'"):
        nlgauge.meta.pearsons  # noqa: B018
    assert dir(nlgauge.meta) == sorted(nlgauge.meta.__all__)


def test_packages_need_not_be_imported_first() -> None:
    probe = "import nlgauge.meta; print(nlgauge.meta.benchmarks.load('sample').name)"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=600
    )
    assert done.stdout.split() == ["sample"]


def test_everything_else_is_there_without_matplotlib() -> None:
    probe = (
        "import sys; sys.modules['matplotlib'] = None\nfrom nlgauge.meta import *\nprint(correlate.__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=600
    )
    assert done.stdout.split() == ["correlate"]
