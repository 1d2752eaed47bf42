"""A result on disk: one directory, written beside its place and moved there whole.

run.json         version, configuration, metrics, signatures, scores, costs, environment
corpus.jsonl     one segment a line; with texts=False hashes stand in the place of texts
statistics.npz   the rows of every table
fits.npz         what was fitted on the whole corpus
"""

from __future__ import annotations

import hashlib
import math
import shutil
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array
from nlgauge.corpus.texts import Texts
from nlgauge.errors import NlgaugeError, ResultError
from nlgauge.features import RunOptions
from nlgauge.metric import AnyMetric, Output, WholeMetric
from nlgauge.metric.registry import parse
from nlgauge.results.result import Result
from nlgauge.results.table import Table
from nlgauge.run.chunk import Job
from nlgauge.run.costs import Costs
from nlgauge.run.reduction import Averaged

FORMAT = 1


class SavedTable(msgspec.Struct):
    """One table's entry in run.json; `key` prefixes its arrays in statistics.npz."""

    system: str
    label: str
    metric: str
    key: str
    averaged: str | None
    scores: dict[str, Any]


class SavedRun(msgspec.Struct):
    """run.json."""

    format: int
    texts: bool
    lang: str | None
    config: dict[str, Any]
    metrics: dict[str, str]
    signatures: dict[str, str]
    tables: list[SavedTable]
    fits: list[tuple[str, str]]
    seconds: dict[str, dict[str, float]]
    environment: dict[str, str]


class SavedWhole(WholeMetric):
    """Stands for a whole metric whose class is not at hand; its values were saved, no more can be computed."""

    resamples = 0

    def __init__(self, text: str) -> None:
        self._text = text

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {}

    def __str__(self) -> str:
        return self._text


def save(result: Result, directory: Path, texts: bool, overwrite: bool) -> Path:
    """Writes the result; an existing result is replaced only with `overwrite`, anything else never."""
    check_free(directory, overwrite)
    directory.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
    try:
        making.chmod(0o755)
        _write(result, making, texts and result.has_texts)
        _put(making, directory)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return directory


def check_free(directory: Path, overwrite: bool) -> None:
    """Raises where a result may not be saved: the place holds another result, or something else."""
    if not directory.exists() or (directory.is_dir() and not any(directory.iterdir())):
        return
    if not (directory / "run.json").is_file():
        raise ResultError(f"{directory} exists and is no nlgauge result; choose another directory.")
    if not overwrite:
        raise ResultError(f"{directory} holds a result already; choose another directory, or overwrite=True (--overwrite).")


def _put(made: Path, directory: Path) -> None:
    """Moves a directory to its place; what was there is kept until that is done, and put back where it fails."""
    if not directory.exists():
        made.replace(directory)
        return
    old = made.with_name(f"{made.name}-old")
    directory.replace(old)
    try:
        made.replace(directory)
    except BaseException:
        old.replace(directory)
        raise
    shutil.rmtree(old)


def _write(result: Result, directory: Path, texts: bool) -> None:
    statistics: dict[str, Array] = {}
    tables = []
    for number, ((system, label), table) in enumerate(result.tables.items()):
        statistics |= {f"{number}/{part}": rows for part, rows in table.statistics.items()}
        averaged = table.metric.function if isinstance(table.metric, Averaged) else None
        scores = {name: _json_number(value) for name, value in table.scores(result.corpus.weights).items()}
        tables.append(SavedTable(system, label, str(table.metric), str(number), averaged, scores))
    fits = list(result.fits)
    run = SavedRun(
        FORMAT,
        texts,
        result.corpus.lang,
        dict(result.config),
        {label: str(metric) for label, metric in result.job.metrics.items()},
        dict(result.signatures),
        tables,
        fits,
        {"metrics": dict(result.costs.metrics), "features": dict(result.costs.features)},
        dict(result.environment),
    )
    (directory / "run.json").write_bytes(msgspec.json.format(msgspec.json.encode(run)) + b"\n")
    corpus = result.corpus if texts or not result.has_texts else _hashed(result.corpus)
    with (directory / "corpus.jsonl").open("wb") as stream:
        for record in corpus.records():
            stream.write(msgspec.json.encode(record) + b"\n")
    with (directory / "statistics.npz").open("wb") as stream:
        np.savez(stream, allow_pickle=False, **statistics)
    with (directory / "fits.npz").open("wb") as stream:
        arrays = {f"{number}/{name}": array for number, key in enumerate(fits) for name, array in result.fits[key].items()}
        np.savez(stream, allow_pickle=False, **arrays)


