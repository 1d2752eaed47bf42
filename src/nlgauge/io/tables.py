"""Tables: what TSV, CSV, JSONL, JSON and Parquet files hold, by column, with the line on which each row
begins.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus.records import ABSENT, KNOWN_NAMES, Records, columns_of
from nlgauge.errors import InputError, MissingExtraError
from nlgauge.io.files import UTF8, decoded, memory, too_large, undecodable, utf8
from nlgauge.io.quoting import QuotedRow, csv_rows, has_even_rows, tsv_rows

# The name of the only column of a JSON array of texts.
NAMELESS = ""
_ONE_WORD = re.compile(r"\w[^\s.,;!?]*")
_BLOCK = 1 << 22
# Rows of a Parquet file that are read at once, and that are put together.
_FEW_ROWS, _ROWS = 256, 20_000
_OBJECTS = msgspec.json.Decoder(dict[str, Any])
_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
_SPELT = {"\t": "tabs", ";": "semicolons", "|": "vertical bars"}


def table_of(
    data: bytes,
    kind: str,
    place: str,
    *,
    named: bool = True,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> Records:
    """The rows of a file; without a header row (`named=False`) the columns are called "1", "2", ..."""
    if kind == "parquet":
        return _from_parquet(data, place)
    if kind == "json":
        return _from_json(utf8(data, place, encoding), place)
    if kind == "jsonl":
        return _from_jsonl(utf8(data, place, encoding), place)
    return _from_text(decoded(data, place, encoding), kind, place, named, delimiter)


def checked_delimiter(given: str) -> str:
    """The character that separates fields, by itself or by name.

    >>> checked_delimiter("tab"), checked_delimiter(";")
    ('\\t', ';')
    """
    found = _DELIMITERS.get(given, given)
    if len(found) != 1 or found in '"\r\n':
        raise InputError(f"the delimiter {given!r} is not one character; give one such as ; or | or tab.")
    return found


def _placed(columns: dict[str, list[Any]], count: int, place: Callable[[int], str], file: str) -> Records:
    return Records(columns, count, place, file).flat()


def _from_jsonl(data: bytes, place: str) -> Records:
    """The objects of all lines; some megabytes at a time, so that not all are there as dictionaries at
    once.
    """
    columns: dict[str, list[Any]] = {}
    lines, count, line, start = [], 0, 1, 0
    while start < len(data):
        end = data.find(b"\n", start + _BLOCK) + 1 or len(data)
        rows, numbers = jsonl_rows(data[start:end], line, place)
        _extend(columns, rows, count)
        lines.append(numbers)
        count, line, start = count + len(rows), line + data.count(b"\n", start, end), end
    where = np.concatenate(lines) if lines else np.arange(0)
    return _placed(columns, count, lambda i: f"{place}, line {where[i]}", place)


def jsonl_rows(block: bytes, line: int, place: str) -> tuple[list[dict[str, Any]], Array]:
    """The objects of whole lines, of which the first has this number, and on which line each is."""
    there = block.count(b"\n") + (not block.endswith(b"\n"))
    try:
        rows = _OBJECTS.decode_lines(block)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        rows = []
    if len(rows) == there:
        return rows, np.arange(line, line + there)
    # There are blank lines, or a mistake.
    found = [
        (_object(text, line + i, place), line + i)
        for i, text in enumerate(block.split(b"\n"))
        if text.strip()
    ]
    return [row for row, _ in found], np.array([number for _, number in found], dtype=np.int64)


def _object(line: bytes, number: int, place: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(line)
    except UnicodeDecodeError:
        try:
            line.decode()
        except UnicodeDecodeError as error:
            raise undecodable(line, place, UTF8, error, number - 1) from None
        raise
    except msgspec.DecodeError as error:
        raise InputError(
            f"{place}, line {number} is not JSON: {error}; each line must be one object."
        ) from None
    except RecursionError:
        raise _too_deep(f"{place}, line {number}") from None
    if not isinstance(found, dict):
        raise InputError(
            f"{place}, line {number} is a JSON {type(found).__name__}; each line must be one object."
        )
    return found


def _too_deep(place: str) -> InputError:
    return InputError(
        f"{place} has arrays or objects in each other too deep to be read; give records whose fields are"
        " texts, numbers or lists."
    )


def _extend(columns: dict[str, list[Any]], rows: list[dict[str, Any]], count: int) -> None:
    """Adds rows to columns that have so many already."""
    new = columns_of(rows)
    for name in new:
        columns.setdefault(name, [ABSENT] * count)
    for name, column in columns.items():
        column.extend(new.get(name) or [ABSENT] * len(rows))


def _from_json(data: bytes, place: str) -> Records:
    """An array of objects, an object of arrays, or an array of texts."""
    try:
        found = msgspec.json.decode(data)
    except UnicodeDecodeError:
        decoded(data, place)
        raise
    except msgspec.DecodeError as error:
        raise InputError(
            f"{place} is not one JSON document: {error}; a file with one object per line is called .jsonl."
        ) from None
    except RecursionError:
        raise _too_deep(place) from None

    def item(i: int) -> str:
        return f"{place}, item {i + 1}"

    if (
        isinstance(found, dict)
        and found
        and all(
            isinstance(values, list) and len(values) == len(next(iter(found.values())))
            for values in found.values()
        )
    ):
        return _placed(found, len(next(iter(found.values()))), item, place)
    if not isinstance(found, list):
        raise InputError(
            f"{place} holds {_kind(found)}; an array of objects or of texts is needed, or an object with"
            " arrays of one length."
        )
    if found and isinstance(found[0], dict):
        odd = next((i for i, row in enumerate(found) if not isinstance(row, dict)), None)
        if odd is not None:
            raise InputError(
                f"{item(odd)} is {_kind(found[odd])}, the first is an object; every item must be one."
            )
        return _placed(columns_of(found), len(found), item, place)
    return _placed({NAMELESS: found}, len(found), item, place)


def _kind(value: Any) -> str:
    return {dict: "an object", list: "an array", str: "a text", type(None): "null"}.get(
        type(value), f"{value!r:.40}"
    )


def _from_parquet(data: bytes, place: str) -> Records:
    limit, size, count = memory() // 4, 0, 0
    with parquet_file(data, place) as file:
        columns: dict[str, list[Any]] = {name: [] for name in file.schema_arrow.names}
        for table in parquet_tables(file):
            size, count = size + table.nbytes, count + table.num_rows
            if size > limit:
                raise too_large(place, limit)
            for name, values in table.to_pydict().items():
                columns[name] += values
    return _placed(columns, count, lambda i: f"{place}, row {i + 1}", place)


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


def _from_text(text: str, kind: str, place: str, named: bool, delimiter: str | None) -> Records:
    """The rows of a TSV or CSV file."""
    separator = separator_of(text, kind, place, delimiter)
    split = tsv_rows(text, place) if kind == "tsv" and separator == "\t" else csv_rows(text, place, separator)
    names = names_of_columns(split, place, named)
    return records_of(names, split[1:] if named else split, kind, place)


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
                f"{place}, line {line} has {_counted(len(fields))} where the first row has {len(names)};"
                f" {_hint(kind)}"
            )
    columns = list(map(list, zip(*(row.fields for row in body), strict=True))) or [[] for _ in names]
    return Records(
        dict(zip(names, columns, strict=True)), len(body), lambda i: f"{place}, line {body[i].line}", place
    )


def separator_of(text: str, kind: str, place: str, delimiter: str | None, last: bool = True) -> str:
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
                    f"{place} seems to be separated by {spelt}, but its rows have different numbers of fields"
                    " then; say what separates them with --delimiter."
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
            f"{place}: a column by number is for a file without a header row, and its first row looks like a"
            f" header ({', '.join(first)}); give the column's name, such as {place}:{first[-1]}. If that row"
            " is data, put a header row above it."
        )


def _is_all_words(fields: list[str]) -> bool:
    return all(_ONE_WORD.fullmatch(field) for field in fields)


def _counted(fields: int) -> str:
    return "1 field" if fields == 1 else f"{fields} fields"


def _hint(kind: str) -> str:
    within = "commas" if kind == "csv" else "tabs"
    return (
        f"put fields that hold {within} or line breaks in quotes, or say what separates the fields with"
        " --delimiter."
    )
