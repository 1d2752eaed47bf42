"""Judgments of a Result: its segment scores beside human scores from its fields, a frame or a file."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.corpus.records import FIELD_NAMES
from nlgauge.engine.cache import CACHED
from nlgauge.errors import InputError, ParameterError, ResultError, did_you_mean
from nlgauge.io.files import Address
from nlgauge.meta.judgments import Judgments
from nlgauge.meta.readers import RATINGS
from nlgauge.meta.readers.frames import as_number, as_numbers, from_frame, records_of
from nlgauge.metric import Output
from nlgauge.results.groups import taken
from nlgauge.results.joined import of_metrics
from nlgauge.results.result import Result


def from_result(
    result: Result,
    human: Any,
    *,
    outputs: str = "first",
    corpus_scores: bool = False,
    group: str | None = None,
    dimensions: Sequence[str] | None = None,
    system: str = "system",
    segment: str = "segment",
    annotator: str | None = None,
) -> Judgments:
    """Read what `Judgments.from_result` returns.

    `human` is the name of a field of the records, or several; or a frame, rows or the path of a CSV, TSV or
    JSON Lines file with the columns `system` and `segment`, in which `dimensions` (by default every further
    column) are the human scores. A field may hold one number per output, a list of numbers (one per
    annotator), or numbers by dimension; the field NAME.ratings holds the ratings that the scores NAME are
    made of. Each metric stands for its first output; outputs="all" takes every one as label.output.
    corpus_scores=True takes scores of whole systems from the corpus score and not from the mean over
    segments. `group` names a field. Of pooled records (one column of predictions, and a field `system`) each
    is the output of its system for its segment.
    """
    if outputs not in ("first", "all"):
        raise ParameterError(f"outputs must be 'first' or 'all', got {outputs!r:.60}.")
    cells = _Cells.of(result)
    metrics: dict[str, Array] = {}
    whole: dict[str, Array] = {}
    higher: dict[str, bool | None] = {}
    for label in result.labels:
        for name, output in _named_outputs(result, label, outputs):
            tables = [result.tables[system_name, label] for system_name in result.systems]
            columns = [table.segments().get(output.name) for table in tables]
            if all(values is not None for values in columns):
                metrics[name] = cells.filled(np.array(columns, dtype=np.float64))
            if name not in metrics or corpus_scores:
                scores = cells.system_scores(result, label)
                whole[name] = np.array([as_number(each.get(output.name), name) for each in scores])
            higher[name] = output.higher_is_better
    judged = (
        _of_fields(result, human, cells)
        if _is_names(human)
        else _of_rows(result, cells, human, dimensions, system, segment, annotator)
    )
    weights = result.corpus.weights
    return Judgments(
        cells.systems,
        cells.segments,
        judged.scores,
        metrics,
        higher,
        cells.of_segments(result.corpus.values(group), group) if group else None,
        judged.ratings,
        None if weights is None else np.array(cells.of_segments(weights.tolist(), "weight")),
        whole,
    )


def seconds_per_thousand(*results: Result) -> dict[str, float]:
    """Return the seconds that each metric takes for 1,000 texts, with all that it reads, by name.

    All outputs of a metric take those of the metric. A metric of which rows came from the cache is left out:
    its seconds are not known.
    """
    texts = sum(len(result.corpus) * len(result.systems) for result in results)
    seconds: dict[str, float] = {}
    for label in results[0].labels if results else ():
        spent = sum(result.costs.alone(label) for result in results)
        cached = any(
            CACHED in result.costs.used and getattr(result.job.metrics[label], "costly", False)
            for result in results
        )
        if spent and not cached:
            names = [name for name, _ in _named_outputs(results[0], label, "all")]
            seconds |= dict.fromkeys(names, 1000 * spent / texts)
    return seconds


def _named_outputs(result: Result, label: str, outputs: str) -> list[tuple[str, Output]]:
    """The outputs of a metric, the first by the metric's label, the others as label.output on request."""
    first, *others = result.tables[result.systems[0], label].outputs()
    more = [(f"{label}.{output.name}", output) for output in others]
    return [(label, first), *(more if outputs == "all" else [])]


