"""Rows as a data frame of whichever library is installed."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from nlgauge.errors import ParameterError


def as_frame(rows: list[dict[str, Any]], frame: str | None) -> Any:
    """The rows as a frame of the named kind, or of the kind that is installed."""
    kinds = {"pandas", "polars", "records", None}
    if frame not in kinds:
        raise ParameterError(f"frame must be 'pandas', 'polars' or 'records', got {frame!r}.")
    if frame is None:
        frame = next((kind for kind in ("pandas", "polars") if importlib.util.find_spec(kind)), "records")
    if frame == "records":
        return rows
    return importlib.import_module(frame).DataFrame(rows)
