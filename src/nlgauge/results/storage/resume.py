"""Run with an output directory, and resume such a run: rows are on disk as soon as they are computed, so that a
killed run continues from them, with the same numbers.

Until it is finished a run is in DIRECTORY.unfinished, then its result is in DIRECTORY, whole.
"""

from __future__ import annotations

import hashlib
import os
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
from nlgauge._core.ragged import blocks
from nlgauge.corpus import Corpus
from nlgauge.corpus.fields import plain, saved_id
from nlgauge.corpus.store.layout import StoredFacts, at_once, stored_corpus, text_columns
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
    CORPUS,
    LOG,
    ROWS,
    WHOLE,
    Checkpoint,
    Signed,
    StoredCorpus,
    check_same,
    how_far,
    read_log,
    unfinished,
)
from nlgauge.results.storage.layout import is_own_file, is_result
from nlgauge.results.storage.load import reopened
from nlgauge.results.storage.save import check_free, write_result

_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True)
class Destination:
    """The directory of a new result, and the treatment of its contents: a run to resume, or a result to
    replace.
    """

    directory: Path
    resume: bool = False
    overwrite: bool = False
    texts: bool = True
    # True if the existing result is the result that is extended, and so may be replaced; an unfinished run may
    # not.
    replaces: bool = False

    def begin(self) -> Path:
        """Return the directory of the run, checked to be free or to contain a run that may be resumed."""
        put_back(self.directory)
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
                f"{place} contains an unfinished run ({far})",
                python="pass resume=True to continue it, or overwrite=True to start over",
                cli="continue it with --resume, or start over with --overwrite",
            )
        if not self.resume:
            shutil.rmtree(place)
        return place


def _is_run(place: Path) -> bool:
    """Return True if a directory belongs to a run: it is empty, or has a log of nlgauge or an empty new log."""
    if place.is_symlink() or not place.is_dir():
        return False
    log = place / LOG
    begun = (
        log.is_file() and not log.stat().st_size and all(path.name in (LOG, ROWS) for path in place.iterdir())
    )
    return begun or bool(read_log(place)[0]) or not any(place.iterdir())


def put_back(directory: Path) -> None:
    """Put a result back that was to be replaced, if something ended the program between the two moves of that."""
    place = unfinished(directory)
    old = place / f"{WHOLE}-old"
    if not os.path.lexists(directory) and _is_run(place) and not old.is_symlink() and is_result(old):
        old.replace(directory)


def run_in_memory(
    corpus: Corpus, job: Job, executor: Executor, output: Destination, carbon: str | None = None
) -> Result:
    """Return the result of a corpus in memory, saved to the output; its rows are on disk as soon as they are
    computed.
    """
    run = {**run_of(job), "texts": digest(corpus)}
    with reporting_disk_errors(output), Checkpoint(output.begin(), run) as checkpoint:
        warn_about_languages(corpus, job.metrics)
        return finished(scored(corpus, corpus, job, executor, checkpoint, carbon), checkpoint, output)


def run_on_disk(
    pieces: Callable[[Path], Iterable[Corpus]],
    source: Mapping[str, Any],
    job_of: Callable[[Corpus], Job],
    executor: Executor,
    output: Destination,
    carbon: str | None = None,
) -> Result:
    """Return the result of a corpus that comes in pieces, too large for memory: it is stored first, and scored
    from there.

    `pieces` gets a directory for sorting. `source` describes the input of the pieces, as plain data, so that a
    run is resumed with the same input.
    """
    with reporting_disk_errors(output), Checkpoint(output.begin(), {"source": source}) as checkpoint:
        facts = checkpoint.corpus or _store(pieces, checkpoint)
        corpus = stored_corpus(checkpoint.place / CORPUS, facts)
        job = job_of(corpus)
        warn_about_languages(corpus, job.metrics)
        read = readable(corpus, job.metrics)
        return finished(scored(corpus, read, job, executor, checkpoint, carbon), checkpoint, output)


def _store(pieces: Callable[[Path], Iterable[Corpus]], checkpoint: Checkpoint) -> StoredFacts:
    """Write the pieces of a corpus to the directory of the run, from the start if that was interrupted."""
    place = checkpoint.place / CORPUS
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    with CorpusWriter(place) as writer:
        count = 0
        for piece in pieces(checkpoint.place / "rows"):
            writer.append(piece)
            count += len(piece)
            report("reading segments", count, None)
        facts = writer.close()
    checkpoint.note(StoredCorpus(facts))
    return facts


