"""A result on disk: one directory, written beside its place and moved there whole.

run.json         version, configuration, metrics with all their parameters, signatures, scores, costs,
environment corpus.jsonl     one segment per line, with its fields; with texts=False hashes stand in the place
of texts statistics.npz   the rows of every table; of metrics that are not nlgauge's own, their segment scores
too fits.npz         what was fitted on the whole corpus

A result that was written while it ran (`run.to_disk`) has the files of `corpus.stored` and `run.checkpoint`
beside run.json instead.

A result always loads, whoever wrote its metrics: where a metric's class is not here its scores are read, and
nothing can be computed anew. What is read is checked before it is used, and takes no more memory than its
files.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import stat
import warnings
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np

from nlgauge._core.paths import making_beside, put, require_folder
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.corpus.fields import is_plain, saved_id, with_texts
from nlgauge.corpus.store.layout import is_stored, place_of, stored_corpus
from nlgauge.corpus.texts import Texts
from nlgauge.engine.checks import check
from nlgauge.engine.chunk import Fits, Job
from nlgauge.errors import InputError, NlgaugeError, ParameterError, ResultError, did_you_mean
from nlgauge.features import RunOptions
from nlgauge.metric import AnyMetric, Arrays, CorpusMetric, Metric, Output
from nlgauge.metric.fits import check_fit
from nlgauge.metric.reduction import Averaged, LostFunction, ReduceFn
from nlgauge.metric.saved import describe, describe_outputs, restore, restore_outputs
from nlgauge.metric.table import Table, outputs_of
from nlgauge.results.result import Result
from nlgauge.results.storage.arrays import read_arrays
from nlgauge.results.storage.checkpoint import STATISTICS, how_far, mapped_rows, saved_fits, unfinished
from nlgauge.results.storage.first_format import upgraded
from nlgauge.results.storage.saved_costs import read_costs, saved_carbon, saved_memory
from nlgauge.results.storage.saved_run import SavedFit, SavedMetric, SavedRun, SavedTable

# A result that is saved at once, and one that is written while it runs.
FORMAT, RUNNING_FORMAT = 2, 3
# The files of a result, saved at once or written while it ran.
_STEMS = r"run|corpus|log|statistics|fits|texts|hashes|ids|sources|references|weights|documents|predictions-\d+|(?:hashed-)?fields-\d+(?:-\d+)?"
_OWN_FILE = re.compile(rf"(?:{_STEMS})\.(?:json|jsonl|npz|f64|ids|ends)")


@dataclass(frozen=True, eq=False)
class NotHere(CorpusMetric):
    """Stands for a metric whose class is not at hand, with all that was saved of it; no more can be
    computed.
    """

    saved: SavedMetric

    resamples: ClassVar[int] = 0

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.saved.name

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return restore_outputs(self.saved.outputs)

    def __str__(self) -> str:
        return self.saved.printed


def save(result: Result, directory: Path, texts: bool, overwrite: bool) -> Path:
    """Writes the result; an existing result is replaced only with `overwrite`, anything else never."""
    check_free(directory, overwrite)
    with making_beside(directory) as making:
        stored = place_of(result.corpus)
        if stored is None:
            write(result, making, texts and result.has_texts)
        else:
            from nlgauge.results.storage.stored_result import write_stored

            write_stored(result, *stored, making, texts)
        put(making, directory, is_own_file)
    return directory


def check_free(directory: Path, overwrite: bool, allowed_by: str = "overwrite=True") -> None:
    """Raises where a result may not be saved: the place cannot be written to, or holds another result or
    something else.

    `allowed_by` is how a user says that a result may be replaced.
    """
    require_folder(directory)
    home = directory.absolute().parent
    if not os.access(home, os.W_OK | os.X_OK):
        raise ResultError(
            f"{home} cannot be written to, so {directory} cannot be made; choose another directory."
        )
    if directory.is_symlink():
        raise ResultError(
            f"{directory} is a link; give the directory that it leads to, {directory.resolve()}."
        )
    if not directory.exists() or (directory.is_dir() and not any(directory.iterdir())):
        return
    if not _is_result(directory):
        raise ResultError(f"{directory} exists and is not an nlgauge result; choose another directory.")
    if not overwrite:
        raise ResultError(
            f"{directory} holds a result already; choose another directory, or replace it with {allowed_by}."
        )


def _is_result(directory: Path) -> bool:
    """Return whether a directory is a result: other programs call files run.json too."""
    try:
        found = msgspec.json.decode((directory / "run.json").read_bytes())
    except (OSError, msgspec.DecodeError):
        return False
    return isinstance(found, dict) and {"format", "metrics", "signatures", "tables"} <= found.keys()


def is_own_file(name: str) -> bool:
    """Return whether a file in the directory of a result has a name that nlgauge gives; others are never
    removed with a result.
    """
    return bool(_OWN_FILE.fullmatch(name))


def write(result: Result, directory: Path, texts: bool) -> None:
    """Writes the files of a result that is in memory."""
    statistics: dict[str, Array] = {}
    for number, table in enumerate(result.tables.values()):
        statistics |= {f"{number}/{part}": rows for part, rows in table.statistics.items()}
        if not type(_plain_metric(table.metric)).__module__.startswith("nlgauge.metrics."):
            statistics |= {f"{number}/segments/{name}": values for name, values in table.segments().items()}
    fits, arrays = saved_fits(result.job.fits)
    write_run(saved_run(result, FORMAT, texts, fits), directory / "run.json")
    corpus = result.corpus if texts or not result.has_texts else _hashed(result.corpus)
    _warn_of_kinds(corpus)
    with (directory / "corpus.jsonl").open("wb") as stream:
        for record in corpus.each_record():
            stream.write(msgspec.json.encode(record) + b"\n")
    for name, content in (("statistics.npz", statistics), ("fits.npz", arrays)):
        with (directory / name).open("wb") as stream:
            np.savez(stream, allow_pickle=False, **content)


def saved_run(result: Result, version: int, texts: bool, fits: list[SavedFit]) -> SavedRun:
    """What run.json says of a result."""
    tables = []
    for number, ((system, label), table) in enumerate(result.tables.items()):
        averaged = table.metric.function if isinstance(table.metric, Averaged) else None
        scores = {name: _json_number(value) for name, value in table.scores().items()}
        tables.append(SavedTable(system, label, str(number), averaged, scores))
    return SavedRun(
        version,
        texts,
        result.corpus.lang,
        result.config,
        {
            label: _saved_metric(metric, result.tables[result.systems[0], label])
            for label, metric in result.job.metrics.items()
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
        memory=saved_memory(result.costs),
        carbon=saved_carbon(result.costs),
    )


def write_run(run: SavedRun, path: Path) -> None:
    """Writes run.json."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(run)) + b"\n")


