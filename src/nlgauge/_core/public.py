"""Public names of a package: declared once, in the stub beside its `__init__`, and imported at their
first use.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

_DECLARED = re.compile(r"^from (\S+) import (?:\(\s+)?(\w+) as", re.MULTILINE)


def public(
    package: str, file: str, moved_to: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose stub says where each name lives.

    A line of the stub reads `from nlgauge.scoring import score as score`; `from nlgauge.meta import
    benchmarks as benchmarks` names a package. The error for a name that the subpackage `moved_to`
    declares says how to import it.
    """
    homes = _homes(Path(file))

    def get(name: str) -> Any:
        if name in homes:
            home = homes[name]
            return import_module(f"{home}.{name}") if home == package else getattr(import_module(home), name)
        if name == "__version__" and package == "nlgauge":
            return import_module("importlib.metadata").version(package)
        message = f"module {package!r} has no attribute {name!r}"
        if moved_to and name in _homes(Path(file).parent.joinpath(*moved_to.split("."), "__init__.py")):
            message += f"; use: from {package}.{moved_to} import {name}"
        raise AttributeError(message)

    return get, lambda: sorted(homes), sorted(homes)


def _homes(file: Path) -> dict[str, str]:
    """Return the module of each public name of a package, from its stub."""
    return {name: home for home, name in _DECLARED.findall(file.with_suffix(".pyi").read_text("utf-8"))}
