"""Reader: the files of one run, each read once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from nlgauge.corpus.records import ABSENT, Records
from nlgauge.errors import InputError, did_you_mean
from nlgauge.io.files import STDIN, Address, decoded, lines_of, read_bytes
from nlgauge.io.tables import NAMELESS, table_of


class FileColumn(NamedTuple):
    """What was read from one address: one value per segment, and where each stands, for messages."""

    place: str
    values: list[Any]
    line: Callable[[int], str]

    @property
    def plain(self) -> bool:
        """Whether all values are texts."""
        return set(map(type, self.values)) <= {str}


class Reader:
    """Reads columns of texts, labels and numbers; standard input can be read once only."""

    def __init__(self, encoding: str | None = None, delimiter: str | None = None) -> None:
        self._encoding = encoding
        self._delimiter = delimiter
        # What was read of files of columns, by path and whether columns are asked for by number.
        self.tables: dict[tuple[str, bool], Records] = {}
        self._stdin_used = False

    def column(self, given: str) -> FileColumn:
        """The values at an address as they stand in the file."""
        address = Address.of(given)
        if address.kind is None:
            return self.lines(address)
        table = self.table(address)
        if address.column is None and list(table.columns) != [NAMELESS]:
            there = (
                ", ".join(name if len(name) <= 30 else f"{name[:29]}…" for name in table.columns) or "none"
            )
            numbers = (
                f" Without a header row they are {given}:1, {given}:2, ..."
                if address.kind in ("tsv", "csv")
                else ""
            )
            raise InputError(f"{given} holds columns; name one, {given}:COLUMN (there are {there}).{numbers}")
        name = (
            NAMELESS
            if address.column is None
            else str(int(address.column))
            if address.numbered
            else address.column
        )
        return FileColumn(
            str(address),
            _values(table, name, address.path),
            lambda i: f"{address}{table.place(i).removeprefix(address.path)}",
        )

    def lines(self, address: Address) -> FileColumn:
        """The lines of a plain file."""
        return FileColumn(
            str(address), lines_of(self._text(address.path)), lambda i: f"{address}, line {i + 1}"
        )

    def texts(self, given: str, skip_missing: bool = False) -> FileColumn:
        """Texts, or lists of texts where a field of JSON holds lists; None where one is missing that may
        be.
        """
        column = self.column(given)
        for i, value in enumerate(() if column.plain else column.values):
            if isinstance(value, str) or (
                isinstance(value, list) and all(isinstance(text, str) for text in value)
            ):
                continue
            if value is None and skip_missing:
                continue
            raise InputError(
                f"{column.line(i)} is {_shown(value)}; a text or a list of texts is needed.{_hint(value)}"
            )
        return column

    def single_texts(self, given: str, skip_missing: bool = False) -> FileColumn:
        """Texts, one per segment; None where one is missing that may be."""
        column = self.column(given)
        for i, value in enumerate(column.values):
            if not isinstance(value, str) and not (value is None and skip_missing):
                raise InputError(f"{column.line(i)} is {_shown(value)}; one text is needed.{_hint(value)}")
        return column

    def labels(self, given: str) -> FileColumn:
        """Names: texts, or numbers of JSON."""
        column = self.column(given)
        for i, value in enumerate(column.values):
            if not isinstance(value, str | int | float) or isinstance(value, bool):
                raise InputError(f"{column.line(i)} is {_shown(value)}; a name is needed.")
        return column

    def numbers(self, given: str) -> FileColumn:
        """Numbers."""
        column = self.column(given)
        values = []
        for i, value in enumerate(column.values):
            try:
                values.append(float(value))
            except (TypeError, ValueError):
                raise InputError(f"{column.line(i)} is {_shown(value)}; a number is needed.") from None
        return column._replace(values=values)

    def table(self, address: Address) -> Records:
        """The rows of a file of columns."""
        assert address.kind is not None
        key = address.path, address.numbered
        if (address.path, not address.numbered) in self.tables:
            raise InputError(
                f"{address.path} is asked for columns by name and by number; names need a header row, numbers"
                " a file without one. Use names alone."
            )
        if key not in self.tables:
            self.tables[key] = table_of(
                read_bytes(address.path),
                address.kind,
                address.path,
                named=not address.numbered,
                encoding=self._encoding,
                delimiter=self._delimiter,
            )
        return self.tables[key]

    def _text(self, path: str) -> str:
        if path != STDIN:
            return decoded(read_bytes(path), path, self._encoding)
        if self._stdin_used:
            raise InputError(
                "standard input (-) is asked for twice, and can be read once; write one of the two to a file."
            )
        self._stdin_used = True
        return decoded(sys.stdin.buffer.read(), "standard input", self._encoding)


def _values(table: Records, name: str, path: str) -> list[Any]:
    """The values of a column, or an error that lists the columns."""
    if not table.count:
        raise InputError(f"{path} has no rows.")
    if name not in table.columns:
        columns = list(table.columns)
        raise InputError(
            f"{path} has no column {name!r}{did_you_mean(name, columns)}; it has {', '.join(columns)}."
        )
    values = table.columns[name]
    if ABSENT in values:
        i = values.index(ABSENT)
        raise InputError(
            f"{table.place(i)} has no {name!r}, other lines have it; every line needs the same fields."
        )
    return values


def _hint(value: Any) -> str:
    return " --skip-missing leaves such segments out." if value is None else ""


def _shown(value: Any) -> str:
    return "null" if value is None else f"{value!r:.40}"
