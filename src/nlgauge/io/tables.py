"""Tables: what TSV, CSV, JSONL, JSON and Parquet files hold, by column, with the line on which each row
begins.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus.records import KNOWN_NAMES, Records, columns_of
from nlgauge.errors import InputError, MissingExtraError
from nlgauge.io.quoting import QuotedRow, has_even_rows

# The name of the only column of a JSON array of texts.
NAMELESS = ""
_ONE_WORD = re.compile(r"\w[^\s.,;!?]*")
_BLOCK = 1 << 22
# Rows of a Parquet file that are read at once, and that are put together.
_FEW_ROWS, _ROWS = 256, 20_000
_OBJECTS = msgspec.json.Decoder(dict[str, Any])
_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
_SPELT = {"\t": "tabs", ";": "semicolons", "|": "vertical bars"}


def checked_delimiter(given: str) -> str:
    """The character that separates fields, by itself or by name.

    >>> checked_delimiter("tab"), checked_delimiter(";")
    ('\\t', ';')
    """
    found = _DELIMITERS.get(given, given)
    if len(found) != 1 or found in '"\r\n':
        raise InputError(f"the delimiter {given!r} is not one character; use one such as ; or | or tab.")
    return found


def jsonl_rows(text: str, line: int, place: str) -> tuple[list[dict[str, Any]], Array]:
    """Read the objects of whole lines, of which the first has this number, and say on which line each is."""
    there = text.count("\n") + (not text.endswith("\n"))
    try:
        rows = _OBJECTS.decode_lines(text)
    except (msgspec.DecodeError, RecursionError):
        rows = []
    if len(rows) == there:
        return rows, np.arange(line, line + there)
    # There are blank lines, or a mistake.
    numbered = [(number, row) for number, row in enumerate(text.split("\n"), line) if row.strip()]
    rows = [_object(row, number, place) for number, row in numbered]
    return rows, np.array([number for number, _ in numbered], dtype=np.int64)


def _object(line: str, number: int, place: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        raise InputError(
            f"{place}, line {number} is not JSON: {error}; each line must be one object."
        ) from None
    except RecursionError:
        raise _too_deep(f"{place}, line {number}") from None
    if not isinstance(value, dict):
        raise InputError(
            f"{place}, line {number} is a JSON {type(value).__name__}; each line must be one object."
        )
    return value


def _too_deep(place: str) -> InputError:
    return InputError(
        f"{place} has arrays or objects that are nested too deep to read; use records whose fields are texts,"
        " numbers or lists."
    )


def json_records(text: str, place: str) -> Records:
    """Read an array of objects, an object of arrays, or an array of texts."""
    try:
        document = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise InputError(
            f"{place} is not one JSON document: {error}; a file with one object per line is called .jsonl."
        ) from None
    except RecursionError:
        raise _too_deep(place) from None

    def item(i: int) -> str:
        return f"{place}, item {i + 1}"

    if (
        isinstance(document, dict)
        and document
        and all(
            isinstance(values, list) and len(values) == len(next(iter(document.values())))
            for values in document.values()
        )
    ):
        return Records(document, len(next(iter(document.values()))), item, place)
    if not isinstance(document, list):
        raise InputError(
            f"{place} contains {_kind(document)}; it must be an array of objects or texts, or an object with"
            " arrays of one length."
        )
    if document and isinstance(document[0], dict):
        odd = next((i for i, row in enumerate(document) if not isinstance(row, dict)), None)
        if odd is not None:
            raise InputError(
                f"{item(odd)} is {_kind(document[odd])}, the first is an object; every item must be one."
            )
        return Records(columns_of(document), len(document), item, place)
    return Records({NAMELESS: document}, len(document), item, place)


def _kind(value: Any) -> str:
    return {dict: "an object", list: "an array", str: "a text", type(None): "null"}.get(
        type(value), f"{value!r:.40}"
    )


def parquet_tables(file: Any) -> Iterator[Any]:
    """The rows of a Parquet file, some at a time: a file of kilobytes may hold one long text in thousands
    of rows.
    """
    import pyarrow

    batches: list[Any] = []
    rows = size = 0
    for batch in file.iter_batches(_FEW_ROWS):
        values = [
            column.dictionary_decode() if pyarrow.types.is_dictionary(column.type) else column
            for column in batch.columns
        ]
        batches.append(pyarrow.record_batch(values, names=batch.schema.names))
        rows, size = rows + batch.num_rows, size + batches[-1].nbytes
        if rows >= _ROWS or size >= _BLOCK:
            yield pyarrow.Table.from_batches(batches)
            batches, rows, size = [], 0, 0
    if batches:
        yield pyarrow.Table.from_batches(batches)


@contextmanager
def parquet_file(source: bytes | str, place: str) -> Iterator[Any]:
    """The Parquet file in some bytes, or of this name; what it cannot read is an error that says so."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "reading Parquet files") from None
    try:
        with parquet.ParquetFile(source if isinstance(source, str) else pyarrow.BufferReader(source)) as file:
            yield file
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{place} is not a Parquet file that can be read: {error}") from None


