"""Inputs: the files that a user names, read whole or in chunks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, fields, replace
from itertools import chain
from pathlib import Path, PurePath
from typing import Any

from nlgauge._core.collector import collector_paused
from nlgauge.corpus import Corpus
from nlgauge.corpus.raw_columns import RawColumns
from nlgauge.corpus.records import ABSENT, FIELD_NAMES, Records
from nlgauge.errors import InputError
from nlgauge.io.blocks import FileOptions, comes_in_blocks, record_blocks
from nlgauge.io.choice import Choice
from nlgauge.io.column_pieces import ColumnPieces, matching
from nlgauge.io.files import NAMELESS, STDIN, Address, holds_more
from nlgauge.io.reader import FileColumn, Reader, Window, entries

# Files with more than this number of bytes in total are read in chunks by default.
LARGE = 64_000_000
_NAMED = r"([^=:/\\]+)=((?s:.+))"


@dataclass(frozen=True, eq=False)
class Inputs(Choice):
    """Files of one run, and options for reading them; `nlgauge.io` describes the names of files.

    Parameters
    ----------
    systems : sequence of str
        Files or columns of predictions, or files of records.
    references : sequence of str
        Files or columns of references; not with files of records.
    source, ids, documents, weights : str, optional
        Files or columns with one value per segment; not with files of records.
    encoding : str, optional
        Encoding of the files. Default: UTF-8, or the encoding of the byte order mark.
    delimiter : str, optional
        Separator of fields. Default: by the name of the file, see `nlgauge.io`.

    Notes
    -----
    The other options are the options of `Choice`.
    """

    systems: Sequence[str]
    references: Sequence[str] = ()
    source: str | None = None
    _: KW_ONLY
    ids: str | None = None
    documents: str | None = None
    weights: str | None = None
    encoding: str | None = None
    delimiter: str | None = None

    @collector_paused()
    def read(self) -> Corpus:
        """Read all segments at once."""
        if self._paths.count(STDIN) > 1:
            raise InputError(
                "standard input (-) is used twice but can be read only once; write one of the two to a file."
            )
        reader = Reader(self.encoding, self.delimiter)
        tables = {name: reader.table(address) for name, address in self._record_files().items()}
        if not tables or any(list(table.columns) == [NAMELESS] for table in tables.values()):
            self._check_no_columns()
            parts = matching(self._columns(reader), self.where)
            return Corpus.of_parts(parts.without_gaps() if self.skip_missing else parts, self.lang)
        with self._errors_name_files():
            return Corpus.read(
                self._joined_records(tables),
                lang=self.lang,
                systems=self.columns or None,
                skip_missing=self.skip_missing,
                common=self.common,
                pooled=self.pooled,
            )

    @collector_paused()
    def records(self) -> Records:
        """Read all records at once; records of several files have the name of their file as the system."""
        files = self._record_files()
        if not files:
            raise InputError(
                f"{self.systems[0]} is not a file of records; use a .tsv, .csv, .jsonl, .json or .parquet file."
            )
        reader = Reader(self.encoding, self.delimiter)
        with self._errors_name_files():
            return self._joined_records({name: reader.table(address) for name, address in files.items()})

    def _joined_records(self, tables: Mapping[str, Records]) -> Records:
        self._check_alone()
        records = Records.of_blocks(self._records({name: iter([table]) for name, table in tables.items()}))
        return records.where(self.where)

    def pieces(self, scratch: Path) -> Iterator[Corpus]:
        """Yield the segments as corpora of some thousands each.

        Records of several systems are stored in the directory `scratch` to join them. Raise InputError at the end
        if a file changed during reading, because the segments are then a mixture of two states of the file.
        """
        from nlgauge.io.watched import Watched

        watched = Watched(self._paths)
        yield from self._read(scratch, FileOptions(self.encoding, self.delimiter, watched))
        watched.check()

    def _read(self, scratch: Path, options: FileOptions) -> Iterator[Corpus]:
        files = self._record_files()
        if not files:
            self._check_no_columns()
            yield from self._column_pieces(options)
            return
        from nlgauge.io.record_pieces import RecordPieces

        self._check_alone()
        with self._errors_name_files():
            blocks = {
                name: map(Records.flat, record_blocks(address, options)) for name, address in files.items()
            }
            yield from RecordPieces(self, scratch).of_blocks(self._records(blocks))

    def _column_pieces(self, options: FileOptions) -> Iterator[Corpus]:
        pieces = ColumnPieces(self)
        window = Window(self._addresses, options)
        is_empty = True
        while window.move():
            is_empty = False
            yield from pieces.taken(self._columns(window))
        if is_empty:
            raise InputError(f"{next(iter(self._named.values()))} is empty; at least one segment is needed.")
        pieces.end()

    def possible(self) -> bool:
        """Return True if all files can be read in chunks."""
        return self._paths.count(STDIN) < 2 and all(map(comes_in_blocks, self._addresses))

    def large(self) -> bool:
        """Return True if the files have more than `LARGE` bytes in total; pipes are not counted."""
        return holds_more(self._paths, LARGE)

    def origin(self) -> dict[str, Any]:
        """Return the files and options as plain data.

        The data include names, sizes and times of the files, to recognize another file of the same name.
        """
        options = {option.name: getattr(self, option.name) for option in fields(self)}
        plain = {
            "systems": self._named,
            "references": list(self.references),
            "columns": list(self.columns),
            "where": [self.where] if isinstance(self.where, str) else list(self.where),
            "mapping": dict(self.mapping or {}),
        }
        return {**options, **plain, "files": [[path, *_size_and_time(path)] for path in self._paths]}

    @property
    def _named(self) -> dict[str, str]:
        """Addresses by name of their system.

        A system has the name in NAME=..., else the name of the column or of the file without its suffix. If two
        names would be equal, the name of a file includes its suffix.
        """
        matches = [None if Path(word).exists() else re.fullmatch(_NAMED, word) for word in self.systems]
        addresses = [match[2] if match else word for match, word in zip(matches, self.systems, strict=True)]
        names = [
            match[1] if match else Address.of(word).name
            for match, word in zip(matches, addresses, strict=True)
        ]
        named: dict[str, str] = {}
        for short, address, match in zip(names, addresses, matches, strict=True):
            whole = Address.of(address)
            name = (
                PurePath(whole.path).name
                if names.count(short) > 1 and match is None and whole.column is None
                else short
            )
            if name in named:
                raise InputError(
                    f"{named[name]} and {address} would both be named {short!r}; choose other names, such as"
                    f" A={named[name]} B={address}"
                )
            named[name] = address
        return named

    @property
    def _words(self) -> list[str]:
        """Addresses of all files and columns, systems first."""
        others = (self.source, self.ids, self.documents, self.weights)
        return [*self._named.values(), *self.references, *(word for word in others if word is not None)]

    @property
    def _addresses(self) -> list[Address]:
        return list(map(Address.of, self._words))

    @property
    def _paths(self) -> list[str]:
        return [address.path for address in self._addresses]

    def _record_files(self) -> dict[str, Address]:
        """Return the files of records by system; an empty dict if columns or files of texts are named."""
        addresses = {name: Address.of(word) for name, word in self._named.items()}
        is_column = any(address.kind is None or address.column is not None for address in addresses.values())
        return {} if is_column else addresses

    def _check_no_columns(self) -> None:
        if self.columns:
            raise InputError(
                f"{self.systems[0]} is not a file of records, so its columns cannot be selected; use a .tsv, .csv,"
                " .jsonl, .json or .parquet file."
            )

    def _check_alone(self) -> None:
        others = {
            "references (-r)": self.references,
            "sources (-s)": self.source,
            "ids": self.ids,
            "documents": self.documents,
            "weights": self.weights,
        }
        for what, value in others.items():
            if value:
                raise InputError(
                    f"{self.systems[0]} contains records, which are read with their own {what}; to use other {what}, name"
                    f" the column of the predictions: {self.systems[0]}:COLUMN."
                )

    @contextmanager
    def _errors_name_files(self) -> Iterator[None]:
        files = tuple(address.path for address in self._record_files().values())
        try:
            yield
        except InputError as error:
            if error.message.startswith(files):
                raise
            message = f"{files[0]}: {error.message}"
            raise InputError(message, python=error.python, cli=error.cli) from None

    def _records(self, files: Mapping[str, Iterator[Records]]) -> Iterator[Records]:
        """Yield the blocks of a file of records, or of one file per system with the name of the system."""
        firsts: dict[str, Records] = {}
        files = {name: (block.renamed(self.mapping) for block in blocks) for name, blocks in files.items()}
        for name, address in self._record_files().items():
            first = next(files[name], None)
            if first is None or not first.count:
                raise InputError(f"{address.path} has no rows; at least one segment is needed.")
            firsts[name] = first
        names = {column for first in firsts.values() for column in first.columns}
        # Records of a single file remain unchanged, unless the user named its system and they have no system field.
        is_unchanged = len(firsts) == 1 and (
            self._record_files()[name].name == name or names & set(FIELD_NAMES["system"])
        )
        for first in () if is_unchanged else firsts.values():
            _check_one_system(first)
        numbered = not names & set(FIELD_NAMES["id"])
        for name, first in firsts.items():
            blocks = chain([first], files[name])
            yield from blocks if is_unchanged else _of_system(name, blocks, numbered)

    def _columns(self, reader: Reader) -> RawColumns:
        """Return the columns of a corpus; unused columns of tables with predictions become fields."""
        skip = self.skip_missing
        named = self._named
        predictions = {name: reader.texts(word, skip) for name, word in named.items()}
        first = next(iter(predictions.values()))
        if not first.values:
            raise InputError(f"{first.place} is empty; at least one segment is needed.")
        references = [reader.texts(word, skip) for word in self.references]
        sources = None if self.source is None else reader.single_texts(self.source, skip)
        ids, documents = (
            None if word is None else reader.labels(word) for word in (self.ids, self.documents)
        )
        weights = None if self.weights is None else reader.numbers(self.weights)
        for column in (*predictions.values(), *references, sources, ids, documents, weights):
            if column is not None and len(column.values) != len(first.values):
                raise InputError(
                    f"{column.place} has {entries(len(column.values))} but {first.place} has"
                    f" {entries(len(first.values))}; every file needs one entry per segment."
                )
        return RawColumns(
            {name: _uniform(column) for name, column in predictions.items()},
            _joined(references) if references else None,
            sources and sources.values,
            ids and ids.values,
            weights and weights.values,
            documents and documents.values,
            self._fields(reader),
        )

    def _fields(self, reader: Reader) -> dict[str, list[Any]]:
        """Return the columns of the tables with predictions that are not used otherwise."""
        used = {(address.path, address.column) for address in self._addresses}
        columns: dict[str, list[Any]] = {}
        for address in map(Address.of, self._named.values()):
            if address.column is not None and not address.numbered:
                for name, values in reader.table(address).columns.items():
                    if (address.path, name) not in used:
                        columns.setdefault(name, [None if value is ABSENT else value for value in values])
        return columns


def _of_system(name: str, blocks: Iterator[Records], numbered: bool) -> Iterator[Records]:
    """Yield the records of a system's file with its name and, if `numbered`, their numbers as ids."""
    done = 0
    for block in blocks:
        _check_one_system(block)
        ids = {"id": list(range(done, done + block.count))} if numbered else {}
        yield replace(block, columns={**block.columns, "system": [name] * block.count, **ids})
        done += block.count


def _check_one_system(block: Records) -> None:
    if block.columns.keys() & set(FIELD_NAMES["system"]):
        raise InputError(
            f"{block.file} has a system field, so it cannot be combined with other files; use it as the only file, or"
            " remove that field."
        )


def _uniform(column: FileColumn) -> list[Any]:
    """Return only texts, or only lists if the column contains a list; missing texts remain None."""
    return (
        column.values
        if column.plain
        else [[value] if isinstance(value, str) else value for value in column.values]
    )


def _joined(columns: Sequence[FileColumn]) -> list[Any]:
    """Return all references of each segment.

    A blank line in the second file or a later file means that the segment has no such reference; null means that the
    reference is missing.
    """
    if len(columns) == 1:
        return _uniform(columns[0])
    rows: list[list[str | None]] = [[] for _ in columns[0].values]
    for k, column in enumerate(columns):
        for row, value in zip(rows, column.values, strict=True):
            if isinstance(value, list):
                row.extend(value)
            elif value is None or k == 0 or value.strip():
                row.append(value)
    return rows


def _size_and_time(path: str) -> tuple[int, int]:
    if path == STDIN or not Path(path).is_file():
        return 0, 0
    status = Path(path).stat()
    return status.st_size, status.st_mtime_ns
