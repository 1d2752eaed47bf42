"""Files that are read piece by piece, so that a corpus need not fit into memory.

What they mean is what `nlgauge.io` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from nlgauge.corpus import Corpus
from nlgauge.corpus.fields import NothingMatches
from nlgauge.corpus.raw_columns import RawColumns, check_left
from nlgauge.corpus.records import FIELD_NAMES
from nlgauge.errors import InputError
from nlgauge.io.blocks import comes_in_blocks, record_blocks
from nlgauge.io.files import STDIN, Address, holds_more
from nlgauge.io.inputs import column_parts, matching, named_systems
from nlgauge.io.record_pieces import RecordPieces
from nlgauge.io.watched import Watched
from nlgauge.io.window import Window

# Files of so many bytes in all are read piece by piece where nobody asks for it.
LARGE = 64_000_000


class Streamed:
    """The files of one run, with the options of `nlgauge.io.read_corpus`."""

    def __init__(
        self,
        systems: Sequence[str],
        references: Sequence[str] = (),
        source: str | None = None,
        *,
        ids: str | None = None,
        documents: str | None = None,
        weights: str | None = None,
        lang: str | None = None,
        encoding: str | None = None,
        delimiter: str | None = None,
        columns: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        skip_missing: bool = False,
        common: bool = False,
        pooled: bool = False,
    ) -> None:
        self._named = named_systems(systems)
        self._beside: dict[str, Any] = {
            "references": list(references),
            "source": source,
            "ids": ids,
            "documents": documents,
            "weights": weights,
        }
        self._encoding, self._delimiter = encoding, delimiter
        self._chosen: dict[str, Any] = {
            "columns": list(columns),
            "where": dict(where or {}),
            "skip_missing": skip_missing,
            "common": common,
            "pooled": pooled,
        }
        self._lang = lang

    @property
    def _addresses(self) -> list[Address]:
        beside = (
            self._beside["references"],
            *([given] for name, given in self._beside.items() if name != "references" and given is not None),
        )
        return [Address.of(given) for given in chain(self._named.values(), *beside)]

    def possible(self) -> bool:
        """Whether all files can be read piece by piece."""
        return [address.path for address in self._addresses].count(STDIN) < 2 and all(
            map(comes_in_blocks, self._addresses)
        )

    def large(self) -> bool:
        """Whether the files are so large that they should not be in memory at once; how much a pipe holds
        nobody knows.
        """
        return holds_more((address.path for address in self._addresses), LARGE)

    def source(self) -> dict[str, Any]:
        """What is read and how, as plain data: names, sizes and times of the files, which another file of
        the same name would not have.
        """
        files = [[address.path, *_size_and_time(address.path)] for address in self._addresses]
        form = {"encoding": self._encoding, "delimiter": self._delimiter, "lang": self._lang}
        return {"systems": dict(self._named), **self._beside, **form, **self._chosen, "files": files}

    def pieces(self, scratch: Path) -> Iterator[Corpus]:
        """The segments as corpora of some thousands each; what must be put in order first is put into the
        folder `scratch`.

        A file that changed meanwhile is an error at the end, since the segments are then of no state that it
        ever had.
        """
        watched = Watched(address.path for address in self._addresses)
        yield from self._read(scratch, watched)
        watched.check()

    def _read(self, scratch: Path, watched: Watched) -> Iterator[Corpus]:
        addresses = {name: Address.of(given) for name, given in self._named.items()}
        if any(address.kind is None or address.column is not None for address in addresses.values()):
            return self._of_columns(watched)
        given = next((name for name, value in self._beside.items() if value), None)
        if given is not None:
            first = next(iter(self._named.values()))
            raise InputError(
                f"{first} holds records, which carry their own {given}; name the column of the predictions,"
                f" {first}:COLUMN."
            )
        return self._of_records(addresses, scratch, watched)

    def _of_columns(self, watched: Watched) -> Iterator[Corpus]:
        first = next(iter(self._named.values()))
        if self._chosen["columns"]:
            raise InputError(
                f"columns are chosen of files of records, .tsv, .csv, .jsonl or .parquet; {first} is not such"
                " a file."
            )
        choice = _Choice(self._chosen["where"], self._chosen["skip_missing"], self._lang)
        window = Window(self._addresses, self._encoding, self._delimiter, watched)
        start = 0
        while count := window.move():
            yield from choice.taken(
                column_parts(window, self._named, **self._beside, skip_missing=self._chosen["skip_missing"]),
                start,
            )
            start += count
        if not start:
            raise InputError(f"{first} is empty; give at least one segment.")
        choice.end()

    def _of_records(
        self, addresses: Mapping[str, Address], scratch: Path, watched: Watched
    ) -> Iterator[Corpus]:
        files = {
            name: record_blocks(address, self._encoding, self._delimiter, watched)
            for name, address in addresses.items()
        }
        with _said_of(tuple(address.path for address in addresses.values())):
            (name, address), *others = addresses.items()
            blocks = files[name]
            first = next(blocks, None)
            if first is None:
                raise InputError(f"{address.path} has no rows.")
            files[name] = chain([first], blocks)
            # A name that was given to the only file is that of its system, unless it holds several.
            is_named = name != address.name and not first.columns.keys() & set(FIELD_NAMES["system"])
            found = RecordPieces(self._lang, scratch, **self._chosen)
            yield from found.of_systems(files) if others or is_named else found.of_blocks(files[name])


class _Choice:
    """The pieces of columns that are taken: of each those segments whose fields are what was asked for,
    and of which no text is missing.
    """

    def __init__(self, where: Mapping[str, Any], skip_missing: bool, lang: str | None) -> None:
        self._where, self._skip_missing, self._lang = where, skip_missing, lang
        self._looked_at = self._gaps = self._taken = 0
        self._nothing: NothingMatches | None = None

    def taken(self, parts: RawColumns, start: int) -> Iterator[Corpus]:
        """The corpus of a piece, of which the first segment has this number; nothing where nothing of it
        is taken.
        """
        plain = not self._where and not self._skip_missing
        if parts.ids is None and not plain:
            parts = replace(parts, ids=list(range(start, start + parts.count)))
        try:
            parts = matching(parts, self._where) if self._where else parts
        except NothingMatches as error:
            self._nothing = error
            return
        self._looked_at += parts.count
        if self._skip_missing:
            gaps = parts.gaps()
            self._gaps += len(gaps)
            if len(gaps) == parts.count:
                return
            parts = parts.without(gaps)
        self._taken += parts.count
        corpus = Corpus.of_parts(parts, self._lang, piece=True)
        yield replace(corpus, ids=range(start, start + len(corpus))) if parts.ids is None else corpus

    def end(self) -> None:
        """Says how many segments were left out; raises where none was taken."""
        if not self._looked_at and self._nothing is not None:
            raise self._nothing
        if self._gaps:
            check_left(self._gaps, self._looked_at)


@contextmanager
def _said_of(files: tuple[str, ...]) -> Iterator[None]:
    """Errors name the file that they are about."""
    try:
        yield
    except InputError as error:
        raise error if str(error).startswith(files) else InputError(f"{files[0]}: {error}") from None


def _size_and_time(path: str) -> tuple[int, int]:
    if path == STDIN or not Path(path).is_file():
        return 0, 0
    found = Path(path).stat()
    return found.st_size, found.st_mtime_ns
