"""Corpus on disk: columns of numbers that are memory-mapped, and texts that are read on access.

    texts.jsonl, texts.ends                the texts, one JSON string per line, and the end of each line
    predictions-0.ids, predictions-0.ends  the text ids of the first system, and the end of each segment
                                           in them (no .ends if every segment has one text)
    references.ids, references.ends        the same for references
    sources.ids                            the text id of each segment's source
    ids.jsonl, ids.ends                    the ids of the segments, if they are not their numbers
    weights.f64                            the weight of each segment
    documents.jsonl, .ends, documents.ids  the distinct documents, and the number of each segment's document
    fields-0.jsonl, fields-0.ends          the values of the first further field; fields-0-0, fields-0-1, ...
                                           if they differ between systems

Text ids, numbers and ends are little-endian integers of 8 bytes; weights are little-endian floats of 8 bytes.
A corpus that was written in chunks may contain a text once per chunk: finding repeated texts in millions of
segments would need all texts in memory.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import numpy as np

from nlgauge._core.ragged import Array, Ragged, blocks, let_go, offsets_of
from nlgauge.corpus import Corpus
from nlgauge.corpus.fields import kept
from nlgauge.corpus.store.lazy_values import StoredLabels, StoredLines, decode_texts, file_size, mapped
from nlgauge.corpus.texts import Texts
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.spans.columns import Spans

NUMBER, VALUE = np.dtype("<i8"), np.dtype("<f8")
# Maximum number of segments of a stored corpus that are loaded into memory: about 1 GB of short texts.
MOST_AT_ONCE = 1_000_000


class StoredField(msgspec.Struct):
    """Further field, and the systems with separate values; no systems if all share the values."""

    name: str
    systems: list[str] = []

    def names(self, number: int) -> list[str]:
        """Return the names of the files of the field with this number, without their extensions."""
        return [f"fields-{number}-{k}" for k in range(len(self.systems))] or [f"fields-{number}"]


class StoredFacts(msgspec.Struct):
    """Facts about a stored corpus that are needed to open its files."""

    systems: list[str]
    segments: int
    texts: int
    references: bool
    sources: bool
    lang: str | None
    # Columns in which some segment does not have exactly one text.
    several: list[str] = []
    # True if segments have ids other than their numbers, True if they have weights, and the number of documents
    # (None if the corpus has no documents).
    ids: bool = False
    weights: bool = False
    documents: int | None = None
    fields: list[StoredField] = []
    repeats: bool = False

    def files(self) -> list[str]:
        """Return the names of all files of the corpus."""
        columns = [f"predictions-{k}" for k in range(len(self.systems))]
        columns += ["references"] if self.references else []
        lines = [
            "texts",
            *(["ids"] if self.ids else []),
            *(["documents"] if self.documents is not None else []),
        ]
        lines += [name for number, field in enumerate(self.fields) for name in field.names(number)]
        present = {
            "sources.ids": self.sources,
            "weights.f64": self.weights,
            "documents.ids": self.documents is not None,
        }
        return [
            *(f"{name}.jsonl" for name in lines),
            *(f"{name}.ends" for name in (*lines, *self.several)),
            *(f"{name}.ids" for name in columns),
            *(name for name, exists in present.items() if exists),
        ]


class StoredTexts(Texts):
    """Texts of a stored corpus. They are read by id; a text cannot be looked up."""

    stored: ClassVar[bool] = True

    def __init__(self, lines: StoredLines) -> None:
        super().__init__()
        self.strings = lines  # type: ignore[assignment]
        # Directory of the stored corpus, its facts, and the corpus with all segments. Parts of the corpus share
        # these texts, so `place_of` compares a corpus with the third item.
        self.origin: tuple[Path, StoredFacts, weakref.ref[Corpus]] | None = None

    def many(self, numbers: Array) -> list[str]:
        """Return the texts with these ids."""
        texts: list[str] = self.strings.many(numbers)  # type: ignore[attr-defined]
        return texts

    def sizes(self, numbers: Array) -> Array:
        """Return the sizes in bytes of the lines of the texts with these ids."""
        return np.asarray(self.ends[numbers] - np.where(numbers, self.ends[numbers - 1], 0))

    @property
    def ends(self) -> Array:
        """End of each text in the file, in bytes."""
        ends: Array = self.strings.ends  # type: ignore[attr-defined]
        return ends

    def intern_all(self, texts: list[str]) -> Array:
        raise InputError("a stored corpus accepts no new texts; load it into memory first.")

    def intern(self, text: str) -> int:
        return int(self.intern_all([text])[0])


def is_stored(corpus: Corpus) -> bool:
    """Return True if the texts of a corpus are on disk."""
    return corpus.texts.stored


def place_of(corpus: Corpus) -> tuple[Path, StoredFacts] | None:
    """Return the directory and the facts of a stored corpus, else None.

    The result is also None for a part of a stored corpus, and if the files were replaced in the meantime.
    """
    origin = corpus.texts.origin if isinstance(corpus.texts, StoredTexts) else None
    if origin is None or origin[2]() is not corpus:
        return None
    lines: StoredLines = corpus.texts.strings  # type: ignore[assignment]
    return origin[:2] if lines.is_at(origin[0] / "texts.jsonl") else None


def at_once(corpus: Corpus, what: str) -> Corpus:
    """Load a stored corpus into memory; raise InputError if it has too many segments.

    `what` is the operation that needs all texts at once, for the message.
    """
    if len(corpus) > MOST_AT_ONCE:
        raise InputError(
            f"{what} loads all texts and supports at most {MOST_AT_ONCE:,} segments, but the corpus has"
            f" {len(corpus):,}; take a sample of the segments."
        )
    return corpus.apart(np.arange(len(corpus)))


def stored_bounds(corpus: Corpus, characters: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of runs of whole segments with about `characters` bytes of text each."""
    assert isinstance(corpus.texts, StoredTexts)
    columns = text_columns(corpus)
    for start, stop in blocks(len(corpus)):
        sizes = np.zeros(stop - start, dtype=np.int64)
        for column in columns:
            first, last = int(column.offsets[start]), int(column.offsets[stop])
            ends = offsets_of(corpus.texts.sizes(column.values[first:last]))
            sizes += np.diff(ends[column.offsets[start : stop + 1] - first])
        number = np.maximum(sizes.cumsum() - 1, 0) // characters
        yield from (
            (start + a, start + b)
            for a, b in pairwise([0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), stop - start])
        )
        let_columns_go(corpus)


