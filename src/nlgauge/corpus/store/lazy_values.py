"""Values on disk that are read on access: one JSON value per line, and labels shared by many segments."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from operator import eq
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array, blocks, let_go
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

# Files below this size in bytes are read at once instead of mapped, so that many small results need no open files.
SMALL_FILE = 1_000_000


def decode_texts(data: bytes) -> list[Any]:
    """Return the texts of a JSON array."""
    import msgspec

    return msgspec.json.decode(data, type=list[str])


def file_size(path: Path) -> int:
    """Return the size of a file; raise InputError if the path is not a regular file.

    Opening a pipe, for example, would block.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path.name} is not a file.")
    return status.st_size


def is_small(path: Path) -> bool:
    """Return True if a file is read at once instead of mapped."""
    return file_size(path) < SMALL_FILE


def mapped(path: Path, count: int, kind: np.dtype[Any]) -> Array:
    """Return the numbers in a file, mapped unless it is small; raise InputError unless it has `count`."""
    if file_size(path) != count * kind.itemsize:
        raise InputError(
            f"{path.name} has {file_size(path)} bytes instead of {count * kind.itemsize}; the stored corpus is"
            " damaged."
        )
    if not is_small(path):
        return np.memmap(path, dtype=kind, mode="r", shape=(count,))
    return np.frombuffer(path.read_bytes(), dtype=kind)


def _identity(path: Path) -> tuple[int, ...]:
    """Return device, inode, size and time of a file, which differ if another file replaced it."""
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class Lazy(Sequence[Any]):
    """Sequence whose items are read on access; `many` reads several items at once."""

    def many(self, numbers: Array) -> list[Any]:
        """Return the items with these numbers."""
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
        """Return the index of the first item that equals the value, as `list.index` does."""
        last = len(self) if stop is None else stop
        match = next((i for i, item in enumerate(self) if start <= i < last and item == value), None)
        if match is None:
            raise ValueError(f"{value!r:.60} is not in the sequence")
        return match


class StoredLines(Lazy):
    """Values of a file with one JSON value per line.

    `decode` reads a JSON array of such values; by default, the values are texts.
    """

    def __init__(self, path: Path, ends: Array, decode: Callable[[bytes], list[Any]] = decode_texts) -> None:
        self.ends = ends
        self._path = path
        self._decode = decode
        self._identity = _identity(path)
        self._content = path.read_bytes() if is_small(path) else None
        self._file = os.open(path, os.O_RDONLY) if self._content is None else -1

    def __del__(self) -> None:
        if self._file >= 0:
            os.close(self._file)

    def is_at(self, path: Path) -> bool:
        """Return True if the file at this path is the file of these values."""
        try:
            return _identity(path) == self._identity
        except OSError:
            return False

    def _read(self, start: int, size: int) -> bytes:
        if self._content is None:
            return os.pread(self._file, size, start)
        return self._content[start : start + size]

    def __len__(self) -> int:
        return len(self.ends)

    def many(self, numbers: Array) -> list[Any]:
        """Return the values with these numbers, with one read if the numbers are close together."""
        if not len(numbers):
            return []
        first, last = int(numbers.min()), int(numbers.max())
        start = int(self.ends[first - 1]) if first else 0
        if last - first < 4 * len(numbers):
            ends = np.asarray(self.ends[first : last + 1]) - start
            data = self._read(start, int(ends[-1]))
            bounds = [0, *ends.tolist()]
            lines = [data[bounds[i] : bounds[i + 1]] for i in (numbers - first).tolist()]
        else:
            lines = [self._read(begin, end - begin) for begin, end in map(self._bounds, numbers.tolist())]
        import msgspec

        try:
            values = self._decode(b"[" + b",".join(lines) + b"]")
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise InputError(f"{self._path} is damaged: {error}") from None
        if len(values) != len(lines):
            raise InputError(f"{self._path} is damaged: {len(lines)} lines have {len(values)} values.")
        return values

    def _bounds(self, number: int) -> tuple[int, int]:
        return int(self.ends[number - 1]) if number else 0, int(self.ends[number])


class StoredLabels(Lazy):
    """Labels shared by many segments: distinct labels in memory, and a label number per segment on disk."""

    def __init__(self, labels: list[str], numbers: Array) -> None:
        self._labels = labels
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def many(self, numbers: Array) -> list[Any]:
        """Return the labels of these segments."""
        return [self._labels[i] for i in self._numbers[numbers].tolist()]

    @lazy
    def ranks(self) -> Array:
        """Rank of each segment's label among all labels in alphabetical order."""
        rank = np.empty(len(self._labels), dtype=np.int64)
        rank[sorted(range(len(self._labels)), key=self._labels.__getitem__)] = np.arange(len(self._labels))
        ranks = rank[self._numbers]
        let_go(self._numbers)
        return ranks


def picked(values: Sequence[Any], numbers: list[int]) -> tuple[Any, ...]:
    """Return the items with these numbers."""
    return tuple(
        values.many(np.array(numbers, dtype=np.int64))
        if isinstance(values, Lazy)
        else [values[i] for i in numbers]
    )
