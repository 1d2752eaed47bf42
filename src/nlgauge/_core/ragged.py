"""The column type Ragged: rows of different lengths in two flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.lazy import lazy

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

# NDArray[Any], without the import of numpy.typing.
Array = np.ndarray[tuple[Any, ...], np.dtype[Any]]
_BLOCK_ROWS = 1 << 16


@dataclass(frozen=True, eq=False)
class Ragged:
    """A column whose row i is ``values[offsets[i]:offsets[i + 1]]``.

    `values` has the shape (total,) or (total, d).

    >>> Ragged.of([[1, 2], [], [3]]).lengths.tolist()
    [2, 0, 1]
    """

    values: Array
    offsets: Array

    @classmethod
    def of(cls, rows: Iterable[Sequence[Any] | Array], dtype: DTypeLike = np.int64) -> Ragged:
        """Return the column that contains these rows."""
        rows = list(rows)
        offsets = offsets_of([len(row) for row in rows])
        if rows and isinstance(rows[0], np.ndarray):
            return cls(np.concatenate(rows).astype(dtype, copy=False), offsets)
        flat = [value for row in rows for value in row]
        return cls(np.asarray(flat, dtype=dtype), offsets)

    @classmethod
    def single(cls, values: Array) -> Ragged:
        """Return the column with one value per row."""
        column = cls(values, np.arange(len(values) + 1))
        column.__dict__["is_single"] = True
        return column

    @classmethod
    def concatenate(cls, columns: Sequence[Ragged]) -> Ragged:
        """Return one column with the rows of all columns in order."""
        lengths = np.concatenate([column.lengths for column in columns])
        # Empty columns are left out, because their width may differ.
        filled = [column.values for column in columns if len(column.values)] or [columns[0].values]
        return cls(np.concatenate(filled), offsets_of(lengths))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> Array:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def __iter__(self) -> Iterator[Array]:
        return (self[row] for row in range(len(self)))

    @lazy
    def lengths(self) -> Array:
        """The number of values in each row."""
        lengths: Array = self.offsets[1:] - self.offsets[:-1]
        return lengths

    @lazy
    def is_single(self) -> bool:
        """True if every row has exactly one value."""
        return len(self.values) == len(self) and bool((self.lengths == 1).all())

    @property
    def owners(self) -> Array:
        """The row to which each value belongs."""
        return np.arange(len(self)) if self.is_single else np.repeat(np.arange(len(self)), self.lengths)

    def take(self, rows: Array) -> Ragged:
        """Return the column of these rows, in this order."""
        if self.is_single:
            return Ragged.single(self.values[rows])
        offsets = offsets_of(self.lengths[rows])
        return Ragged(self.values[self._places(rows, offsets)], offsets)

    def places(self, rows: Array) -> Array:
        """Return the indices in `values` of the values of these rows, row after row."""
        return self._places(rows, offsets_of(self.lengths[rows]))

    def _places(self, rows: Array, offsets: Array) -> Array:
        places: Array = np.arange(offsets[-1]) + np.repeat(
            self.offsets[rows] - offsets[:-1], offsets[1:] - offsets[:-1]
        )
        return places

    def lists(self) -> list[list[Any]]:
        """Return the rows as Python lists, which plain Python kernels read faster than arrays."""
        flat, bounds = self.values.tolist(), self.offsets.tolist()
        return [flat[start:end] for start, end in pairwise(bounds)]


class GrowingColumn:
    """A Ragged, or a NamedTuple of Raggeds, to which rows can be appended.

    The capacity is doubled when it is used up, so that most calls of `append` copy only the new rows.
    """

    def __init__(self) -> None:
        self._kind: Any = None
        self._parts: list[_GrowingRagged] = []

    @property
    def column(self) -> Any:
        """All rows so far; None before the first call of `append`."""
        if self._kind is None:
            return None
        parts = [part.ragged for part in self._parts]
        return parts[0] if self._kind is Ragged else self._kind(*parts)

    @property
    def nbytes(self) -> int:
        """The memory of the rows in bytes, without unused capacity."""
        return sum(
            part.values.nbytes + part.offsets.nbytes for part in (growing.ragged for growing in self._parts)
        )

    def append(self, new: Any) -> None:
        """Append the rows of a column of the same type."""
        parts = [new] if isinstance(new, Ragged) else list(new)
        if self._kind is None:
            self._kind = type(new)
            self._parts = [_GrowingRagged(part) for part in parts]
        else:
            for growing, part in zip(self._parts, parts, strict=True):
                growing.append(part)


class _GrowingRagged:
    def __init__(self, first: Ragged) -> None:
        self._values, self._offsets = first.values, first.offsets
        self._total, self._rows = len(first.values), len(first)
        # Created once per `append`, so that its cached `lengths` are reused until the next call.
        self.ragged = first

    def append(self, new: Ragged) -> None:
        offsets = _with_room(self._offsets, self._rows + 1, len(new))
        if not self._total:  # the values of a column without values may have another width
            self._values = new.values
        elif len(new.values):
            self._values = _with_room(self._values, self._total, len(new.values))
            self._values[self._total : self._total + len(new.values)] = new.values
        offsets[self._rows + 1 : self._rows + 1 + len(new)] = new.offsets[1:] + self._total
        self._offsets = offsets
        self._total, self._rows = self._total + len(new.values), self._rows + len(new)
        self.ragged = Ragged(self._values[: self._total], self._offsets[: self._rows + 1])


def _with_room(array: Array, used: int, more: int) -> Array:
    """Return the array if `more` items fit after the used ones, else a copy of at least twice its length."""
    if used + more <= len(array):
        return array
    grown = np.empty((max(used + more, 2 * len(array)), *array.shape[1:]), dtype=array.dtype)
    grown[:used] = array[:used]
    return grown


def offsets_of(lengths: Sequence[int] | Array) -> Array:
    """Return the start of each row and the end of the last row, from the lengths of the rows."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.asarray(lengths, dtype=np.int64).cumsum(out=offsets[1:])
    return offsets


def blocks(rows: int) -> Iterator[tuple[int, int]]:
    """Return the start and end of consecutive blocks of rows, so that only one must be in memory."""
    return ((start, min(start + _BLOCK_ROWS, rows)) for start in range(0, rows, _BLOCK_ROWS))


def let_go(*arrays: Array) -> None:
    """Free the memory of arrays that are mapped files; they are read again on the next use."""
    for array in arrays:
        mapped = getattr(array, "_mmap", None)
        if mapped is not None and hasattr(mapped, "madvise"):
            from mmap import MADV_DONTNEED

            mapped.madvise(MADV_DONTNEED)
