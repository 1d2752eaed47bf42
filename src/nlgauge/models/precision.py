"""Number formats of the forward passes of encoders: float32, or bfloat16 for matrix products."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from nlgauge.models.loader import torch_modules

PRECISIONS = ("float32", "bfloat16")


def autocast(precision: str, device: str) -> AbstractContextManager[Any]:
    """Return the context in which a model computes its matrix products with a precision."""
    if precision == "float32":
        return nullcontext()
    torch = torch_modules("a model-based metric")[1]
    context: AbstractContextManager[Any] = torch.autocast(torch.device(device).type, dtype=torch.bfloat16)
    return context


def warn_if_slow(precision: str, device: str) -> None:
    """Warn if a processor emulates bfloat16, so that float32 is faster."""
    if precision == "bfloat16" and device.startswith("cpu") and not has_bfloat16():
        warnings.warn(
            "this processor has no bfloat16 instructions, so precision='bfloat16' is slower than float32 and"
            " less exact; use precision='float32'.",
            stacklevel=2,
        )


def has_bfloat16() -> bool:
    """Return True if torch reports bfloat16 instructions of the processor (AVX-512 BF16 or AMX)."""
    torch = torch_modules("a model-based metric")[1]
    checks = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, name, lambda: False)() for name in checks)
