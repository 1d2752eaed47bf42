"""Environment of a run: interpreter, hardware, versions, and the kernels that ran."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from nlgauge._core.backend import chosen
from nlgauge._core.versions import installed_version

_PACKAGES = tuple("nlgauge numpy sacrebleu rapidfuzz regex nltk sentencex torch transformers POT".split())
_CPU_INFO = Path("/proc/cpuinfo")


@cache
def _environment() -> dict[str, str]:
    machine = {
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": str(os.cpu_count() or 1),
        "memory": _memory(),
    }
    versions = {package: installed_version(package) for package in _PACKAGES}
    return {name: value for name, value in {**machine, **versions}.items() if value}


def environment(current: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return interpreter, hardware, versions and kernels, as a result records them.

    No package is imported for this. `current` is what `current_environment` returned at the end of the run;
    default: its values now.
    """
    return {**_environment(), **(current_environment() if current is None else current)}


def current_environment() -> dict[str, str]:
    """Return what may change in a process: the device of models and the kernels."""
    return {**_device(), "kernels": chosen()}


def _processor() -> str:
    """Return the model of the processor; "" if the system does not report it."""
    try:
        lines = _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    models = [
        line.partition(":")[2].strip()
        for line in lines
        if line.lower().startswith(("model name", "cpu model", "hardware"))
    ]
    return next(filter(None, models), "") or platform.processor()


def _memory() -> str:
    """Return the size of the memory in GiB; "" if the system does not report it."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return ""
    return f"{size / 2**30:.1f} GiB" if size > 0 else ""


def _device() -> dict[str, str]:
    """Return the device of models, if torch is imported: graphics cards in use, "mps" or "cpu"."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "cuda"):
        return {}
    if torch.cuda.is_initialized():
        cards = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
        return {"device": ", ".join(dict.fromkeys(cards))}
    mps = getattr(torch, "mps", None)
    used = mps is not None and torch.backends.mps.is_available() and mps.current_allocated_memory() > 0
    return {"device": "mps" if used else "cpu"}
