"""Checkpoint: the directory of a run in progress, from which an interrupted run is resumed.

    log.jsonl   the finished steps, one line each: the identity of the run, the stored corpus, the fits, every
                chunk with its costs
    rows.f64    the rows of all tables side by side, one row per segment
    fits.npz    the fits
    corpus/     the corpus of a run whose input comes in pieces
    whole/      the result while it is written, which is then moved to its directory

A line of the log is written after the data that it describes. Data after the last whole line is unfinished, and
is cut off when the run is resumed.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from io import BufferedWriter
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import numpy as np

from nlgauge._core.numbers import counted, part_of
from nlgauge._core.ragged import Array
from nlgauge.corpus.store.layout import StoredFacts
from nlgauge.engine.chunk import Fits, Rows
from nlgauge.engine.costs import Costs
from nlgauge.errors import ResultError
from nlgauge.results.storage.fits_file import read_fits, write_fits
from nlgauge.results.storage.layout import FITS, SavedFit

LOG, ROWS, CORPUS, WHOLE = "log.jsonl", "rows.f64", "corpus", "whole"
# The checkpoint of the first step of a run of two steps, in the directory of the run.
FIRST = "first"
_VALUE = np.dtype("<f8")


class RowPart(msgspec.Struct):
    """The columns of a row that contain the statistics of one part of a table."""

    system: str
    label: str
    part: str
    width: int


class Begun(msgspec.Struct, tag="begun"):
    """The identity of the run, as plain data."""

    run: dict[str, Any]


class StoredCorpus(msgspec.Struct, tag="stored"):
    """The corpus is on disk."""

    corpus: StoredFacts


class Signed(msgspec.Struct, tag="signed"):
    """The signatures of the metrics on this corpus."""

    signatures: dict[str, str]


class Fitted(msgspec.Struct, tag="fitted"):
    """The fits are on disk."""

    fits: list[SavedFit]


class Laid(msgspec.Struct, tag="laid"):
    """The parts of a row of statistics."""

    columns: list[RowPart]


class Scored(msgspec.Struct, tag="scored"):
    """So many segments are done, this chunk's costs among them."""

    segments: int
    metrics: dict[str, float]
    features: dict[str, float]
    used: dict[str, float]
    reads: dict[str, list[str]]


Entry = Begun | StoredCorpus | Signed | Fitted | Laid | Scored


class Checkpoint:
    """The progress of a run on disk, until its result is in its directory."""

    def __init__(self, place: Path, run: Mapping[str, Any]) -> None:
        self.place = place
        self.done = 0
        self.costs = Costs()
        self.corpus: StoredFacts | None = None
        self.signatures: dict[str, str] | None = None
        self.fits: list[SavedFit] | None = None
        self.columns: list[RowPart] = []
        place.mkdir(exist_ok=True)
        self._log: BufferedWriter = (place / LOG).open("ab")
        self._rows: BufferedWriter = (place / ROWS).open("ab")
        try:
            _lock(self._log, place)
            self._begin(dict(run))
        except BaseException:
            self._close()
            raise

    def _begin(self, run: dict[str, Any]) -> None:
        """Resume the run in the directory, and cut off incomplete entries."""
        entries, size = read_log(self.place)
        self._log.truncate(size)
        if entries:
            first = entries[0]
            assert isinstance(first, Begun)
            check_same(self.place, first.run, run)
            for entry in entries:
                self._apply(entry)
        else:
            self._write(Begun(run))
        self._rows.truncate(self.done * self._width * _VALUE.itemsize)

    def _close(self) -> None:
        self._log.close()
        self._rows.close()

    def _apply(self, entry: Entry) -> None:
        if isinstance(entry, StoredCorpus):
            self.corpus = entry.corpus
        elif isinstance(entry, Signed):
            self.signatures = entry.signatures
        elif isinstance(entry, Fitted):
            self.fits = entry.fits
        elif isinstance(entry, Laid):
            self.columns = entry.columns
        elif isinstance(entry, Scored):
            self.done = entry.segments
            self.costs.add(Costs(entry.metrics, entry.features, entry.used, entry.reads))

    @property
    def _width(self) -> int:
        return sum(column.width for column in self.columns)

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        if kind is not None and not self.done and self.corpus is None and not (self.place / FIRST).exists():
            self.remove()  # nothing was done that is worth resuming

    def note(self, entry: Entry) -> None:
        """Record a completed step."""
        self._apply(entry)
        self._write(entry)

    def _write(self, entry: Entry) -> None:
        self._log.write(msgspec.json.encode(entry) + b"\n")
        self._log.flush()

    def append(self, rows: Rows, segments: int, costs: Costs) -> None:
        """Add the rows of the next segments."""
        if not self.columns:
            columns = [
                RowPart(system, label, part, values.shape[1])
                for (system, label), arrays in rows.items()
                for part, values in arrays.items()
            ]
            self.note(Laid(columns))
        parts = [rows[column.system, column.label][column.part] for column in self.columns]
        self._rows.write(np.ascontiguousarray(np.hstack(parts), dtype=_VALUE).tobytes())
        self._rows.flush()
        self.done += segments
        self._write(Scored(self.done, costs.metrics, costs.features, costs.used, costs.reads))

    def arrays(self) -> Rows:
        """Return the rows of all segments, mapped."""
        return _mapped_rows(self.place / ROWS, self.columns, self.done)

    def keep_fits(self, fits: Fits) -> None:
        """Save the fits."""
        self.note(Fitted(write_fits(fits, self.place / FITS)))

    def read_fits(self) -> Fits:
        """Return the saved fits; empty without any."""
        return {} if self.fits is None else read_fits(self.fits, self.place / FITS)

    def remove(self) -> None:
        """Remove the directory; the log, which identifies the directory, is removed last."""
        self._close()
        for path in self.place.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != LOG:
                path.unlink(missing_ok=True)
        shutil.rmtree(self.place, ignore_errors=True)


