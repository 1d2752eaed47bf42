"""The log of ratings: one line of JSON per event, written to disk before it is acknowledged.

Events are appended and never changed: undo is an event too. A line ends with a check sum, so that a line that
a crash cut off is noticed and set aside when the log is opened.

rating    the answers and marks of an annotator for an item
skip      the annotator declared that the item cannot be rated, with an optional reason
undo      the last rating or skip of the item was taken back
note      metrics proposed a block of segments
opened    the page of the annotator was opened
merged    the following events that name its number came from a file
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
RATING, SKIP, UNDO, NOTE, OPENED, MERGED = "rating", "skip", "undo", "note", "opened", "merged"
# The kinds of events, with the fields that are read without a further check.
_FIELDS: dict[str, dict[str, Any]] = {
    RATING: {"answers": dict, "shown": list, "active": (int, float)},
    SKIP: {"reason": str, "active": (int, float)},
    UNDO: {},
    NOTE: {},
    OPENED: {},
    MERGED: {"file": str, "events": int},
}
# Responses of an annotator to an item: the last of these events counts, unless an undo took it back.
_RESPONSES = (RATING, SKIP)


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

    Raise ResultError if a line before the last is damaged, or has a kind that another version wrote. The file does
    not change.
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
    for number, line in enumerate(lines, 1):
        if line.record is not None and line.record["kind"] not in _FIELDS:
            raise ResultError(
                f"line {number} of {path.name} has the kind {line.record['kind']!r:.40}, and this version of nlgauge"
                f" reads {', '.join(_FIELDS)}; use the version that wrote it."
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
            and all(isinstance(record.get(n), t) for n, t in _FIELDS.get(record["kind"], {}).items())
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

    def has(self, annotator: str, request: str) -> bool:
        """Return whether a request of an annotator was written."""
        return (annotator, request) in self._answered

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
    """Return the response of each annotator to each item: the last rating or skip that was not undone.

    >>> rated = {"annotator": "ana", "item": "x"}
    >>> current([{**rated, "kind": "rating", "n": 0}, {**rated, "kind": "undo", "n": 1}])
    {}
    """
    return {key: stack[-1] for key, stack in stacks(records).items() if stack}


def stacks(records: Sequence[Record]) -> dict[tuple[str, str], list[Record]]:
    """Return the responses of each annotator to each item that were not undone, the current response last."""
    responses: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        apply(responses, record)
    return responses


def apply(responses: dict[tuple[str, str], list[Record]], record: Record) -> None:
    """Add an event to the responses of each annotator and item, the current response last."""
    if record["kind"] in _RESPONSES:
        responses.setdefault((record["annotator"], record["item"]), []).append(record)
    elif record["kind"] == UNDO and (stack := responses.get((record["annotator"], record["item"]))):
        stack.pop()
