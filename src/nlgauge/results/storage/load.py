"""Load a saved result: its files are mapped, and checked before they are used.

A result always loads: if the class of a metric is not imported, its scores are read, and nothing can be
computed again.
"""

from __future__ import annotations

import math
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from nlgauge.corpus import Corpus
from nlgauge.corpus.store.layout import is_stored, stored_corpus
from nlgauge.corpus.store.lazy_values import file_size
from nlgauge.engine.checks import check
from nlgauge.engine.chunk import Job, Rows
from nlgauge.errors import InputError, NlgaugeError, ParameterError, ResultError, did_you_mean
from nlgauge.features import RunOptions
from nlgauge.metric import AnyMetric, CorpusMetric, Metric
from nlgauge.metric.fits import check_fit
from nlgauge.metric.reduction import Averaged, LostFunction, ReduceFn
from nlgauge.metric.saved import restore
from nlgauge.metric.table import Table, outputs_of
from nlgauge.results.result import Result
from nlgauge.results.storage.checkpoint import how_far, unfinished
from nlgauge.results.storage.fits_file import read_fits
from nlgauge.results.storage.layout import FITS, FORMAT, RUN, SPANS, STATISTICS, SavedRun, SavedTable
from nlgauge.results.storage.not_here import NotHere
from nlgauge.results.storage.saved_costs import read_costs
from nlgauge.results.storage.spans_file import read_spans
from nlgauge.results.storage.statistics_file import read_statistics


def load(directory: str | Path) -> Result:
    """Load a result that was saved to a directory.

    Parameters
    ----------
    directory : str or Path
        Directory that `Result.save` or `score(output=...)` wrote.

    Returns
    -------
    Result
        The saved result. If the class of a metric is not installed, its scores can be read but not computed again.

    Raises
    ------
    ParameterError
        If `directory` is not a path.
    ResultError
        If the directory does not exist, contains no result or an unfinished run, or is damaged.
    """
    if not isinstance(directory, str | Path):
        raise ParameterError(f"directory must be the path of a saved result, got {directory!r:.60}.")
    place = Path(directory)
    try:
        return _read(place)
    except FileNotFoundError as error:
        for running in (place, unfinished(place)):
            if far := how_far(running):
                raise ResultError(
                    f"{place} is not finished ({far} in {running})",
                    python="repeat the call that started it with resume=True",
                    cli="repeat the command that started it with --resume",
                ) from None
        if not place.exists():
            raise ResultError(
                f"the directory {place} does not exist{did_you_mean(place.name, _beside(place))}."
            ) from None
        raise ResultError(
            f"{place} is not an nlgauge result, because {Path(error.filename).name} is missing; name the directory of a"
            " saved result."
        ) from None
    except NlgaugeError as error:
        raise (
            error if isinstance(error, ResultError) else ResultError(f"{place} is damaged: {error}")
        ) from None
    except (
        msgspec.MsgspecError,
        zipfile.BadZipFile,
        OSError,
        EOFError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        OverflowError,
        RuntimeError,  # RecursionError, and errors of zipfile for encrypted members and unknown versions
    ) as error:
        raise ResultError(f"{place} is damaged: {error!r:.300}") from None


def _beside(place: Path) -> list[str]:
    return [other.name for other in place.parent.iterdir() if other.is_dir()] if place.parent.is_dir() else []


def _read(place: Path) -> Result:
    run = _read_run(place)
    corpus = stored_corpus(place, run.corpus, read_spans(place / SPANS, run.corpus.segments))
    metrics: dict[str, AnyMetric] = {
        label: restore(saved.name, saved.package, saved.revision, saved.parameters) or NotHere(saved)
        for label, saved in run.metrics.items()
    }
    check(corpus, metrics)
    statistics, segments = _mapped_rows(place, run)
    asked = () if run.sequential is None else run.sequential.asked_metrics
    tables = {
        (saved.system, saved.label): replace(
            _table(saved, metrics[saved.label], statistics, segments, corpus), stopped=saved.label in asked
        )
        for saved in run.tables
    }
    if set(tables) != {(system, label) for system in corpus.systems for label in run.metrics} or not tables:
        raise InputError("its tables do not match its systems and metrics.")
    fits = read_fits(run.fits, place / FITS)
    known = {key: fitted for key, fitted in fits.items() if key[0] in metrics}
    job = Job(metrics, _rule(run.config["reduce_fn"]), _options(run.config), known)
    _check_fits(job, corpus)
    return Result(
        corpus,
        tables,
        run.signatures,
        read_costs(run),
        job,
        run.environment,
        run.texts,
        sequential=None if run.sequential is None else msgspec.to_builtins(run.sequential),
    )


