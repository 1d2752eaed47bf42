"""Whole documents: the segments of each document joined to one text per system, reference and source."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nlgauge.corpus.raw_columns import RawColumns
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge._core.ragged import Ragged
    from nlgauge.corpus.corpus import Corpus


def whole_documents(corpus: Corpus, separator: str) -> Corpus:
    """Return the corpus whose segments are the documents of another corpus; see `Corpus.by_document`."""
    if corpus.documents is None:
        raise InputError(
            "the segments have no documents to join",
            python="pass documents=[...], or records with the field doc_id",
            cli="add --documents FILE, or records with the field doc_id",
        )
    if corpus.weights is not None:
        raise InputError("the segments have weights, which whole documents cannot have; omit the weights.")
    if corpus.spans:
        raise InputError(
            "the segments have error spans, whose places are lost in whole documents; omit them."
        )
    members: dict[str, list[int]] = {}
    for number, label in enumerate(corpus.documents):
        members.setdefault(label, []).append(number)
    groups, strings = list(members.values()), corpus.texts.strings

    def joined(column: Ragged, what: str) -> list[list[str]]:
        return [_joined(column, strings, group, what, corpus, separator) for group in groups]

    fields, left_out = _fields(corpus, groups)
    if left_out:
        warnings.warn(
            f"{', '.join(left_out)} cannot be joined, because the segments of a document have different values; whole"
            " documents are without them.",
            stacklevel=3,
        )
    return type(corpus).of_parts(
        RawColumns(
            {
                system: joined(column, f"predictions of {system!r}")
                for system, column in corpus.predictions.items()
            },
            None if corpus.references is None else joined(corpus.references, "references"),
            None
            if corpus.sources is None
            else [separator.join(strings[corpus.sources[number]] for number in group) for group in groups],
            list(members),
            fields=fields,
        ),
        corpus.lang,
    )


def _joined(
    column: Ragged, strings: Sequence[str], group: list[int], what: str, corpus: Corpus, separator: str
) -> list[str]:
    """Return the texts of a document: the first texts of all its segments joined, then the second, and so on."""
    rows = [column[number].tolist() for number in group]
    for number, row in zip(group, rows, strict=True):
        if len(row) != len(rows[0]):
            raise InputError(
                f"the {what} cannot be joined: segment {corpus.ids[number]!r} has {len(row)}, but segment"
                f" {corpus.ids[group[0]]!r} of the same document has {len(rows[0])}; all segments of a document need"
                " the same number."
            )
    return [separator.join(strings[text] for text in texts) for texts in zip(*rows, strict=True)]


def _fields(corpus: Corpus, groups: list[list[int]]) -> tuple[dict[str, list[Any]], list[str]]:
    """Return the fields of documents, and the names of fields that documents cannot have.

    Numbers are averaged; other values must be the same for all segments of a document.
    """
    fields: dict[str, list[Any]] = {}
    left_out = list(corpus.system_fields)
    for name, values in corpus.fields.items():
        rows = [[values[number] for number in group] for group in groups]
        if all(type(value) in (int, float) for row in rows for value in row):
            fields[name] = [
                row[0] if row == row[:1] * len(row) else math.fsum(row) / len(row) for row in rows
            ]
        elif all(row == row[:1] * len(row) for row in rows):
            fields[name] = [row[0] for row in rows]
        else:
            left_out.append(name)
    return fields, left_out
