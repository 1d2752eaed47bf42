"""Public names of a package: declared once, in the stub beside its `__init__`, and imported at their
first use.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def public(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose stub says where each name lives.

    A line of the stub reads `from nlgauge.scoring import score as score`; `from nlgauge.meta import
    benchmarks as benchmarks` names a package.
    """
    lines = [
        line.split()
        for line in Path(file).with_suffix(".pyi").read_text("utf-8").splitlines()
        if line.startswith("from ")
    ]
    homes = {words[3]: words[1] for words in lines}

    def get(name: str) -> Any:
        if name in homes:
            home = homes[name]
            return import_module(f"{home}.{name}") if home == package else getattr(import_module(home), name)
        if name == "__version__" and package == "nlgauge":
            return import_module("importlib.metadata").version(package)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get, lambda: sorted(homes), sorted(homes)
