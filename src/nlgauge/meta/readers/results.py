"""Judgments of a Result: its segment scores with human scores from its fields, a frame or a file."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.corpus.records import FIELD_NAMES
from nlgauge.engine.cache import CACHED
from nlgauge.errors import InputError, ParameterError, ResultError, did_you_mean
from nlgauge.io.files import Address
from nlgauge.meta.readers import RATINGS
from nlgauge.meta.readers.frames import as_number, as_numbers, records_of
from nlgauge.metric import Output
from nlgauge.results.groups import taken
from nlgauge.results.imported.building import imported_label, is_imported, single_scores
from nlgauge.results.joined import of_metrics
from nlgauge.results.result import Result
from nlgauge.stats.agreement import known_mean

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments


def from_result(
    cls: type[Judgments],
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
    """Make judgments from a result and the human scores of its segments.

    Parameters
    ----------
    result : Result
        Scores of S systems on N segments by M metrics. With pooled records (one column of predictions and a field
        `system`), each record is the output of its system for its segment.
    human : str, sequence of str, frame, rows or path
        Imported scores of the result, or fields of the records with human scores: a number per output, a list of numbers
        (one per annotator), or numbers by dimension. The field NAME.ratings has the ratings behind the scores NAME.
        Otherwise a data frame, rows, or the path of a CSV, TSV or JSON Lines file.
    outputs : {"first", "all"}
        Outputs of each metric: the first, named LABEL, or also the others, named LABEL.OUTPUT.
    corpus_scores : bool, default False
        Use corpus scores at the system level instead of means over segments.
    group : str, optional
        Field with the group of each segment.
    dimensions : sequence of str, optional
        Columns of a table with human scores. Default: all further columns.
    system : str, default "system"
        Column of a table with the system.
    segment : str, default "segment"
        Column of a table with the segment.
    annotator : str, optional
        Column of a table with the annotator.

    Returns
    -------
    Judgments
        Human and metric scores.

    Raises
    ------
    ParameterError
        If `outputs` is unknown.
    """
    if outputs not in ("first", "all"):
        raise ParameterError(f"outputs must be 'first' or 'all', got {outputs!r:.60}.")
    segments, systems = _named(result)
    columns = (
        _of_fields(result, human)
        if _is_names(human)
        else _of_rows(cls, result, segments, systems, human, dimensions, system, segment, annotator)
    )
    people = cls.from_frame({"system": systems, "segment": segments, **columns}, list(columns))
    rows, places = (
        np.array([number[name] for name in names])
        for names, number in (
            (systems, {name: i for i, name in enumerate(people.systems)}),
            (segments, {name: i for i, name in enumerate(people.segments)}),
        )
    )
    metrics: dict[str, Array] = {}
    whole: dict[str, Array] = {}
    higher: dict[str, bool | None] = {}
    for label in result.labels:
        if label in columns and is_imported(result, label):
            continue
        for name, output in _named_outputs(result, label, outputs):
            tables = [result._tables[each, label].segments() for each in result.systems]
            if all(output.name in table for table in tables):
                metrics[name] = np.full((len(people.systems), len(people.segments)), np.nan)
                metrics[name][rows, places] = np.concatenate([table[output.name] for table in tables])
            if name not in metrics or corpus_scores:
                scores = _system_scores(result, label, rows)
                whole[name] = np.array([as_number(each.get(output.name), name) for each in scores])
            higher[name] = output.higher_is_better
    weights = result.corpus.weights
    return replace(
        people,
        humans={name: values for name, values in people.humans.items() if not name.endswith(RATINGS)},
        ratings={name.removesuffix(RATINGS): values for name, values in people.ratings.items()},
        metrics=metrics,
        higher_is_better=higher,
        groups=_of_segments(result.corpus.values(group), places, group) if group else None,
        weights=None if weights is None else np.array(_of_segments(weights.tolist(), places, "weight")),
        system_scores=whole,
    )


def seconds_per_thousand(*results: Result) -> dict[str, float]:
    """Return the seconds that each metric takes for 1,000 texts, including its features.

    Parameters
    ----------
    *results : Result
        Results with the same metrics.

    Returns
    -------
    dict of str to float
        Seconds by metric and output. All outputs have the seconds of their metric. Metrics with rows from the cache are
        omitted, because their time is unknown.
    """
    texts = sum(len(result.corpus) * len(result.systems) for result in results)
    seconds: dict[str, float] = {}
    for label in results[0].labels if results else ():
        spent = sum(result.costs.alone(label) for result in results)
        cached = any(
            CACHED in result.costs.used and getattr(result._job.metrics[label], "costly", False)
            for result in results
        )
        if spent and not cached:
            names = [name for name, _ in _named_outputs(results[0], label, "all")]
            seconds |= dict.fromkeys(names, 1000 * spent / texts)
    return seconds


def _named_outputs(result: Result, label: str, outputs: str) -> list[tuple[str, Output]]:
    """Return the outputs of a metric, the first by the metric's label, the others as label.output on request."""
    first, *others = result._tables[result.systems[0], label].outputs()
    more = [(f"{label}.{output.name}", output) for output in others]
    return [(label, first), *(more if outputs == "all" else [])]


