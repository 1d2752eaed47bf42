"""Reader: the files of one run, each read once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from nlgauge.errors import InputError
from nlgauge.io.files import STDIN, Address, decoded, lines_of, read_bytes
from nlgauge.io.rows import Rows, rows_of


class Column(NamedTuple):
    """What was read from one address: one value per segment, and the line that each is on."""

    place: str
    values: list[Any]
    lines: Sequence[int]

    @property
    def plain(self) -> bool:
        """Whether all values are texts."""
        return set(map(type, self.values)) <= {str}

    def line(self, i: int) -> str:
        """Where a value stands, for messages."""
        return f"{self.place}, line {self.lines[i]}"


class Reader:
    """Reads columns of texts, labels and numbers; standard input can be read once only."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, bool], Rows] = {}
        self._stdin_used = False

    def column(self, given: str) -> Column:
        """The values at an address as they stand in the file."""
        address = Address.of(given)
        if address.kind is None:
            if address.path.lower().endswith(".json"):
                raise InputError(f"{address} is one JSON document; write one object per line into a .jsonl file.")
            lines = lines_of(self._text(address.path))
            return Column(str(address), lines, range(1, len(lines) + 1))
        rows = self._table(address)
        if address.column is None:
            columns = ", ".join(rows.rows[0]) if rows.rows else "none"
            raise InputError(f"{given} holds columns; name one, {given}:COLUMN (there are {columns}).")
        return Column(str(address), rows.column(str(int(address.column)) if address.numbered else address.column), rows.lines)

    def texts(self, given: str) -> Column:
        """Texts, or lists of texts where a JSONL field holds lists."""
        column = self.column(given)
        for i, value in enumerate(() if column.plain else column.values):
            if not isinstance(value, str) and not (isinstance(value, list) and all(isinstance(text, str) for text in value)):
                raise InputError(f"{column.line(i)} is {_shown(value)}; a text or a list of texts is needed.")
        return column

    def single_texts(self, given: str) -> Column:
        """Texts, one per segment."""
        column = self.column(given)
        for i, value in enumerate(column.values):
            if not isinstance(value, str):
                raise InputError(f"{column.line(i)} is {_shown(value)}; one text is needed.")
        return column

    def labels(self, given: str) -> Column:
        """Names, as strings; JSON numbers count as names too."""
        column = self.column(given)
        for i, value in enumerate(column.values):
            if not isinstance(value, str | int | float) or isinstance(value, bool):
                raise InputError(f"{column.line(i)} is {_shown(value)}; a name is needed.")
        return column._replace(values=[str(value) for value in column.values])

    def numbers(self, given: str) -> Column:
        """Numbers."""
        column = self.column(given)
        values = []
        for i, value in enumerate(column.values):
            try:
                values.append(float(value))
            except (TypeError, ValueError):
                raise InputError(f"{column.line(i)} is {_shown(value)}; a number is needed.") from None
        return column._replace(values=values)

    def records(self, path: str) -> list[dict[str, Any]]:
        """The rows of a TSV, CSV or JSONL file."""
        return self._table(Address(path)).rows

    def _table(self, address: Address) -> Rows:
        assert address.kind is not None
        key = address.path, address.numbered
        if (address.path, not address.numbered) in self._rows:
            raise InputError(
                f"{address.path} is asked for columns by name and by number; names need a header row, numbers a file without one. Use names alone."
            )
        if key not in self._rows:
            self._rows[key] = rows_of(self._text(address.path), address.kind, address.path, not address.numbered)
        return self._rows[key]

    def _text(self, path: str) -> str:
        if path != STDIN:
            return decoded(read_bytes(path), path)
        if self._stdin_used:
            raise InputError("standard input (-) is asked for twice, and can be read once; write one of the two to a file.")
        self._stdin_used = True
        return decoded(sys.stdin.buffer.read(), "standard input")


def _shown(value: Any) -> str:
    return "null" if value is None else f"{value!r:.40}"
