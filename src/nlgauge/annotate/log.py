"""The log of ratings: one line of JSON per event, written to disk before it is acknowledged.

Events are appended and never changed: undo is an event too. A line ends with a check sum, so that a line that
a crash cut off is noticed and set aside when the log is opened.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from nlgauge._core.paths import write_whole
from nlgauge.errors import ResultError

Record = dict[str, Any]
# Fields of a rating, which are read without a further check.
_RATING: dict[str, Any] = {"answers": dict, "shown": list, "active": (int, float)}


class Line(NamedTuple):
    """A line of the log; `record` is None if the line is damaged."""

    content: bytes
    record: Record | None


def checksum(record: Record) -> str:
    """Return the check sum of an event."""
    text = json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def encoded(record: Record) -> bytes:
    """Return the line of an event, with its check sum."""
    line = json.dumps({**record, "crc": checksum(record)}, ensure_ascii=True, separators=(",", ":"))
    return line.encode() + b"\n"


def read(path: Path) -> tuple[list[Record], bytes]:
    """Return the events of a log, and the bytes at its end that a crash left incomplete.

    Raise ResultError if a line before the last is damaged. The file does not change.
    """
    lines = list(_lines(path))
    rest = lines.pop().content if lines and lines[-1].record is None else b""
    damaged = [number for number, line in enumerate(lines, 1) if line.record is None]
    if damaged:
        raise ResultError(
            f"line {damaged[0]} of {path.name} is damaged (its check sum is wrong)",
            python="Campaign.repair retains the lines before and after it",
            cli="nlgauge annotate status --repair retains the lines before and after it",
        )
    return [line.record for line in lines if line.record is not None], rest


def readable(path: Path) -> list[Record]:
    """Return the events of all lines that are not damaged."""
    return [line.record for line in _lines(path) if line.record is not None]


def repair(path: Path) -> int:
    """Move the damaged lines of a log to a file next to it; return their number."""
    lines = list(_lines(path))
    damaged = [line.content for line in lines if line.record is None]
    if damaged:
        _set_aside(path, b"".join(damaged), "damaged")
        write_whole(path, b"".join(line.content for line in lines if line.record is not None))
    return len(damaged)


def _lines(path: Path) -> Iterator[Line]:
    content = path.read_bytes() if path.exists() else b""
    # Only a line feed ends a line: a damaged byte may have become a carriage return.
    *lines, rest = content.split(b"\n")
    for line in (*(line + b"\n" for line in lines), *filter(None, [rest])):
        yield Line(line, _decoded(line))


def _decoded(line: bytes) -> Record | None:
    if not line.endswith(b"\n"):
        return None
    try:
        record = json.loads(line)
        valid = (
            isinstance(record, dict)
            and record.pop("crc", None) == checksum(record)
            and type(record.get("n")) is int
            and all(isinstance(record.get(name), str) for name in ("kind", "annotator", "item"))
            and (record["kind"] != "rating" or all(isinstance(record.get(n), t) for n, t in _RATING.items()))
        )
    except (ValueError, RecursionError):
        return None
    return record if valid else None


def _set_aside(path: Path, content: bytes, reason: str) -> Path:
    number = 1
    while (file := path.with_suffix(f".{reason}-{number}")).exists():
        number += 1
    write_whole(file, content)
    return file


class Log:
    """A log that is open for writing; only one process may have it open."""

    def __init__(self, path: Path) -> None:
        self.records, rest = read(path)
        self.notes: list[str] = []
        if rest:
            aside = _set_aside(path, rest, "torn")
            os.truncate(path, path.stat().st_size - len(rest))
            self.notes.append(f"{path.name} ended with an incomplete line, which was moved to {aside.name}")
        self._answered: dict[tuple[str, str], int] = {
            (record["annotator"], record["request"]): record["n"]
            for record in self.records
            if "request" in record
        }
        self._next = 1 + max((record["n"] for record in self.records), default=-1)
        is_new = not path.exists()
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._size = os.fstat(self._file).st_size
        if is_new:
            _sync_directory(path.parent)

    def add(self, record: Record) -> int:
        """Write an event to disk; return its number. A repeated request is written once."""
        request = record.get("request")
        if request is not None and (record["annotator"], request) in self._answered:
            return self._answered[record["annotator"], request]
        record = {"n": self._next, "at": round(time.time(), 3), **record}
        line = encoded(record)
        # Bytes of a line that was not acknowledged and could not be removed would damage this line.
        if os.fstat(self._file).st_size != self._size:
            os.ftruncate(self._file, self._size)
        try:
            if os.write(self._file, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise
        self._size += len(line)
        self.records.append(record)
        self._next += 1
        if request is not None:
            self._answered[record["annotator"], request] = record["n"]
        return int(record["n"])

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def _sync_directory(folder: Path) -> None:
    """Write the entry of a new file to disk, where the system can do that."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def current(records: Sequence[Record]) -> dict[tuple[str, str], Record]:
    """Return the rating of each annotator and item: the last rating that was not undone.

    >>> rated = {"annotator": "ana", "item": "x"}
    >>> current([{**rated, "kind": "rating", "n": 0}, {**rated, "kind": "undo", "n": 1}])
    {}
    """
    ratings: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        apply(ratings, record)
    return {key: stack[-1] for key, stack in ratings.items() if stack}


def apply(ratings: dict[tuple[str, str], list[Record]], record: Record) -> None:
    """Add an event to the ratings of each annotator and item, the current rating last."""
    stack = ratings.setdefault((record["annotator"], record["item"]), [])
    if record["kind"] == "rating":
        stack.append(record)
    elif record["kind"] == "undo" and stack:
        stack.pop()
