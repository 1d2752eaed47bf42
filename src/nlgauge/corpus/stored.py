"""A corpus on disk, for more segments than memory holds: columns of numbers that are mapped, texts that are read when they are asked for.

texts.jsonl, texts.ends               the texts, one JSON string per line, and where each line ends
predictions-0.ids, predictions-0.ends the numbers of the texts that the first system gave, and where each segment's end, where not all have one
references.ids, references.ends       the same for references
sources.ids                           the number of each segment's source

Numbers are whole, of eight bytes, the lowest first. Texts are the same one only within what was added at once: how often a text is repeated over
millions of segments nobody knows without holding them all.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, overload

import msgspec
import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array, Ragged, blocks, let_go, offsets_of
from nlgauge.corpus.texts import Texts
from nlgauge.errors import InputError

_NUMBER = np.dtype("<i8")
# So many segments of a corpus on disk are taken into memory at the most: a gigabyte or so of short texts.
MOST_AT_ONCE = 1_000_000


class StoredFacts(msgspec.Struct):
    """What must be known of a stored corpus before its files are opened."""

    systems: list[str]
    segments: int
    texts: int
    references: bool
    sources: bool
    lang: str | None
    # "texts", or "hashes" where these stand in the place of texts.
    strings: str = "texts"


class StoredLines(Sequence[str]):
    """Texts of a file of JSON strings, each read when it is asked for."""

    def __init__(self, path: Path, ends: Array) -> None:
        self.ends = ends
        self._path = path
        self._file = os.open(path, os.O_RDONLY)

    def __del__(self) -> None:
        os.close(self._file)

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return self.many(np.arange(len(self))[place])
        return self.many(np.array([range(len(self))[place]]))[0]

    def __iter__(self) -> Iterator[str]:
        for start, stop in blocks(len(self)):
            yield from self.many(np.arange(start, stop))

    def many(self, numbers: Array) -> list[str]:
        """The texts with these numbers; neighbours are read at once."""
        if not len(numbers):
            return []
        first, last = int(numbers.min()), int(numbers.max())
        start = int(self.ends[first - 1]) if first else 0
        if last - first < 4 * len(numbers):
            ends = np.asarray(self.ends[first : last + 1]) - start
            data = os.pread(self._file, int(ends[-1]), start)
            bounds = [0, *ends.tolist()]
            lines = [data[bounds[i] : bounds[i + 1]] for i in (numbers - first).tolist()]
        else:
            lines = [os.pread(self._file, end - begin, begin) for begin, end in map(self._bounds, numbers.tolist())]
        try:
            found: list[str] = msgspec.json.decode(b"[" + b",".join(lines) + b"]", type=list[str])
        except msgspec.MsgspecError as error:
            raise InputError(f"{self._path} is damaged: {error}") from None
        return found

    def _bounds(self, number: int) -> tuple[int, int]:
        return int(self.ends[number - 1]) if number else 0, int(self.ends[number])


class StoredTexts(Texts):
    """The texts of a stored corpus. They are read by number; whether a text is among them is not known."""

    def __init__(self, lines: StoredLines) -> None:
        super().__init__()
        self.strings = lines  # type: ignore[assignment]
        # Where all segments are stored, what is known of them, and the corpus that has all of them; parts of it share these texts.
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
    """Where a corpus is stored, and what is known of it; None where it is in memory, or other than what is stored there."""
    origin = corpus.texts.origin if isinstance(corpus.texts, StoredTexts) else None
    return None if origin is None or origin[2]() is not corpus else origin[:2]


def at_once(corpus: Corpus, what: str) -> Corpus:
    """A corpus on disk as one in memory, for what needs all texts at once; refused where they are too many."""
    if len(corpus) > MOST_AT_ONCE:
        raise InputError(
            f"{what} needs all texts at once, and there are {len(corpus):,} segments; it can be had for {MOST_AT_ONCE:,} at the most. "
            "Take a sample of the segments for it."
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
        yield from ((start + a, start + b) for a, b in pairwise([0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), stop - start]))
        let_columns_go(corpus)


def let_columns_go(corpus: Corpus) -> None:
    """Gives back the memory of the columns that were read."""
    assert isinstance(corpus.texts, StoredTexts)
    let_go(*(column.values for column in _columns(corpus)), corpus.texts.ends)


def _columns(corpus: Corpus) -> list[Ragged]:
    """All columns of text ids."""
    found = [*corpus.predictions.values(), *([] if corpus.references is None else [corpus.references])]
    return found if corpus.sources is None else [*found, _one_each(corpus.sources, found[0].offsets)]


class CorpusWriter:
    """Adds segments to a corpus on disk."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._files = ExitStack()
        self._open: dict[str, BinaryIO] = {}
        self._texts = self._bytes = self._segments = 0
        self._counts: dict[str, int] = {}

    def append(self, corpus: Corpus) -> None:
        """Adds all segments of a corpus that has neither ids nor weights nor fields of its own."""
        strings = corpus.texts.strings
        lines = [msgspec.json.encode(text) + b"\n" for text in strings]
        self._write("texts.jsonl", b"".join(lines))
        ends = self._bytes + np.fromiter(map(len, lines), np.int64, len(lines)).cumsum()
        self._numbers("texts.ends", ends)
        for number, column in enumerate(corpus.predictions.values()):
            self._column(f"predictions-{number}", column)
        if corpus.references is not None:
            self._column("references", corpus.references)
        if corpus.sources is not None:
            self._numbers("sources.ids", corpus.sources + self._texts)
        self._segments += len(corpus)
        self._texts += len(strings)
        self._bytes = int(ends[-1]) if len(ends) else self._bytes
        self._facts = StoredFacts(
            list(corpus.systems), self._segments, self._texts, corpus.references is not None, corpus.sources is not None, corpus.lang
        )

    def __enter__(self) -> CorpusWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def close(self) -> StoredFacts:
        """What was written."""
        self._files.close()
        return self._facts

    def _column(self, name: str, column: Ragged) -> None:
        self._numbers(f"{name}.ids", column.values + self._texts)
        before = self._counts.get(name, 0)
        if not column.is_single and f"{name}.ends" not in self._open:
            for start, stop in blocks(self._segments):  # all segments so far had one text
                self._numbers(f"{name}.ends", np.arange(start, stop) + 1)
        if f"{name}.ends" in self._open or not column.is_single:
            self._numbers(f"{name}.ends", column.offsets[1:] + before)
        self._counts[name] = before + len(column.values)

    def _numbers(self, name: str, numbers: Array) -> None:
        self._write(name, np.ascontiguousarray(numbers, dtype=_NUMBER).tobytes())

    def _write(self, name: str, data: bytes) -> None:
        if name not in self._open:
            self._open[name] = self._files.enter_context((self._place / name).open("wb"))
        self._open[name].write(data)


