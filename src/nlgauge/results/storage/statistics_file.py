"""statistics.bin: the columns of all tables, one after the other, each in the smallest type that represents it.

A column of whole numbers from 0 is stored as uint8, uint16 or uint32, any other as float64; run.json has the
types. Columns are read as float64 again, bit for bit, and start at multiples of eight bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from nlgauge._core.ragged import Array, blocks, let_go
from nlgauge.corpus.store.lazy_values import mapped
from nlgauge.errors import InputError
from nlgauge.results.storage.layout import StoredPart

_TYPES = {name: np.dtype(name).newbyteorder("<") for name in ("uint8", "uint16", "uint32", "float64")}
_ALIGNMENT = 8


class PartRows(NamedTuple):
    """The rows of one part of a table, in memory or mapped, one per segment."""

    system: str
    label: str
    part: str
    rows: Array
    segments: bool = False


class StoredRows:
    """Mapped rows of one part of a table; they are read as an array of float64 is, by slices, numbers or lists
    of numbers.
    """

    ndim, dtype = 2, np.dtype(np.float64)

    def __init__(self, columns: list[Array]) -> None:
        self._columns = columns
        # `let_go` gives back its memory.
        self._mmap = getattr(columns[0], "_mmap", None)
        self.shape = len(columns[0]), len(columns)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Array:
        parts = [column[rows] for column in self._columns]
        values = np.empty((*np.shape(parts[0]), len(parts)))
        for k, part in enumerate(parts):
            values[..., k] = part
        return values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self[:].astype(dtype or self.dtype, copy=False)


def write_statistics(parts: Sequence[PartRows], segments: int, path: Path) -> list[StoredPart]:
    """Write the rows of all tables, block by block; return what the columns are."""
    types = _narrowest(parts, segments)
    offsets, size = _offsets([kind for kinds in types for kind in kinds], segments)
    with path.open("wb") as stream:
        stream.truncate(size)
        for start, stop in blocks(segments):
            places = iter(offsets)
            for part, kinds in zip(parts, types, strict=True):
                rows = part.rows[start:stop]
                for k, kind in enumerate(kinds):
                    stream.seek(next(places) + start * _TYPES[kind].itemsize)
                    stream.write(rows[:, k].astype(_TYPES[kind]).tobytes())
            let_go(*(part.rows for part in parts))
    return [
        StoredPart(part.system, part.label, part.part, kinds, part.segments)
        for part, kinds in zip(parts, types, strict=True)
    ]


def _narrowest(parts: Sequence[PartRows], segments: int) -> list[list[str]]:
    """Return the smallest type for each column of each part."""
    whole = [np.ones(part.rows.shape[1], dtype=bool) for part in parts]
    highest = [np.zeros(part.rows.shape[1], dtype=np.uint32) for part in parts]
    for start, stop in blocks(segments):
        for part, is_whole, most in zip(parts, whole, highest, strict=True):
            rows = np.ascontiguousarray(part.rows[start:stop], dtype=np.float64)
            with np.errstate(invalid="ignore"):
                numbers = rows.astype(np.uint32)
            # Bits are compared, so that -0.0 and NaN stay what they are.
            same = numbers.astype(np.float64).view(np.int64) == rows.view(np.int64)
            np.logical_and(is_whole, same.all(axis=0), out=is_whole)
            np.maximum(most, numbers.max(axis=0), out=most)
        let_go(*(part.rows for part in parts))
    return [
        [np.min_scalar_type(number).name if fits else "float64" for fits, number in zip(*both, strict=True)]
        for both in zip(whole, highest, strict=True)
    ]


def read_statistics(parts: Sequence[StoredPart], segments: int, path: Path) -> list[Array]:
    """Return the rows of each part, mapped."""
    types = [kind for part in parts for kind in part.types]
    unknown = next((kind for kind in types if kind not in _TYPES), None)
    if unknown is not None or not all(part.types for part in parts):
        raise InputError(f"unknown type of statistics {unknown!r:.40}; the types are {', '.join(_TYPES)}.")
    offsets, size = _offsets(types, segments)
    data = mapped(path, size, np.dtype(np.uint8))
    columns = (
        data[start : start + segments * _TYPES[kind].itemsize].view(_TYPES[kind])
        for start, kind in zip(offsets, types, strict=True)
    )
    return [cast(Array, StoredRows([next(columns) for _ in part.types])) for part in parts]


def _offsets(types: Sequence[str], segments: int) -> tuple[list[int], int]:
    """Return the start of each column, and the end of the last column with its padding."""
    offsets, end = [], 0
    for kind in types:
        offsets.append(end)
        end += -(-segments * _TYPES[kind].itemsize // _ALIGNMENT) * _ALIGNMENT
    return offsets, end
