"""Save a result: its directory is written next to its place and moved there whole."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from nlgauge._core.paths import making_beside, put, require_folder
from nlgauge.corpus import Corpus
from nlgauge.corpus.fields import is_plain, saved_id
from nlgauge.corpus.store.layout import StoredFacts, is_stored
from nlgauge.corpus.store.writer import write_corpus
from nlgauge.errors import ResultError
from nlgauge.metric import AnyMetric
from nlgauge.metric.reduction import Averaged
from nlgauge.metric.registry import is_built_in
from nlgauge.metric.saved import describe, describe_outputs
from nlgauge.metric.table import Table
from nlgauge.results.result import Result
from nlgauge.results.storage.fits_file import write_fits
from nlgauge.results.storage.layout import (
    FITS,
    FORMAT,
    SPANS,
    STATISTICS,
    SavedFit,
    SavedMetric,
    SavedRun,
    SavedTable,
    SavedVerdict,
    StoredPart,
    is_own_file,
    is_result,
    write_run,
)
from nlgauge.results.storage.not_here import NotHere
from nlgauge.results.storage.saved_costs import saved_carbon, saved_memory
from nlgauge.results.storage.spans_file import write_spans
from nlgauge.results.storage.statistics_file import PartRows, write_statistics


def save(result: Result, directory: Path, texts: bool, overwrite: bool) -> Path:
    """Write the result; `overwrite` replaces an existing result. Other files are never replaced."""
    check_free(directory, overwrite)
    with making_beside(directory) as making:
        write_result(result, making, texts)
        put(making, directory, is_own_file)
    return directory


def check_free(directory: Path, overwrite: bool) -> None:
    """Raise if a result cannot be saved in a directory: it is not writable, or contains a result or other files."""
    require_folder(directory)
    home = directory.absolute().parent
    if not os.access(home, os.W_OK | os.X_OK):
        raise ResultError(
            f"{home} is not writable, so {directory} cannot be created; choose another directory."
        )
    if directory.is_symlink():
        raise ResultError(
            f"{directory} is a link; use the directory that it points to, {directory.resolve()}."
        )
    if not directory.exists() or (directory.is_dir() and not any(directory.iterdir())):
        return
    if not is_result(directory):
        raise ResultError(f"{directory} exists and is not an nlgauge result; choose another directory.")
    if not overwrite:
        raise ResultError(
            f"{directory} already contains a result",
            python="choose another directory, or pass overwrite=True to replace it",
            cli="choose another directory, or replace it with --overwrite",
        )


def write_result(result: Result, place: Path, texts: bool = True) -> None:
    """Write the files of a result to a directory, block by block; without texts hashes are written instead."""
    if not is_stored(result.corpus):
        _warn_of_kinds(result.corpus)
    facts = write_corpus(result.corpus, place, hashed=result.has_texts and not texts)
    statistics = write_statistics(list(_all_rows(result)), len(result.corpus), place / STATISTICS)
    fits = write_fits(result._job.fits, place / FITS)
    if result.corpus.spans:
        write_spans(result.corpus.spans, place / SPANS, texts and result.has_texts)
    write_run(_saved_run(result, texts and result.has_texts, facts, statistics, fits), place)


def _all_rows(result: Result) -> Iterator[PartRows]:
    """Yield the rows of all tables, and the segment scores of metrics whose class may be missing later."""
    for (system, label), table in result._tables.items():
        for part, rows in table.statistics.items():
            yield PartRows(system, label, part, rows)
        if not is_built_in(_plain_metric(table.metric)):
            for name, values in table.segments().items():
                yield PartRows(system, label, name, values[:, None], segments=True)


def _saved_run(
    result: Result, texts: bool, facts: StoredFacts, statistics: list[StoredPart], fits: list[SavedFit]
) -> SavedRun:
    """Return the content of run.json for a result."""
    tables = []
    for (system, label), table in result._tables.items():
        averaged = table.metric.function if isinstance(table.metric, Averaged) else None
        scores = {name: _json_number(value) for name, value in table.scores().items()}
        tables.append(SavedTable(system, label, averaged, scores))
    return SavedRun(
        FORMAT,
        texts,
        result.config,
        {
            label: _saved_metric(metric, result._tables[result.systems[0], label])
            for label, metric in result._job.metrics.items()
        },
        dict(result.signatures),
        tables,
        fits,
        {
            "metrics": dict(result.costs.metrics),
            "features": dict(result.costs.features),
            "used": dict(result.costs.used),
        },
        dict(result.environment),
        dict(result.costs.reads),
        facts,
        statistics,
        saved_memory(result.costs),
        saved_carbon(result.costs),
        None if result.sequential is None else msgspec.convert(dict(result.sequential), SavedVerdict),
    )


def _warn_of_kinds(corpus: Corpus) -> None:
    """Say which ids and fields come back as texts."""
    ids = () if isinstance(corpus.ids, range) else corpus.ids
    odd = {"ids": [segment for segment in ids if saved_id(segment) is not segment]}
    columns = [
        *corpus.fields.items(),
        *(
            (name, values)
            for name, by_system in corpus.system_fields.items()
            for values in by_system.values()
        ),
    ]
    odd |= {
        f"values of the field {name!r}": [value for value in values if not is_plain(value)]
        for name, values in columns
    }
    for what, values in odd.items():
        if values:
            warnings.warn(
                f"{what} that JSON cannot represent are saved as text, such as {values[0]!r:.60}.",
                stacklevel=5,
            )


def _plain_metric(metric: AnyMetric) -> AnyMetric:
    return metric.metric if isinstance(metric, Averaged) else metric


def _saved_metric(metric: AnyMetric, table: Table) -> SavedMetric:
    if isinstance(metric, NotHere):
        return metric.saved
    outputs = describe_outputs(metric.outputs() or {metric.name: tuple(table.outputs())})
    return SavedMetric(**describe(metric), printed=str(metric), outputs=outputs)


def _json_number(value: Any) -> Any:
    """Return a number for JSON; NaN and infinity become strings, which no score can be."""
    return {"float": str(value)} if isinstance(value, float) and not math.isfinite(value) else value