def reopened(result: Result, directory: Path) -> Result:
    """Return a result with its rows, and its corpus if that is on disk, read from the directory to which it was
    saved.
    """
    run = _read_run(directory)
    statistics, _ = _mapped_rows(directory, run)
    stored = is_stored(result.corpus)
    spans = read_spans(directory / SPANS, run.corpus.segments) if stored else {}
    corpus = stored_corpus(directory, run.corpus, spans) if stored else result.corpus
    tables = {
        key: replace(table, statistics=statistics.get(key, {}), weights=corpus.weights)
        for key, table in result._tables.items()
    }
    has_texts = run.texts if stored else result.has_texts
    return replace(result, corpus=corpus, _tables=tables, has_texts=has_texts)


class _Versioned(msgspec.Struct):
    format: int


def _read_run(place: Path) -> SavedRun:
    file_size(place / RUN)
    data = (place / RUN).read_bytes()
    version = msgspec.json.decode(data, type=_Versioned).format
    if version != FORMAT:
        raise ResultError(
            f"{place} is of format {version}, this version reads format {FORMAT}; use the version of nlgauge"
            " that wrote it."
        )
    return msgspec.json.decode(data, type=SavedRun)


def _mapped_rows(place: Path, run: SavedRun) -> tuple[Rows, Rows]:
    """Return the statistics and the saved segment scores of all tables."""
    rows: tuple[Rows, Rows] = {}, {}
    arrays = read_statistics(run.statistics, run.corpus.segments, place / STATISTICS)
    for part, array in zip(run.statistics, arrays, strict=True):
        rows[part.segments].setdefault((part.system, part.label), {})[part.part] = array
    return rows


def _table(saved: SavedTable, metric: AnyMetric, statistics: Rows, segments: Rows, corpus: Corpus) -> Table:
    rows = statistics.get((saved.system, saved.label), {})
    if isinstance(metric, CorpusMetric):
        values = {
            name: _number(value)
            for name, value in saved.scores.items()
            if name != "score" or len(saved.scores) == 1
        }
        if not isinstance(metric, NotHere):
            return Table(metric, values=values)
        scores = segments.get((saved.system, saved.label), {})
        return Table(
            metric, rows, values, saved_segments={name: column[:][:, 0] for name, column in scores.items()}
        )
    if saved.averaged is not None:
        metric = Averaged(metric, saved.averaged)
    if rows.keys() != metric.outputs().keys():
        raise InputError(f"the statistics of {saved.label!r} do not have the parts of the metric.")
    try:
        outputs_of(metric, {part: array[0] for part, array in rows.items()}, ())
    except (NlgaugeError, ValueError, IndexError, TypeError):
        raise InputError(
            f"the statistics of {saved.label!r} do not have the shape that the metric needs."
        ) from None
    return Table(metric, {part: rows[part] for part in metric.outputs()}, weights=corpus.weights)


def _rule(saved: Any) -> ReduceFn:
    if isinstance(saved, dict):
        return LostFunction(str(saved["callable"]))
    if saved is not None and not isinstance(saved, str):
        raise InputError("reduce_fn is neither a name nor a function.")
    return saved


def _options(config: dict[str, Any]) -> RunOptions:
    seed, batch_size, device = config["seed"], config["batch_size"], config["device"]
    whole = [value for value in (seed, batch_size) if value is not None]
    if (
        any(type(value) is not int or value < 0 for value in whole)
        or seed is None
        or not isinstance(device, str | None)
    ):
        raise InputError(
            f"its options are not valid: seed {seed!r:.40}, batch_size {batch_size!r:.40}, device {device!r:.40}."
        )
    return RunOptions(seed, batch_size, device)


def _check_fits(job: Job, corpus: Corpus) -> None:
    for label, metric in job.metrics.items():
        fit = metric.fit() if isinstance(metric, Metric) else None
        for system in () if fit is None else corpus.systems if fit.over == "system" else ("",):
            if not job.fits.get((label, system)):
                raise InputError(f"the fit of {label!r} is missing.")
            check_fit(label, metric, system, job.fits[label, system], corpus)


def _number(saved: Any) -> Any:
    if isinstance(saved, dict) and set(saved) == {"float"}:
        return float(saved["float"])
    return math.nan if saved is None else saved
