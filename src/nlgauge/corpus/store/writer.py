"""CorpusWriter: adds segments to a corpus on disk, piece by piece; `corpus.stored` says what the files
are.
"""

from __future__ import annotations

import shutil
from collections.abc import Hashable, Iterable, Sequence
from contextlib import ExitStack
from itertools import repeat
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np

from nlgauge._core.ragged import Array, Ragged, blocks
from nlgauge.corpus import Corpus
from nlgauge.corpus.fields import plain, saved_id
from nlgauge.corpus.store.layout import NUMBER, VALUE, StoredFacts, StoredField
from nlgauge.corpus.store.lazy_values import StoredLines
from nlgauge.errors import InputError


class CorpusWriter:
    """Adds segments to a corpus on disk."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._files = ExitStack()
        self._open: dict[str, BinaryIO] = {}
        self._ends: dict[str, int] = {}
        self._facts: StoredFacts | None = None
        self._documents: dict[str, int] = {}
        self._fields: dict[str, StoredField] = {}
        # Hashes of the ids, by which two equal ones are found in the end.
        self._ids: list[Array] = []
        self._weight = 0.0

    def __enter__(self) -> CorpusWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def append(self, corpus: Corpus) -> None:
        """Adds all segments of a corpus, which has the same columns as those before; it may have other
        fields.
        """
        facts = self._checked(corpus)
        self._lines("texts", corpus.texts.strings)
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
        """What was written; an error where two ids are the same, or all weights are 0."""
        if self._facts is None:
            raise InputError("there are no segments; give at least one.")
        if self._facts.documents is not None:
            self._lines("documents", self._documents)
        self._files.close()
        if self._facts.ids:
            self._check_ids()
        if self._facts.weights and not self._weight:
            raise InputError("weights must be finite, not negative, and not all 0.")
        documents = None if self._facts.documents is None else len(self._documents)
        return msgspec.structs.replace(self._facts, documents=documents, fields=list(self._fields.values()))

    def _checked(self, corpus: Corpus) -> StoredFacts:
        """What was written so far; an error where the corpus has other columns."""
        given = {
            name: getattr(corpus, name) is not None
            for name in ("references", "sources", "weights", "documents")
        }
        before = self._facts
        if before is None:
            return StoredFacts(
                list(corpus.systems),
                segments=0,
                texts=0,
                references=given["references"],
                sources=given["sources"],
                lang=corpus.lang,
                weights=given["weights"],
                documents=0 if given["documents"] else None,
            )
        known = {**{name: getattr(before, name) for name in given}, "documents": before.documents is not None}
        odd = next((name for name in given if given[name] != known[name]), None)
        if odd is not None:
            has, lacks = ("from there on", "before") if given[odd] else ("before", "from there on")
            raise InputError(
                f"segment {corpus.ids[0]!r}: there are {odd} {has} and none {lacks}; every segment needs the"
                " same columns."
            )
        if list(corpus.systems) != before.systems:
            raise InputError(
                f"segment {corpus.ids[0]!r} has the systems {', '.join(corpus.systems)}, those before have"
                f" {', '.join(before.systems)}."
            )
        return before

    def _column(self, name: str, column: Ragged, facts: StoredFacts) -> None:
        self._numbers(f"{name}.ids", column.values + facts.texts)
        before = self._ends.get(name, 0)
        if not column.is_single and f"{name}.ends" not in self._open:
            for start, stop in blocks(facts.segments):  # all segments so far had one text
                self._numbers(f"{name}.ends", np.arange(start, stop) + 1)
        if f"{name}.ends" in self._open or not column.is_single:
            self._numbers(f"{name}.ends", column.offsets[1:] + before)
        self._ends[name] = before + len(column.values)

    def _append_ids(self, ids: Sequence[Hashable], facts: StoredFacts) -> None:
        """Writes ids from the first one on that is not the number of its segment."""
        numbers = range(facts.segments, facts.segments + len(ids))
        if not facts.ids and (ids == numbers or tuple(ids) == tuple(numbers)):
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
        for one, other in zip(order[again].tolist(), order[again + 1].tolist(), strict=True):
            if str(ids[one]) == str(ids[other]):
                raise InputError(
                    f"ids must differ, {ids[other]!r} is that of segments {one + 1} and {other + 1}; "
                    "for several systems give each record its system, or predictions={name: texts}."
                )

    def _append_fields(self, corpus: Corpus, facts: StoredFacts) -> None:
        """Writes the fields; where one was not there before, or is not there now, its values are None."""
        for name in (*corpus.fields, *corpus.system_fields):
            if plain(name) not in self._fields:
                self._fields[plain(name)] = StoredField(plain(name), name in corpus.system_fields)
                self._lines_of_field(plain(name), dict.fromkeys(corpus.systems, repeat(None, facts.segments)))
        known = {plain(name): dict.fromkeys(corpus.systems, values) for name, values in corpus.fields.items()}
        known |= {plain(name): dict(own) for name, own in corpus.system_fields.items()}
        for name, field in self._fields.items():
            if name in map(plain, corpus.system_fields) and not field.by_system:
                self._split(name, len(corpus.systems))
            values = known.get(name, {})
            self._lines_of_field(
                name, {system: values.get(system) or repeat(None, len(corpus)) for system in corpus.systems}
            )

    def _lines_of_field(self, name: str, values: dict[str, Iterable[Any]]) -> None:
        field = self._fields[name]
        number = list(self._fields).index(name)
        for k, own in enumerate(values.values() if field.by_system else [next(iter(values.values()))]):
            self._lines(field.file(number, k), map(plain, own))

    def _split(self, name: str, systems: int) -> None:
        """Makes a field that was the same for all systems so far one that has values for each."""
        number, shared = list(self._fields).index(name), self._fields[name]
        self._fields[name] = own = StoredField(name, True)
        for kind in ("jsonl", "ends"):
            self._open.pop(f"{shared.file(number)}.{kind}").close()
            for k in range(systems):
                shutil.copyfile(
                    self._place / f"{shared.file(number)}.{kind}",
                    self._place / f"{own.file(number, k)}.{kind}",
                )
                self._ends[own.file(number, k)] = self._ends[shared.file(number)]
                self._open[f"{own.file(number, k)}.{kind}"] = self._files.enter_context(
                    (self._place / f"{own.file(number, k)}.{kind}").open("ab")
                )
            (self._place / f"{shared.file(number)}.{kind}").unlink()

    def _lines(self, name: str, values: Iterable[Any]) -> None:
        """Writes values of JSON, one per line, and where each line ends."""
        lines = [msgspec.json.encode(value) + b"\n" for value in values]
        self._write(f"{name}.jsonl", b"".join(lines))
        ends = self._ends.get(name, 0) + np.fromiter(map(len, lines), np.int64, len(lines)).cumsum()
        self._numbers(f"{name}.ends", ends)
        if len(ends):
            self._ends[name] = int(ends[-1])

    def _numbers(self, name: str, numbers: Array) -> None:
        self._write(name, np.ascontiguousarray(numbers, dtype=NUMBER).tobytes())

    def _write(self, name: str, data: bytes) -> None:
        if name not in self._open:
            self._open[name] = self._files.enter_context((self._place / name).open("wb"))
        self._open[name].write(data)
