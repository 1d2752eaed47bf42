"""Explanations as JSON and back: {"format": 1, "kind": "Alignment", "cause": "...", ...} with the fields
of its type; the cause is for readers of the document, and is not read back.

Arrays are lists; NaN and infinity, which JSON does not have, are texts.
"""

from __future__ import annotations

import math
from dataclasses import fields
from functools import cache
from typing import Any

import msgspec
import numpy as np

import nlgauge.explanations
from nlgauge._core.numbers import rounded
from nlgauge._core.ragged import Array
from nlgauge.errors import ResultError, no_such
from nlgauge.explanations import Explanation
from nlgauge.explanations.cause import cause

FORMAT = 1
# Types of values that JSON has.
_UNCHANGED = {str, int, bool, type(None)}
# Fewer numbers than these are rounded one by one, which takes less time than NumPy's calls.
_MANY = 50


def document(explanation: Explanation, digits: int | None = None) -> dict[str, Any]:
    """Return the explanation as plain values, for any JSON writer; with `digits`, numbers with a fraction are
    rounded to this number of significant digits.
    """
    kind: Any = type(explanation)
    return {
        "format": FORMAT,
        "kind": kind.__name__,
        "cause": cause(explanation),
        **{
            name: _plain_spans(explanation) if name == "spans" else _plain(getattr(explanation, name), digits)
            for name in _names(kind)
        },
    }


def read(plain: Any) -> Explanation:
    """Return the explanation of a document, made by `document` or read from JSON."""
    if not isinstance(plain, dict):
        raise ResultError(f"an explanation must be a JSON object, got {type(plain).__name__}.")
    if plain.get("format") != FORMAT:
        raise ResultError(
            f"the explanation has the format {plain.get('format')!r:.60}, but this version reads format {FORMAT}; use"
            " the version of nlgauge that wrote it."
        )
    kind = kinds().get(str(plain.get("kind")))
    if kind is None:
        raise ResultError(no_such("kind of explanation", plain.get("kind"), kinds()))
    values = {name: value for name, value in plain.items() if name not in ("format", "kind", "cause")}
    try:
        return msgspec.convert(values, kind, strict=False, dec_hook=_array)
    except (msgspec.ValidationError, ValueError) as error:
        raise ResultError(
            f"the document is not a complete explanation of the kind {kind.__name__}: {error}"
        ) from None


def kinds() -> dict[str, type[Explanation]]:
    """Return the kinds of explanation, by name."""
    return {
        name: kind
        for name, kind in vars(nlgauge.explanations).items()
        if isinstance(kind, type) and issubclass(kind, Explanation) and kind is not Explanation
    }


def _plain_spans(explanation: Explanation) -> dict[str, list[list[int] | None]]:
    return {
        side: [None if span is None else list(span) for span in spans]
        for side, spans in explanation.spans.items()
    }


def _plain(value: Any, digits: int | None) -> Any:
    kind: Any = type(value)
    if kind in _UNCHANGED:
        return value
    if kind is list or kind is tuple:
        return _plain_items(value, digits)
    if kind is dict:
        return {key: _plain(item, digits) for key, item in value.items()}
    if isinstance(value, float):
        return _number(value, digits)
    if isinstance(value, np.ndarray):
        return _numbers(value, digits)
    if isinstance(value, np.generic):
        return _plain(value.item(), digits)
    return {name: _plain(getattr(value, name), digits) for name in _names(kind)}


def _plain_items(items: list[Any] | tuple[Any, ...], digits: int | None) -> list[Any]:
    return list(items) if set(map(type, items)) <= _UNCHANGED else [_plain(item, digits) for item in items]


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _numbers(array: Array, digits: int | None) -> Any:
    if array.dtype.kind == "f" and digits is not None and array.size >= _MANY and np.isfinite(array).all():
        return rounded(array, digits).tolist()
    return _plain(array.tolist(), digits)


def _number(value: float, digits: int | None) -> float | str:
    # JSON has no NaN and no infinity; the readers of numbers take their names.
    if not math.isfinite(value):
        return str(float(value))
    return float(value if digits is None else f"{value:.{digits}g}")


def _array(kind: Any, value: Any) -> Any:
    return np.array(value, dtype=np.float64)
