"""Reference of the public Python names, which the stubs declare."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

from tools.site.files import ROOT, Target

MODULES = {
    "nlgauge": "Score texts, load results, define metrics.",
    "nlgauge.meta": "Measure how well metrics agree with people.",
    "nlgauge.spans": "Read, write, convert and score error spans.",
    "nlgauge.preferences": "Rank systems from verdicts on pairs of predictions.",
    "nlgauge.reproduce": "Compute tables and figures of a paper next to the printed numbers.",
    "nlgauge.plots": "Draw figures of results, explanations and studies (extra `plot`).",
}
INDEX = """# Python API

Public names, by module. Names that are not listed here may change without notice.

"""


def names(module: str) -> list[str]:
    """Return the public names of a module, from its stub, or from `__all__` if it has no stub."""
    path = ROOT / "src" / module.replace(".", "/")
    stub = path / "__init__.pyi" if path.is_dir() else path.with_suffix(".pyi")
    if not stub.is_file():
        return sorted(import_module(module).__all__, key=str.lower)
    return sorted(
        re.findall(r"^from \S+ import (?:\(\s+)?\w+ as (\w+)", stub.read_text("utf-8"), re.MULTILINE),
        key=str.lower,
    )


def write(target: Target) -> None:
    """Write the index; Sphinx writes the page of each name."""
    parts = [INDEX]
    for module, purpose in MODULES.items():
        documented = [
            name for name in names(module) if not inspect.ismodule(getattr(import_module(module), name))
        ]
        rows = "\n".join(f"   {name}" for name in documented)
        parts.append(
            f"## {module}\n\n{purpose}\n\n```{{eval-rst}}\n.. currentmodule:: {module}\n\n.. autosummary::\n"
            f"   :toctree: generated\n   :nosignatures:\n\n{rows}\n```\n"
        )
    target.write("reference/api/index.md", "\n".join(parts))
