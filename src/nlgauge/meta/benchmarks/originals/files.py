"""Opened: a path that a user gave, read once, so that each reader can look whether it is its own."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from nlgauge._core.lazy import lazy
from nlgauge.errors import InputError
from nlgauge.io.files import Address, decoded, lines_of, read_bytes

# A story or an article is one field; the library's own limit is lower.
csv.field_size_limit(10_000_000)


class Opened:
    """A file or folder; `records` are the dictionaries in it, of whichever kind of file."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.kind = None if place.is_dir() else Address(str(place)).kind

    @lazy
    def text(self) -> str:
        """The file's text."""
        return decoded(read_bytes(str(self.place)), str(self.place))

    @lazy
    def records(self) -> list[Mapping[str, Any]]:
        """The objects of JSON, or the rows of a table with a header; empty for a directory or another kind of
        file.
        """
        if self.place.is_dir() or self.kind is None or self.kind == "parquet":
            return []
        try:
            if self.kind == "jsonl":
                found: Any = [
                    self._line(number, line)
                    for number, line in enumerate(lines_of(self.text), 1)
                    if line.strip()
                ]
            elif self.kind == "json":
                found = msgspec.json.decode(self.text)
            else:
                found = self._table()
        except msgspec.DecodeError as error:
            raise InputError(f"{self.place} is not JSON: {error}.") from None
        return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []

    def _line(self, number: int, line: str) -> Any:
        try:
            return msgspec.json.decode(line)
        except msgspec.DecodeError as error:
            raise InputError(f"{self.place}, line {number} is not JSON: {error}.") from None

    def _table(self) -> list[dict[str, str]]:
        """Return rows of a .csv or .tsv file; what machine translation calls .csv may be separated by blanks."""
        head = self.text.partition("\n")[0]
        if "," not in head and "\t" not in head:
            lines = [line.split() for line in lines_of(self.text) if line.strip()]
            return [dict(zip(lines[0], line, strict=False)) for line in lines[1:]]
        tabs = "\t" in head
        reader = csv.DictReader(
            io.StringIO(self.text, newline=""),
            delimiter="\t" if tabs else ",",
            quoting=csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL,
        )
        return list(reader)

    def has(self, *names: str) -> bool:
        """Return True if the first record has all of these fields."""
        return bool(self.records) and all(name in self.records[0] for name in names)


def field(record: Mapping[str, Any], name: str, place: Path, number: int) -> Any:
    """Return a field of a record, or raise an error that names the record."""
    if record.get(name) is None:
        raise InputError(f"{place}, record {number} has no {name!r}.")
    return record[name]


def number(value: Any, place: Path, where: int) -> float:
    """Return a value as a number, or raise an error that names the record."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{place}, record {where}: {value!r:.40} is not a number.") from None


def mean(values: tuple[float, ...] | list[float]) -> float:
    """Return the mean of ratings; NaN without any."""
    return sum(values) / len(values) if values else float("nan")