def _warn_of_kinds(corpus: Corpus) -> None:
    """Says which ids and fields come back as texts."""
    ids = () if isinstance(corpus.ids, range) else corpus.ids
    odd = {"ids": [segment for segment in ids if saved_id(segment) is not segment]}
    columns = [
        *corpus.fields.items(),
        *((name, values) for name, own in corpus.system_fields.items() for values in own.values()),
    ]
    odd |= {
        f"values of the field {name!r}": [value for value in values if not is_plain(value)]
        for name, values in columns
    }
    for what, values in odd.items():
        if values:
            warnings.warn(
                f"{what} that JSON does not have are saved as text, such as {values[0]!r:.60}.", stacklevel=5
            )


def _plain_metric(metric: AnyMetric) -> AnyMetric:
    return metric.metric if isinstance(metric, Averaged) else metric


def _saved_metric(metric: AnyMetric, table: Table) -> SavedMetric:
    if isinstance(metric, NotHere):
        return metric.saved
    outputs = describe_outputs(metric.outputs() or {metric.name: tuple(table.outputs())})
    return SavedMetric(**describe(metric), printed=str(metric), outputs=outputs)


def load(directory: str | Path) -> Result:
    """The result that was saved to a directory."""
    if not isinstance(directory, str | Path):
        raise ParameterError(
            f"a result is loaded from the directory that it was saved to, a path; got {directory!r:.60}."
        )
    place = Path(directory)
    try:
        return _read(place)
    except FileNotFoundError as error:
        for running in (place, unfinished(place)):
            if far := how_far(running):
                raise ResultError(
                    f"{place} is not finished: {far} in {running}. The command that began it goes on with"
                    " --resume (in Python with resume=True)."
                ) from None
        if not place.exists():
            raise ResultError(
                f"there is no directory {place}{did_you_mean(place.name, _beside(place))}."
            ) from None
        raise ResultError(
            f"{place} is not an nlgauge result: {Path(error.filename).name} is missing."
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
        RuntimeError,  # RecursionError, and what zipfile raises of encrypted members and unknown versions
    ) as error:
        raise ResultError(f"{place} is damaged: {error!r:.300}") from None


def _beside(place: Path) -> list[str]:
    return [other.name for other in place.parent.iterdir() if other.is_dir()] if place.parent.is_dir() else []


def _read(place: Path) -> Result:
    data = _content(place / "run.json")
    version = msgspec.json.decode(data, type=_Versioned).format
    if version not in (1, FORMAT, RUNNING_FORMAT):
        raise ResultError(
            f"{place} is of format {version}, this version reads up to {RUNNING_FORMAT}; use the version of"
            " nlgauge that wrote it."
        )
    if version == RUNNING_FORMAT:
        run = msgspec.json.decode(data, type=SavedRun)
        if run.corpus is None:
            raise InputError("run.json does not say what its corpus is.")
        corpus = stored_corpus(place, run.corpus)
        rows = mapped_rows(place / STATISTICS, run.columns, len(corpus))
        statistics = {saved.key: rows.get((saved.system, saved.label), {}) for saved in run.tables}
    else:
        statistics = read_arrays(place / "statistics.npz")
        run = msgspec.json.decode(data, type=SavedRun) if version == FORMAT else upgraded(data, statistics)
        lines = _content(place / "corpus.jsonl").split(b"\n")
        corpus = Corpus.from_saved([msgspec.json.decode(line) for line in lines if line], run.lang)
    metrics = {label: _metric(saved) for label, saved in run.metrics.items()}
    check(corpus, metrics)
    tables = {
        (saved.system, saved.label): _table(saved, metrics[saved.label], statistics, corpus)
        for saved in run.tables
    }
    if set(tables) != {(system, label) for system in corpus.systems for label in run.metrics} or not tables:
        raise InputError("its tables are not those of its systems and metrics.")
    fits = _fits(run.fits, read_arrays(place / "fits.npz"), metrics)
    job = Job(metrics, _rule(run.config["reduce_fn"]), _options(run.config), fits)
    _check_fits(job, corpus)
    return Result(corpus, tables, run.signatures, read_costs(run), job, run.environment, run.texts)


