"""Fields in double quotes: which of them are quoted, and what they hold. The rule is in `nlgauge.io`."""

from __future__ import annotations

import re
from typing import NamedTuple

from nlgauge.errors import InputError
from nlgauge.io.files import lines_of

# A quoted field, with all quotes inside doubled; atomic, so that one that is never closed is given up after one pass.
_QUOTED = re.compile(r'"((?>[^"]*(?:""[^"]*)*))"')
_REMEDY = "Save it as .csv or .jsonl, where quotes mean one thing."


class Row(NamedTuple):
    """The fields of a row, and the line on which it begins."""

    fields: list[str]
    line: int


class Quoted(NamedTuple):
    """A file read with quoting: its rows, its quoted fields by line, and the first line with a quote that is neither opening, closing nor doubled."""

    rows: list[Row]
    quoted: list[tuple[int, str]]
    stray: int | None


class Unclosed(NamedTuple):
    """The line of a field that begins with a quote and does not end with one."""

    line: int


def csv_rows(text: str, place: str, separator: str = ",") -> list[Row]:
    """The rows of a CSV file: every field that begins with a quote is quoted, a quote further on is text."""
    if '"' not in text:
        return _plain(text, separator)
    found = _read(text, separator)
    if isinstance(found, Unclosed):
        raise InputError(
            f"{place}, line {found.line} is not CSV: a field begins with a quote, and no quote before a separator or the end of a line closes it; "
            "put the field in quotes and double the quotes inside it."
        )
    return found.rows


def has_even_rows(text: str, separator: str) -> bool:
    """Whether a text, read as CSV with this separator, has several fields in every row, the same number in all."""
    found = _read(text, separator)
    lengths = set() if isinstance(found, Unclosed) else {len(row.fields) for row in found.rows}
    return len(lengths) == 1 and lengths != {1}


def tsv_rows(text: str, place: str) -> list[Row]:
    """The rows of a TSV file: with quoting where a program that quotes wrote it, else as they stand."""
    plain = _plain(text, "\t")
    if '"' not in text:
        return plain
    found = _read(text, "\t")
    if isinstance(found, Unclosed):
        return _unquoted(plain, found.line, place)
    if found.stray is not None:
        return _unquoted(plain, found.stray, place)
    across = [line for line, field in found.quoted if "\n" in field]
    if across and len({len(row.fields) for row in plain}) == 1:
        raise InputError(f"{place}, line {across[0]}: a field with line breaks begins here, or a text that begins with a quote. {_REMEDY}")
    if any(not field or re.search(r'["\t\r\n]', field) for _, field in found.quoted) or _all_in_quotes(plain):
        return found.rows
    if all(("," in field) == field.startswith('"') for row in plain for field in row.fields):
        line = found.quoted[0][0]
        raise InputError(f"{place}, line {line}: the quotes may be part of the text, or put there by a spreadsheet because of the comma. {_REMEDY}")
    return plain


def _plain(text: str, separator: str) -> list[Row]:
    return [Row(line.split(separator), number) for number, line in enumerate(lines_of(text), 1)]


def _unquoted(plain: list[Row], stray: int, place: str) -> list[Row]:
    """The rows as they stand, unless one of them was clearly quoted by a program."""
    for row in plain:
        for field in row.fields:
            quoted = _QUOTED.fullmatch(field)
            if quoted and '""' in quoted[1]:
                raise InputError(
                    f"{place}, line {row.line} doubles the quotes inside a quoted field, line {stray} has quotes as they stand. {_REMEDY}"
                )
    return plain


def _all_in_quotes(plain: list[Row]) -> bool:
    """Whether every field that is not a number is in quotes, the names of the columns too."""
    return all(field.startswith('"') or not field or _is_number(field) for row in plain for field in row.fields)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _read(text: str, separator: str) -> Quoted | Unclosed:
    """The rows of a text in which every field that begins with a quote is quoted."""
    mark = re.escape(separator)
    pattern = re.compile(rf'(?:{_QUOTED.pattern}|(?!")([^{mark}\n]*?))({mark}|\r?\n|\r?\Z)')
    rows, quoted, stray = [], [], None
    fields: list[str] = []
    place, line, begin = 0, 1, 1
    while place < len(text) or fields:
        found = pattern.match(text, place)
        if found is None:
            return Unclosed(line)
        if found[1] is not None:
            fields.append(found[1].replace('""', '"'))
            quoted.append((line, fields[-1]))
        else:
            fields.append(found[2])
            stray = line if stray is None and '"' in found[2] else stray
        place, line = found.end(), line + found[0].count("\n")
        if found[3] != separator:
            rows.append(Row(fields, begin))
            fields, begin = [], line
    return Quoted(rows, quoted, stray)
