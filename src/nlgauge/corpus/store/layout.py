"""A corpus on disk, for more segments than memory holds: columns of numbers that are mapped, texts that are
read when they are asked for.

texts.jsonl, texts.ends               the texts, one JSON string per line, and where each line ends
predictions-0.ids, predictions-0.ends the numbers of the texts that the first system gave, and where each
segment's end, where not all have one references.ids, references.ends       the same for references
sources.ids                           the number of each segment's source ids.jsonl, ids.ends
the ids of the segments, where they are not their numbers weights.f64                           the weight of
each segment documents.jsonl, documents.ids        the documents, each once, and the number of each segment's
fields-0.jsonl, fields-0.ends         the values of the first further field; of one that differs between
systems fields-0-0, fields-0-1, ...

Numbers are whole, of eight bytes, the lowest first. Texts are the same one only within what was added at
once: how often a text is repeated over millions of segments nobody knows without holding them all.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nlgauge._core.ragged import Array, Ragged, blocks, let_go, offsets_of
from nlgauge.corpus import Corpus
from nlgauge.corpus.fields import kept, with_texts
from nlgauge.corpus.store.lazy_values import StoredLabels, StoredLines, decode_texts
from nlgauge.corpus.texts import Texts
from nlgauge.errors import InputError

NUMBER, VALUE = np.dtype("<i8"), np.dtype("<f8")
# So many segments of a corpus on disk are taken into memory at the most: a gigabyte or so of short texts.
MOST_AT_ONCE = 1_000_000


class StoredField(msgspec.Struct):
    """A further field, and whether it has values for each system."""

    name: str
    by_system: bool

    def file(self, number: int, system: int = 0) -> str:
        """What the files of the field with this number are called."""
        return f"fields-{number}-{system}" if self.by_system else f"fields-{number}"


class StoredFacts(msgspec.Struct):
    """What must be known of a stored corpus before its files are opened."""

    systems: list[str]
    segments: int
    texts: int
    references: bool
    sources: bool
    lang: str | None
    # "texts", or "hashes" where these stand in the place of texts, those in fields too.
    strings: str = "texts"
    # Whether segments have ids other than their numbers, whether they have weights, and from how many
    # documents they are, if they have any.
    ids: bool = False
    weights: bool = False
    documents: int | None = None
    fields: list[StoredField] = []


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
    """Where a corpus is stored, and what is known of it; None where it is in memory, or other than what
    is stored there.
    """
    origin = corpus.texts.origin if isinstance(corpus.texts, StoredTexts) else None
    return None if origin is None or origin[2]() is not corpus else origin[:2]


def at_once(corpus: Corpus, what: str) -> Corpus:
    """A corpus on disk as one in memory, for what needs all texts at once; refused where they are too
    many.
    """
    if len(corpus) > MOST_AT_ONCE:
        raise InputError(
            f"{what} needs all texts at once, and there are {len(corpus):,} segments; it can be had for"
            f" {MOST_AT_ONCE:,} at the most. Take a sample of the segments for it."
        )
    return corpus.apart(np.arange(len(corpus)))


def stored_bounds(corpus: Corpus, characters: int) -> Iterator[tuple[int, int]]:
    """Where runs of whole segments with about so many bytes of text each start and end."""
    assert isinstance(corpus.texts, StoredTexts)
    columns = _columns(corpus)
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
    let_go(*(column.values for column in _columns(corpus)), corpus.texts.ends)


def _columns(corpus: Corpus) -> list[Ragged]:
    """All columns of text ids."""
    found = [*corpus.predictions.values(), *([] if corpus.references is None else [corpus.references])]
    return found if corpus.sources is None else [*found, _one_each(corpus.sources, found[0].offsets)]


def stored_corpus(place: Path, facts: StoredFacts) -> Corpus:
    """The corpus in a directory; its columns are mapped, and checked to be what the facts say."""
    if facts.strings not in ("texts", "hashes"):
        raise InputError(f"its texts are called {facts.strings!r:.40}; 'texts' or 'hashes' is needed.")
    if not facts.systems or not facts.segments:
        raise InputError("there are no segments.")
    one_each = np.arange(facts.segments + 1)
    texts = StoredTexts(_read_lines(place, facts.strings, facts.texts))
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
            _checked_ids(_mapped(place / "sources.ids", facts.segments), facts.texts, "sources.ids")
            if facts.sources
            else None
        ),
        _read_weights(place, facts) if facts.weights else None,
        None if facts.documents is None else _read_documents(place, facts.segments, facts.documents),
        facts.lang,
        {
            field.name: _read_field(place, facts, number)
            for number, field in enumerate(facts.fields)
            if not field.by_system
        },
        {
            field.name: {
                system: _read_field(place, facts, number, k) for k, system in enumerate(facts.systems)
            }
            for number, field in enumerate(facts.fields)
            if field.by_system
        },
    )
    texts.origin = place, facts, weakref.ref(corpus)
    return corpus


def _read_lines(
    place: Path, name: str, count: int, decode: Callable[[bytes], list[Any]] = decode_texts
) -> StoredLines:
    ends = _mapped(place / f"{name}.ends", count)
    _check_ends(ends, (place / f"{name}.jsonl").stat().st_size, f"{name}.ends")
    return StoredLines(place / f"{name}.jsonl", ends, decode)


def _read_weights(place: Path, facts: StoredFacts) -> Array:
    weights = _mapped(place / "weights.f64", facts.segments, VALUE)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError("weights.f64 holds numbers that are not weights.")
    return weights


def _read_documents(place: Path, segments: int, count: int) -> StoredLabels:
    labels = list(_read_lines(place, "documents", count))
    return StoredLabels(
        labels, _checked_ids(_mapped(place / "documents.ids", segments), count, "documents.ids")
    )


def _read_field(place: Path, facts: StoredFacts, number: int, system: int = 0) -> StoredLines:
    return _read_lines(place, _field_file(facts, number, system), facts.segments, _decode_values)


def _field_file(facts: StoredFacts, number: int, system: int) -> str:
    name = facts.fields[number].file(number, system)
    return f"hashed-{name}" if facts.strings == "hashes" else name


def _decode_values(data: bytes) -> list[Any]:
    return list(kept(msgspec.json.decode(data)))


def _read_column(place: Path, name: str, facts: StoredFacts, one_each: Array) -> Ragged:
    if not (place / f"{name}.ends").exists():
        ids = _checked_ids(_mapped(place / f"{name}.ids", facts.segments), facts.texts, name)
        return _one_each(ids, one_each)
    ends = _mapped(place / f"{name}.ends", facts.segments)
    ids = _mapped(place / f"{name}.ids", (place / f"{name}.ids").stat().st_size // NUMBER.itemsize)
    _check_ends(ends, len(ids), f"{name}.ends")
    return Ragged(_checked_ids(ids, facts.texts, name), np.concatenate([[0], ends]))


def _one_each(ids: Array, offsets: Array) -> Ragged:
    """The column with one text per segment, whose offsets all such columns share."""
    found = Ragged(ids, offsets)
    found.__dict__["is_single"] = True
    return found


def _mapped(path: Path, count: int, kind: np.dtype[Any] = NUMBER) -> Array:
    if not path.is_file() or path.stat().st_size != count * kind.itemsize:
        raise InputError(f"{path.name} should be a file of {count} numbers of eight bytes.")
    return np.memmap(path, dtype=kind, mode="r", shape=(count,)) if count else np.empty(0, dtype=kind)


def _check_ends(ends: Array, size: int, name: str) -> None:
    last = 0
    for start, stop in blocks(len(ends)):
        own = np.asarray(ends[start:stop])
        if own[0] < last or (own[1:] < own[:-1]).any():
            raise InputError(f"{name} does not grow.")
        last = int(own[-1])
    let_go(ends)
    if last != size:
        raise InputError(f"{name} ends at {last}, where there are {size}.")


def _checked_ids(ids: Array, count: int, name: str) -> Array:
    """Numbers of texts or labels, of which there are so many."""
    for start, stop in blocks(len(ids)):
        own = ids[start:stop]
        if int(own.min()) < 0 or int(own.max()) >= count:
            raise InputError(f"{name} speaks of texts that are not there.")
    let_go(ids)
    return ids


def with_hashes(place: Path, facts: StoredFacts, hashed: Callable[[str], str]) -> StoredFacts:
    """Writes hashes of the texts beside them, those in fields too, and gives the facts of the corpus with
    hashes in their place.
    """
    found = msgspec.structs.replace(facts, strings="hashes")
    _rewrite(place, "texts", "hashes", facts.texts, lambda values: map(hashed, values))
    for number, field in enumerate(facts.fields):
        for k in range(len(facts.systems) if field.by_system else 1):
            names = _field_file(facts, number, k), _field_file(found, number, k)
            _rewrite(place, *names, facts.segments, lambda values: with_texts(values, hashed))
    return found


def _rewrite(
    place: Path, name: str, new: str, count: int, change: Callable[[list[Any]], Iterable[Any]]
) -> None:
    """Writes the changed values of a file of lines to another one."""
    lines = StoredLines(place / f"{name}.jsonl", _mapped(place / f"{name}.ends", count), _decode_values)
    with (place / f"{new}.jsonl").open("wb") as values, (place / f"{new}.ends").open("wb") as ends:
        end = 0
        for start, stop in blocks(count):
            for value in change(lines[start:stop]):
                end += values.write(msgspec.json.encode(value) + b"\n")
                ends.write(end.to_bytes(NUMBER.itemsize, "little"))


def remove_texts(place: Path, facts: StoredFacts) -> None:
    """Removes the texts of a corpus that has hashes in their place."""
    if facts.strings == "hashes":
        readable = ["texts"]
        for number, field in enumerate(facts.fields):
            readable += [field.file(number, k) for k in range(len(facts.systems) if field.by_system else 1)]
        for name in readable:
            (place / f"{name}.jsonl").unlink(missing_ok=True)
            (place / f"{name}.ends").unlink(missing_ok=True)