def load(directory: str | Path) -> Result:
    """The result that was saved to a directory."""
    place = Path(directory)
    try:
        return _read(place)
    except FileNotFoundError as error:
        raise ResultError(f"{place} is no nlgauge result: {Path(error.filename).name} is missing.") from None
    except NlgaugeError as error:
        raise error if isinstance(error, ResultError) else ResultError(f"{place} is damaged: {error}") from None
    except (msgspec.MsgspecError, zipfile.BadZipFile, OSError, EOFError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise ResultError(f"{place} is damaged: {error!r}") from None


def _read(place: Path) -> Result:
    run = msgspec.json.decode((place / "run.json").read_bytes(), type=SavedRun)
    if run.format != FORMAT:
        raise ResultError(f"{place} is of format {run.format}, this version reads {FORMAT}; use the version of nlgauge that wrote it.")
    lines = (place / "corpus.jsonl").read_bytes().split(b"\n")
    corpus = Corpus.from_saved([msgspec.json.decode(line) for line in lines if line], run.lang)
    statistics = _arrays(place / "statistics.npz")
    fits = _arrays(place / "fits.npz")
    tables = {(saved.system, saved.label): _table(saved, statistics, place) for saved in run.tables}
    if set(tables) != {(system, label) for system in corpus.systems for label in run.metrics} or not tables:
        raise ResultError(f"{place} is damaged: its tables are not those of its systems and metrics.")
    if any(len(rows) != len(corpus) for table in tables.values() for rows in table.statistics.values()):
        raise ResultError(f"{place} is damaged: its statistics are of another number of segments than its corpus.")
    metrics = {label: _metric(text) or tables[corpus.systems[0], label].metric for label, text in run.metrics.items()}
    options = RunOptions(run.config["seed"], run.config["batch_size"], run.config["device"])
    return Result(
        corpus,
        tables,
        run.signatures,
        Costs(run.seconds["metrics"], run.seconds["features"]),
        {key: fits.get(str(number), {}) for number, key in enumerate(run.fits)},
        Job(metrics, run.config["reduce_fn"], options),
        run.config,
        run.environment,
        run.texts,
    )


def _table(saved: SavedTable, statistics: dict[str, dict[str, Array]], place: Path) -> Table:
    metric = _metric(saved.metric)
    if metric is None and saved.key in statistics:
        raise ResultError(f"{place} holds {saved.metric}, which is not installed here; install the package that has it.")
    if metric is None or isinstance(metric, WholeMetric):
        values = {name: math.nan if value is None else value for name, value in saved.scores.items() if name != "score" or len(saved.scores) == 1}
        return Table(metric or SavedWhole(saved.metric), values=values)
    if saved.averaged is not None:
        metric = Averaged(metric, saved.averaged)
    return Table(metric, {part: statistics[saved.key][part] for part in metric.outputs()})


def _metric(text: str) -> AnyMetric | None:
    try:
        return parse(text)
    except NlgaugeError:
        return None


def _arrays(path: Path) -> dict[str, dict[str, Array]]:
    """The arrays of a file, by the number before the slash and the name after it."""
    found: dict[str, dict[str, Array]] = {}
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
        for name in archive.files:
            number, _, part = name.partition("/")
            found.setdefault(number, {})[part] = archive[name]
    return found


def _hashed(corpus: Corpus) -> Corpus:
    texts = Texts()
    ids = np.array([texts.intern(hashlib.sha256(text.encode()).hexdigest()) for text in corpus.texts.strings], dtype=np.int64)
    assert (ids == np.arange(len(ids))).all()
    return replace(corpus, texts=texts)


def _json_number(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