def names_of_columns(rows: list[QuotedRow], place: str, named: bool) -> list[str]:
    """The names in the first row or, without a header row, "1", "2", ..."""
    if not rows:
        raise InputError(f"{place} is empty.")
    if not named:
        _check_headless(rows, place)
    names = rows[0].fields if named else [str(i + 1) for i in range(len(rows[0].fields))]
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"{place} has two columns called {name!r}; rename one.")
        seen.add(name)
    return names


def records_of(names: list[str], body: list[QuotedRow], kind: str, place: str) -> Records:
    """Rows that have a field for each name."""
    for fields, line in body:
        if len(fields) != len(names):
            raise InputError(
                f"{place}, line {line} has {_counted(len(fields))} but the first row has {len(names)}; put"
                f" fields with {'commas' if kind == 'csv' else 'tabs'} or line breaks in quotes",
                python="or pass another delimiter",
                cli="or set the separator with --delimiter",
            )
    columns = list(map(list, zip(*(row.fields for row in body), strict=True))) or [[] for _ in names]
    lines = [row.line for row in body]
    return Records(
        dict(zip(names, columns, strict=True)), len(body), lambda i: f"{place}, line {lines[i]}", place
    )


def separator_of(text: str, kind: str, place: str, delimiter: str | None, last: bool) -> str:
    """What separates the fields of a file: what was given, else a tab or a comma, else what a CSV file seems
    to be separated by.

    The text is all of the file, or where it is not the `last` piece, its first lines.
    """
    if delimiter is not None:
        return checked_delimiter(delimiter)
    return "\t" if kind == "tsv" else _guessed(text, place, last) or ","


def _guessed(text: str, place: str, last: bool) -> str | None:
    """What separates the fields of a CSV file whose first line has no comma, where every row has as many
    of it.
    """
    header = text.partition("\n")[0]
    for delimiter, spelt in _SPELT.items():
        if delimiter in header and "," not in header:
            if not has_even_rows(text, delimiter, last):
                raise InputError(
                    f"{place} seems to be separated by {spelt}, but its rows would have different numbers of"
                    " fields",
                    python="pass another delimiter",
                    cli="set the separator with --delimiter",
                )
            warnings.warn(
                f"{place} is read as separated by {spelt}: its first line has no comma, and all rows have as"
                " many.",
                stacklevel=6,
            )
            return delimiter
    return None


def _check_headless(rows: list[QuotedRow], place: str) -> None:
    """Raises where the first row seems to name the columns: it has a name that we know, or it alone has
    one word in every field.
    """
    first = rows[0].fields
    known = any(field.strip().lower() in KNOWN_NAMES for field in first)
    if known or (
        len(rows) > 1 and _is_all_words(first) and not any(_is_all_words(row.fields) for row in rows[1:])
    ):
        raise InputError(
            f"{place}: column numbers are for files without a header row, but the first row looks like a"
            f" header ({', '.join(first)}); use the column's name, such as {place}:{first[-1]}. If that row is"
            " data, add a header row above it."
        )


def _is_all_words(fields: list[str]) -> bool:
    return all(_ONE_WORD.fullmatch(field) for field in fields)


def _counted(fields: int) -> str:
    return "1 field" if fields == 1 else f"{fields} fields"