@dataclass(frozen=True, eq=False)
class _Cells:
    """The systems and segments of a result; of pooled records also the system and segment of each."""

    systems: tuple[str, ...]
    segments: tuple[Hashable, ...]
    places: tuple[Array, Array] | None = None

    @classmethod
    def of(cls, result: Result) -> _Cells:
        """The cells of a result, pooled or not."""
        named = pooled_records(result.corpus)
        if named is None:
            return cls(result.systems, tuple(result.corpus.ids))
        if not result.has_texts:
            raise ResultError(
                "this result is of pooled records and was saved without texts, so that the names of their"
                " systems are not known; save it with texts."
            )
        segments, systems = (list(dict.fromkeys(names)) for names in named)
        numbers = [{name: i for i, name in enumerate(names)} for names in (systems, segments)]
        rows, columns = (
            np.array([number[name] for name in names])
            for number, names in zip(numbers, reversed(named), strict=True)
        )
        return cls(tuple(systems), tuple(segments), (rows, columns))

    def filled(self, columns: Array) -> Array:
        """(systems, segments, ...) from (columns of predictions, rows, ...); NaN if a system lacks one."""
        if self.places is None:
            return columns
        full = np.full((len(self.systems), len(self.segments), *columns.shape[2:]), np.nan)
        full[self.places] = columns[0]
        return full

    def of_segments(self, values: Sequence[Any], name: str) -> tuple[Any, ...]:
        """One value per segment, the same for all its systems."""
        if self.places is None:
            return tuple(values)
        by_segment: dict[int, Any] = {}
        for segment, value in zip(self.places[1].tolist(), values, strict=True):
            if by_segment.setdefault(segment, value) != value:
                raise InputError(
                    f"the field {name!r} differs between the systems of segment"
                    f" {self.segments[segment]!r}; give one value for each segment."
                )
        return tuple(by_segment[i] for i in range(len(self.segments)))

    def system_scores(self, result: Result, label: str) -> list[dict[str, Any]]:
        """The scores of all texts of each system."""
        if self.places is None:
            return [result.tables[system, label].scores() for system in result.systems]
        parts = [
            taken(of_metrics(result, label), np.flatnonzero(self.places[0] == i))
            for i in range(len(self.systems))
        ]
        return [part.tables[part.systems[0], label].scores() for part in parts]

    def number(self, corpus: Corpus, segment: Hashable) -> int | None:
        """The number of a segment, by its id."""
        if self.places is None:
            return corpus.number(segment)
        return self.segments.index(str(segment)) if str(segment) in self.segments else None


def pooled_records(corpus: Corpus) -> tuple[list[str], list[str]] | None:
    """The segment and the system of every record of a pooled corpus; None for any other."""
    field = next((name for name in FIELD_NAMES["system"] if name in corpus.fields), None)
    if field is None or len(corpus.predictions) > 1:
        return None
    systems = [str(system) for system in corpus.fields[field]]
    if isinstance(corpus.ids, range) and len(set(systems)) > 1:
        raise InputError("records of several systems need an 'id' that says which segment each is of.")
    ids = [str(segment) for segment in corpus.ids]
    # If several systems have the same segment, a pooled id is followed by the system's name.
    named = all(segment.endswith(f"/{system}") for segment, system in zip(ids, systems, strict=True))
    pairs = zip(ids, systems, strict=True)
    return [segment.removesuffix(f"/{system}") if named else segment for segment, system in pairs], systems


class _Judged(NamedTuple):
    """(systems, segments) human scores by dimension, and (systems, segments, annotators) ratings."""

    scores: dict[str, Array]
    ratings: dict[str, Array]

    def put(self, name: str, values: Array) -> None:
        """Takes what each annotator said; of one annotator alone it is the score."""
        if values.shape[-1] == 1:
            self.scores[name] = values[..., 0]
        else:
            self.ratings[name] = values


