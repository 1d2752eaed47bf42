"""Reader: the columns of the files of one run, all rows or, in a Window, some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from nlgauge.corpus.records import ABSENT, Records
from nlgauge.errors import InputError, did_you_mean
from nlgauge.io.blocks import FileOptions, record_blocks, whole_file
from nlgauge.io.files import Address
from nlgauge.io.tables import NAMELESS


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
    """Reads columns of texts, labels and numbers."""

    def __init__(self, encoding: str | None = None, delimiter: str | None = None) -> None:
        self._encoding = encoding
        self._delimiter = delimiter
        # What was read of files of columns, by path and whether columns are asked for by number.
        self.tables: dict[tuple[str, bool], Records] = {}

    def column(self, given: str) -> FileColumn:
        """The values at an address as they stand in the file."""
        address = Address.of(given)
        table = self.table(address)
        if address.kind is None:
            return FileColumn(str(address), table.columns.get(NAMELESS, []), table.place)
        if address.column is None and list(table.columns) != [NAMELESS]:
            there = (
                ", ".join(name if len(name) <= 30 else f"{name[:29]}…" for name in table.columns) or "none"
            )
            numbers = (
                f" Without a header row they are {given}:1, {given}:2, ..."
                if address.kind in ("tsv", "csv")
                else ""
            )
            raise InputError(f"{given} has the columns {there}; name one as {given}:COLUMN.{numbers}")
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

    def texts(self, given: str, skip_missing: bool = False) -> FileColumn:
        """Texts, or lists of texts where a field of JSON holds lists; None where one is missing that may
        be.
        """
        return self._checked(given, _is_text_or_list, "a text or a list of texts", skip_missing)

    def single_texts(self, given: str, skip_missing: bool = False) -> FileColumn:
        """Texts, one per segment; None where one is missing that may be."""
        return self._checked(given, lambda value: isinstance(value, str), "one text", skip_missing)

    def labels(self, given: str) -> FileColumn:
        """Names: texts, or numbers of JSON."""
        return self._checked(given, _is_label, "a name")

    def _checked(
        self, given: str, fits: Callable[[Any], bool], needed: str, skip_missing: bool | None = None
    ) -> FileColumn:
        """The values at an address, all of which fit or, if they may be skipped, are missing."""
        column = self.column(given)
        for i, value in enumerate(() if column.plain else column.values):
            if not fits(value) and not (value is None and skip_missing):
                can_skip = value is None and skip_missing is not None
                raise InputError(
                    f"{column.line(i)} is {_shown(value)}, but must be {needed}",
                    python="pass skip_missing=True to leave such segments out" if can_skip else "",
                    cli="use --skip-missing to leave such segments out" if can_skip else "",
                )
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
        """The rows of a file."""
        key = address.path, address.numbered
        if (address.path, not address.numbered) in self.tables:
            raise InputError(
                f"columns of {address.path} are named both by name and by number; names need a header row, and"
                " numbers a file without one. Use only names."
            )
        if key not in self.tables:
            self.tables[key] = whole_file(address, self._encoding, self._delimiter)
        return self.tables[key]


class Window(Reader):
    """Reads columns as `Reader` does, of the rows that it shows."""

    def __init__(self, addresses: Sequence[Address], options: FileOptions) -> None:
        super().__init__()
        self._files: dict[tuple[str, bool], _File] = {}
        for address in addresses:
            key = address.path, address.numbered
            if key not in self._files:
                blocks = map(Records.flat, record_blocks(address, options))
                self._files[key] = _File(str(Address(address.path)), blocks)

    def move(self) -> int:
        """Shows the next rows, and says how many; 0 where all files have ended.

        That one ends before another is an error.
        """
        ready = {file: file.ready() for file in self._files.values()}
        count = min(ready.values())
        if not count and any(ready.values()):
            shorter = next(file for file, rows in ready.items() if not rows)
            longer = next(file for file, rows in ready.items() if rows)
            raise InputError(
                f"{shorter.place} has {shorter.done} entries, {longer.place} has {longer.count()} entries;"
                " every file needs one for each segment."
            )
        self.tables = {key: file.take(count) for key, file in self._files.items()}
        return count


class _File:
    """The rows of a file, as many at a time as are asked for."""

    def __init__(self, place: str, blocks: Iterator[Records]) -> None:
        self.place = place
        self.done = 0
        self._blocks = blocks
        self._block = Records({}, 0)
        self._start = 0

    def ready(self) -> int:
        """How many rows can be taken now; 0 at the end of the file."""
        while self._start == self._block.count:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._block, self._start = block, 0
        return self._block.count - self._start

    def take(self, count: int) -> Records:
        """The next rows, of those that are ready."""
        start, self._start, self.done = self._start, self._start + count, self.done + count
        return self._block if count == self._block.count else self._block.part(start, start + count)

    def count(self) -> int:
        """How many rows the file has."""
        return self.done + self.ready() + sum(block.count for block in self._blocks)


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


def _is_text_or_list(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and all(isinstance(text, str) for text in value)
    )


def _is_label(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    return "null" if value is None else f"{value!r:.40}"
