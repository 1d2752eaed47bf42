"""Values on disk: one JSON value per line, each read when it is asked for, and labels that many segments
share.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from operator import eq
from pathlib import Path
from typing import Any, overload

import msgspec
import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array, blocks, let_go
from nlgauge.errors import InputError

decode_texts: Callable[[bytes], list[Any]] = msgspec.json.Decoder(list[str]).decode


class Lazy(Sequence[Any]):
    """A sequence whose items are read when they are asked for, many at once where many are."""

    def many(self, numbers: Array) -> list[Any]:
        """The items with these numbers."""
        raise NotImplementedError

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return self.many(np.arange(len(self))[place])
        return self.many(np.array([range(len(self))[place]]))[0]

    def __iter__(self) -> Iterator[Any]:
        for start, stop in blocks(len(self)):
            yield from self.many(np.arange(start, stop))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Where an item is first, as lists say it."""
        last = len(self) if stop is None else stop
        found = next((i for i, known in enumerate(self) if start <= i < last and known == value), None)
        if found is None:
            raise ValueError(f"{value!r:.60} is not among them")
        return found


class StoredLines(Lazy):
    """The values of a file with one JSON value per line; texts unless `decode` reads something else from
    an array of them.
    """

    def __init__(self, path: Path, ends: Array, decode: Callable[[bytes], list[Any]] = decode_texts) -> None:
        self.ends = ends
        self._path = path
        self._decode = decode
        self._file = os.open(path, os.O_RDONLY)

    def __del__(self) -> None:
        os.close(self._file)

    def __len__(self) -> int:
        return len(self.ends)

    def many(self, numbers: Array) -> list[Any]:
        """The values with these numbers; neighbours are read at once."""
        if not len(numbers):
            return []
        first, last = int(numbers.min()), int(numbers.max())
        start = int(self.ends[first - 1]) if first else 0
        if last - first < 4 * len(numbers):
            ends = np.asarray(self.ends[first : last + 1]) - start
            data = os.pread(self._file, int(ends[-1]), start)
            bounds = [0, *ends.tolist()]
            lines = [data[bounds[i] : bounds[i + 1]] for i in (numbers - first).tolist()]
        else:
            lines = [
                os.pread(self._file, end - begin, begin) for begin, end in map(self._bounds, numbers.tolist())
            ]
        try:
            values = self._decode(b"[" + b",".join(lines) + b"]")
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise InputError(f"{self._path} is damaged: {error}") from None
        if len(values) != len(lines):
            raise InputError(f"{self._path} is damaged: {len(lines)} of its lines hold {len(values)} values.")
        return values

    def _bounds(self, number: int) -> tuple[int, int]:
        return int(self.ends[number - 1]) if number else 0, int(self.ends[number])


class StoredLabels(Lazy):
    """Labels that many segments share: each distinct one once, in memory, and the number of each
    segment's on disk.
    """

    def __init__(self, labels: list[str], numbers: Array) -> None:
        self._labels = labels
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def many(self, numbers: Array) -> list[Any]:
        """The labels of these segments."""
        return [self._labels[i] for i in self._numbers[numbers].tolist()]

    @lazy
    def ranks(self) -> Array:
        """The place of each segment's label among all labels in alphabetical order."""
        rank = np.empty(len(self._labels), dtype=np.int64)
        rank[sorted(range(len(self._labels)), key=self._labels.__getitem__)] = np.arange(len(self._labels))
        found = rank[self._numbers]
        let_go(self._numbers)
        return found


def picked(values: Sequence[Any], numbers: list[int]) -> tuple[Any, ...]:
    """The items with these numbers."""
    return tuple(
        values.many(np.array(numbers, dtype=np.int64))
        if isinstance(values, Lazy)
        else [values[i] for i in numbers]
    )
