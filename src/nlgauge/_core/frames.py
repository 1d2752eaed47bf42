"""Rows as a data frame of whichever library is installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nlgauge.errors import ParameterError


def as_frame(rows: list[dict[str, Any]], frame: str | None) -> Any:
    """Return the rows as a frame of the named kind, or of the kind that is installed."""
    columns = {
        name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)
    }
    return rows if _kind(frame) == "records" else blocks_as_frame([columns], frame)


def blocks_as_frame(blocks: Iterable[Mapping[str, Sequence[Any]]], frame: str | None) -> Any:
    """Return blocks of the same columns, one below the other, as a frame of the named kind, or of the kind
    that is installed.
    """
    kind = _kind(frame)
    if kind == "records":
        return [
            dict(zip(columns, values, strict=True))
            for columns in blocks
            for values in zip(*columns.values(), strict=True)
        ]
    joined: dict[str, list[Any]] = {}
    for columns in blocks:
        for name, values in columns.items():
            joined.setdefault(name, []).extend(values)
    if kind == "polars":
        joined = {name: _of_one_kind(values) for name, values in joined.items()}
    return importlib.import_module(kind).DataFrame(joined)


def _of_one_kind(values: list[Any]) -> list[Any]:
    """Return values that fit a polars column: values of kinds that cannot share a column become texts."""
    kinds = {type(value) for value in values} - {type(None)}
    if (len(kinds) <= 1 and not kinds & {tuple, dict}) or kinds <= {int, float}:
        return values
    return [None if value is None else str(value) for value in values]


def _kind(frame: str | None) -> str:
    if frame not in {"pandas", "polars", "records", None}:
        raise ParameterError(f"frame must be 'pandas', 'polars' or 'records', got {frame!r}.")
    return frame or next((kind for kind in ("pandas", "polars") if importlib.util.find_spec(kind)), "records")
