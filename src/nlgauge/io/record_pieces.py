"""RecordPieces: records that come block by block, as pieces of a corpus; those of several systems are
joined by their ids on disk.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from nlgauge.corpus import Corpus
from nlgauge.corpus.fields import NothingMatches
from nlgauge.corpus.raw_columns import DEFAULT_SYSTEM, RawColumns, check_left, gaps_in, parts_of, system_names
from nlgauge.corpus.records import ABSENT, FIELD_NAMES, KNOWN_NAMES, Records, names_of
from nlgauge.corpus.store.join import ID, SYSTEM, Joining
from nlgauge.corpus.store.layout import stored_corpus
from nlgauge.corpus.store.writer import CorpusWriter
from nlgauge.errors import InputError
from nlgauge.io.choice import Choice


class RecordPieces:
    """Makes pieces of a corpus of blocks of records."""

    def __init__(self, choice: Choice, scratch: Path) -> None:
        self._choice = choice
        self._scratch = scratch
        self._systems = system_names(choice.columns or None)

    def of_blocks(self, blocks: Iterable[Records]) -> Iterator[Corpus]:
        """The pieces of records of one system, of several with a column each, or of several that say
        which one they are from.
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
        """The columns that hold the predictions of one system each."""
        return (
            self._systems if self._systems and all(name in records.columns for name in self._systems) else []
        )

    def _alike(self, blocks: Iterable[Records]) -> Iterator[Records]:
        """Blocks of the records that were asked for, with the columns of those before; "document" means
        in all what it means in the first.
        """
        names: dict[str, str] = {}
        known: dict[str, str] = {}
        nothing: NothingMatches | None = None
        for given in blocks:
            block = _with_columns(given, known)
            try:
                block = block.where(self._choice.where or {})
            except NothingMatches as error:
                nothing = error
                continue
            if not known:
                meant = {name: our for our, name in names_of(block, self._wide(block)).items()}.get(
                    "document"
                )
                names = (
                    {} if meant is None else {"document": {"source": "source", "document": "doc_id"}[meant]}
                )
            known |= {name: given.place(0) for name in given.columns if name not in known}
            yield replace(
                block, columns={names.get(name, name): values for name, values in block.columns.items()}
            )
        if not known and nothing is not None:
            raise nothing

    def _apart(self, blocks: Iterable[Records]) -> Iterator[Corpus]:
        """Every record as a segment."""
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
        """Records of several systems: each is stored as it comes, then those of a segment are put
        together.
        """
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
        """Records as segments of one system, with the id and the system of each as fields; ids of those
        with a gap are added to `gaps`.
        """
        names = names_of(records, [])
        if "id" not in names:
            raise InputError(
                "records of several systems need an 'id' that identifies the segment of each record."
            )
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
        own = {ID: records.columns[names["id"]], SYSTEM: list(map(str, records.columns[names["system"]]))}
        predictions = {DEFAULT_SYSTEM: parts.predictions[DEFAULT_SYSTEM]}
        rows = RawColumns(
            predictions,
            parts.references,
            parts.sources,
            None,
            parts.weights,
            parts.documents,
            {**fields, **own},
        )
        return Corpus.of_parts(rows, self._choice.lang, piece=True)


def _with_columns(block: Records, known: Mapping[str, str]) -> Records:
    """The block with the columns that those before it had; one that says something of every record must
    have been there from the beginning.
    """
    new = next((name for name in block.columns if known and name in KNOWN_NAMES and name not in known), None)
    if new is not None:
        having = next(i for i, value in enumerate(block.columns[new]) if value is not ABSENT)
        before = next(iter(known.values()))
        raise InputError(
            f"{before} has no {new!r}, {block.place(having)} has it; every record needs the same fields."
        )
    absent = {name: [ABSENT] * block.count for name in known if name not in block.columns}
    return replace(block, columns={**block.columns, **absent}) if absent else block
