"""Public names of a package: declared once, in the stub of its `__init__`, and imported on first use."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

_DECLARED = re.compile(r"^from (\S+) import (?:\(\s+)?(\w+) as", re.MULTILINE)


def public(
    package: str, file: str, moved_to: str = "", packages: tuple[str, ...] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose stub names the module of each name.

    A line of the stub reads `from nlgauge.scoring import score as score`; `from nlgauge.meta import
    benchmarks as benchmarks` names a package. If the subpackage `moved_to` declares a missing name, the error
    shows how to import it from there. Public subpackages in `packages` are imported at their first use.
    """
    homes = _homes(file)

    def get(name: str) -> Any:
        if name in homes:
            home = homes[name]
            return _imported(f"{home}.{name}") if home == package else getattr(_imported(home), name)
        if name in packages:
            return _imported(f"{package}.{name}")
        if name == "__version__" and package == "nlgauge":
            return import_module("importlib.metadata").version(package)
        message = f"module {package!r} has no attribute {name!r}"
        if moved_to and name in _homes(file.replace("__init__", f"{moved_to.replace('.', '/')}/__init__")):
            message += f"; use: from {package}.{moved_to} import {name}"
        raise AttributeError(message)

    return get, lambda: sorted(homes), sorted(homes)


def _imported(module: str) -> Any:
    """Return a module. Its import creates objects that are all in use, so the garbage collector pauses."""
    if module in sys.modules or not gc.isenabled():
        return import_module(module)
    gc.disable()
    try:
        return import_module(module)
    finally:
        gc.enable()


def _homes(file: str) -> dict[str, str]:
    """Return the module of each public name of a package, from its stub."""
    with open(f"{file.rpartition('.')[0]}.pyi", encoding="utf-8") as stub:  # noqa: PTH123
        return {name: home for home, name in _DECLARED.findall(stub.read())}
