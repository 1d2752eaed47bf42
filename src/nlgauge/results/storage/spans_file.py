"""spans.npz: the error spans of a corpus, by annotator or metric. It is read without trust, like fits.npz.

`voices` has names and codes as UTF-8 JSON; the columns of the k-th voice are k/start, k/end and so on.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nlgauge.errors import InputError
from nlgauge.results.storage.fits_file import read_arrays
from nlgauge.spans.columns import COLUMNS, Spans

_VOICES = "voices"
_ARRAYS = (*COLUMNS, "offsets", "looked")
# Kinds of numbers of the columns, as NumPy names them.
_KINDS = {"confidence": "f", "continues": "b", "looked": "b"}


class SavedVoice(msgspec.Struct):
    """The names of one voice."""

    who: str
    kind: str
    systems: list[str]
    severities: list[str]
    categories: list[str]
    notes: dict[int, str]


def write_spans(spans: Mapping[str, Spans], path: Path, texts: bool) -> None:
    """Write spans; without texts also without notes, which may quote them."""
    voices = [
        SavedVoice(
            each.who,
            each.kind,
            list(each.systems),
            list(each.severities),
            list(each.categories),
            dict(each.notes) if texts else {},
        )
        for each in spans.values()
    ]
    arrays = {f"{k}/{name}": getattr(each, name) for k, each in enumerate(spans.values()) for name in _ARRAYS}
    arrays[_VOICES] = np.frombuffer(msgspec.json.encode(voices), np.uint8)
    with path.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)


def read_spans(path: Path, segments: int) -> dict[str, Spans]:
    """Return the spans of a result, by voice; nothing if the result has none."""
    if not path.is_file():
        return {}
    arrays = read_arrays(path)
    voices = msgspec.json.decode(arrays[_VOICES].tobytes(), type=list[SavedVoice])
    spans = {}
    for k, voice in enumerate(voices):
        columns: dict[str, Any] = {name: arrays[f"{k}/{name}"] for name in _ARRAYS}
        for name, column in columns.items():
            if column.dtype.kind not in _KINDS.get(name, "iu") or (name != "looked" and column.ndim != 1):
                raise InputError(f"the column {name} of the spans of {voice.who!r:.60} has another type.")
            if name in ("severity", "category", "side") and column.min(initial=0) < 0:
                raise InputError(f"the column {name} of the spans of {voice.who!r:.60} is negative.")
        spans[voice.who] = Spans(
            voice.who,
            voice.kind,
            tuple(voice.systems),
            tuple(range(segments)),
            severities=tuple(voice.severities),
            categories=tuple(voice.categories),
            notes=voice.notes,
            **columns,
        )
    return spans