def _named(result: Result) -> tuple[list[Any], list[str]]:
    """Return the segment and the system of every output, in the order of the scores."""
    pooled = pooled_records(result.corpus)
    if pooled is None:
        ids = list(result.corpus.ids)
        return ids * len(result.systems), [system for system in result.systems for _ in ids]
    if not result.has_texts:
        raise ResultError(
            "this result is of pooled records and was saved without texts, so the systems of the records are not"
            " known; score again, and save the texts."
        )
    return pooled


def pooled_records(corpus: Corpus) -> tuple[list[str], list[str]] | None:
    """Return the segment and the system of every record of a pooled corpus; None for any other."""
    field = next((name for name in FIELD_NAMES["system"] if name in corpus.fields), None)
    if field is None or len(corpus.predictions) > 1:
        return None
    systems = [str(system) for system in corpus.fields[field]]
    if isinstance(corpus.ids, range) and len(set(systems)) > 1:
        raise InputError("records of several systems need an 'id' with the segment of each record.")
    ids = [str(segment) for segment in corpus.ids]
    # If several systems have the same segment, a pooled id is followed by the system's name.
    named = all(segment.endswith(f"/{system}") for segment, system in zip(ids, systems, strict=True))
    pairs = zip(ids, systems, strict=True)
    return [segment.removesuffix(f"/{system}") if named else segment for segment, system in pairs], systems


def _system_scores(result: Result, label: str, rows: Array) -> list[dict[str, Any]]:
    """Return the scores of all texts of each system; `rows` has the system of every output."""
    if pooled_records(result.corpus) is None:
        return [result._tables[system, label].scores() for system in result.systems]
    result = of_metrics(result, label)
    parts = [taken(result, np.flatnonzero(rows == i)) for i in range(rows.max() + 1)]
    return [part._tables[part.systems[0], label].scores() for part in parts]


def _of_segments(values: Sequence[Any], places: Array, name: str) -> tuple[Any, ...]:
    """Return one value per segment, the same for all its systems."""
    by_segment: dict[int, Any] = {}
    for place, value in zip(places[: len(values)].tolist(), values, strict=True):
        if by_segment.setdefault(place, value) != value:
            raise InputError(
                f"the field {name!r} has two values for one segment, {by_segment[place]!r} and {value!r}; use"
                " one value per segment."
            )
    return tuple(by_segment[place] for place in sorted(by_segment))


def _is_names(human: Any) -> bool:
    if isinstance(human, Path):
        return False
    if isinstance(human, str):
        return Address.of(human).kind is None
    return isinstance(human, list | tuple) and all(isinstance(name, str) for name in human)


