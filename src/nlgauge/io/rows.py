"""Rows: what TSV, CSV and JSONL files hold, each row a dictionary."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from typing import Any

import msgspec

from nlgauge.errors import InputError, did_you_mean
from nlgauge.io.files import lines_of


@dataclass(frozen=True)
class Rows:
    """The rows of one file, and the line on which each ends."""

    place: str
    rows: list[dict[str, Any]]
    lines: list[int]

    def column(self, name: str) -> list[Any]:
        """The values of a column, or an error that lists the columns."""
        if not self.rows:
            raise InputError(f"{self.place} has no rows.")
        if name not in self.rows[0]:
            columns = list(self.rows[0])
            raise InputError(f"{self.place} has no column {name!r}{did_you_mean(name, columns)}; it has {', '.join(columns)}.")
        for row, line in zip(self.rows, self.lines, strict=True):
            if name not in row:
                raise InputError(f"{self.place}, line {line} has no {name!r}, the first one has; every line needs the same fields.")
        return [row[name] for row in self.rows]


def rows_of(text: str, kind: str, place: str, named: bool) -> Rows:
    """The rows of a file's text; without a row of names (`named=False`) the columns are called "1", "2", ..."""
    if kind == "jsonl":
        found = [(_object(line, number, place), number) for number, line in enumerate(lines_of(text), 1) if line.strip()]
        return Rows(place, [row for row, _ in found], [number for _, number in found])
    split = list(_csv(text, place) if kind == "csv" else _tsv(text))
    if not split:
        raise InputError(f"{place} is empty.")
    names = split[0][0] if named else [str(i + 1) for i in range(len(split[0][0]))]
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise InputError(f"{place} has two columns called {twice[0]!r}; rename one.")
    body = split[1:] if named else split
    for fields, line in body:
        if len(fields) != len(names):
            raise InputError(f"{place}, line {line} has {len(fields)} columns, the first line has {len(names)}; {_hint(kind)}")
    return Rows(place, [dict(zip(names, fields, strict=True)) for fields, _ in body], [line for _, line in body])


def _object(line: str, number: int, place: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        raise InputError(f"{place}, line {number} is not JSON: {error}; each line must be one object.") from None
    if not isinstance(found, dict):
        raise InputError(f"{place}, line {number} is a JSON {type(found).__name__}; each line must be one object.")
    return found


def _tsv(text: str) -> Iterator[tuple[list[str], int]]:
    for number, line in enumerate(lines_of(text), 1):
        yield line.split("\t"), number


def _csv(text: str, place: str) -> Iterator[tuple[list[str], int]]:
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    # The limit is the csv module's own and global; a whole document in one field may well exceed it.
    limit = csv.field_size_limit(max(len(text), 1))
    try:
        for fields in reader:
            yield fields or [""], reader.line_num
    except csv.Error as error:
        raise InputError(f"{place}, line {reader.line_num} is not CSV: {error}; a quote inside a quoted field is written twice.") from None
    finally:
        csv.field_size_limit(limit)


def _hint(kind: str) -> str:
    return "quote fields that hold commas or line breaks." if kind == "csv" else "a text in a TSV file can hold no tab and no line break."
