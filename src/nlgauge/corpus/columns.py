"""Ragged: the one column type, rows of different lengths in two flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Ragged:
    """Row i is ``values[offsets[i]:offsets[i + 1]]``; values are (total,) or (total, d).

    >>> Ragged.of([[1, 2], [], [3]]).lengths.tolist()
    [2, 0, 1]
    """

    values: Array
    offsets: Array

    @classmethod
    def of(cls, rows: Iterable[Sequence[Any] | Array], dtype: DTypeLike = np.int64) -> Ragged:
        """The column that holds these rows."""
        rows = list(rows)
        offsets = offsets_of([len(row) for row in rows])
        if rows and isinstance(rows[0], np.ndarray):
            return cls(np.concatenate(rows).astype(dtype, copy=False), offsets)
        flat = [value for row in rows for value in row]
        return cls(np.asarray(flat, dtype=dtype), offsets)

    @classmethod
    def single(cls, values: Array) -> Ragged:
        """The column with one value a row."""
        return cls(values, np.arange(len(values) + 1))

    @classmethod
    def concatenate(cls, columns: Sequence[Ragged]) -> Ragged:
        """The rows of all columns, one after the other."""
        lengths = np.concatenate([column.lengths for column in columns])
        # A column without values need not know how wide they would be.
        filled = [column.values for column in columns if len(column.values)] or [columns[0].values]
        return cls(np.concatenate(filled), offsets_of(lengths))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> Array:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def __iter__(self) -> Iterator[Array]:
        return (self[row] for row in range(len(self)))

    @property
    def lengths(self) -> Array:
        """The number of values in each row."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> Array:
        """The row to which each value belongs."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def take(self, rows: Array) -> Ragged:
        """The column of these rows, in this order."""
        return Ragged(self.values[self.places(rows)], offsets_of(self.lengths[rows]))

    def places(self, rows: Array) -> Array:
        """Where the values of these rows stand in `values`, row after row."""
        lengths = self.lengths[rows]
        offsets = offsets_of(lengths)
        found: Array = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], lengths)
        return found

    def lists(self) -> list[list[Any]]:
        """The rows as Python lists, which plain kernels read faster than arrays."""
        flat, bounds = self.values.tolist(), self.offsets.tolist()
        return [flat[start:end] for start, end in pairwise(bounds)]


def offsets_of(lengths: Sequence[int] | Array) -> Array:
    """Where each row starts and the last one ends, from the rows' lengths."""
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, dtype=np.int64))])
