"""A result whose corpus is on disk, written to another directory: in blocks, without all of it in memory."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import msgspec
import numpy as np

from nlgauge._core.ragged import blocks, let_go
from nlgauge.corpus.store.layout import StoredFacts, remove_texts, with_hashes
from nlgauge.engine.chunk import Rows
from nlgauge.results.result import Result
from nlgauge.results.storage.checkpoint import FITS, LOG, STATISTICS, mapped_rows, saved_fits
from nlgauge.results.storage.save_load import RUNNING_FORMAT, NotHere, saved_run, text_hash, write_run
from nlgauge.results.storage.saved_run import SavedRun, StatisticsColumn


def write_stored(result: Result, before: Path, facts: StoredFacts, place: Path, texts: bool = True) -> None:
    """Writes a result whose corpus is stored: its files are taken over, and the rows of all tables are
    written side by side.

    Without texts hashes are written in their place.
    """
    for path in corpus_files(before):
        _take_over(path, place / path.name)
    columns = _write_rows(_all_rows(result, before), len(result.corpus), place / STATISTICS)
    fits, arrays = saved_fits(result.job.fits)
    with (place / FITS).open("wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)
    if not texts and facts.strings == "texts":
        facts = with_hashes(place, facts, text_hash)
        remove_texts(place, facts)
    run = saved_run(result, RUNNING_FORMAT, facts.strings == "texts", fits)
    write_run(msgspec.structs.replace(run, corpus=facts, columns=columns), place / "run.json")


def _take_over(path: Path, target: Path) -> None:
    """The same file in another place, without a copy where the file system can: files of results never
    change.
    """
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)


def _all_rows(result: Result, before: Path) -> Rows:
    """The rows of all tables; those of a metric whose class is not here are read from the files of the
    result that it is in.
    """
    rows = {key: dict(table.statistics) for key, table in result.tables.items()}
    lost = [key for key, table in result.tables.items() if isinstance(table.metric, NotHere)]
    if lost:
        run = msgspec.json.decode((before / "run.json").read_bytes(), type=SavedRun)
        kept = mapped_rows(before / STATISTICS, run.columns, len(result.corpus))
        rows |= {key: kept.get(key, {}) for key in lost}
    return rows


def _write_rows(rows: Rows, segments: int, path: Path) -> list[StatisticsColumn]:
    """Writes the rows of all tables side by side, block by block; gives what a row is made of."""
    columns = [
        StatisticsColumn(system, label, part, values.shape[1])
        for (system, label), arrays in rows.items()
        for part, values in arrays.items()
    ]
    every = [values for arrays in rows.values() for values in arrays.values()]
    with path.open("wb") as stream:
        for start, stop in blocks(segments) if every else ():
            stream.write(
                np.hstack([values[start:stop] for values in every]).astype("<f8", copy=False).tobytes()
            )
            let_go(*every)
    return columns


def corpus_files(place: Path) -> list[Path]:
    """The files of the corpus in the directory of a result: all but those of the run."""
    return sorted(
        path
        for path in place.iterdir()
        if path.is_file() and path.name not in ("run.json", LOG, STATISTICS, FITS)
    )
