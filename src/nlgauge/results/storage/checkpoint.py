"""Checkpoint: the directory of a run while it goes on, from which the run is taken up after whatever ended
it.

log.jsonl        what is done, one line each: which run this is, the corpus that was stored, the fits, every
chunk with its costs statistics.f64   the rows of all tables side by side, one row per segment fits.npz
what was fitted

A line of the log is written after what it speaks of. What is behind the last whole line was not finished, and
is cut off when the run goes on.
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

from nlgauge._core.ragged import Array
from nlgauge.corpus.store.layout import StoredFacts
from nlgauge.engine.chunk import Fits, Rows
from nlgauge.engine.costs import Costs
from nlgauge.errors import ResultError
from nlgauge.results.storage.arrays import read_arrays
from nlgauge.results.storage.saved_run import SavedFit, StatisticsColumn

LOG, STATISTICS, FITS = "log.jsonl", "statistics.f64", "fits.npz"
# The checkpoint of what a run of two steps does first, in the directory of the run.
FIRST = "first"
_VALUE = np.dtype("<f8")


class Begun(msgspec.Struct, tag="begun"):
    """Which run this is, as plain data."""

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
    """What a row of the statistics is made of."""

    columns: list[StatisticsColumn]


class Scored(msgspec.Struct, tag="scored"):
    """So many segments are done, this chunk's costs among them."""

    segments: int
    metrics: dict[str, float]
    features: dict[str, float]
    used: dict[str, float]
    reads: dict[str, list[str]]


Entry = Begun | StoredCorpus | Signed | Fitted | Laid | Scored


class Checkpoint:
    """What a run has done so far, on disk, until its result is in its place."""

    def __init__(self, place: Path, run: Mapping[str, Any]) -> None:
        self.place = place
        self.done = 0
        self.costs = Costs()
        self.corpus: StoredFacts | None = None
        self.signatures: dict[str, str] | None = None
        self.fits: list[SavedFit] | None = None
        self.columns: list[StatisticsColumn] = []
        place.mkdir(exist_ok=True)
        self._log: BufferedWriter = (place / LOG).open("ab")
        self._statistics: BufferedWriter = (place / STATISTICS).open("ab")
        try:
            _lock(self._log, place)
            self._begin(dict(run))
        except BaseException:
            self._close()
            raise

    def _begin(self, run: dict[str, Any]) -> None:
        """Takes up what is there, and cuts off what was not finished."""
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
        self._statistics.truncate(self.done * self._width * _VALUE.itemsize)

    def _close(self) -> None:
        self._log.close()
        self._statistics.close()

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
            self.remove()  # nothing is there that is worth going on with

    def note(self, entry: Entry) -> None:
        """Writes down what was done."""
        self._apply(entry)
        self._write(entry)

    def _write(self, entry: Entry) -> None:
        self._log.write(msgspec.json.encode(entry) + b"\n")
        self._log.flush()

    def append(self, rows: Rows, segments: int, costs: Costs) -> None:
        """Adds the rows of the next segments."""
        if not self.columns:
            columns = [
                StatisticsColumn(system, label, part, values.shape[1])
                for (system, label), arrays in rows.items()
                for part, values in arrays.items()
            ]
            self.note(Laid(columns))
        parts = [rows[column.system, column.label][column.part] for column in self.columns]
        self._statistics.write(np.ascontiguousarray(np.hstack(parts), dtype=_VALUE).tobytes())
        self._statistics.flush()
        self.done += segments
        self._write(Scored(self.done, costs.metrics, costs.features, costs.used, costs.reads))

    def arrays(self) -> Rows:
        """The rows of all segments, mapped."""
        return mapped_rows(self.place / STATISTICS, self.columns, self.done)

    def keep_fits(self, fits: Fits) -> None:
        """Writes down what was fitted."""
        entries, arrays = saved_fits(fits)
        with (self.place / FITS).open("wb") as stream:
            np.savez(stream, allow_pickle=False, **arrays)
        self.note(Fitted(entries))

    def kept_fits(self) -> Fits:
        """What was fitted before; nothing where nothing was."""
        if self.fits is None:
            return {}
        arrays = read_arrays(self.place / FITS)
        return {(label, fit.system): arrays.get(fit.key, {}) for fit in self.fits for label in fit.labels}

    def remove(self) -> None:
        """Removes the directory; the log, by which it is known for what it is, goes last."""
        self._close()
        for path in self.place.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != LOG:
                path.unlink(missing_ok=True)
        shutil.rmtree(self.place, ignore_errors=True)