def _of_fields(result: Result, human: str | Sequence[str]) -> dict[str, list[Any]]:
    """Return human scores of all outputs, from fields of the records; "human" also names all fields
    human.DIMENSION.
    """
    corpus = result.corpus
    known = [*corpus.system_fields, *corpus.fields]
    columns: dict[str, list[Any]] = {}
    for name in [human] if isinstance(human, str) else human:
        label = None if name in known else imported_label(result, name)
        if label is not None:
            columns |= _of_imported(result, label)
            continue
        inner = {field.removeprefix(f"{name}."): field for field in known if field.startswith(f"{name}.")}
        chosen = {each: each for each in (name, f"{name}{RATINGS}") if each in known} or inner
        if not chosen:
            fields = [field for field in known if not field.endswith(RATINGS)]
            raise InputError(
                f"the records have no field {name!r}{did_you_mean(name, fields)} (fields: {', '.join(fields) or 'none'})",
                python="pass a field, a frame or a file with human scores",
                cli="use --human with a field, or with a file of human scores",
            )
        for dimension, field in chosen.items():
            columns[dimension] = values = _field(corpus, field)
            if not field.endswith(RATINGS) and any(isinstance(value, list | tuple) for value in values):
                # The same mean as of a file, exact, so that equal ratings give equal scores in any order.
                columns[f"{dimension}{RATINGS}"] = values
                columns[dimension] = [known_mean(as_numbers(value, field)) for value in values]
    if not result.has_texts and any(
        isinstance(value, str) for values in columns.values() for value in values
    ):
        raise ResultError(
            f"this result was saved without texts, and {', '.join(columns)} had texts (numbers of a CSV file"
            " are texts); score again and save the texts, or pass the human scores as a file."
        )
    return columns


def _of_imported(result: Result, label: str) -> dict[str, list[Any]]:
    """Return the human scores of an imported metric, higher if better, and the ratings if outputs have several."""
    sign = -1.0 if result._tables[result.systems[0], label].outputs()[0].higher_is_better is False else 1.0
    single = single_scores(result, label)
    scores = {system: result._tables[system, label].segments_of(label) for system in result.systems}
    columns: dict[str, list[Any]] = {
        label: [sign * value for system in result.systems for value in scores[system].tolist()]
    }
    ratings = [
        [sign * value for runs in answers for value in runs]
        for system in result.systems
        for answers in single[system]
    ]
    return columns | ({f"{label}{RATINGS}": ratings} if any(len(each) > 1 for each in ratings) else {})


def _field(corpus: Corpus, field: str) -> list[Any]:
    if field in corpus.fields and len(corpus.systems) > 1:
        raise InputError(
            f"the field {field!r} has one value for all systems of a segment, so it does not judge their outputs;"
            " choose a field with a value for each system."
        )
    own = corpus.system_fields.get(field, {})
    nobody = corpus.fields.get(field, (None,) * len(corpus))
    return [value for system in corpus.systems for value in own.get(system, nobody)]


def _of_rows(
    cls: type[Judgments],
    result: Result,
    segments: Sequence[Hashable],
    systems: Sequence[str],
    human: Any,
    dimensions: Sequence[str] | None,
    system: str,
    segment: str,
    annotator: str | None,
) -> dict[str, list[Any]]:
    """Return human scores of all outputs, from rows with a system and a segment; other systems or segments are
    refused.
    """
    records = records_of(human)
    chosen = list(dimensions or [name for name in records[0] if name not in (system, segment, annotator)])
    frame = cls.from_frame(records, chosen, system=system, segment=segment, annotator=annotator)
    numbers = {str(name): i for i, name in enumerate(segments)}
    places = [numbers.get(str(name), result.corpus.number(name)) for name in frame.segments]
    strangers = [str(name) for name, place in zip(frame.segments, places, strict=True) if place is None]
    strangers += sorted(set(frame.systems) - set(systems))
    if strangers:
        more = f" and {len(strangers) - 5} more" if len(strangers) > 5 else ""
        raise InputError(
            f"the result has no segments or systems {', '.join(strangers[:5])}{more}; pass human scores only for"
            " segments and systems of the result."
        )
    columns = {}
    for name in chosen:
        values = frame.ratings[name] if name in frame.ratings else frame.humans[name][..., None]
        by_output = {
            (each, segments[place or 0]): values[row, column].tolist()
            for row, each in enumerate(frame.systems)
            for column, place in enumerate(places)
        }
        columns[name] = [by_output.get(key) for key in zip(systems, segments, strict=True)]
    return columns
