"""The Corpus of the files that a user names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nlgauge.corpus import Corpus
from nlgauge.errors import InputError
from nlgauge.io.files import Address
from nlgauge.io.reader import Column, Reader

_NAMED = re.compile(r"([^=:/\\]+)=(.+)", re.DOTALL)


def read_corpus(
    systems: Sequence[str],
    references: Sequence[str] = (),
    source: str | None = None,
    *,
    ids: str | None = None,
    documents: str | None = None,
    weights: str | None = None,
    lang: str | None = None,
) -> Corpus:
    """The corpus of these files, or of one file of records; see `nlgauge.io` for how each is named."""
    if len(systems) == 1 and _holds_records(systems[0]):
        others = {"references (-r)": references, "sources (-s)": source, "ids": ids, "documents": documents, "weights": weights}
        for what, given in others.items():
            if given:
                raise InputError(
                    f"{systems[0]} holds records, which carry their own {what}; name the column of the predictions, {systems[0]}:COLUMN."
                )
        return _from_records(systems[0], lang)
    reader = Reader()
    predictions = {name: reader.texts(given) for name, given in _named(systems).items()}
    first = next(iter(predictions.values()))
    if not first.values:
        raise InputError(f"{first.place} is empty; give at least one segment.")
    reference_columns = [reader.texts(given) for given in references]
    sources = None if source is None else reader.single_texts(source)
    segment_ids, document_labels = (None if given is None else reader.labels(given) for given in (ids, documents))
    segment_weights = None if weights is None else reader.numbers(weights)
    for column in (*predictions.values(), *reference_columns, sources, segment_ids, document_labels, segment_weights):
        if column is not None and len(column.values) != len(first.values):
            raise InputError(f"{column.place} has {_counted(column)}, {first.place} has {_counted(first)}; every file needs one for each segment.")
    return Corpus.read(
        {name: _uniform(column) for name, column in predictions.items()},
        _joined(reference_columns) if reference_columns else None,
        sources and sources.values,
        ids=segment_ids and segment_ids.values,
        weights=segment_weights and segment_weights.values,
        documents=document_labels and document_labels.values,
        lang=lang,
    )


def _counted(column: Column) -> str:
    return f"{len(column.values)} {'entry' if len(column.values) == 1 else 'entries'}"


def _holds_records(given: str) -> bool:
    address = Address.of(given)
    return address.kind is not None and address.column is None


def _from_records(path: str, lang: str | None) -> Corpus:
    try:
        return Corpus.read(Reader().records(path), lang=lang)
    except InputError as error:
        raise error if path in str(error) else InputError(f"{path}: {error}") from None


def _named(systems: Sequence[str]) -> dict[str, str]:
    """Addresses by the name of their system."""
    found: dict[str, str] = {}
    for given in systems:
        match = None if Path(given).exists() else _NAMED.fullmatch(given)
        name, address = (match[1], match[2]) if match else (Address.of(given).name, given)
        if name in found:
            raise InputError(f"{found[name]} and {address} would both be system {name!r}; name them: A={found[name]} B={address}")
        found[name] = address
    return found


def _uniform(column: Column) -> list[Any]:
    """Texts alone, or lists alone where there is any list."""
    return column.values if column.plain else [[value] if isinstance(value, str) else value for value in column.values]


def _joined(columns: Sequence[Column]) -> list[Any]:
    """All references of each segment; a blank line in a later file means that there is no further one."""
    if len(columns) == 1:
        return _uniform(columns[0])
    rows: list[list[str]] = [[] for _ in columns[0].values]
    for k, column in enumerate(columns):
        for row, value in zip(rows, column.values, strict=True):
            if isinstance(value, list):
                row.extend(value)
            elif k == 0 or value.strip():
                row.append(value)
    return rows
