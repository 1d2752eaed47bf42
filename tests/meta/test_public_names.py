"""Every public name of nlgauge.meta is what it is called, whichever file was imported before."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

import nlgauge.meta


@pytest.mark.parametrize("name", nlgauge.meta.__all__)
def test_a_name_is_not_a_file(name):
    home = nlgauge.meta._HOMES[name]
    found = getattr(importlib.import_module(f"nlgauge.meta.{home}"), name)
    assert getattr(nlgauge.meta, name) is found
    assert not isinstance(found, ModuleType)
