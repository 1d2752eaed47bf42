"""Writer of a corpus on disk, chunk by chunk; `corpus.store.layout` describes the files."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice, repeat
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np

from nlgauge._core.ragged import Array, Ragged, blocks
from nlgauge.corpus import Corpus
from nlgauge.corpus.fields import plain, saved_id, with_texts
from nlgauge.corpus.store.layout import (
    NUMBER,
    VALUE,
    StoredFacts,
    StoredField,
    is_stored,
    place_of,
    text_columns,
)
from nlgauge.corpus.store.lazy_values import StoredLines
from nlgauge.corpus.validation import no_weight, repeated_id
from nlgauge.errors import InputError

_ENCODER = msgspec.json.Encoder()
_LINES = 20_000


def write_corpus(corpus: Corpus, place: Path, hashed: bool = False) -> StoredFacts:
    """Write a corpus to a directory, with hashes instead of texts if `hashed`.

    The files of a corpus that is already stored are linked, or copied if the file system has no links.
    """
    stored = place_of(corpus)
    if stored is not None and not hashed:
        directory, facts = stored
        for name in facts.files():
            _link(directory / name, place / name)
        return facts
    with CorpusWriter(place, hashed) as writer:
        for piece in _pieces(corpus):
            writer.append(piece)
        return writer.close()


def _link(path: Path, target: Path) -> None:
    """Link a file, or copy it if that fails; a link is safe because files of a result never change."""
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)


def _pieces(corpus: Corpus) -> Iterator[Corpus]:
    """Yield a corpus in chunks that contain only the texts of their segments.

    Without this, a part of a corpus would be written with all texts of the whole corpus, which it shares.
    """
    if is_stored(corpus):
        for start, stop in blocks(len(corpus)):
            yield corpus.apart(np.arange(start, stop))
        return
    used = np.zeros(len(corpus.texts), dtype=bool)
    for column in text_columns(corpus):
        used[column.values] = True
    yield corpus if used.all() else corpus.apart(np.arange(len(corpus)))


def text_hash(text: str) -> str:
    """Return the SHA-256 hash that is saved instead of a text."""
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()


class CorpusWriter:
    """Writer that adds segments to a corpus on disk.

    With `hashed`, it writes hashes instead of texts, also in fields.
    """

    def __init__(self, place: Path, hashed: bool = False) -> None:
        self._place = place
        self._hashed = hashed
        self._files = ExitStack()
        self._open: dict[str, BinaryIO] = {}
        self._ends: dict[str, int] = {}
        self._facts: StoredFacts | None = None
        self._documents: dict[str, int] = {}
        self._fields: dict[str, StoredField] = {}
        self._several: list[str] = []
        # Hashes of the ids, to find duplicate ids in `close`.
        self._ids: list[Array] = []
        self._weight = 0.0

    def __enter__(self) -> CorpusWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def append(self, corpus: Corpus) -> None:
        """Add all segments of a corpus.

        It must have the same columns as the segments before, but may have other fields.
        """
        facts = self._checked(corpus)
        strings: Iterable[str] = corpus.texts.strings
        self._lines("texts", map(text_hash, strings) if self._hashed else strings)
        for number, column in enumerate(corpus.predictions.values()):
            self._column(f"predictions-{number}", column, facts)
        if corpus.references is not None:
            self._column("references", corpus.references, facts)
        if corpus.sources is not None:
            self._numbers("sources.ids", corpus.sources + facts.texts)
        self._append_ids(corpus.ids, facts)
        if corpus.weights is not None:
            self._write("weights.f64", np.ascontiguousarray(corpus.weights, dtype=VALUE).tobytes())
            self._weight += float(corpus.weights.sum())
        if corpus.documents is not None:
            codes = [self._documents.setdefault(label, len(self._documents)) for label in corpus.documents]
            self._numbers("documents.ids", np.array(codes))
        self._append_fields(corpus, facts)
        self._facts = msgspec.structs.replace(
            facts, segments=facts.segments + len(corpus), texts=facts.texts + len(corpus.texts)
        )

    def close(self) -> StoredFacts:
        """Finish the files and return the facts; raise InputError for duplicate ids or weights all 0."""
        if self._facts is None:
            raise InputError("the corpus is empty; it needs at least one segment.")
        if self._facts.documents is not None:
            self._lines("documents", self._documents)
        self._files.close()
        if self._facts.ids:
            self._check_ids()
        if self._facts.weights and not self._weight:
            raise no_weight()
        documents = None if self._facts.documents is None else len(self._documents)
        return msgspec.structs.replace(
            self._facts,
            documents=documents,
            fields=list(self._fields.values()),
            several=self._several,
        )

    def _checked(self, corpus: Corpus) -> StoredFacts:
        """Return the facts so far; raise InputError if the corpus has other columns or systems."""
        present = {
            name: getattr(corpus, name) is not None
            for name in ("references", "sources", "weights", "documents")
        }
        before = self._facts
        if before is None:
            return StoredFacts(
                list(corpus.systems),
                segments=0,
                texts=0,
                references=present["references"],
                sources=present["sources"],
                lang=corpus.lang,
                weights=present["weights"],
                documents=0 if present["documents"] else None,
                repeats=corpus.repeats,
            )
        expected = {name: getattr(before, name) for name in present}
        expected["documents"] = before.documents is not None
        odd = next((name for name in present if present[name] != expected[name]), None)
        if odd is not None:
            has, lacks = ("has", "have none") if present[odd] else ("has no", "have them")
            raise InputError(
                f"segment {corpus.ids[0]!r} {has} {odd}, but earlier segments {lacks}; every segment needs the same"
                " columns."
            )
        if list(corpus.systems) != before.systems:
            raise InputError(
                f"segment {corpus.ids[0]!r} has the systems {', '.join(corpus.systems)}, but earlier segments have"
                f" {', '.join(before.systems)}; every segment needs the same systems."
            )
        return before

    def _column(self, name: str, column: Ragged, facts: StoredFacts) -> None:
        self._numbers(f"{name}.ids", column.values + facts.texts)
        before = self._ends.get(name, 0)
        if not column.is_single and name not in self._several:
            self._several.append(name)
            for start, stop in blocks(facts.segments):  # all segments so far had one text
                self._numbers(f"{name}.ends", np.arange(start, stop) + 1)
        if name in self._several:
            self._numbers(f"{name}.ends", column.offsets[1:] + before)
        self._ends[name] = before + len(column.values)

    def _append_ids(self, ids: Sequence[Hashable], facts: StoredFacts) -> None:
        """Write the ids, unless all ids so far are the numbers of the segments."""
        numbers = range(facts.segments, facts.segments + len(ids))
        if not facts.ids and (
            ids == numbers or (tuple(ids) == tuple(numbers) and set(map(type, ids)) == {int})
        ):
            return
        if not facts.ids:
            facts.ids = True
            for start, stop in blocks(facts.segments):
                self._write_ids(range(start, stop))
        self._write_ids(ids)

    def _write_ids(self, ids: Sequence[Hashable]) -> None:
        self._lines("ids", map(saved_id, ids))
        self._ids.append(np.fromiter(map(hash, map(str, ids)), np.int64, len(ids)))

    def _check_ids(self) -> None:
        hashes = np.concatenate(self._ids)
        order = np.argsort(hashes, kind="stable")
        again = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
        if not len(again):
            return
        ids = StoredLines(
            self._place / "ids.jsonl",
            np.fromfile(self._place / "ids.ends", dtype=NUMBER),
            msgspec.json.decode,
        )
        for first, second in zip(order[again].tolist(), order[again + 1].tolist(), strict=True):
            if str(ids[first]) == str(ids[second]):
                raise repeated_id(f"segments {first + 1} and {second + 1} have the id {ids[second]!r}")

    def _append_fields(self, corpus: Corpus, facts: StoredFacts) -> None:
        """Write the fields; a field that is missing before or in this corpus gets the value None there."""
        shared = {plain(name): values for name, values in corpus.fields.items()}
        by_system = {plain(name): values for name, values in corpus.system_fields.items()}
        for name in (*shared, *by_system):
            if name not in self._fields:
                self._fields[name] = StoredField(name, list(by_system.get(name, ())))
                self._write_field(name, [repeat(None, facts.segments)] * (len(by_system.get(name, ())) or 1))
        for name, field in self._fields.items():
            if name in by_system and not field.systems:
                self._split(name, list(by_system[name]))
            values = by_system.get(name) or dict.fromkeys(corpus.systems, shared.get(name))
            columns = [values.get(system) for system in self._fields[name].systems or corpus.systems[:1]]
            self._write_field(name, [column or repeat(None, len(corpus)) for column in columns])

    def _write_field(self, name: str, columns: Sequence[Iterable[Any]]) -> None:
        number = list(self._fields).index(name)
        for file, values in zip(self._fields[name].names(number), columns, strict=True):
            self._lines(file, map(plain, with_texts(values, text_hash) if self._hashed else values))

    def _split(self, name: str, systems: list[str]) -> None:
        """Store separate values per system for a field whose values all systems shared so far."""
        number = list(self._fields).index(name)
        (shared,) = self._fields[name].names(number)
        self._fields[name] = StoredField(name, systems)
        for kind in ("jsonl", "ends"):
            self._open.pop(f"{shared}.{kind}").close()
            for file in self._fields[name].names(number):
                shutil.copyfile(self._place / f"{shared}.{kind}", self._place / f"{file}.{kind}")
                self._ends[file] = self._ends[shared]
                self._open[f"{file}.{kind}"] = self._files.enter_context(
                    (self._place / f"{file}.{kind}").open("ab")
                )
            (self._place / f"{shared}.{kind}").unlink()

    def _lines(self, name: str, values: Iterable[Any]) -> None:
        """Write values as JSON, one per line, and the end of each line, some thousands at a time."""
        left = iter(values)
        data = None
        while data != b"":
            data = _ENCODER.encode_lines(list(islice(left, _LINES)))
            self._write(f"{name}.jsonl", data)
            # JSON has no line feed within a value.
            ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n")) + 1
            self._numbers(f"{name}.ends", ends + self._ends.get(name, 0))
            self._ends[name] = self._ends.get(name, 0) + len(data)

    def _numbers(self, name: str, numbers: Array) -> None:
        self._write(name, np.ascontiguousarray(numbers, dtype=NUMBER).tobytes())

    def _write(self, name: str, data: bytes) -> None:
        if name not in self._open:
            self._open[name] = self._files.enter_context((self._place / name).open("wb"))
        self._open[name].write(data)
