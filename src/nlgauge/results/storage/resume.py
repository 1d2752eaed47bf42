"""Runs whose rows are on disk as soon as they are computed: a run that was killed goes on where it was, with
the same numbers.

Until it is finished a run is in DIRECTORY.unfinished, then its result is in DIRECTORY, whole.
"""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nlgauge._core.paths import put
from nlgauge._core.progress import report
from nlgauge.corpus import Corpus
from nlgauge.corpus.store.layout import at_once, place_of, remove_texts, stored_corpus, with_hashes
from nlgauge.corpus.store.writer import CorpusWriter
from nlgauge.engine import engine
from nlgauge.engine.checks import warn_about_languages
from nlgauge.engine.chunk import Fits, Job, describe
from nlgauge.engine.costs import Costs
from nlgauge.engine.environment import environment
from nlgauge.engine.executors import Executor
from nlgauge.engine.prepare import signatures
from nlgauge.errors import NlgaugeError, ResultError
from nlgauge.metric import AnyMetric, CorpusMetric, Metric
from nlgauge.metric.fits import check_fit
from nlgauge.metric.saved import describe as described
from nlgauge.results.result import Result
from nlgauge.results.storage.checkpoint import (
    LOG,
    STATISTICS,
    Checkpoint,
    Signed,
    StoredCorpus,
    check_same,
    how_far,
    read_log,
    unfinished,
)
from nlgauge.results.storage.save_load import (
    RUNNING_FORMAT,
    check_free,
    is_own_file,
    load,
    saved_run,
    text_hash,
    write,
    write_run,
)
from nlgauge.results.storage.saved_run import SavedRun
from nlgauge.results.storage.stored_result import write_stored

# Where a result is made that is then moved to its place, in the directory of its run.
WHOLE = "whole"


@dataclass(frozen=True)
class Destination:
    """The directory that a result is written to, and what is done about what is there: a run to go on
    with, or a result to replace.
    """

    directory: Path
    resume: bool = False
    overwrite: bool = False
    texts: bool = True
    # Whether the result that is there is the one that is added to, and so may be replaced; a run that was not
    # finished may not.
    replaces: bool = False

    def begin(self) -> Path:
        """The directory of the run, checked to be free or to hold what may be used."""
        check_free(self.directory, self.overwrite or self.replaces)
        place = unfinished(self.directory)
        if not place.exists() and not place.is_symlink():
            return place
        if not _is_run(place):
            raise ResultError(
                f"{place} exists and is not a run of nlgauge; move it, or choose another directory."
            )
        far = how_far(place)
        if far and not self.resume and not self.overwrite:
            raise ResultError(
                f"{place} holds a run that was not finished ({far}); go on with it by --resume (resume=True),"
                " or begin anew with --overwrite (overwrite=True)."
            )
        if not self.resume:
            shutil.rmtree(place)
        return place


def _is_run(place: Path) -> bool:
    """Return whether a directory is that of a run: it is empty, or its log is one of nlgauge, or was just
    begun.
    """
    if place.is_symlink() or not place.is_dir():
        return False
    log = place / LOG
    begun = (
        log.is_file()
        and not log.stat().st_size
        and all(path.name in (LOG, STATISTICS) for path in place.iterdir())
    )
    return begun or bool(read_log(place)[0]) or not any(place.iterdir())


def run_in_memory(
    corpus: Corpus, job: Job, executor: Executor, output: Destination, carbon: str | None = None
) -> Result:
    """The result of a corpus in memory, saved to the output; its rows are on disk as soon as they are
    computed.
    """
    run = {**run_of(job), "texts": digest(corpus)}
    with told(output), Checkpoint(output.begin(), run) as kept:
        warn_about_languages(corpus, job.metrics)
        # It is made within the directory of the run, so that nothing is left elsewhere if something ends
        # that.
        result = written(
            scored(corpus, corpus, job, executor, kept, carbon), kept.place / WHOLE, output.texts
        )
        put(kept.place / WHOLE, output.directory, is_own_file)
        kept.remove()
    return result


def run_on_disk(
    pieces: Callable[[Path], Iterable[Corpus]],
    source: Mapping[str, Any],
    job_of: Callable[[Corpus], Job],
    executor: Executor,
    output: Destination,
    carbon: str | None = None,
) -> Result:
    """The result of a corpus that comes in pieces, too large for memory: it is stored first, and scored from
    there.

    `pieces` is given a folder for what it must put in order first. `source` says what the pieces are read
    from, as plain data, so that a run is taken up with the same ones.
    """
    with told(output):
        place = output.begin()
        with Checkpoint(place, {"source": source}) as kept:
            if not (
                place / "run.json"
            ).is_file():  # it is there where the run was ended between its last two steps
                _write_result(pieces, job_of, executor, output, kept, carbon)
        return _moved(place, output)