class _Versioned(msgspec.Struct):
    format: int


def _content(path: Path) -> bytes:
    if not stat.S_ISREG(path.stat().st_mode):
        raise InputError(f"{path.name} is not a file.")
    return path.read_bytes()


def _metric(saved: SavedMetric) -> AnyMetric:
    return restore(saved.name, saved.package, saved.revision, saved.parameters) or NotHere(saved)


def _rule(saved: Any) -> ReduceFn:
    if isinstance(saved, dict):
        return LostFunction(str(saved["callable"]))
    if saved is not None and not isinstance(saved, str):
        raise InputError("the rule of reduction is neither a name nor a function's.")
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
            f"its options are not those of a run: seed {seed!r:.40}, batch_size {batch_size!r:.40}, device"
            f" {device!r:.40}."
        )
    return RunOptions(seed, batch_size, device)


def _table(saved: SavedTable, metric: AnyMetric, statistics: dict[str, Arrays], corpus: Corpus) -> Table:
    arrays = statistics.get(saved.key, {})
    rows = {name: array for name, array in arrays.items() if not name.startswith("segments/")}
    if isinstance(metric, CorpusMetric):
        values = {
            name: _number(value)
            for name, value in saved.scores.items()
            if name != "score" or len(saved.scores) == 1
        }
        segments = {
            name.removeprefix("segments/"): array
            for name, array in arrays.items()
            if name.startswith("segments/")
        }
        _check_rows(saved.label, segments, len(corpus), 1)
        return Table(metric, values=values, saved_segments=segments)
    if saved.averaged is not None:
        metric = Averaged(metric, saved.averaged)
    _check_rows(saved.label, rows, len(corpus), 2)
    if rows.keys() != metric.outputs().keys():
        raise InputError(f"the statistics of {saved.label!r} are of other parts than the metric's.")
    table = Table(metric, {part: rows[part] for part in metric.outputs()}, weights=corpus.weights)
    try:
        (
            table.scores()
            if not is_stored(corpus)
            else outputs_of(metric, {part: rows[part][0] for part in rows}, ())
        )
    except (NlgaugeError, ValueError, IndexError, TypeError):
        raise InputError(
            f"the statistics of {saved.label!r} are of another shape than the metric's."
        ) from None
    return table


def _check_rows(label: str, arrays: Arrays, segments: int, dimensions: int) -> None:
    for name, array in arrays.items():
        if array.dtype != np.float64 or array.ndim != dimensions or len(array) != segments:
            given = f"{array.dtype} of shape {array.shape}"
            raise InputError(
                f"the statistics of {label!r} ({name}) are {given}; {segments} rows of float64 are needed."
            )


def _fits(saved: list[SavedFit], arrays: dict[str, Arrays], metrics: dict[str, AnyMetric]) -> Fits:
    return {
        (label, fit.system): arrays.get(fit.key, {})
        for fit in saved
        for label in fit.labels
        if label in metrics
    }


def _check_fits(job: Job, corpus: Corpus) -> None:
    for label, metric in job.metrics.items():
        fit = metric.fit() if isinstance(metric, Metric) else None
        for system in () if fit is None else corpus.systems if fit.over == "system" else ("",):
            if not job.fits.get((label, system)):
                raise InputError(f"what {label!r} was fitted to is missing.")
            check_fit(label, metric, system, job.fits[label, system], corpus)


def _hashed(corpus: Corpus) -> Corpus:
    """The corpus with hashes in the place of its texts, those in fields too; numbers stay."""
    texts = Texts()
    ids = texts.intern_all(list(map(text_hash, corpus.texts.strings)))
    assert (ids == np.arange(len(ids))).all()
    fields = {name: with_texts(values, text_hash) for name, values in corpus.fields.items()}
    own = {
        name: {system: with_texts(values, text_hash) for system, values in by.items()}
        for name, by in corpus.system_fields.items()
    }
    return replace(corpus, texts=texts, fields=fields, system_fields=own)


def text_hash(text: str) -> str:
    """What stands in the place of a text that is not saved."""
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()


def _json_number(value: Any) -> Any:
    """JSON has neither NaN nor infinity: they are written as strings that no score can be."""
    return {"float": str(value)} if isinstance(value, float) and not math.isfinite(value) else value


def _number(saved: Any) -> Any:
    if isinstance(saved, dict) and set(saved) == {"float"}:
        return float(saved["float"])
    return math.nan if saved is None else saved
