"""Readers of the columns of files: `Reader` reads all rows, `Window` some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from nlgauge._core.numbers import counted
from nlgauge.corpus.records import ABSENT, Records
from nlgauge.corpus.validation import missing_text
from nlgauge.errors import InputError, did_you_mean
from nlgauge.io.blocks import FileOptions, record_blocks, whole_file
from nlgauge.io.files import NAMELESS, Address


class FileColumn(NamedTuple):
    """Values read from one address, one per segment; `line` describes the place of a value in messages."""

    place: str
    values: list[Any]
    line: Callable[[int], str]

    @property
    def plain(self) -> bool:
        """True if all values are texts."""
        return set(map(type, self.values)) <= {str}


class Reader:
    """Reader of columns of texts, labels and numbers."""

    def __init__(self, encoding: str | None = None, delimiter: str | None = None) -> None:
        self._encoding = encoding
        self._delimiter = delimiter
        # Rows of the files, by path and whether columns are selected by number.
        self.tables: dict[tuple[str, bool], Records] = {}

    def column(self, word: str, skip_missing: bool | None = None) -> FileColumn:
        """Return the values at an address without checks; with `skip_missing`, None for an absent field."""
        address = Address.of(word)
        table = self.table(address)
        if address.kind is None:
            return FileColumn(str(address), table.columns.get(NAMELESS, []), table.place)
        if address.column is None and list(table.columns) != [NAMELESS]:
            names = (
                ", ".join(name if len(name) <= 30 else f"{name[:29]}…" for name in table.columns) or "none"
            )
            numbers = (
                f" In a file without a header row, the columns are {word}:1, {word}:2, ..."
                if address.kind in ("tsv", "csv")
                else ""
            )
            raise InputError(f"{word} has the columns {names}; name one of them: {word}:COLUMN.{numbers}")
        name = (
            NAMELESS
            if address.column is None
            else str(int(address.column))
            if address.numbered
            else address.column
        )
        return FileColumn(
            str(address),
            _values(table, name, address.path, skip_missing),
            lambda i: f"{address}{table.place(i).removeprefix(address.path)}",
        )

    def texts(self, word: str, skip_missing: bool | None = None) -> FileColumn:
        """Return a text or a list of texts per segment; with `skip_missing`, None for a missing text.

        If `skip_missing` is None, the error for a missing text does not mention this option.
        """
        return self._checked(word, _is_text_or_list, "a text or a list of texts", skip_missing)

    def single_texts(self, word: str, skip_missing: bool | None = None) -> FileColumn:
        """Return one text per segment; `skip_missing` as in `texts`."""
        return self._checked(word, lambda value: isinstance(value, str), "one text", skip_missing)

    def labels(self, word: str) -> FileColumn:
        """Return labels, which are texts or numbers."""
        return self._checked(word, _is_label, "a name or a number")

    def _checked(
        self, word: str, fits: Callable[[Any], bool], needed: str, skip_missing: bool | None = None
    ) -> FileColumn:
        """Return the values at an address; raise InputError unless each value fits or may be missing."""
        column = self.column(word, skip_missing)
        for i, value in enumerate(() if column.plain else column.values):
            if not fits(value) and not (value is None and skip_missing):
                problem = f"{column.line(i)} is {_shown(value)}, but must be {needed}"
                can_skip = value is None and skip_missing is not None
                raise missing_text(problem) if can_skip else InputError(f"{problem}.")
        return column

    def numbers(self, word: str) -> FileColumn:
        """Return the values at an address as numbers."""
        column = self.column(word)
        values = []
        for i, value in enumerate(column.values):
            try:
                values.append(float(value))
            except (TypeError, ValueError):
                raise InputError(f"{column.line(i)} is {_shown(value)}, but must be a number.") from None
        return column._replace(values=values)

    def table(self, address: Address) -> Records:
        """Return the rows of a file, which is read once."""
        key = address.path, address.numbered
        if (address.path, not address.numbered) in self.tables:
            raise InputError(
                f"columns of {address.path} are named both by name and by number; names need a header row, and"
                " numbers a file without one. Use only names, or only numbers."
            )
        if key not in self.tables:
            self.tables[key] = whole_file(address, self._encoding, self._delimiter)
        return self.tables[key]


class Window(Reader):
    """Reader of columns that provides only some consecutive rows at a time."""

    def __init__(self, addresses: Sequence[Address], options: FileOptions) -> None:
        super().__init__()
        self._files: dict[tuple[str, bool], _File] = {}
        for address in addresses:
            key = address.path, address.numbered
            if key not in self._files:
                blocks = map(Records.flat, record_blocks(address, options))
                self._files[key] = _File(str(Address(address.path)), blocks)

    def move(self) -> int:
        """Move to the next rows and return their number; 0 if all files have ended.

        Raise InputError if a file ends before another file.
        """
        ready = {file: file.ready() for file in self._files.values()}
        count = min(ready.values())
        if not count and any(ready.values()):
            shorter = next(file for file, rows in ready.items() if not rows)
            longer = next(file for file, rows in ready.items() if rows)
            raise InputError(
                f"{shorter.place} has {entries(shorter.done)} but {longer.place} has {entries(longer.count())};"
                " every file needs one entry per segment."
            )
        self.tables = {key: file.take(count) for key, file in self._files.items()}
        return count


class _File:
    """Rows of a file that are taken some at a time."""

    def __init__(self, place: str, blocks: Iterator[Records]) -> None:
        self.place = place
        self.done = 0
        self._blocks = blocks
        self._block = Records({}, 0)
        self._start = 0

    def ready(self) -> int:
        """Return the number of rows that can be taken now; 0 at the end of the file."""
        while self._start == self._block.count:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._block, self._start = block, 0
        return self._block.count - self._start

    def take(self, count: int) -> Records:
        """Return the next `count` rows; at most `ready()` rows can be taken."""
        start, self._start, self.done = self._start, self._start + count, self.done + count
        return self._block if count == self._block.count else self._block.part(start, start + count)

    def count(self) -> int:
        """Return the number of rows of the file, by reading the rest of it."""
        return self.done + self.ready() + sum(block.count for block in self._blocks)


def entries(count: int) -> str:
    """Return "1 entry", or a number of entries."""
    return counted(count, "entry", "entries")


def _values(table: Records, name: str, path: str, skip_missing: bool | None) -> list[Any]:
    """Return the values of a column; raise InputError if the table has no such column, or a row lacks it.

    With `skip_missing`, the value is None for a row that lacks the column.
    """
    if not table.count:
        raise InputError(f"{path} has no rows; at least one segment is needed.")
    if name not in table.columns:
        columns = list(table.columns)
        raise InputError(
            f"{path} has no column {name!r}{did_you_mean(name, columns)}; it has {', '.join(columns)}."
        )
    values = table.columns[name]
    if ABSENT not in values:
        return values
    if skip_missing:
        return [None if value is ABSENT else value for value in values]
    problem = f"{table.place(values.index(ABSENT))} has no {name!r}, but other records have it; every record needs it"
    raise InputError(f"{problem}.") if skip_missing is None else missing_text(problem)


def _is_text_or_list(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and all(isinstance(text, str) for text in value)
    )


def _is_label(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    return "null" if value is None else f"{value!r:.40}"