def stored_corpus(place: Path, facts: StoredFacts) -> Corpus:
    """The corpus in a directory; its columns are mapped, and checked to be what the facts say."""
    if facts.strings not in ("texts", "hashes"):
        raise InputError(f"its texts are called {facts.strings!r:.40}; 'texts' or 'hashes' is needed.")
    strings = place / f"{facts.strings}.jsonl"
    ends = _mapped(place / f"{facts.strings}.ends", facts.texts)
    _check_ends(ends, strings.stat().st_size, f"{facts.strings}.ends")
    one_each = np.arange(facts.segments + 1)
    corpus = Corpus(
        StoredTexts(StoredLines(strings, ends)),
        range(facts.segments),
        {system: _read_column(place, f"predictions-{number}", facts, one_each) for number, system in enumerate(facts.systems)},
        _read_column(place, "references", facts, one_each) if facts.references else None,
        _checked_ids(_mapped(place / "sources.ids", facts.segments), facts, "sources.ids") if facts.sources else None,
        lang=facts.lang,
    )
    if not facts.systems or not facts.segments:
        raise InputError("there are no segments.")
    assert isinstance(corpus.texts, StoredTexts)
    corpus.texts.origin = place, facts, weakref.ref(corpus)
    return corpus


def _read_column(place: Path, name: str, facts: StoredFacts, one_each: Array) -> Ragged:
    if not (place / f"{name}.ends").exists():
        ids = _checked_ids(_mapped(place / f"{name}.ids", facts.segments), facts, name)
        return _one_each(ids, one_each)
    ends = _mapped(place / f"{name}.ends", facts.segments)
    ids = _mapped(place / f"{name}.ids", (place / f"{name}.ids").stat().st_size // _NUMBER.itemsize)
    _check_ends(ends, len(ids), f"{name}.ends")
    return Ragged(_checked_ids(ids, facts, name), np.concatenate([[0], ends]))


def _one_each(ids: Array, offsets: Array) -> Ragged:
    """The column with one text per segment, whose offsets all such columns share."""
    found = Ragged(ids, offsets)
    found.__dict__["is_single"] = True
    return found


def _mapped(path: Path, count: int) -> Array:
    if not path.is_file() or path.stat().st_size != count * _NUMBER.itemsize:
        raise InputError(f"{path.name} should be a file of {count} numbers of eight bytes.")
    return np.memmap(path, dtype=_NUMBER, mode="r", shape=(count,)) if count else np.empty(0, dtype=_NUMBER)


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


def _checked_ids(ids: Array, facts: StoredFacts, name: str) -> Array:
    for start, stop in blocks(len(ids)):
        own = ids[start:stop]
        if int(own.min()) < 0 or int(own.max()) >= facts.texts:
            raise InputError(f"{name} speaks of texts that are not there.")
    let_go(ids)
    return ids


def with_hashes(place: Path, facts: StoredFacts, hashed: Callable[[str], str]) -> StoredFacts:
    """Writes hashes of the texts beside them, and gives the facts of the corpus with hashes in their place."""
    with (place / "hashes.jsonl").open("wb") as texts, (place / "hashes.ends").open("wb") as ends:
        end = 0
        for text in StoredLines(place / "texts.jsonl", _mapped(place / "texts.ends", facts.texts)):
            end += texts.write(msgspec.json.encode(hashed(text)) + b"\n")
            ends.write(end.to_bytes(_NUMBER.itemsize, "little"))
    return msgspec.structs.replace(facts, strings="hashes")


def remove_texts(place: Path, facts: StoredFacts) -> None:
    """Removes the texts of a corpus that has hashes in their place."""
    if facts.strings == "hashes":
        for name in ("texts.jsonl", "texts.ends"):
            (place / name).unlink(missing_ok=True)
