"""Where a run took place: interpreter, machine, versions, and which kernels ran."""

from __future__ import annotations

import os
import platform
import sys
from functools import cache

from nlgauge.kernels.backend import chosen
from nlgauge.metric.versions import installed_version

_PACKAGES = ("nlgauge", "numpy", "sacrebleu", "rapidfuzz", "regex", "nltk", "sentencex", "torch", "transformers", "POT")


@cache
def _environment() -> dict[str, str]:
    found = {
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cores": str(os.cpu_count() or 1),
    }
    versions = {package: installed_version(package) for package in _PACKAGES}
    return {**found, **{package: version for package, version in versions.items() if version}}


def environment() -> dict[str, str]:
    """Interpreter, machine, versions and kernels, as a result records them; nothing is imported to find out."""
    return {**_environment(), "kernels": chosen()}
