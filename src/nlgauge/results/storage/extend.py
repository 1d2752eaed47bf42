"""A result with more metrics or systems, in memory or on disk, where new rows are as soon as they are
computed.

On disk the result that is added to stays as it is until all is there, and the new rows are in
DIRECTORY.unfinished. Then the larger result is made in a directory within that one, and moved to its place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from nlgauge._core.paths import put
from nlgauge._core.progress import progress
from nlgauge.corpus import Corpus
from nlgauge.corpus.store.layout import place_of, stored_corpus
from nlgauge.engine.executors import Executor
from nlgauge.results.result import Result
from nlgauge.results.storage.addition import Addition
from nlgauge.results.storage.checkpoint import FIRST, STATISTICS, Checkpoint, mapped_rows, unfinished
from nlgauge.results.storage.resume import WHOLE, Destination, digest, run_of, told, written
from nlgauge.results.storage.save_load import is_own_file
from nlgauge.results.storage.saved_run import SavedRun
from nlgauge.results.storage.stored_result import corpus_files

_OLD = f"{WHOLE}-old"


def extended(
    result: Result,
    metrics: Sequence[Any],
    predictions: Mapping[str, Any] | None,
    executor: str | Executor | None,
    output: Destination | None,
    show_progress: bool | None,
) -> Result:
    """The result with these metrics and these systems, saved to the output where there is one."""
    added = Addition.of(result, metrics, predictions, executor)
    with progress(show_progress):
        return added.in_memory() if output is None else _saved(added, output)


def _saved(added: Addition, output: Destination) -> Result:
    """The result with what is added, saved to the output."""
    with told(output), Checkpoint(output.begin(), _run_of(added)) as kept:
        result = added.result
        *first, last = added.steps()
        for step in first:
            with Checkpoint(kept.place / FIRST, {}) as before:
                result = step(result, before)
        result = written(last(result, kept), kept.place / WHOLE)
        put(kept.place / WHOLE, output.directory, is_own_file)
        kept.remove()
        return _reopened(result, output.directory)


def put_back(directory: Path) -> None:
    """Puts a result back that was to be replaced by a larger one, where something ended the program
    between the two moves of that.
    """
    old = unfinished(directory) / _OLD
    if not directory.exists() and old.exists():
        old.replace(directory)


def _run_of(added: Addition) -> dict[str, Any]:
    """Which addition this is, as plain data."""
    result, systems = added.result, added.systems
    return {
        **run_of(replace(result.job, metrics=added.metrics)),
        "systems": {}
        if systems is None
        else {system: digest(systems.only(system)) for system in systems.systems},
        "earlier metrics": dict(result.signatures),
        "earlier texts": _digest(result.corpus),
    }


def _digest(corpus: Corpus) -> str:
    """What two corpora have in common only where they are the same; of one that is on disk, the content
    of its files.
    """
    stored = place_of(corpus)
    if stored is None:
        return digest(corpus)
    found = hashlib.sha256(repr(corpus.lang).encode())
    for path in corpus_files(stored[0]):
        with path.open("rb") as stream:
            found.update(f"{path.name} {hashlib.file_digest(stream, 'sha256').hexdigest()}\n".encode())
    return found.hexdigest()


def _reopened(result: Result, directory: Path) -> Result:
    """The result with its stored corpus and rows read from the directory that it is in now."""
    if place_of(result.corpus) is None:
        return result
    run = msgspec.json.decode((directory / "run.json").read_bytes(), type=SavedRun)
    assert run.corpus is not None
    corpus = stored_corpus(directory, run.corpus)
    rows = mapped_rows(directory / STATISTICS, run.columns, len(corpus))
    tables = {
        key: replace(table, statistics=rows[key]) if table.statistics else table
        for key, table in result.tables.items()
    }
    return replace(result, corpus=corpus, tables=tables)
