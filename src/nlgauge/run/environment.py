"""What a run cost, and where it ran."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = ("nlgauge", "numpy", "sacrebleu", "rapidfuzz", "torch", "transformers")


def environment() -> dict[str, str]:
    """Interpreter, machine and versions, as a result records them; nothing is imported to find out."""
    found = {
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cores": str(os.cpu_count() or 1),
    }
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
