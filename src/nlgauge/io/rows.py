"""Rows: what TSV, CSV and JSONL files hold, each row a dictionary."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import msgspec

from nlgauge.corpus.records import KNOWN_NAMES
from nlgauge.errors import InputError, did_you_mean
from nlgauge.io.files import lines_of
from nlgauge.io.quoting import Row, csv_rows, tsv_rows

_ONE_WORD = re.compile(r"\w[^\s.,;!?]*")


@dataclass(frozen=True)
class Rows:
    """The rows of one file, and the line on which each begins."""

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
                raise InputError(f"{self.place}, line {line} has no {name!r}, the first line has it; every line needs the same fields.")
        return [row[name] for row in self.rows]


def rows_of(text: str, kind: str, place: str, named: bool) -> Rows:
    """The rows of a file's text; without a header row (`named=False`) the columns are called "1", "2", ..."""
    if kind == "jsonl":
        found = [(_object(line, number, place), number) for number, line in enumerate(lines_of(text), 1) if line.strip()]
        return Rows(place, [row for row, _ in found], [number for _, number in found])
    split = csv_rows(text, place) if kind == "csv" else tsv_rows(text, place)
    if not split:
        raise InputError(f"{place} is empty.")
    if named:
        _check_separator(split[0], kind, place)
    else:
        _check_headless(split, place)
    names = split[0].fields if named else [str(i + 1) for i in range(len(split[0].fields))]
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise InputError(f"{place} has two columns called {twice[0]!r}; rename one.")
    body = split[1:] if named else split
    for fields, line in body:
        if len(fields) != len(names):
            raise InputError(f"{place}, line {line} has {_counted(len(fields))} where the first row has {len(names)}; {_hint(kind)}")
    return Rows(place, [dict(zip(names, fields, strict=True)) for fields, _ in body], [line for _, line in body])


def _object(line: str, number: int, place: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        raise InputError(f"{place}, line {number} is not JSON: {error}; each line must be one object.") from None
    if not isinstance(found, dict):
        raise InputError(f"{place}, line {number} is a JSON {type(found).__name__}; each line must be one object.")
    return found


def _check_separator(header: Row, kind: str, place: str) -> None:
    if kind == "csv" and len(header.fields) == 1 and ";" in header.fields[0]:
        raise InputError(f"{place} is separated by semicolons; save it with commas, or with tabs as .tsv.")


def _check_headless(rows: list[Row], place: str) -> None:
    """Raises where the first row seems to name the columns: it has a name that we know, or it alone has one word in every field."""
    first = rows[0].fields
    known = any(field.strip().lower() in KNOWN_NAMES for field in first)
    if known or (len(rows) > 1 and _is_all_words(first) and not any(_is_all_words(row.fields) for row in rows[1:])):
        raise InputError(
            f"{place}: a column by number is for a file without a header row, and its first row looks like a header ({', '.join(first)}); "
            f"give the column's name, such as {place}:{first[-1]}. If that row is data, put a header row above it."
        )


def _is_all_words(fields: list[str]) -> bool:
    return all(_ONE_WORD.fullmatch(field) for field in fields)


def _counted(fields: int) -> str:
    return "1 field" if fields == 1 else f"{fields} fields"


def _hint(kind: str) -> str:
    return "put fields that hold commas or line breaks in quotes." if kind == "csv" else "put fields that hold tabs or line breaks in quotes."
