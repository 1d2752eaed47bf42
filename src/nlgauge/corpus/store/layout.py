"""A corpus on disk: columns of numbers that are mapped, and texts that are read when they are used.

    texts.jsonl, texts.ends                the texts, one JSON string per line, and where each line ends
    predictions-0.ids, predictions-0.ends  the numbers of the first system's texts, and where those of each
                                           segment end (no .ends if every segment has one text)
    references.ids, references.ends        the same for references
    sources.ids                            the number of each segment's source
    ids.jsonl, ids.ends                    the ids of the segments, if they are not their numbers
    weights.f64                            the weight of each segment
    documents.jsonl, .ends, documents.ids  the documents, each once, and the number of each segment's document
    fields-0.jsonl, fields-0.ends          the values of the first further field; fields-0-0, fields-0-1, ...
                                           if they differ between systems

Numbers are whole, of eight bytes, the lowest first. A corpus that came in pieces may hold a text once per
piece: nobody knows how often a text is repeated over millions of segments without holding them all.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nlgauge._core.ragged import Array, Ragged, blocks, let_go, offsets_of
from nlgauge.corpus import Corpus
from nlgauge.corpus.fields import kept
from nlgauge.corpus.store.lazy_values import StoredLabels, StoredLines, decode_texts, file_size, mapped
from nlgauge.corpus.texts import Texts
from nlgauge.errors import InputError

NUMBER, VALUE = np.dtype("<i8"), np.dtype("<f8")
# So many segments of a corpus on disk are taken into memory at the most: a gigabyte or so of short texts.
MOST_AT_ONCE = 1_000_000


class StoredField(msgspec.Struct):
    """A further field, and the systems that have values of their own; none if all share the values."""

    name: str
    systems: list[str] = []

    def names(self, number: int) -> list[str]:
        """Return the names of the files of the field with this number, without their endings."""
        return [f"fields-{number}-{k}" for k in range(len(self.systems))] or [f"fields-{number}"]


class StoredFacts(msgspec.Struct):
    """What must be known of a stored corpus before its files are opened."""

    systems: list[str]
    segments: int
    texts: int
    references: bool
    sources: bool
    lang: str | None
    # The columns in which some segment has more or fewer than one text.
    several: list[str] = []
    # Whether segments have ids other than their numbers, whether they have weights, and from how many
    # documents they are, if they have any.
    ids: bool = False
    weights: bool = False
    documents: int | None = None
    fields: list[StoredField] = []

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
            *(name for name, is_there in present.items() if is_there),
        ]


class StoredTexts(Texts):
    """The texts of a stored corpus. They are read by number; whether a text is among them is not known."""

    def __init__(self, lines: StoredLines) -> None:
        super().__init__()
        self.strings = lines  # type: ignore[assignment]
        # Where all segments are stored, what is known of them, and the corpus that has all of them; parts of
        # it share these texts.
        self.origin: tuple[Path, StoredFacts, weakref.ref[Corpus]] | None = None

    def many(self, numbers: Array) -> list[str]:
        """The texts with these numbers."""
        found: list[str] = self.strings.many(numbers)  # type: ignore[attr-defined]
        return found

    def sizes(self, numbers: Array) -> Array:
        """How many bytes the texts with these numbers take."""
        return np.asarray(self.ends[numbers] - np.where(numbers, self.ends[numbers - 1], 0))

    @property
    def ends(self) -> Array:
        """Where each text ends in the file."""
        found: Array = self.strings.ends  # type: ignore[attr-defined]
        return found

    def intern_all(self, texts: list[str]) -> Array:
        raise InputError("a corpus that was stored takes no more texts; take it into memory first.")

    def intern(self, text: str) -> int:
        return int(self.intern_all([text])[0])


def is_stored(corpus: Corpus) -> bool:
    """Whether a corpus is on disk."""
    return isinstance(corpus.texts, StoredTexts)


def place_of(corpus: Corpus) -> tuple[Path, StoredFacts] | None:
    """Return where a corpus is stored, and what is known of it; None if it is in memory, or other than what is
    stored there by now.
    """
    origin = corpus.texts.origin if isinstance(corpus.texts, StoredTexts) else None
    if origin is None or origin[2]() is not corpus:
        return None
    lines: StoredLines = corpus.texts.strings  # type: ignore[assignment]
    return origin[:2] if lines.is_at(origin[0] / "texts.jsonl") else None


def at_once(corpus: Corpus, what: str) -> Corpus:
    """A corpus on disk as one in memory, for what needs all texts at once; refused where they are too
    many.
    """
    if len(corpus) > MOST_AT_ONCE:
        raise InputError(
            f"{what} loads all texts and supports at most {MOST_AT_ONCE:,} segments, but the corpus has"
            f" {len(corpus):,}; take a sample of the segments."
        )
    return corpus.apart(np.arange(len(corpus)))


def stored_bounds(corpus: Corpus, characters: int) -> Iterator[tuple[int, int]]:
    """Where runs of whole segments with about so many bytes of text each start and end."""
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
    """Gives back the memory of the columns that were read."""
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


def stored_corpus(place: Path, facts: StoredFacts) -> Corpus:
    """The corpus in a directory; its columns are mapped, and checked to be what the facts say."""
    if not facts.systems or not facts.segments:
        raise InputError("the corpus has no systems or no segments.")

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
    """The column with one text per segment, whose offsets all such columns share."""
    found = Ragged(ids, offsets)
    found.__dict__["is_single"] = True
    return found


def _check_ends(ends: Array, size: int, name: str) -> None:
    last = 0
    for start, stop in blocks(len(ends)):
        own = np.asarray(ends[start:stop])
        if own[0] < last or (own[1:] < own[:-1]).any():
            raise InputError(f"{name} does not grow.")
        last = int(own[-1])
    let_go(ends)
    if last != size:
        raise InputError(f"{name} ends at {last} instead of {size}; the stored corpus is damaged.")


def _checked_ids(ids: Array, count: int, name: str) -> Array:
    """Numbers of texts or labels, of which there are so many."""
    for start, stop in blocks(len(ids)):
        own = ids[start:stop]
        if int(own.min()) < 0 or int(own.max()) >= count:
            raise InputError(f"{name} refers to texts that do not exist; the stored corpus is damaged.")
    let_go(ids)
    return ids
