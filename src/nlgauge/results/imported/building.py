"""Results from imported scores: `from_scores` makes a result, `with_scores` adds a score to a result."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge._core.collector import collector_paused
from nlgauge._core.defaults import SEED
from nlgauge._core.numbers import counted
from nlgauge._core.paths import is_file
from nlgauge.corpus import Corpus
from nlgauge.corpus.fields import kept
from nlgauge.corpus.raw_columns import RawColumns
from nlgauge.corpus.records import ABSENT as NO_FIELD
from nlgauge.corpus.records import Records, as_records
from nlgauge.engine.chunk import Job
from nlgauge.engine.costs import Costs
from nlgauge.engine.environment import environment
from nlgauge.engine.prepare import signatures
from nlgauge.errors import InputError, ParameterError
from nlgauge.features import RunOptions
from nlgauge.metric.imported import Imported, ScoreValues
from nlgauge.metric.mean import worst_of
from nlgauge.metric.registry import metric_classes
from nlgauge.metric.table import Table
from nlgauge.results.imported.answers import AnswerFields, Answers
from nlgauge.results.imported.columns import ScoreReader, Scores, ScoreSpec, described_score, score_specs
from nlgauge.results.labels import labels_found
from nlgauge.results.result import Result

# The field of a result with every single score, if a segment has several.
VALUES = ".values"
# Columns of tables of segments, which no score may replace.
_COLUMNS = ("segment", "system", "source", "reference", "references", "prediction")
# Reasons by row, for rows of records that have no score.
Reasons = Mapping[str, Mapping[int, str]]


def from_scores(
    records: Any,
    scores: Scores | None = None,
    *,
    name: str = "score",
    item: str | None = None,
    system: str | None = None,
    repeat: str | None = None,
    documents: str | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    lang: str | None = None,
    ignore_inputs: bool = False,
    seed: int = SEED,
) -> Result:
    """Make a result from scores that other programs or people gave.

    Parameters
    ----------
    records : records, data frame or mapping
        Records (dictionaries, a data frame, an Arrow table, a dataset) with one answer each, or a mapping from systems
        to N scores, one per segment. A score may be a number, a boolean, a category, a list of scores of the same answer
        (judge runs), or None if it is missing.
    scores : str, sequence of str or mapping, optional
        Fields of records with scores: names, or a mapping from names to "higher", "lower", "neither", or the categories
        from worst to best. Names may have facts, such as "latency:lower:0..60" or "tone:rude/polite".
    name : str, default "score"
        Name of the score, if `records` is a mapping; facts may follow, as in `scores`.
    item : str, optional
        Field that identifies the segment. Default: a usual name such as "id". Without such a field, the number of
        the record among the records of its system.
    system : str, optional
        Field that names the system. Default: "system" or "model" if it exists.
    repeat : str, optional
        Field that orders several answers of a system to one segment. Default: "epoch" or "repeat" if it exists.
    documents : str, optional
        Field that names the document of a segment. Segments of a document are resampled together.
    bounds : mapping of str to tuple of float, optional
        Lowest and highest possible value by score. Bounds are never taken from the data.
    lang : str, optional
        ISO language code, used for metrics that are added later.
    ignore_inputs : bool, default False
        Accept different sources or references for the same segment.
    seed : int, default 12345
        Seed of the resamples.

    Returns
    -------
    Result
        N segments, S systems, and one metric per score. Intervals, tests, reports and gates work as for computed
        metrics.

    Raises
    ------
    InputError
        If a field is missing, a score is not a number or outside its bounds, or the systems share no segment.
    ParameterError
        If the description of a score is not valid.

    Notes
    -----
    Several answers of a system to one segment are averaged, so every segment has the same weight. A missing score of an
    empty answer counts as the worst value if the score has a bound; any other missing score is left out of the mean, and
    both systems of a comparison are compared on the segments that have both scores.

    Examples
    --------
    >>> result = from_scores({"A": [0.5, 1, None, 0], "B": [1, 1, 0, 1]}, name="accuracy:higher:0..1")
    >>> result["B"]["accuracy"]["score"]
    0.75
    """
    if isinstance(records, Mapping):
        return _from_arrays(records, name, lang, seed)
    read = as_records(records)
    if read is None:
        raise InputError(
            f"records is {records!r:.60}; pass records, a data frame, or {{system: scores}} with a score per segment."
        )
    if scores is None:
        raise ParameterError("scores is missing; name the fields of the records that contain scores.")
    specs = score_specs(scores, bounds)
    with collector_paused():
        answers = Answers.of(
            read, AnswerFields(item, system, repeat, documents), [spec.name for spec in specs]
        )
        return from_answers(answers, specs, lang=lang, ignore_inputs=ignore_inputs, seed=seed)


def from_answers(
    answers: Answers,
    specs: Sequence[ScoreSpec],
    *,
    reasons: Reasons | None = None,
    origin: str = "",
    lang: str | None = None,
    ignore_inputs: bool = False,
    seed: int = SEED,
) -> Result:
    """Return the result of answers; `reasons` has the reasons for missing scores by score and record."""
    _warn_of_repeats(answers)
    corpus = Corpus.of_parts(answers.parts([spec.name for spec in specs], ignore_inputs), lang)
    result = Result(corpus, {}, {}, Costs(), Job({}, None, RunOptions(seed)), environment())
    for spec in specs:
        reader = ScoreReader(spec)
        columns = {
            system: _column_of_answers(reader, rows, answers, (reasons or {}).get(spec.name, {}))
            for system, rows in answers.rows.items()
        }
        result = _with_columns(result, reader, columns, origin)
    return result


def _warn_of_repeats(answers: Answers) -> None:
    """Warn if one system has more answers per segment than another."""
    means = {
        system: sum(map(len, rows)) / max(1, sum(map(bool, rows))) for system, rows in answers.rows.items()
    }
    most, least = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
    if means[most] > means[least]:
        warnings.warn(
            f"{most} has {means[most]:.3g} answers per segment, {least} has {means[least]:.3g}; the means over the"
            " answers of each segment are compared.",
            stacklevel=4,
        )


def with_scores(
    result: Result, name: str, scores: Mapping[str, Sequence[Any]], better: Any, low: float, high: float
) -> Result:
    """Return a result with one further score: N values for each system, or for some systems."""
    for system in scores:
        result._check_system(system)
    spec = ScoreSpec.parse(name)
    if better is not None:
        described = described_score(spec.name, better)
        spec = replace(spec, better=described.better, levels=described.levels)
    if (low, high) != (-math.inf, math.inf):
        spec = spec.bounded((low, high))
    return with_read_scores(result, spec, scores, "")


def with_read_scores(
    result: Result, spec: ScoreSpec, scores: Mapping[str, Sequence[Any]], origin: str
) -> Result:
    """Return a result with a score that is described by `spec`; a system that `scores` lacks has no score."""
    reader = ScoreReader(spec)
    missing: list[None] = [None] * len(result.corpus)
    columns = {
        system: _column_of_cells(
            reader, _checked_length(scores.get(system, missing), system, len(result.corpus))
        )
        for system in result.systems
    }
    return _with_columns(result, reader, columns, origin)


def _from_arrays(arrays: Mapping[str, Any], name: str, lang: str | None, seed: int) -> Result:
    if not arrays:
        raise InputError("records is an empty mapping; pass the scores of at least one system.")
    count = len(_listed(next(iter(arrays.values())), next(iter(arrays))))
    lists = {str(system): _checked_length(values, system, count) for system, values in arrays.items()}
    if len(lists) < len(arrays):
        raise InputError(
            f"two systems have the same name ({', '.join(map(repr, arrays)):.80}); rename one of them."
        )
    parts = RawColumns({system: [[] for _ in range(count)] for system in lists}, repeats=True)
    result = Result(
        Corpus.of_parts(parts, lang), {}, {}, Costs(), Job({}, None, RunOptions(seed)), environment()
    )
    reader = ScoreReader(ScoreSpec.parse(name))
    columns = {system: _column_of_cells(reader, values) for system, values in lists.items()}
    return _with_columns(result, reader, columns, "")


def _listed(values: Any, system: str) -> list[Any]:
    if not isinstance(values, Iterable) or isinstance(values, str):
        raise InputError(f"the scores of {system!r} are {values!r:.60}; pass one score per segment.")
    return list(values)


def _checked_length(scores: Any, system: str, count: int) -> list[Any]:
    values = _listed(scores, system)
    if len(values) != count:
        raise InputError(
            f"{system!r} has {counted(len(values), 'score')}, but {counted(count, 'segment')}; pass one score per segment."
        )
    return values


class _Column:
    """The scores of a system while they are read: answer by answer, each with its segment."""

    def __init__(self, segments: int) -> None:
        self.segments = segments
        self.values: list[float] = []
        # For each answer, the number of its scores and its segment.
        self.runs: list[int] = []
        self.owners: list[int] = []
        self.reasons: dict[int, str] = {}
        # Numbers of the answers that are empty and have no score.
        self.empty: list[int] = []

    def add(self, segment: int, scores: list[float], reason: str = "") -> None:
        """Add an answer of a segment, with its scores or the reason why there is none."""
        if not scores:
            self.reasons[segment] = self.reasons.get(segment) or reason
            self.empty += [len(self.runs)] if reason == "empty" else []
        self.values += scores
        self.runs.append(len(scores))
        self.owners.append(segment)

    def finished(self, worst: float) -> ScoreValues:
        """Return the column; an empty answer without a score has the worst value, unless that is NaN."""
        empty = [] if math.isnan(worst) else self.empty
        return ScoreValues(
            self.segments,
            np.array([*self.values, *[worst] * len(empty)], dtype=np.float64),
            np.concatenate([np.repeat(np.arange(len(self.runs)), self.runs), empty]).astype(np.int64),
            np.array(self.owners, dtype=np.int64),
            self.reasons,
        )


def _column_of_cells(reader: ScoreReader, cells: Sequence[Any]) -> _Column:
    """Return the scores of segments with one answer each."""
    column = _Column(len(cells))
    for segment, cell in enumerate(cells):
        column.add(segment, reader.read(cell, partial("segment {}".format, segment)))
    return column


def _column_of_answers(
    reader: ScoreReader, rows: list[list[int]], answers: Answers, reasons: Mapping[int, str]
) -> _Column:
    """Return the scores of a system with any number of answers per segment."""
    records = answers.records
    cells, texts = records.columns[reader.spec.name], records.columns.get(answers.roles.get("prediction", ""))
    column = _Column(len(rows))
    if not answers.runs and all(len(of_segment) == 1 for of_segment in rows):
        plain = reader.all_plain([cells[i] for (i,) in rows])
        if plain is not None:
            column.values, column.runs, column.owners = plain, [1] * len(rows), list(range(len(rows)))
            return column
    for segment, of_segment in enumerate(rows):
        for i in of_segment:
            # Most records are a number, the only score of their answer.
            scores = None if answers.runs else reader.plain(cells[i])
            if scores is None:
                scores = [
                    score
                    for run in answers.runs.get(i, (i,))
                    for score in reader.read(
                        None if cells[run] is NO_FIELD else cells[run], partial(records.place, run)
                    )
                ]
            if scores:
                column.add(segment, scores)
                continue
            reason = reasons.get(i, "")
            text = None if texts is None else texts[i]
            is_empty = not reason and isinstance(text, str) and not text.strip()
            column.add(segment, scores, "empty" if is_empty else reason)
    return column


def _with_columns(result: Result, reader: ScoreReader, read: Mapping[str, _Column], origin: str) -> Result:
    """Return the result with the tables of one score, and its single values if a segment has several."""
    metric = reader.metric({*metric_classes(), *_COLUMNS}, origin)
    label = metric.column
    worst = worst_of(metric.outputs()[label][0])
    columns = {system: column.finished(worst) for system, column in read.items()}
    if label in result.labels:
        raise ParameterError(f"{label!r} is already in the result; rename the new score.")
    corpus = result.corpus
    if label + VALUES in {*corpus.fields, *corpus.system_fields}:
        raise InputError(
            f"the records have a field {label + VALUES!r}, which is reserved for single scores; rename it."
        )
    if any(column.is_repeated for column in columns.values()):
        values: dict[str, Sequence[Any]] = {
            system: kept(column.lists()) for system, column in columns.items()
        }
        corpus = replace(corpus, system_fields={**corpus.system_fields, label + VALUES: values})
    tables = dict(result._tables)
    for system, column in columns.items():
        tables[system, label] = Table(metric, {label: metric.rows(column)}, weights=corpus.weights)
    job = replace(result._job, metrics={**result._job.metrics, label: metric})
    labels = [*result._job.metrics, label]
    return replace(
        result,
        corpus=corpus,
        _tables={(system, each): tables[system, each] for system in corpus.systems for each in labels},
        signatures={**result.signatures, **signatures(corpus, replace(job, metrics={label: metric}))},
        _job=job,
        _last=[],
    )


def is_imported(result: Result, label: str) -> bool:
    """Return True if the scores of a label were imported."""
    return isinstance(result._job.metrics[label], Imported)


def with_files(result: Result, files: Iterable[str | Path]) -> Result:
    """Return a result whose environment has the name and the hash of each file that scores come from."""
    hashes: dict[str, list[str]] = {}
    for path in filter(is_file, dict.fromkeys(map(str, files))):
        with Path(path).open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        hashes.setdefault(f"imported {Path(path).name}", []).append(f"sha256 {digest}")
    named = {name: ", ".join(digests) for name, digests in hashes.items()}
    return replace(result, environment={**result.environment, **named})


def imported_label(result: Result, name: str) -> str | None:
    """Return the label of the imported score that a name stands for, also without its prefix; None if there is none."""
    labels = [name] if name in result.labels else labels_found(name, result._job.metrics)
    return labels[0] if len(labels) == 1 and is_imported(result, labels[0]) else None


def single_scores(result: Result, label: str) -> dict[str, list[list[list[float]]]]:
    """Return every single score of an imported metric by system: for each segment, the scores of each answer."""
    saved = result.corpus.system_fields.get(label + VALUES)
    if saved is not None:
        return {system: [[list(runs) for runs in answers] for answers in saved[system]] for system in saved}
    scores = {system: result._tables[system, label].segments_of(label).tolist() for system in result.systems}
    return {
        system: [[] if math.isnan(value) else [[value]] for value in values]
        for system, values in scores.items()
    }


def scores_by_segment(
    result: Result, records: Records, column: str, item: str | None = None, system: str | None = None
) -> dict[str, list[Any]]:
    """Return the scores of records in the order of a result's segments, by system; None if a score is missing.

    Several records of a system and a segment are several scores, such as the ratings of several people.
    """
    answers = Answers.of(records, AnswerFields(item, system), [column])
    numbers = {str(segment): i for i, segment in enumerate(result.corpus.ids)}
    unknown = next((each for each in answers.ids if str(each) not in numbers), None)
    if unknown is not None:
        raise InputError(
            f"the result has no segment {unknown!r:.40}",
            python="name the field that identifies segments with item=FIELD",
            cli="name the field that identifies segments with --item FIELD",
        )
    cells = [None if cell is NO_FIELD else cell for cell in records.columns[column]]
    names = list(answers.rows)
    alone = len(names) == len(result.systems) == 1
    scores: dict[str, list[Any]] = {}
    for name, rows in answers.rows.items():
        of_system: list[Any] = [None] * len(result.corpus)
        for segment, of_segment in zip(answers.ids, rows, strict=True):
            of_system[numbers[str(segment)]] = [cells[i] for i in of_segment]
        scores[result.systems[0] if alone else name] = of_system
    return scores
