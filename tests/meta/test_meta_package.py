"""`import nlgauge.meta` costs next to nothing, and offers exactly the public names."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

import nlgauge.meta


@pytest.mark.parametrize("name", nlgauge.meta.__all__)
def test_every_public_name_is_there_and_has_a_text(name: str) -> None:
    found = getattr(nlgauge.meta, name)
    assert not isinstance(found, ModuleType)
    assert found.__doc__
    import_module(f"nlgauge.meta.{nlgauge.meta._HOMES[name]}")
    assert getattr(nlgauge.meta, name) is found


def test_importing_the_package_loads_nothing_heavy() -> None:
    probe = "import sys, nlgauge.meta; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=600)
    assert {"numpy", "scipy", "pandas", "polars"}.isdisjoint(done.stdout.split())


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'pearsons'"):
        nlgauge.meta.pearsons  # noqa: B018
    assert dir(nlgauge.meta) == nlgauge.meta.__all__
