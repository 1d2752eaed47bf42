"""The Corpus of the files that a user names."""

from __future__ import annotations

import gc
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import accumulate
from pathlib import Path, PurePath
from typing import Any

from nlgauge.corpus import Corpus
from nlgauge.corpus.raw_columns import RawColumns
from nlgauge.corpus.records import ABSENT, FIELD_NAMES, Records
from nlgauge.errors import InputError
from nlgauge.io.files import Address
from nlgauge.io.reader import FileColumn, Reader
from nlgauge.io.tables import NAMELESS

_NAMED = re.compile(r"([^=:/\\]+)=(.+)", re.DOTALL)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keeps the collector of cycles from looking at all that was read so far, again and again: reading
    makes no cycles, and takes a third less.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@_collector_paused()
def read_corpus(
    systems: Sequence[str],
    references: Sequence[str] = (),
    source: str | None = None,
    *,
    ids: str | None = None,
    documents: str | None = None,
    weights: str | None = None,
    lang: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    columns: Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    skip_missing: bool = False,
    common: bool = False,
    pooled: bool = False,
) -> Corpus:
    """The corpus of these files, or of files of records; see `nlgauge.io` for how each is named.

    encoding, delimiter: of the files, where they are not UTF-8 or not separated as their names say. columns:
    of records, the columns that hold one system's predictions each, or the systems to read. where: {field:
    value}, which records or rows are read. skip_missing, common, pooled: see `Corpus.read`.
    """
    reader = Reader(encoding, delimiter)
    named = named_systems(systems)
    records = _records(reader, named)
    if records is not None:
        others = {
            "references (-r)": references,
            "sources (-s)": source,
            "ids": ids,
            "documents": documents,
            "weights": weights,
        }
        for what, given in others.items():
            if given:
                raise InputError(
                    f"{systems[0]} holds records, which carry their own {what}; name the column of the"
                    f" predictions, {systems[0]}:COLUMN."
                )
        return _from_records(
            records,
            where or {},
            tuple(named.values()),
            lang=lang,
            systems=columns or None,
            skip_missing=skip_missing,
            common=common,
            pooled=pooled,
        )
    if columns:
        raise InputError(
            f"columns are chosen of files of records, .tsv, .csv, .jsonl, .json or .parquet; {systems[0]} is"
            " not such a file."
        )
    parts = column_parts(reader, named, references, source, ids, documents, weights, skip_missing)
    if where:
        parts = matching(parts, where)
    return Corpus.of_parts(parts.without_gaps() if skip_missing else parts, lang)


def named_systems(systems: Sequence[str]) -> dict[str, str]:
    """Addresses by the name of their system: the one that was given, else that of the column or of the
    file, with its suffix where it needs that.
    """
    named = [None if Path(given).exists() else _NAMED.fullmatch(given) for given in systems]
    addresses = [match[2] if match else given for match, given in zip(named, systems, strict=True)]
    names = [
        match[1] if match else Address.of(given).name for match, given in zip(named, addresses, strict=True)
    ]
    found: dict[str, str] = {}
    for short, address, match in zip(names, addresses, named, strict=True):
        whole = Address.of(address)
        name = (
            PurePath(whole.path).name
            if names.count(short) > 1 and match is None and whole.column is None
            else short
        )
        if name in found:
            raise InputError(
                f"{found[name]} and {address} would both be system {short!r}; name them: A={found[name]}"
                f" B={address}"
            )
        found[name] = address
    return found


def _records(reader: Reader, named: Mapping[str, str]) -> Records | None:
    """The records of a file, or of one file per system; None where columns or files of plain texts are
    named.
    """
    addresses = {name: Address.of(given) for name, given in named.items()}
    if any(address.kind is None or address.column is not None for address in addresses.values()):
        return None
    tables = {name: reader.table(address) for name, address in addresses.items()}
    if any(list(table.columns) == [NAMELESS] for table in tables.values()):
        return None
    (name, table), *others = tables.items()
    # A name that was given to the only file is that of its system, unless it holds several.
    is_named = name != addresses[name].name and not table.columns.keys() & set(FIELD_NAMES["system"])
    return _joined_records(tables) if others or is_named else table


