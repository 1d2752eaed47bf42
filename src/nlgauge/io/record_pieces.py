"""Corpus chunks from blocks of records; records of several systems are joined by their ids on disk."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from nlgauge.corpus import Corpus
from nlgauge.corpus.fields import NothingMatches
from nlgauge.corpus.raw_columns import (
    DEFAULT_SYSTEM,
    RawColumns,
    check_left,
    gaps_in,
    no_ids,
    parts_of,
    system_names,
)
from nlgauge.corpus.records import ABSENT, FIELD_NAMES, KNOWN_NAMES, Records, names_of
from nlgauge.corpus.store.join import ID, SYSTEM, Joining
from nlgauge.corpus.store.layout import stored_corpus
from nlgauge.corpus.store.writer import CorpusWriter
from nlgauge.errors import InputError
from nlgauge.io.choice import Choice


class RecordPieces:
    """Converter of blocks of records to chunks of a corpus."""

    def __init__(self, choice: Choice, scratch: Path) -> None:
        self._choice = choice
        self._scratch = scratch
        self._systems = system_names(choice.columns or None)

    def of_blocks(self, blocks: Iterable[Records]) -> Iterator[Corpus]:
        """Yield the chunks of a corpus of one system or several.

        Records of several systems have a column per system or a field with the name of the system.
        """
        alike = self._alike(blocks)
        for first in alike:
            several = (
                not self._choice.pooled
                and not self._wide(first)
                and not first.columns.keys().isdisjoint(FIELD_NAMES["system"])
            )
            every = chain([first], alike)
            yield from self._joined(every) if several else self._apart(every)

    def _wide(self, records: Records) -> list[str]:
        """Return the columns that contain the predictions of one system each."""
        return (
            self._systems if self._systems and all(name in records.columns for name in self._systems) else []
        )

    def _alike(self, blocks: Iterable[Records]) -> Iterator[Records]:
        """Yield the selected records of each block, with the columns of all blocks before.

        The field "document" has the same meaning in all blocks as in the first block.
        """
        names: dict[str, str] = {}
        # Place of the first record of the block in which a column occurs first, by column.
        first_places: dict[str, str] = {}
        nothing: NothingMatches | None = None
        for original in blocks:
            block = _with_columns(original, first_places)
            try:
                block = block.where(self._choice.where)
            except NothingMatches as error:
                nothing = error
                continue
            if not first_places:
                meaning = {name: our for our, name in names_of(block, self._wide(block)).items()}.get(
                    "document"
                )
                names = (
                    {}
                    if meaning is None
                    else {"document": {"source": "source", "document": "doc_id"}[meaning]}
                )
            first_places |= {name: original.place(0) for name in original.columns if name not in first_places}
            yield replace(
                block, columns={names.get(name, name): values for name, values in block.columns.items()}
            )
        if not first_places and nothing is not None:
            raise nothing

    def _apart(self, blocks: Iterable[Records]) -> Iterator[Corpus]:
        """Yield chunks in which every record is a segment."""
        start = left_out = 0
        for block in blocks:
            parts = parts_of(
                block,
                self._systems,
                common=self._choice.common,
                pooled=self._choice.pooled,
                skip_missing=self._choice.skip_missing,
                piece=True,
            ).as_lists()
            gaps = parts.gaps() if self._choice.skip_missing else set()
            left_out += len(gaps)
            if len(gaps) < block.count:
                numbered = (
                    parts
                    if parts.ids is not None
                    else replace(parts, ids=list(range(start, start + block.count)))
                )
                yield Corpus.of_parts(numbered.without(gaps), self._choice.lang, piece=True)
            start += block.count
        if left_out:
            check_left(left_out, start)

    def _joined(self, blocks: Iterable[Records]) -> Iterator[Corpus]:
        """Store the records of several systems on disk, then yield chunks of segments with all systems."""
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._scratch.mkdir(parents=True)
        gaps: set[Any] = set()
        try:
            with CorpusWriter(self._scratch) as writer:
                stored = 0
                for block in blocks:
                    piece = self._rows(block, gaps)
                    if piece is not None:
                        writer.append(replace(piece, ids=range(stored, stored + len(piece))))
                        stored += len(piece)
                facts = writer.close() if stored or not gaps else None
            if facts is None:
                check_left(len(gaps), len(gaps))
                return
            yield from Joining(
                stored_corpus(self._scratch, facts), self._systems, gaps, self._choice.common
            ).pieces()
        finally:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _rows(self, records: Records, gaps: set[Any]) -> Corpus | None:
        """Return records as segments of one system, with id and system of each record as fields.

        The ids of records with a missing text are added to `gaps`.
        """
        names = names_of(records, [])
        if "id" not in names:
            raise no_ids()
        if self._choice.skip_missing:
            texts = [names[our] for our in ("prediction", "references", "source") if our in names]
            missing = {i for name in texts for i in gaps_in(records.columns[name])}
            gaps |= {records.columns[names["id"]][i] for i in missing}
            if len(missing) == records.count:
                return None
            records = (
                records.take([i for i in range(records.count) if i not in missing]) if missing else records
            )
        parts = parts_of(records, [], common=False, pooled=True, skip_missing=False)
        fields = {name: values for name, values in parts.fields.items() if name != names["system"]}
        labels = {ID: records.columns[names["id"]], SYSTEM: list(map(str, records.columns[names["system"]]))}
        predictions = {DEFAULT_SYSTEM: parts.predictions[DEFAULT_SYSTEM]}
        rows = RawColumns(
            predictions,
            parts.references,
            parts.sources,
            None,
            parts.weights,
            parts.documents,
            {**fields, **labels},
        )
        return Corpus.of_parts(rows, self._choice.lang, piece=True)


def _with_columns(block: Records, first_places: Mapping[str, str]) -> Records:
    """Return the block with the columns of the blocks before; a new column must not be in `KNOWN_NAMES`."""
    new = next(
        (name for name in block.columns if first_places and name in KNOWN_NAMES and name not in first_places),
        None,
    )
    if new is not None:
        having = next(i for i, value in enumerate(block.columns[new]) if value is not ABSENT)
        before = next(iter(first_places.values()))
        raise InputError(
            f"{before} has no {new!r}, but {block.place(having)} has it; every record needs the same fields."
        )
    absent = {name: [ABSENT] * block.count for name in first_places if name not in block.columns}
    return replace(block, columns={**block.columns, **absent}) if absent else block
