"""Cells: one answer of one system to one segment, with the values of columns of a result or of records.

A value is a number, or the name of a category. A cell has several values of a column if the judge was run several
times, or if several people labeled the answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array
from nlgauge.corpus.records import ABSENT, Records, as_records, find_field
from nlgauge.corpus.validation import is_missing
from nlgauge.errors import InputError, ParameterError
from nlgauge.metric.imported import ABSENT as NO_SCORE
from nlgauge.metric.imported import Imported
from nlgauge.metrics._shared.judged import Judged
from nlgauge.results.imported.answers import AnswerFields, Answers
from nlgauge.results.imported.building import from_answers, is_imported, single_scores
from nlgauge.results.imported.columns import ScoreSpec
from nlgauge.results.labels import labels_found
from nlgauge.results.result import Result

Value = float | str
# By segment, by answer, the values.
Nested = list[list[list[Value]]]


@dataclass(frozen=True)
class Columns:
    """Names of the columns of an audit; `is_pair` is True if verdicts are about two texts."""

    judges: tuple[str, ...] = ()
    humans: tuple[str, ...] = ()
    swapped: str | None = None
    is_pair: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All names."""
        return (*self.judges, *self.humans, *((self.swapped,) if self.swapped else ()))


@dataclass(frozen=True, eq=False)
class Cells:
    """N cells, with the values of each column.

    `categories` are the names of categories from worst to best; `is_ordered` is False if the order is only
    alphabetical. `nested` has the values of each judge by system, segment, answer and run.
    """

    result: Result
    columns: Columns
    values: Mapping[str, list[list[Value]]]
    system: Array
    segment: Array
    answer: Array
    categories: tuple[str, ...]
    is_ordered: bool
    nested: Mapping[str, Mapping[str, Nested]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.system)

    @lazy
    def clusters(self) -> Array:
        """The document of each cell, or its segment."""
        documents = self.result.corpus.documents
        if documents is None:
            return self.segment
        return np.unique(np.array([str(name) for name in documents]), return_inverse=True)[1][self.segment]

    def keys(self) -> list[tuple[str, str, int]]:
        """Return the system, the segment and the number of the answer of each cell."""
        systems, ids = self.result.systems, self.result.corpus.ids
        return [
            (systems[system], str(ids[segment]), answer)
            for system, segment, answer in zip(
                self.system.tolist(), self.segment.tolist(), self.answer.tolist(), strict=True
            )
        ]

    def is_lower_better(self, name: str) -> bool:
        """Return True if lower numbers of a metric are better; False for fields."""
        if name not in self.result.labels:
            return False
        table = self.result._tables[self.result.systems[0], name]
        return table.outputs()[0].higher_is_better is False

    def field(self, name: str) -> list[Any]:
        """Return the value of a field for each cell."""
        corpus = self.result.corpus
        name = find_field(
            name, ["id", "document", *corpus.fields, *corpus.system_fields, "system"], "the segments"
        )
        if name == "system" and name not in corpus.fields:
            return [self.result.systems[system] for system in self.system.tolist()]
        if name in corpus.system_fields:
            by_system = [corpus.system_fields[name][system] for system in self.result.systems]
            return [by_system[s][i] for s, i in zip(self.system.tolist(), self.segment.tolist(), strict=True)]
        values = corpus.values(name)
        return [values[segment] for segment in self.segment.tolist()]


def cells_of(data: Any, columns: Columns, categories: Sequence[str] = ()) -> Cells:
    """Return the cells of a result, or of records with columns."""
    result, is_ordered = (data, True) if isinstance(data, Result) else _imported(data, columns, categories)
    columns = Columns(
        tuple(_label(result, name) for name in columns.judges) or _only_judge(result, columns),
        tuple(_label(result, name) for name in columns.humans),
        None if columns.swapped is None else _label(result, columns.swapped),
        columns.is_pair,
    )
    if not columns.humans:
        raise ParameterError(
            "an audit needs human labels",
            python="name their column with human=COLUMN",
            cli="name their column with --human COLUMN",
        )
    levels = next((_levels(result, name) for name in columns.names if _levels(result, name)), ())
    by_column = {name: _nested(result, name, name in columns.judges) for name in columns.names}
    counts = {
        system: [
            _answers([by_column[name][system][i] for name in columns.names])
            for i in range(len(result.corpus))
        ]
        for system in result.systems
    }
    places = [
        (s, i, number)
        for s, name in enumerate(result.systems)
        for i, count in enumerate(counts[name])
        for number in range(count)
    ]
    values = {
        name: [
            _of_answer(by_column[name][result.systems[s]][i], number, counts[result.systems[s]][i])
            for s, i, number in places
        ]
        for name in columns.names
    }
    system, segment, answer = np.array(places, dtype=np.int64).reshape(-1, 3).T
    nested = {name: by_column[name] for name in columns.judges}
    return Cells(
        result, columns, values, system, segment, answer, tuple(categories) or levels, is_ordered, nested
    )


def _name(column: str) -> str:
    """Return the name of a column that may be followed by its categories (NAME:worst/.../best)."""
    return ScoreSpec.parse(column).name


def _label(result: Result, column: str) -> str:
    """Return the label that a column stands for; the name of the column if it is a field."""
    name = _name(column)
    labels = [name] if name in result.labels else labels_found(name, result._job.metrics)
    return labels[0] if len(labels) == 1 else name