def _joined_records(tables: Mapping[str, Records]) -> Records:
    """The records of files of one system each."""
    for table in tables.values():
        if table.columns.keys() & set(FIELD_NAMES["system"]):
            raise InputError(
                f"{table.file} says itself which system each record is from; give it alone, or one file per"
                " system without such a field."
            )
    names = dict.fromkeys(name for table in tables.values() for name in table.columns)
    columns = {
        name: [
            value for table in tables.values() for value in table.columns.get(name, [ABSENT] * table.count)
        ]
        for name in names
    }
    columns["system"] = [system for system, table in tables.items() for _ in range(table.count)]
    if not names.keys() & set(FIELD_NAMES["id"]):
        columns["id"] = [i for table in tables.values() for i in range(table.count)]
    starts = [0, *accumulate(table.count for table in tables.values())]
    every = list(tables.values())

    def place(i: int) -> str:
        number = bisect_right(starts, i) - 1
        return every[number].place(i - starts[number])

    return Records(columns, starts[-1], place, every[0].file)


def _from_records(
    records: Records, where: Mapping[str, Any], files: tuple[str, ...], **options: Any
) -> Corpus:
    try:
        return Corpus.read(records.where(where), **options)
    except InputError as error:
        raise error if str(error).startswith(files) else InputError(f"{records.file}: {error}") from None


def column_parts(
    reader: Reader,
    named: Mapping[str, str],
    references: Sequence[str],
    source: str | None,
    ids: str | None,
    documents: str | None,
    weights: str | None,
    skip_missing: bool,
) -> RawColumns:
    """What the files and columns hold; the other columns of a table that predictions are taken from are
    fields.
    """
    predictions = {name: reader.texts(given, skip_missing) for name, given in named.items()}
    first = next(iter(predictions.values()))
    if not first.values:
        raise InputError(f"{first.place} is empty; give at least one segment.")
    reference_columns = [reader.texts(given, skip_missing) for given in references]
    sources = None if source is None else reader.single_texts(source, skip_missing)
    segment_ids, document_labels = (
        None if given is None else reader.labels(given) for given in (ids, documents)
    )
    segment_weights = None if weights is None else reader.numbers(weights)
    for column in (
        *predictions.values(),
        *reference_columns,
        sources,
        segment_ids,
        document_labels,
        segment_weights,
    ):
        if column is not None and len(column.values) != len(first.values):
            raise InputError(
                f"{column.place} has {_counted(column)}, {first.place} has {_counted(first)}; every file"
                " needs one for each segment."
            )
    used = {
        given
        for given in (*named.values(), *references, source, ids, documents, weights)
        if given is not None
    }
    return RawColumns(
        {name: _uniform(column) for name, column in predictions.items()},
        joined(reference_columns) if reference_columns else None,
        sources and sources.values,
        segment_ids and segment_ids.values,
        segment_weights and segment_weights.values,
        document_labels and document_labels.values,
        _fields(
            reader,
            list(named.values()),
            {(address.path, address.column) for address in map(Address.of, used)},
        ),
    )


def _fields(
    reader: Reader, systems: Sequence[str], used: set[tuple[str, str | None]]
) -> dict[str, list[Any]]:
    """The columns of the systems' tables that nothing else is read from."""
    found: dict[str, list[Any]] = {}
    for address in map(Address.of, systems):
        if address.column is not None and not address.numbered:
            for name, values in reader.table(address).columns.items():
                if (address.path, name) not in used:
                    found.setdefault(name, [None if value is ABSENT else value for value in values])
    return found


def matching(parts: RawColumns, where: Mapping[str, Any]) -> RawColumns:
    """The segments whose fields are what was asked for, with the ids or numbers that they had."""
    own = {"id": parts.ids, "document": parts.documents}
    columns = {
        **{name: values for name, values in own.items() if values is not None},
        **parts.fields,
        NAMELESS: list(range(parts.count)),
    }
    rows = Records(columns, parts.count).where(where).columns[NAMELESS]
    taken = parts.take(rows)
    return taken if taken.ids is not None else replace(taken, ids=rows)


def _counted(column: FileColumn) -> str:
    return f"{len(column.values)} {'entry' if len(column.values) == 1 else 'entries'}"


def _uniform(column: FileColumn) -> list[Any]:
    """Texts alone, or lists alone where there is any list."""
    return (
        column.values
        if column.plain
        else [[value] if isinstance(value, str) else value for value in column.values]
    )


def joined(columns: Sequence[FileColumn]) -> list[Any]:
    """All references of each segment; a blank line in a later file means that there is no further one,
    null that it is missing.
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