def let_columns_go(corpus: Corpus) -> None:
    """Release the memory of the mapped columns."""
    assert isinstance(corpus.texts, StoredTexts)
    let_go(*(column.values for column in text_columns(corpus)), corpus.texts.ends)


def text_columns(corpus: Corpus) -> list[Ragged]:
    """Return all columns of text ids."""
    columns = [*corpus.predictions.values(), *([] if corpus.references is None else [corpus.references])]
    if corpus.sources is None:
        return columns
    offsets = next((column.offsets for column in columns if column.is_single), None)
    ids = corpus.sources
    return [*columns, Ragged.single(ids) if offsets is None else _one_each(ids, offsets)]


def stored_corpus(place: Path, facts: StoredFacts, spans: Mapping[str, Spans] | None = None) -> Corpus:
    """Open the corpus in a directory; its columns are mapped, and checked against the facts."""
    if not facts.systems or not facts.segments:
        raise InputError("the stored corpus is damaged: it has no systems or no segments.")

    @cache
    def one_each() -> Array:
        return np.arange(facts.segments + 1)

    texts = StoredTexts(_read_lines(place, "texts", facts.texts))
    corpus = Corpus(
        texts,
        (
            _read_lines(place, "ids", facts.segments, msgspec.json.decode)
            if facts.ids
            else range(facts.segments)
        ),
        {
            system: _read_column(place, f"predictions-{number}", facts, one_each)
            for number, system in enumerate(facts.systems)
        },
        _read_column(place, "references", facts, one_each) if facts.references else None,
        (
            _checked_ids(mapped(place / "sources.ids", facts.segments, NUMBER), facts.texts, "sources.ids")
            if facts.sources
            else None
        ),
        _read_weights(place, facts) if facts.weights else None,
        None if facts.documents is None else _read_documents(place, facts.segments, facts.documents),
        facts.lang,
        {
            field.name: _read_values(place, field.names(number)[0], facts.segments)
            for number, field in enumerate(facts.fields)
            if not field.systems
        },
        {
            field.name: {
                system: _read_values(place, name, facts.segments)
                for system, name in zip(field.systems, field.names(number), strict=True)
            }
            for number, field in enumerate(facts.fields)
            if field.systems
        },
        facts.repeats,
        spans or {},
    )
    texts.origin = place, facts, weakref.ref(corpus)
    return corpus