def finished(result: Result, checkpoint: Checkpoint, output: Destination) -> Result:
    """Write a result, move it to its place, and remove the directory of its run.

    The result is written within that directory, from the start if that was interrupted, so that nothing is left
    elsewhere.
    """
    whole = checkpoint.place / WHOLE
    shutil.rmtree(whole, ignore_errors=True)
    whole.mkdir()
    write_result(result, whole, output.texts)
    put(whole, output.directory, is_own_file)
    checkpoint.remove()
    return reopened(result, output.directory)


@contextmanager
def reporting_disk_errors(output: Destination) -> Iterator[None]:
    """Turn an OSError into a ResultError that states the progress of the unfinished run."""
    place = unfinished(output.directory)
    try:
        yield
    except OSError as error:
        far = how_far(place)
        raise ResultError(
            f"cannot write to or read {error.filename or place}: {error.strerror or error}",
            python=f"{far}; repeat the call with resume=True to continue" if far else "",
            cli=f"{far}; repeat the command with --resume to continue" if far else "",
        ) from error


def scored(
    corpus: Corpus, read: Corpus, job: Job, executor: Executor, checkpoint: Checkpoint, carbon: str | None
) -> Result:
    """Score a corpus, from the first segment that is not in the checkpoint, and return the result.

    `read` has the same segments as `corpus`, in memory or on disk.
    """
    signed = signatures(corpus, job)
    if checkpoint.signatures is None:
        checkpoint.note(Signed(signed))
    else:
        check_same(checkpoint.place, {"metrics": checkpoint.signatures}, {"metrics": signed})
    job = replace(job, fits={**job.fits, **_fits_so_far(checkpoint, job, corpus)})
    tables, fits, costs = engine.run(read, job, executor, carbon, checkpoint)
    total = Costs()
    total.add(checkpoint.costs)
    total.add(costs)
    return Result(corpus, tables, signed, total, replace(job, fits=fits), environment())


def _fits_so_far(checkpoint: Checkpoint, job: Job, corpus: Corpus) -> Fits:
    """Return the fits of a run that is resumed; raise ResultError when they are damaged."""
    try:
        fits = checkpoint.read_fits()
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
            f"the fits of the run in {checkpoint.place} are damaged ({error})",
            python="pass overwrite=True to start over",
            cli="start over with --overwrite",
        ) from None
    return fits


def run_of(job: Job) -> dict[str, Any]:
    """Return the metrics and options of a job as plain data."""
    return {
        "metrics": {label: described(metric) for label, metric in job.metrics.items()},
        "options": describe(job),
    }


def digest(corpus: Corpus) -> str:
    """Return what two corpora have in common only if all of their segments are the same, in memory or on disk."""
    columns = text_columns(corpus)
    fields = {plain(name): values for name, values in corpus.fields.items()}
    fields |= {
        f"{plain(name)} of {system}": values
        for name, by_system in corpus.system_fields.items()
        for system, values in by_system.items()
    }
    total = hashlib.sha256(repr((corpus.lang, corpus.systems, len(columns), *fields)).encode())
    for start, stop in blocks(len(corpus)):
        for column in columns:
            offsets = column.offsets[start : stop + 1]
            total.update(np.diff(offsets).astype("<i8").tobytes())
            total.update(_ENCODER.encode_lines(corpus.texts.many(column.values[offsets[0] : offsets[-1]])))
        total.update(_ENCODER.encode_lines(list(map(saved_id, corpus.ids[start:stop]))))
        total.update(b"" if corpus.weights is None else corpus.weights[start:stop].astype("<f8").tobytes())
        for values in (*([] if corpus.documents is None else [corpus.documents]), *fields.values()):
            total.update(_ENCODER.encode_lines(list(map(plain, values[start:stop]))))
    return total.hexdigest()


def readable(corpus: Corpus, metrics: Mapping[str, AnyMetric]) -> Corpus:
    """Return the corpus, in memory if a metric needs all texts of a system at once."""
    needy = next((label for label, metric in metrics.items() if _needs_all(metric)), None)
    return corpus if needy is None else at_once(corpus, needy)


def _needs_all(metric: AnyMetric) -> bool:
    fit = metric.fit() if isinstance(metric, Metric) else None
    return isinstance(metric, CorpusMetric) or (fit is not None and fit.over == "system")
