"""The options of a run, checked."""

from __future__ import annotations

import re

from nlgauge._core.defaults import SEED
from nlgauge.errors import ParameterError
from nlgauge.features import RunOptions

# A type of device that torch has, with a number; whether there is such a device is known when a model is loaded.
_DEVICE = r"(cpu|cuda|hip|mps|xpu|hpu|xla|mtia|maia|ipu|npu|vulkan|meta|privateuseone)(:\d+)?"


def run_options(seed: int = SEED, batch_size: int | None = None, device: str | None = None) -> RunOptions:
    """Return the options of a run; raise ParameterError if an option is invalid."""
    return RunOptions(_checked(seed, "seed", 0), _batch(batch_size), _device(device))


def _checked(value: int, name: str, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ParameterError(f"{name} must be a whole number from {least}, got {value!r}.")
    return value


def _batch(value: int | None) -> int | None:
    return None if value is None else _checked(value, "batch_size", 1)


def _device(value: str | None) -> str | None:
    if value is not None and (not isinstance(value, str) or not re.fullmatch(_DEVICE, value)):
        raise ParameterError(
            "device must be a name that torch knows, such as 'cpu', 'cuda', 'cuda:1' or 'mps', got"
            f" {value!r:.60}."
        )
    return value
