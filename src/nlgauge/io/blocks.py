"""The rows of a file block by block, so that it need not fit into memory; each block is `Records`, as the
whole file would be.
"""

from __future__ import annotations

import codecs
import gzip
import lzma
import sys
import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from nlgauge.corpus.records import Records, columns_of
from nlgauge.errors import InputError
from nlgauge.io.files import STDIN, UTF8, Address, damaged, encoding_of, lines_of, opened, undecodable
from nlgauge.io.quoting import PlainRows, QuotedRow, QuotedRows, check_closed, is_quoted, plain_rows
from nlgauge.io.tables import (
    NAMELESS,
    jsonl_rows,
    names_of_columns,
    parquet_file,
    parquet_tables,
    records_of,
    separator_of,
)
from nlgauge.io.watched import Watched

_BYTES = 1 << 21
# What goes on for longer than this without a line break is not a segment.
_LONGEST_LINE = 1 << 28
_UNPACK_ERRORS = (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError, ValueError, OSError)


def comes_in_blocks(address: Address) -> bool:
    """Whether a file can be read block by block: one JSON document cannot, nor can a packed Parquet file
    or a pipe of columns in quotes.
    """
    if address.kind == "json" or (
        address.kind == "parquet" and not address.path.lower().endswith(".parquet")
    ):
        return False
    return address.kind in (None, "jsonl") or not Path(address.path).exists() or Path(address.path).is_file()


def record_blocks(
    address: Address,
    encoding: str | None = None,
    delimiter: str | None = None,
    watched: Watched | None = None,
) -> Iterator[Records]:
    """The rows of a file, block after block; a line of a plain file is a row with one field, which has no
    name.
    """
    if address.kind is None:
        return _lines(address, encoding, watched)
    if address.kind == "jsonl":
        return _objects(address, encoding, watched)
    return _batches(address) if address.kind == "parquet" else _rows(address, encoding, delimiter, watched)


def _lines(address: Address, encoding: str | None, watched: Watched | None) -> Iterator[Records]:
    for text, line in text_pieces(address.path, encoding, watched):
        yield _records(lines_of(text), line, str(address))


def _records(lines: list[str], line: int, place: str) -> Records:
    return Records({NAMELESS: lines}, len(lines), lambda i: f"{place}, line {line + i}", place)


def _objects(address: Address, encoding: str | None, watched: Watched | None) -> Iterator[Records]:
    for text, line in text_pieces(address.path, encoding, watched):
        rows, numbers = jsonl_rows(text.encode(), line, address.path)
        if rows:
            yield Records(
                columns_of(rows),
                len(rows),
                lambda i, at=numbers: f"{address.path}, line {at[i]}",  # type: ignore[misc]
                address.path,
            ).flat()


def _batches(address: Address) -> Iterator[Records]:
    done = 0
    with parquet_file(address.path, address.path) as file:
        for table in parquet_tables(file):
            columns, rows = table.to_pydict(), table.num_rows
            yield Records(
                columns,
                rows,
                lambda i, at=done: f"{address.path}, row {at + i + 1}",  # type: ignore[misc]
                address.path,
            ).flat()
            done += rows


def _rows(
    address: Address, encoding: str | None, delimiter: str | None, watched: Watched | None
) -> Iterator[Records]:
    """The rows of a TSV or CSV file; what its first rows look like decides what its columns are."""
    assert address.kind is not None
    names: list[str] | None = None
    for rows in _split(address, encoding, delimiter, watched):
        if names is None:
            names = names_of_columns(rows, address.path, not address.numbered)
            rows = rows if address.numbered else rows[1:]  # noqa: PLW2901
        if rows:
            yield records_of(names, rows, address.kind, address.path)
    if names is None:
        raise InputError(f"{address.path} is empty.")


def _split(
    address: Address, encoding: str | None, delimiter: str | None, watched: Watched | None
) -> Iterator[list[QuotedRow]]:
    """The rows of a TSV or CSV file as lists of fields, some in each list."""
    separator, quoted = "", None
    for text, line in text_pieces(address.path, encoding, watched):
        if not separator:
            separator = separator_of(text, address.kind or "", address.path, delimiter, last=False)
            if address.kind == "csv" or separator != "\t" or _is_quoted(address, encoding, watched):
                quoted = QuotedRows(separator)
        rows = plain_rows(text, separator, line) if quoted is None else quoted.feed(text, last=False)
        if rows:
            yield rows
    if quoted is not None:
        rows = quoted.feed("", last=True)
        check_closed(quoted, address.path)
        if rows:
            yield rows


def _is_quoted(address: Address, encoding: str | None, watched: Watched | None) -> bool:
    """Whether a TSV file has quoted fields, for which all of it is looked at."""
    if not any(b'"' in data for data in _bytes_of(address.path, watched)):
        return False
    quoted, plain = QuotedRows("\t"), PlainRows()
    for text, line in text_pieces(address.path, encoding, watched):
        plain.add(plain_rows(text, "\t", line))
        quoted.feed(text, last=False)
    quoted.feed("", last=True)
    return is_quoted(quoted, plain, address.path)


def text_pieces(
    path: str, encoding: str | None = None, watched: Watched | None = None
) -> Iterator[tuple[str, int]]:
    """The text of a file in pieces of whole lines, each with the number of its first line."""
    line = 1
    rest: list[str] = []
    for text in _decoded(path, encoding, watched):
        whole, newline, behind = text.rpartition("\n")
        if newline:
            piece = "".join([*rest, whole, newline])
            yield piece, line
            line += piece.count("\n")
            rest = []
        if behind:
            rest.append(behind)
    if rest:
        yield "".join(rest), line


def _decoded(path: str, encoding: str | None, watched: Watched | None) -> Iterator[str]:
    """The text of a file in pieces."""
    blocks, place = _bytes_of(path, watched), str(Address(path))
    first = next(blocks, b"")
    chosen = encoding_of(first, place, encoding)
    decoder = _WholeLines() if chosen == UTF8 else codecs.getincrementaldecoder(chosen)()
    lines = unbroken = 0
    for data in chain([first], blocks, [b""]):
        unbroken = 0 if b"\n" in data else unbroken + len(data)
        if unbroken > _LONGEST_LINE:
            raise InputError(
                f"{place}, line {lines + 1} is longer than {_LONGEST_LINE:,} bytes; a segment must fit on a"
                " line that can be scored."
            )
        try:
            text = decoder.decode(data, not data)
        except UnicodeDecodeError as error:
            raise undecodable(error.object, place, chosen, error, lines) from None
        yield text if lines else text.removeprefix("\ufeff")
        lines += text.count("\n")


class _WholeLines(codecs.BufferedIncrementalDecoder):
    """Decodes UTF-8 line by line, so that an error can say which byte of a line it is."""

    def _buffer_decode(self, data: Any, errors: str, final: bool) -> tuple[str, int]:
        size = len(data) if final else data.rfind(b"\n") + 1
        return bytes(data[:size]).decode(), size


def _bytes_of(path: str, watched: Watched | None = None) -> Iterator[bytes]:
    """The bytes of a file, or of standard input, unpacked."""
    suffix, place = Path(path).suffix.lower(), str(Address(path))
    try:
        if path == STDIN:
            while data := sys.stdin.buffer.read(_BYTES):
                yield data
            return
        with opened(path, watched.reading if watched else None) as stream:
            while data := stream.read(_BYTES):
                yield data
    except _UNPACK_ERRORS as error:
        raise InputError(damaged(place, suffix, error)) from None
