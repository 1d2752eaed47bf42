"""Reader of the rows of all kinds of files, block by block, for files that exceed memory.

Each block is of type `Records`; `whole_file` concatenates all blocks of a file.
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from nlgauge._core.paths import is_file
from nlgauge.corpus.records import Records, columns_of
from nlgauge.errors import InputError
from nlgauge.io.files import (
    MARKS,
    NAMELESS,
    UTF8,
    Address,
    byte_blocks,
    decoded,
    encoding_of,
    lines_of,
    memory,
    read_bytes,
    too_large,
    undecodable,
)

if TYPE_CHECKING:
    from nlgauge.io.quoting import QuotedRow
    from nlgauge.io.watched import Watched

_BYTES = 1 << 21
# Maximum length of a line in bytes.
_LONGEST_LINE = 1 << 28


class FileOptions(NamedTuple):
    """Options for reading files.

    Parameters
    ----------
    encoding, delimiter : str, optional
        Encoding and separator of fields. Default: see `nlgauge.io`.
    watched : Watched, optional
        Detector of files that change while they are read.
    whole : bool, default False
        True if all rows will be in memory at once, which limits the size of files.
    """

    encoding: str | None = None
    delimiter: str | None = None
    watched: Watched | None = None
    whole: bool = False

    @property
    def limit(self) -> int:
        """Maximum number of decompressed bytes."""
        return memory() // 2 if self.whole else sys.maxsize


class TextPiece(NamedTuple):
    """Whole lines of a file, the number of the first line, and True if the file ends with them."""

    text: str
    line: int
    last: bool


def comes_in_blocks(address: Address) -> bool:
    """Return True if a file can be read block by block.

    JSON documents, compressed Parquet files, and pipes of TSV, CSV or Parquet data cannot.
    """
    if address.kind == "json" or (
        address.kind == "parquet" and not address.path.lower().endswith(".parquet")
    ):
        return False
    return address.kind in (None, "jsonl") or not Path(address.path).exists() or Path(address.path).is_file()


def whole_file(address: Address, encoding: str | None = None, delimiter: str | None = None) -> Records:
    """Read all rows of a file."""
    options = FileOptions(encoding, delimiter, whole=True)
    try:
        return Records.of_blocks(record_blocks(address, options)).flat()
    except MemoryError:
        raise too_large(str(address), options.limit) from None


def record_blocks(address: Address, options: FileOptions) -> Iterator[Records]:
    """Return the rows of a file, block by block.

    A line of a plain file is a row with one field, whose name is `NAMELESS`.
    """
    readers = {"jsonl": _objects, "json": _document, "parquet": _batches, "tsv": _rows, "csv": _rows}
    return readers[address.kind](address, options) if address.kind else _lines(address, options)


def _lines(address: Address, options: FileOptions) -> Iterator[Records]:
    place = str(address)
    for text, line, _ in text_pieces(address.path, options):
        lines = lines_of(text)
        yield Records(
            {NAMELESS: lines},
            len(lines),
            lambda i, at=line: f"{place}, line {at + i}",  # type: ignore[misc]
            place,
        )


def _objects(address: Address, options: FileOptions) -> Iterator[Records]:
    from nlgauge.io.tables import jsonl_rows

    for text, line, _ in text_pieces(address.path, options):
        rows, numbers = jsonl_rows(text, line, address.path)
        if rows:
            yield Records(
                columns_of(rows),
                len(rows),
                lambda i, at=numbers: f"{address.path}, line {at[i]}",  # type: ignore[misc]
                address.path,
            )


def _document(address: Address, options: FileOptions) -> Iterator[Records]:
    from nlgauge.io.tables import json_records

    yield json_records(decoded(read_bytes(address.path), address.path, options.encoding), address.path)


def _batches(address: Address, options: FileOptions) -> Iterator[Records]:
    from nlgauge.io.tables import parquet_file, parquet_tables

    in_place = address.path.lower().endswith(".parquet") and is_file(address.path)
    source = address.path if in_place else read_bytes(address.path)
    done = size = 0
    with parquet_file(source, address.path) as file:
        for table in parquet_tables(file):
            size += table.nbytes
            if size > options.limit // 2:
                raise too_large(address.path, options.limit // 2)
            columns, rows = table.to_pydict(), table.num_rows
            yield Records(
                columns,
                rows,
                lambda i, at=done: f"{address.path}, row {at + i + 1}",  # type: ignore[misc]
                address.path,
            )
            done += rows


def _rows(address: Address, options: FileOptions) -> Iterator[Records]:
    """Yield the rows of a TSV or CSV file; its first rows determine the names of the columns."""
    from nlgauge.io.tables import names_of_columns, records_of

    names: list[str] | None = None
    is_empty = True
    for rows in _split(address, options):
        if names is None:
            names = names_of_columns(rows, address.path, not address.numbered)
            rows = rows if address.numbered else rows[1:]  # noqa: PLW2901
        if rows:
            yield records_of(names, rows, address.path)
            is_empty = False
    if names is None:
        raise InputError(f"{address.path} is empty; at least one segment is needed.")
    if is_empty:
        yield records_of(names, [], address.path)


def _split(address: Address, options: FileOptions) -> Iterator[list[QuotedRow]]:
    """Yield the rows of a TSV or CSV file as lists of fields, block by block."""
    from nlgauge.io.quoting import QuotedRows, check_closed, plain_rows
    from nlgauge.io.tables import separator_of

    all_text: list[TextPiece] | None = None
    if options.whole or not is_file(address.path):  # a pipe cannot be read twice
        text = "".join(piece.text for piece in text_pieces(address.path, options))
        all_text = [TextPiece(text, 1, True)] if text else []
    separator, quoted = "", None
    for text, line, last in text_pieces(address.path, options) if all_text is None else all_text:
        if not separator:
            separator = separator_of(text, address.kind or "", address.path, options.delimiter, last)
            if address.kind == "csv" or separator != "\t" or _is_quoted(address, options, all_text):
                quoted = QuotedRows(separator)
        rows = plain_rows(text, separator, line) if quoted is None else quoted.feed(text, last)
        if rows:
            yield rows
    if quoted is not None:
        check_closed(quoted, address.path)


def _is_quoted(address: Address, options: FileOptions, all_text: list[TextPiece] | None) -> bool:
    """Return True if a TSV file has quoted fields; this reads the whole file."""
    if not (
        any(b'"' in data for data in _bytes_of(address.path, options))
        if all_text is None
        else any('"' in piece.text for piece in all_text)
    ):
        return False
    from nlgauge.io.quoting import PlainRows, QuotedRows, is_quoted, plain_rows

    quoted, plain = QuotedRows("\t"), PlainRows()
    for text, line, last in text_pieces(address.path, options) if all_text is None else all_text:
        plain.add(plain_rows(text, "\t", line))
        quoted.feed(text, last)
    return is_quoted(quoted, plain, address.path)


def text_pieces(path: str, options: FileOptions) -> Iterator[TextPiece]:
    """Yield the text of a file in parts of whole lines."""
    line = 1
    lines = ""
    rest: list[str] = []
    for text in _decoded(path, options):
        whole, newline, tail = text.rpartition("\n")
        if newline:
            if lines:
                yield TextPiece(lines, line, False)
                line += lines.count("\n")
            lines, rest = "".join([*rest, whole, newline]), []
        if tail:
            rest.append(tail)
    if lines or rest:
        yield TextPiece("".join([lines, *rest]), line, True)


def _decoded(path: str, options: FileOptions) -> Iterator[str]:
    """Yield the text of a file in parts."""
    blocks, place = _bytes_of(path, options), str(Address(path))
    first = next(blocks, b"")
    chosen = encoding_of(first, place, options.encoding)
    if chosen == UTF8:
        first = first.removeprefix(codecs.BOM_UTF8)
    decoder = _WholeLines() if chosen == UTF8 else _decoder(chosen, first)
    # Bytes that are not decoded yet, number of decoded lines, and number of decoded bytes after the last line.
    pending, lines, unbroken = b"", 0, 0
    for data in chain([first], blocks, [b""]):
        try:
            text = decoder.decode(data, not data)
        except UnicodeError as error:
            raise undecodable(place, chosen, error, lines, unbroken) from None
        yield text if lines or unbroken else text.removeprefix("\ufeff")
        read, pending = pending + data, decoder.getstate()[0]
        end = len(read) - len(pending)
        newline = read.rfind(b"\n", 0, end)
        lines += read.count(b"\n", 0, end)
        unbroken = end - newline - 1 if newline >= 0 else unbroken + end
        if unbroken + len(pending) > _LONGEST_LINE:
            raise InputError(
                f"{place}, line {lines + 1} is longer than {_LONGEST_LINE:,} bytes, the maximum length of a line;"
                " check that every segment is on a separate line."
            )


def _decoder(encoding: str, first: bytes) -> codecs.IncrementalDecoder:
    """Return a decoder for a file that starts with `first`.

    UTF-16 and UTF-32 without a byte order mark have the byte order of this machine.
    """
    name = codecs.lookup(encoding).name
    has_order = name not in ("utf-16", "utf-32") or first.startswith(MARKS)
    return codecs.getincrementaldecoder(name if has_order else f"{name}-{sys.byteorder[0]}e")()


class _WholeLines(codecs.BufferedIncrementalDecoder):
    """Decoder of UTF-8 that decodes whole lines, so that errors can name the byte of a line."""

    def _buffer_decode(self, data: Any, errors: str, final: bool) -> tuple[str, int]:
        size = len(data) if final else data.rfind(b"\n") + 1
        return bytes(data[:size]).decode(), size


def _bytes_of(path: str, options: FileOptions) -> Iterator[bytes]:
    reading = None if options.watched is None else options.watched.reading
    return byte_blocks(path, options.limit, _BYTES, reading)