def _write_result(
    pieces: Callable[[Path], Iterable[Corpus]],
    job_of: Callable[[Corpus], Job],
    executor: Executor,
    output: Destination,
    kept: Checkpoint,
    carbon: str | None,
) -> None:
    """Does what is left of a run, and makes its directory that of a result."""
    if kept.corpus is None:
        with CorpusWriter(kept.place) as writer:
            count = 0
            for piece in pieces(kept.place / "rows"):
                writer.append(piece)
                count += len(piece)
                report("reading segments", count, None)
            kept.note(StoredCorpus(writer.close()))
    assert kept.corpus is not None
    corpus = stored_corpus(kept.place, kept.corpus)
    job = job_of(corpus)
    warn_about_languages(corpus, job.metrics)
    result = scored(corpus, readable(corpus, job.metrics), job, executor, kept, carbon)
    if kept.fits is None:
        kept.keep_fits({})
    facts = kept.corpus if output.texts else with_hashes(kept.place, kept.corpus, text_hash)
    saved = saved_run(result, RUNNING_FORMAT, output.texts, kept.fits or [])
    # The file that says that the run is finished is there whole or not at all.
    write_run(msgspec.structs.replace(saved, corpus=facts, columns=kept.columns), kept.place / "run.json.new")
    (kept.place / "run.json.new").replace(kept.place / "run.json")


def _moved(place: Path, output: Destination) -> Result:
    """The finished result of a run, in its place."""
    run = msgspec.json.decode((place / "run.json").read_bytes(), type=SavedRun)
    if run.corpus is not None:
        remove_texts(place, run.corpus)
    put(place, output.directory, is_own_file)
    (output.directory / LOG).unlink()
    return load(output.directory)


@contextmanager
def told(output: Destination) -> Iterator[None]:
    """An error of the disk says what is kept."""
    place = unfinished(output.directory)
    try:
        yield
    except OSError as error:
        far = how_far(place)
        kept = f"; {far}, and the same call goes on with --resume (resume=True)" if far else ""
        raise ResultError(
            f"{error.filename or place} cannot be written to or read: {error.strerror or error}{kept}."
        ) from error


def scored(
    corpus: Corpus, read: Corpus, job: Job, executor: Executor, kept: Checkpoint, carbon: str | None
) -> Result:
    """The result of a job on a corpus, which is read from memory or from disk, beginning with what is
    kept.
    """
    signed = signatures(corpus, job)
    if kept.signatures is None:
        kept.note(Signed(signed))
    else:
        check_same(kept.place, {"metrics": kept.signatures}, {"metrics": signed})
    job = replace(job, fits={**job.fits, **_kept_fits(kept, job, corpus)})
    tables, fits, costs = engine.run(read, job, executor, carbon, kept)
    total = Costs()
    total.add(kept.costs)
    total.add(costs)
    return Result(corpus, tables, signed, total, replace(job, fits=fits), environment())


def _kept_fits(kept: Checkpoint, job: Job, corpus: Corpus) -> Fits:
    """Return the fits of a run that is resumed; raise ResultError when they are damaged."""
    try:
        fits = kept.kept_fits()
        for (label, system), fitted in fits.items():
            check_fit(label, job.metrics[label], system, fitted, corpus)
    except (
        NlgaugeError,
        zipfile.BadZipFile,
        OSError,
        EOFError,
        ValueError,
        LookupError,
        RuntimeError,
    ) as error:
        raise ResultError(
            f"the fits of the run in {kept.place} are damaged: {error}; begin anew with --overwrite"
            " (overwrite=True)."
        ) from None
    return fits


def written(result: Result, place: Path, texts: bool = True) -> Result:
    """Makes the directory of a result, anew where something ended that before; gives the result without
    what is in files that go.
    """
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    stored = place_of(result.corpus)
    if stored is None:
        result = _in_memory(result)
        write(result, place, texts)
    else:
        write_stored(result, *stored, place, texts)
    return result


def _in_memory(result: Result) -> Result:
    """The result with a copy of all rows, where the files that they are in will go."""
    tables = {
        key: replace(table, statistics={part: np.array(rows) for part, rows in table.statistics.items()})
        for key, table in result.tables.items()
    }
    return replace(result, tables=tables)


def run_of(job: Job) -> dict[str, Any]:
    """What is to be computed, as plain data."""
    return {
        "metrics": {label: described(metric) for label, metric in job.metrics.items()},
        "options": describe(job),
    }


def digest(corpus: Corpus) -> str:
    """What two corpora in memory have in common only where all of their segments are the same."""
    found = hashlib.sha256(repr(corpus.lang).encode())
    for record in corpus.each_record():
        found.update(msgspec.json.encode(record))
    return found.hexdigest()


def readable(corpus: Corpus, metrics: Mapping[str, AnyMetric]) -> Corpus:
    """The corpus, in memory where a metric needs all texts of a system at once."""
    needy = next((label for label, metric in metrics.items() if _needs_all(metric)), None)
    return corpus if needy is None else at_once(corpus, needy)


def _needs_all(metric: AnyMetric) -> bool:
    fit = metric.fit() if isinstance(metric, Metric) else None
    return isinstance(metric, CorpusMetric) or (fit is not None and fit.over == "system")