def _imported(data: Any, columns: Columns, categories: Sequence[str]) -> tuple[Result, bool]:
    """Return the result of records, and True if the order of the categories is known."""
    records = as_records(data)
    if records is None:
        raise InputError(f"an audit reads a result or records, got {data!r:.60}.")
    if not columns.judges:
        raise ParameterError(
            "an audit of records needs the column of the judge",
            python="name it with judge=COLUMN",
            cli="name it with --judge COLUMN",
        )
    specs = [ScoreSpec.parse(name) for name in columns.names]
    ordered = tuple(categories) or next((spec.levels for spec in specs if spec.levels), ())
    levels = ordered or _categories(records, [spec.name for spec in specs])
    scores = {
        spec.name: ScoreSpec(spec.name, spec.better or "higher", spec.low, spec.high, levels)
        for spec in specs
    }
    answers = Answers.of(records, AnswerFields(), list(scores))
    # A missing label of an empty answer is missing; only a missing verdict is the worst verdict.
    not_judges = [_name(name) for name in columns.names if name not in columns.judges]
    reasons = {name: dict.fromkeys(range(records.count), NO_SCORE) for name in not_judges}
    return from_answers(answers, list(scores.values()), reasons=reasons), bool(ordered) or not levels


def _categories(records: Records, names: Sequence[str]) -> tuple[str, ...]:
    """Return the categories of columns that contain texts, in alphabetical order; () for numbers."""
    values: set[str] = set()
    is_text = False
    for name in names:
        column = records.columns[find_field(name, list(records.columns), "the records")]
        for cell in column:
            for value in cell if isinstance(cell, list | tuple) else (cell,):
                if value is ABSENT or is_missing(value) or value == "":
                    continue
                is_text = is_text or _as_number(value) is None
                values.add(str(value))
    return tuple(sorted(values)) if is_text else ()


def _as_number(value: Any) -> float | None:
    """Return the number that a value is; None for a name."""
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return float(value.strip().lower() == "true")
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _only_judge(result: Result, columns: Columns) -> tuple[str, ...]:
    """Return the only metric of a result that may be the judge."""
    others = {_label(result, name) for name in columns.names}
    judges = [
        label
        for label in result.labels
        if label not in others
        and (is_imported(result, label) or isinstance(result._job.metrics[label], Judged))
    ]
    if len(judges) != 1:
        raise ParameterError(
            f"the result has {len(judges)} metrics that may be the judge ({', '.join(judges) or 'none'})",
            python="name the judge with judge=LABEL",
            cli="name the judge with --judge LABEL",
        )
    return tuple(judges)


def _levels(result: Result, name: str) -> tuple[str, ...]:
    metric = result._job.metrics.get(name)
    return metric.levels if isinstance(metric, Imported) else ()


def _nested(result: Result, name: str, is_judge: bool) -> dict[str, Nested]:
    """Return the values of a metric or a field: by system, by segment, by answer.

    The worst score of an empty answer without a score is a verdict, but not a label.
    """
    if name not in result.labels:
        return _of_field(result, name)
    if not is_imported(result, name):
        tables = {system: result._tables[system, name] for system in result.systems}
        output = tables[result.systems[0]].outputs()[0].name
        return {
            system: [[] if math.isnan(value) else [[value]] for value in table.segments_of(output).tolist()]
            for system, table in tables.items()
        }
    levels = _levels(result, name)
    nested: dict[str, Nested] = {}
    for system, segments in single_scores(result, name).items():
        filled = np.zeros(len(segments)) if is_judge else result._tables[system, name].segments_of("empty")
        nested[system] = [
            [] if is_filled else [[_category(value, levels) for value in runs] for runs in answers]
            for answers, is_filled in zip(segments, filled.tolist(), strict=True)
        ]
    return nested


def _category(value: float, levels: Sequence[str]) -> Value:
    return levels[round(value * (len(levels) - 1))] if levels else value


def _of_field(result: Result, name: str) -> dict[str, Nested]:
    corpus = result.corpus
    field_name = find_field(
        name, [*corpus.system_fields, *corpus.fields], "the result has no such metric, and its segments"
    )
    shared = corpus.fields.get(field_name)
    if shared is not None and len(result.systems) > 1:
        raise InputError(
            f"the field {field_name!r} has one value for all systems of a segment, so it does not judge their"
            " answers; choose a field with a value for each system."
        )
    by_system = corpus.system_fields.get(field_name, {})
    return {
        system: [_values(value) for value in by_system.get(system, shared or (None,) * len(corpus))]
        for system in result.systems
    }


def _values(value: Any) -> list[list[Value]]:
    """Return the only answer of a field: its values, or none."""
    parts = value if isinstance(value, list | tuple) else (value,)
    values: list[Value] = []
    for part in parts:
        if not is_missing(part) and part != "":
            number = _as_number(part)
            values.append(str(part) if number is None else number)
    return [values] if values else []


def _answers(by_column: Sequence[list[list[Value]]]) -> int:
    """Return the number of answers of a segment: of all columns if they have the same number, otherwise one."""
    counts = {len(answers) for answers in by_column if answers}
    return counts.pop() if len(counts) == 1 else int(bool(counts))


def _of_answer(answers: list[list[Value]], answer: int, count: int) -> list[Value]:
    """Return the values of an answer; of all answers if a segment counts as one answer."""
    if count == 1:
        return [value for values in answers for value in values]
    return answers[answer] if answers else []
