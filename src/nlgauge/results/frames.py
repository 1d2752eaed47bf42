"""Rows as a data frame of whichever library is installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from typing import Any

from nlgauge.errors import ParameterError


def as_frame(rows: list[dict[str, Any]], frame: str | None) -> Any:
    """The rows as a frame of the named kind, or of the kind that is installed."""
    kind = _kind(frame)
    return rows if kind == "records" else importlib.import_module(kind).DataFrame(rows)


def columns_as_frame(columns: Mapping[str, Any], frame: str | None) -> Any:
    """Columns, sequences or arrays, as a frame of the named kind, or of the kind that is installed."""
    kind = _kind(frame)
    return list(each_record(columns)) if kind == "records" else importlib.import_module(kind).DataFrame(dict(columns))


def each_record(columns: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of columns as dictionaries of plain values, one after the other, so that many of them take little memory."""
    plain = [values.tolist() if hasattr(values, "tolist") else values for values in columns.values()]
    for values in zip(*plain, strict=True):
        yield dict(zip(columns, values, strict=True))


def _kind(frame: str | None) -> str:
    if frame not in {"pandas", "polars", "records", None}:
        raise ParameterError(f"frame must be 'pandas', 'polars' or 'records', got {frame!r}.")
    return frame or next((kind for kind in ("pandas", "polars") if importlib.util.find_spec(kind)), "records")
