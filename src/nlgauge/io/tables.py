"""Columns of TSV, CSV, JSONL, JSON and Parquet files, with the line on which each row starts."""

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
from nlgauge.io.files import NAMELESS
from nlgauge.io.quoting import QuotedRow, has_even_rows

_ONE_WORD = re.compile(r"\w[^\s.,;!?]*")
_BLOCK = 1 << 22
# Number of rows of a Parquet file that are read at once, and number of rows of a block.
_FEW_ROWS, _ROWS = 256, 20_000
_OBJECTS = msgspec.json.Decoder(dict[str, Any])
_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
_SPELT = {"\t": "tabs", ";": "semicolons", "|": "vertical bars"}


def checked_delimiter(delimiter: str) -> str:
    """Return the character that separates fields; the argument is the character or its name.

    >>> checked_delimiter("tab"), checked_delimiter(";")
    ('\\t', ';')
    """
    character = _DELIMITERS.get(delimiter, delimiter)
    if len(character) != 1 or character in '"\r\n':
        raise InputError(
            f"the delimiter {delimiter!r} is not valid; use one character such as ; or |, or the word tab."
        )
    return character


def jsonl_rows(text: str, line: int, place: str) -> tuple[list[dict[str, Any]], Array]:
    """Return the objects of whole lines and their line numbers; the first line has the number `line`."""
    count = text.count("\n") + (not text.endswith("\n"))
    try:
        rows = _OBJECTS.decode_lines(text)
    except (msgspec.DecodeError, RecursionError):
        rows = []
    if len(rows) == count:
        return rows, np.arange(line, line + count)
    # The text has blank lines or an error.
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
        raise InputError(f"{place}, line {number} is {_kind(value)}; each line must be one JSON object.")
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
            f"{place} is not one JSON document: {error}; if it has one object per line, rename it to end in .jsonl."
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
                f"{item(odd)} is {_kind(document[odd])} but the first item is an object; every item must be an"
                " object."
            )
        return Records(columns_of(document), len(document), item, place)
    return Records({NAMELESS: document}, len(document), item, place)


def _kind(value: Any) -> str:
    return {dict: "an object", list: "an array", str: "a text", type(None): "null"}.get(
        type(value), f"{value!r:.40}"
    )


def parquet_tables(file: Any) -> Iterator[Any]:
    """Yield the rows of a Parquet file in tables of limited size.

    Few rows are read at once, because a file of some kilobytes may contain one long text in thousands of rows.
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
    """Open a Parquet file from bytes or a path; raise InputError if it cannot be read."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "reading Parquet files") from None
    try:
        with parquet.ParquetFile(source if isinstance(source, str) else pyarrow.BufferReader(source)) as file:
            yield file
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{place} cannot be read as Parquet ({error}); check that the file is complete."
        ) from None


def names_of_columns(rows: list[QuotedRow], place: str, named: bool) -> list[str]:
    """Return the names of columns: the first row if `named`, otherwise "1", "2" and so on."""
    if not rows:
        raise InputError(f"{place} is empty; at least one segment is needed.")
    if not named:
        _check_headless(rows, place)
    names = rows[0].fields if named else [str(i + 1) for i in range(len(rows[0].fields))]
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"{place} has two columns called {name!r}; rename one.")
        seen.add(name)
    return names


def records_of(names: list[str], body: list[QuotedRow], place: str) -> Records:
    """Return rows as records; raise InputError unless each row has one field per name."""
    for fields, line in body:
        if len(fields) != len(names):
            quote = "put fields that contain the separator or line breaks in quotes"
            raise InputError(
                f"{place}, line {line} has {_counted(len(fields))} but the first row has {len(names)}",
                python=f"{quote}, or pass another delimiter",
                cli=f"{quote}, or set the separator with --delimiter",
            )
    columns = list(map(list, zip(*(row.fields for row in body), strict=True))) or [[] for _ in names]
    lines = [row.line for row in body]
    return Records(
        dict(zip(names, columns, strict=True)), len(body), lambda i: f"{place}, line {lines[i]}", place
    )


def separator_of(text: str, kind: str, place: str, delimiter: str | None, last: bool) -> str:
    """Return the separator of the fields of a file.

    This is `delimiter`, if set, else a tab for TSV; for CSV it is guessed from the text, with a comma as default.
    The text is the whole file if it is the `last` part, otherwise its first lines.
    """
    if delimiter is not None:
        return checked_delimiter(delimiter)
    return "\t" if kind == "tsv" else _guessed(text, place, last) or ","


def _guessed(text: str, place: str, last: bool) -> str | None:
    """Return the separator of a CSV file whose first line has no comma; None if no other fits.

    Raise InputError if the rows would have different numbers of fields with this separator.
    """
    header = text.partition("\n")[0]
    for delimiter, spelt in _SPELT.items():
        if delimiter in header and "," not in header:
            if not has_even_rows(text, delimiter, last):
                raise InputError(
                    f"{place} seems to be separated by {spelt}, but its rows would have different numbers of"
                    " fields",
                    python="correct the rows, or pass another delimiter",
                    cli="correct the rows, or set another separator with --delimiter",
                )
            warnings.warn(
                f"{place} is read as separated by {spelt}, because its first line has no comma and all rows have"
                " the same number of fields.",
                stacklevel=6,
            )
            return delimiter
    return None


def _check_headless(rows: list[QuotedRow], place: str) -> None:
    """Raise InputError if the first row seems to be a header.

    It seems so if it contains a known field name, or if it is the only row with one word in every field.
    """
    first = rows[0].fields
    has_known_name = any(field.strip().lower() in KNOWN_NAMES for field in first)
    if has_known_name or (
        len(rows) > 1 and _is_all_words(first) and not any(_is_all_words(row.fields) for row in rows[1:])
    ):
        raise InputError(
            f"{place}: column numbers are for files without a header row, but the first row looks like a"
            f" header ({', '.join(first)}); use the column's name, such as {place}:{first[-1]}. If that row is"
            " data, add a header row above it and use the names in that row."
        )


def _is_all_words(fields: list[str]) -> bool:
    return all(_ONE_WORD.fullmatch(field) for field in fields)


def _counted(fields: int) -> str:
    return "1 field" if fields == 1 else f"{fields} fields"
