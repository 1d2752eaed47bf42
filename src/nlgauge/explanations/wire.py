"""Explanations as JSON and back: {"format": 1, "kind": "Alignment", ...} with the fields of its type.

Arrays are lists; NaN and infinity, which JSON does not have, are texts.
"""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from typing import Any

import msgspec
import numpy as np

import nlgauge.explanations
from nlgauge.errors import ResultError
from nlgauge.explanations import Explanation

FORMAT = 1


def document(explanation: Explanation) -> dict[str, Any]:
    """Return the explanation as plain values, for any JSON writer."""
    return {"format": FORMAT, "kind": type(explanation).__name__, **_plain(explanation)}


def read(given: Any) -> Explanation:
    """Return the explanation of a document, made by `document` or read from JSON."""
    if not isinstance(given, dict) or given.get("format") != FORMAT:
        found = given.get("format") if isinstance(given, dict) else type(given).__name__
        raise ResultError(f"an explanation must be a JSON object with format {FORMAT}; got {found!r}.")
    kind = kinds().get(given.get("kind", ""))
    if kind is None:
        raise ResultError(
            f"unknown kind of explanation {given.get('kind')!r}; choose one of {', '.join(kinds())}."
        )
    own = {name: value for name, value in given.items() if name not in ("format", "kind")}
    try:
        return msgspec.convert(own, kind, strict=False, dec_hook=_array)
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


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    # JSON has no NaN; the readers of numbers take these texts.
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _array(kind: Any, value: Any) -> Any:
    return np.array(value, dtype=np.float64)