def unfinished(directory: Path) -> Path:
    """Where a run whose result goes to a directory is kept until it is finished."""
    named = directory if directory.name else directory.absolute()
    return named.with_name(f"{named.name}.unfinished")


def how_far(place: Path) -> str:
    """How far the run in a directory got, for messages; "" where there is none."""
    entries, _ = read_log(place)
    if not entries:
        return ""
    done = next((entry.segments for entry in reversed(entries) if isinstance(entry, Scored)), 0)
    if not done and (first := how_far(place / FIRST)):
        return first
    total = next((entry.corpus.segments for entry in entries if isinstance(entry, StoredCorpus)), None)
    return f"{done:,} segments are scored" if total is None else f"{done:,} of {total:,} segments are scored"


def read_log(place: Path) -> tuple[list[Entry], int]:
    """The whole lines of a log, and how many bytes they take."""
    try:
        data = (place / LOG).read_bytes()
    except OSError:
        return [], 0
    found: list[Entry] = []
    size = 0
    decoder = msgspec.json.Decoder(Entry)
    for line in data.splitlines(keepends=True):
        if not line.endswith(b"\n"):
            break
        try:
            found.append(decoder.decode(line))
        except msgspec.MsgspecError:
            break
        size += len(line)
    return (found, size) if found and isinstance(found[0], Begun) else ([], 0)


def mapped_rows(path: Path, columns: list[StatisticsColumn], segments: int) -> Rows:
    """The statistics of all tables, as views of one mapped matrix."""
    width = sum(column.width for column in columns)
    if path.stat().st_size != segments * width * _VALUE.itemsize:
        raise ResultError(f"{path} should have {segments} rows of {width} numbers.")
    matrix: Array = (
        np.memmap(path, dtype=_VALUE, mode="r", shape=(segments, width))
        if segments and width
        else np.zeros((segments, width))
    )
    found: Rows = {}
    start = 0
    for column in columns:
        found.setdefault((column.system, column.label), {})[column.part] = matrix[
            :, start : start + column.width
        ]
        start += column.width
    return found


def saved_fits(fits: Fits) -> tuple[list[SavedFit], dict[str, Array]]:
    """The entries of all fits, and their arrays; labels that share a fit share its arrays."""
    found: dict[tuple[int, str], SavedFit] = {}
    arrays: dict[str, Array] = {}
    for (label, system), fitted in fits.items():
        entry = found.setdefault((id(fitted), system), SavedFit(system, [], str(len(found))))
        entry.labels.append(label)
        arrays |= {f"{entry.key}/{name}": array for name, array in fitted.items()}
    return list(found.values()), arrays


def check_same(place: Path, there: Mapping[str, Any], run: Mapping[str, Any]) -> None:
    """Raises where the run in a directory is another one, and says in what it differs."""
    # As JSON has it: what was read has lists where tuples were given.
    wanted = msgspec.json.decode(msgspec.json.encode(run))
    for name in wanted:
        if there.get(name) != wanted[name]:
            raise ResultError(
                f"{place} holds a run with other {name}, {there.get(name)!r:.200} instead of"
                f" {wanted[name]!r:.200}; go on with the same ones, or begin anew with --overwrite"
                " (overwrite=True)."
            )


def _lock(stream: BufferedWriter, place: Path) -> None:
    """Keeps another process from going on with the same run at the same time, where the system can."""
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