def unfinished(directory: Path) -> Path:
    """Return the directory of an unfinished run whose result is saved to a directory."""
    named = directory if directory.name else directory.absolute()
    return named.with_name(f"{named.name}.unfinished")


def how_far(place: Path) -> str:
    """Describe the progress of the run in a directory; "" if it contains no run."""
    entries, _ = read_log(place)
    if not entries:
        return ""
    done = next((entry.segments for entry in reversed(entries) if isinstance(entry, Scored)), 0)
    if not done and (first := how_far(place / FIRST)):
        return first
    total = next((entry.corpus.segments for entry in entries if isinstance(entry, StoredCorpus)), None)
    if total is not None:
        return part_of(done, total, "segment", "are scored")
    return f"{counted(done, 'segment', spec=',')} {'is' if done == 1 else 'are'} scored"


def read_log(place: Path) -> tuple[list[Entry], int]:
    """Return the whole lines of a log, and how many bytes they take."""
    try:
        data = (place / LOG).read_bytes()
    except OSError:
        return [], 0
    entries: list[Entry] = []
    size = 0
    decoder = msgspec.json.Decoder(Entry)
    for line in data.splitlines(keepends=True):
        if not line.endswith(b"\n"):
            break
        try:
            entries.append(decoder.decode(line))
        except msgspec.MsgspecError:
            break
        size += len(line)
    return (entries, size) if entries and isinstance(entries[0], Begun) else ([], 0)


def _mapped_rows(path: Path, columns: list[RowPart], segments: int) -> Rows:
    """Return the statistics of all tables, as views of one mapped matrix."""
    width = sum(column.width for column in columns)
    if path.stat().st_size != segments * width * _VALUE.itemsize:
        raise ResultError(f"{path} is damaged: it must contain {segments} rows of {width} numbers.")
    matrix: Array = (
        np.memmap(path, dtype=_VALUE, mode="r", shape=(segments, width))
        if segments and width
        else np.zeros((segments, width))
    )
    rows: Rows = {}
    start = 0
    for column in columns:
        rows.setdefault((column.system, column.label), {})[column.part] = matrix[
            :, start : start + column.width
        ]
        start += column.width
    return rows


def check_same(place: Path, there: Mapping[str, Any], run: Mapping[str, Any]) -> None:
    """Raise an error with the difference if the run in a directory is not this run."""
    # JSON has lists instead of tuples, so both sides are compared as JSON.
    wanted = msgspec.json.decode(msgspec.json.encode(run))
    for name in wanted:
        if there.get(name) != wanted[name]:
            old, new = _different(there.get(name), wanted[name])
            raise ResultError(
                f"{place} contains an unfinished run with different {name}, {old!r:.200} instead of {new!r:.200}",
                python=f"resume with the same {name}, or pass overwrite=True to start over",
                cli=f"resume with the same {name}, or start over with --overwrite",
            )


def _different(old: Any, new: Any) -> tuple[Any, Any]:
    """Return two values; for dictionaries, only their entries that differ, also of dictionaries inside.

    >>> _different({"bleu": {"n": 4, "tok": "a"}, "ter": 2}, {"bleu": {"n": 4, "tok": "b"}})
    ({'bleu': {'tok': 'a'}, 'ter': 2}, {'bleu': {'tok': 'b'}})
    """
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return old, new
    differing = [key for key in {**old, **new} if (key in old) != (key in new) or old[key] != new[key]]
    pairs = {key: _different(old.get(key), new.get(key)) for key in differing}
    return (
        {key: pair[0] for key, pair in pairs.items() if key in old},
        {key: pair[1] for key, pair in pairs.items() if key in new},
    )


def _lock(stream: BufferedWriter, place: Path) -> None:
    """Keep another process from resuming the same run at the same time, if the system can."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ResultError(
            f"another process is running in {place}; wait until it has ended, or choose another directory."
        ) from None
    except OSError:  # a file system without locks
        return
