"""A result with more metrics or systems, in memory or on disk, where new rows are as soon as they are computed.

On disk the result that is added to stays as it is until all is there, and the new rows are in DIRECTORY.unfinished. Then the larger result is made in
a directory within that one, and moved to its place.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import blocks, let_go
from nlgauge.corpus.stored import StoredFacts, place_of, stored_corpus
from nlgauge.results.result import Result
from nlgauge.results.saved_run import Column, SavedRun
from nlgauge.results.storage import RUNNING_FORMAT, NotHere, put, saved_run, write, write_run
from nlgauge.run.addition import Addition
from nlgauge.run.checkpoint import FIRST, FITS, LOG, STATISTICS, Checkpoint, mapped_rows, saved_fits, unfinished
from nlgauge.run.chunk import Rows
from nlgauge.run.executors import Executor
from nlgauge.run.progress import progress
from nlgauge.run.to_disk import Output, digest, in_memory, run_of, told

_WHOLE, _OLD = "whole", "whole-old"


def extended(
    result: Result,
    metrics: Sequence[Any],
    predictions: Mapping[str, Any] | None,
    executor: str | Executor | None,
    output: Output | None,
    show_progress: bool | None,
) -> Result:
    """The result with these metrics and these systems, saved to the output where there is one."""
    added = Addition.of(result, metrics, predictions, executor)
    with progress(show_progress):
        return added.in_memory() if output is None else _saved(added, output)


def _saved(added: Addition, output: Output) -> Result:
    """The result with what is added, saved to the output."""
    with told(output), Checkpoint(output.begin(), _run_of(added)) as kept:
        result = added.result
        *first, last = added.steps()
        for step in first:
            with Checkpoint(kept.place / FIRST, {}) as before:
                result = step(result, before)
        result = _written(last(result, kept), kept.place / _WHOLE)
        put(kept.place / _WHOLE, output.directory)
        kept.remove()
        return _reopened(result, output.directory)


def put_back(directory: Path) -> None:
    """Puts a result back that was to be replaced by a larger one, where something ended the program between the two moves of that."""
    old = unfinished(directory) / _OLD
    if not directory.exists() and old.exists():
        old.replace(directory)


def _run_of(added: Addition) -> dict[str, Any]:
    """Which addition this is, as plain data."""
    result, systems = added.result, added.systems
    return {
        **run_of(replace(result.job, metrics=added.metrics)),
        "systems": {} if systems is None else {system: digest(systems.only(system)) for system in systems.systems},
        "earlier metrics": dict(result.signatures),
        "earlier texts": _digest(result.corpus),
    }


def _digest(corpus: Corpus) -> str:
    """What two corpora have in common only where they are the same; of one that is on disk, the content of its files."""
    stored = place_of(corpus)
    if stored is None:
        return digest(corpus)
    found = hashlib.sha256(repr(corpus.lang).encode())
    for path in _corpus_files(stored[0]):
        with path.open("rb") as stream:
            found.update(f"{path.name} {hashlib.file_digest(stream, 'sha256').hexdigest()}\n".encode())
    return found.hexdigest()


def _corpus_files(place: Path) -> list[Path]:
    """The files of the corpus in the directory of a result: all but those of the run."""
    return sorted(path for path in place.iterdir() if path.is_file() and path.name not in ("run.json", LOG, STATISTICS, FITS))


def _written(result: Result, place: Path) -> Result:
    """Makes the directory of a result, anew where something ended that before; gives the result without what is in files that go."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    stored = place_of(result.corpus)
    if stored is None:
        result = in_memory(result)
        write(result, place, texts=True)
    else:
        _write_stored(result, *stored, place)
    return result


def _write_stored(result: Result, before: Path, facts: StoredFacts, place: Path) -> None:
    """Writes a result whose corpus is stored: its files are taken over, and the rows of all tables are written side by side."""
    for path in _corpus_files(before):
        _take_over(path, place / path.name)
    columns = _write_rows(_all_rows(result, before), len(result.corpus), place / STATISTICS)
    fits, arrays = saved_fits(result.job.fits)
    with (place / FITS).open("wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)
    run = saved_run(result, RUNNING_FORMAT, True, fits)
    write_run(msgspec.structs.replace(run, corpus=facts, columns=columns), place / "run.json")


def _take_over(path: Path, target: Path) -> None:
    """The same file in another place, without a copy where the file system can: files of results never change."""
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)


def _all_rows(result: Result, before: Path) -> Rows:
    """The rows of all tables; those of a metric whose class is not here are read from the files of the result that it is in."""
    rows = {key: dict(table.statistics) for key, table in result.tables.items()}
    lost = [key for key, table in result.tables.items() if isinstance(table.metric, NotHere)]
    if lost:
        run = msgspec.json.decode((before / "run.json").read_bytes(), type=SavedRun)
        kept = mapped_rows(before / STATISTICS, run.columns, len(result.corpus))
        rows |= {key: kept.get(key, {}) for key in lost}
    return rows


def _write_rows(rows: Rows, segments: int, path: Path) -> list[Column]:
    """Writes the rows of all tables side by side, block by block; gives what a row is made of."""
    columns = [Column(system, label, part, values.shape[1]) for (system, label), arrays in rows.items() for part, values in arrays.items()]
    every = [values for arrays in rows.values() for values in arrays.values()]
    with path.open("wb") as stream:
        for start, stop in blocks(segments) if every else ():
            stream.write(np.hstack([values[start:stop] for values in every]).astype("<f8", copy=False).tobytes())
            let_go(*every)
    return columns


def _reopened(result: Result, directory: Path) -> Result:
    """The result with its stored corpus and rows read from the directory that it is in now."""
    if place_of(result.corpus) is None:
        return result
    run = msgspec.json.decode((directory / "run.json").read_bytes(), type=SavedRun)
    assert run.corpus is not None
    corpus = stored_corpus(directory, run.corpus)
    rows = mapped_rows(directory / STATISTICS, run.columns, len(corpus))
    tables = {key: replace(table, statistics=rows[key]) if table.statistics else table for key, table in result.tables.items()}
    return replace(result, corpus=corpus, tables=tables)