def _read_lines(
    place: Path, name: str, count: int, decode: Callable[[bytes], list[Any]] = decode_texts
) -> StoredLines:
    ends = mapped(place / f"{name}.ends", count, NUMBER)
    _check_ends(ends, file_size(place / f"{name}.jsonl"), f"{name}.ends")
    return StoredLines(place / f"{name}.jsonl", ends, decode)


def _read_weights(place: Path, facts: StoredFacts) -> Array:
    weights = mapped(place / "weights.f64", facts.segments, VALUE)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError("weights.f64 contains negative or non-finite numbers; the stored corpus is damaged.")
    return weights


def _read_documents(place: Path, segments: int, count: int) -> StoredLabels:
    labels = list(_read_lines(place, "documents", count))
    return StoredLabels(
        labels, _checked_ids(mapped(place / "documents.ids", segments, NUMBER), count, "documents.ids")
    )


def _read_values(place: Path, name: str, segments: int) -> StoredLines:
    return _read_lines(place, name, segments, _decode_values)


def _decode_values(data: bytes) -> list[Any]:
    return list(kept(msgspec.json.decode(data)))


def _read_column(place: Path, name: str, facts: StoredFacts, one_each: Callable[[], Array]) -> Ragged:
    if name not in facts.several:
        ids = _checked_ids(mapped(place / f"{name}.ids", facts.segments, NUMBER), facts.texts, name)
        return _one_each(ids, one_each())
    ends = mapped(place / f"{name}.ends", facts.segments, NUMBER)
    ids = mapped(place / f"{name}.ids", file_size(place / f"{name}.ids") // NUMBER.itemsize, NUMBER)
    _check_ends(ends, len(ids), f"{name}.ends")
    return Ragged(_checked_ids(ids, facts.texts, name), np.concatenate([[0], ends]))


def _one_each(ids: Array, offsets: Array) -> Ragged:
    """Return a column with one text per segment; all such columns share `offsets`."""
    column = Ragged(ids, offsets)
    column.__dict__["is_single"] = True
    return column


def _check_ends(ends: Array, size: int, name: str) -> None:
    last = 0
    for start, stop in blocks(len(ends)):
        block = np.asarray(ends[start:stop])
        if block[0] < last or (block[1:] < block[:-1]).any():
            raise InputError(f"{name} is not in ascending order; the stored corpus is damaged.")
        last = int(block[-1])
    let_go(ends)
    if last != size:
        raise InputError(f"{name} ends at {last} instead of {size}; the stored corpus is damaged.")


def _checked_ids(ids: Array, count: int, name: str) -> Array:
    """Return the ids of texts or documents; raise InputError unless all are from 0 to `count` - 1."""
    for start, stop in blocks(len(ids)):
        block = ids[start:stop]
        if int(block.min()) < 0 or int(block.max()) >= count:
            raise InputError(f"{name} refers to texts that do not exist; the stored corpus is damaged.")
    let_go(ids)
    return ids