def _is_names(human: Any) -> bool:
    if isinstance(human, Path):
        return False
    if isinstance(human, str):
        return Address.of(human).kind is None
    return isinstance(human, list | tuple) and all(isinstance(name, str) for name in human)


def _of_fields(result: Result, human: str | Sequence[str], cells: _Cells) -> _Judged:
    """Human scores from fields of the records; "human" also names all fields human.DIMENSION."""
    corpus = result.corpus
    known = [*corpus.system_fields, *corpus.fields]
    judged = _Judged({}, {})
    for name in [human] if isinstance(human, str) else human:
        inner = {field.removeprefix(f"{name}."): field for field in known if field.startswith(f"{name}.")}
        chosen = {name: name} if name in known else inner
        if not chosen:
            fields = [field for field in known if not field.endswith(RATINGS)]
            raise InputError(
                f"the records have no field {name!r}{did_you_mean(name, fields)}; there are"
                f" {', '.join(fields) or 'none'}. Human scores can also be given as a frame or a file."
            )
        for dimension, field in chosen.items():
            judged.put(dimension, cells.filled(_field(result, field)))
            if f"{field}{RATINGS}" in known:
                judged.ratings[dimension] = cells.filled(_field(result, f"{field}{RATINGS}"))
    return judged


def _field(result: Result, field: str) -> Array:
    """(columns of predictions, rows, annotators) numbers of a field."""
    corpus = result.corpus
    if field in corpus.fields and len(corpus.systems) > 1:
        raise InputError(
            f"the field {field!r} is the same for all systems of a segment, so that it does not judge their"
            " outputs."
        )
    by_system = corpus.system_fields.get(field, {})
    nobody = corpus.fields.get(field, (None,) * len(corpus))
    columns = [list(by_system.get(system, nobody)) for system in corpus.systems]
    if not result.has_texts and any(isinstance(value, str) for column in columns for value in column):
        raise ResultError(
            f"this result was saved without texts, and the field {field!r} held texts, such as the numbers of"
            " a CSV file; save it with texts, or give the human scores as a file."
        )
    lists = [[as_numbers(value, field) for value in column] for column in columns]
    most = max((len(cell) for row in lists for cell in row), default=1) or 1
    padded = [[cell + [np.nan] * (most - len(cell)) for cell in row] for row in lists]
    return np.array(padded, dtype=np.float64)


def _of_rows(
    result: Result,
    cells: _Cells,
    human: Any,
    dimensions: Sequence[str] | None,
    system: str,
    segment: str,
    annotator: str | None,
) -> _Judged:
    """Human scores from rows with a system and a segment; those of other systems or segments are refused."""
    records = records_of(human)
    chosen = list(dimensions or [name for name in records[0] if name not in (system, segment, annotator)])
    frame = from_frame(records, chosen, system=system, segment=segment, annotator=annotator)
    places = [cells.number(result.corpus, name) for name in frame.segments]
    strangers = [str(name) for name, place in zip(frame.segments, places, strict=True) if place is None]
    strangers += [name for name in frame.systems if name not in cells.systems]
    if strangers:
        more = f" and {len(strangers) - 5} more" if len(strangers) > 5 else ""
        raise InputError(
            f"human scores are given of what the result does not have: {', '.join(strangers[:5])}{more}."
        )
    at = np.ix_([cells.systems.index(name) for name in frame.systems], [place or 0 for place in places])
    judged = _Judged({}, {})
    for name in chosen:
        values = frame.ratings[name] if name in frame.ratings else frame.humans[name][..., None]
        full = np.full((len(cells.systems), len(cells.segments), values.shape[-1]), np.nan)
        full[at] = values
        judged.put(name, full)
    return judged
