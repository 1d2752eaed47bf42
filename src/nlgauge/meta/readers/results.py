"""Judgments of a Result: its segment scores beside human scores from its records, a frame or a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError
from nlgauge.io.files import Address
from nlgauge.meta.judgments import Judgments
from nlgauge.meta.readers.frames import as_number, as_numbers, from_frame, records_of
from nlgauge.results.result import Result


def from_result(
    result: Result,
    humans: Any,
    *,
    outputs: str = "first",
    corpus_scores: bool = False,
    group: str | None = None,
    dimensions: Sequence[str] | None = None,
    system: str = "system",
    segment: str = "segment",
    annotator: str | None = None,
) -> Judgments:
    """What `Judgments.from_result` gives.

    `humans` is the name of a field of the records, or several; or a frame, rows or the path of a CSV, TSV or
    JSON Lines file with the columns `system` and `segment`, in which `dimensions` (by default every further
    column) are the human scores. A field may hold one number per output, a list of numbers (one per
    annotator), or numbers by dimension. Each metric stands for its first output; outputs="all" takes every
    one as label.output. corpus_scores=True takes scores of whole systems from the corpus score and not from
    the mean over segments. `group` names a field.
    """
    if outputs not in ("first", "all"):
        raise InputError(f"outputs must be 'first' or 'all', got {outputs!r:.60}.")
    ratings = (
        _of_fields(result.corpus, humans)
        if _is_names(humans)
        else _of_rows(result, humans, dimensions, system, segment, annotator)
    )
    metrics: dict[str, Array] = {}
    whole: dict[str, Array] = {}
    higher: dict[str, bool | None] = {}
    for label in result.labels:
        tables = [result.tables[name, label] for name in result.systems]
        found = tables[0].outputs()
        for output in found if outputs == "all" else found[:1]:
            name = label if output is found[0] else f"{label}.{output.name}"
            segments = [table.segments().get(output.name) for table in tables]
            scores = np.array([as_number(table.scores().get(output.name), name) for table in tables])
            if all(values is not None for values in segments):
                metrics[name] = np.array(segments, dtype=np.float64)
            if name not in metrics or corpus_scores:
                whole[name] = scores
            higher[name] = output.higher_is_better
    return Judgments(
        result.systems,
        tuple(result.corpus.ids),
        {name: values[..., 0] for name, values in ratings.items() if values.shape[-1] == 1},
        metrics,
        higher,
        tuple(result.corpus.values(group)) if group else None,
        {name: values for name, values in ratings.items() if values.shape[-1] > 1},
        result.corpus.weights,
        whole,
    )


def _is_names(humans: Any) -> bool:
    if isinstance(humans, Path):
        return False
    if isinstance(humans, str):
        return Address.of(humans).kind is None
    return isinstance(humans, list | tuple) and all(isinstance(name, str) for name in humans)


def _of_fields(corpus: Corpus, humans: str | Sequence[str]) -> dict[str, Array]:
    """(S, N, annotators) by dimension, from fields of the records; "human" also names all fields
    human.DIMENSION.
    """
    known = [*corpus.system_fields, *corpus.fields]
    found: dict[str, Array] = {}
    for name in [humans] if isinstance(humans, str) else humans:
        inner = {one.removeprefix(f"{name}."): one for one in known if one.startswith(f"{name}.")}
        chosen = {name: name} if name in known else inner
        if not chosen:
            there = ", ".join(known) or "none"
            raise InputError(
                f"the records have no field {name!r}; there are {there}. Human scores can also be given as a"
                " frame or a file."
            )
        for dimension, field in chosen.items():
            if field in corpus.fields and len(corpus.systems) > 1:
                raise InputError(
                    f"the field {field!r} is the same for all systems of a segment, so that it does not judge"
                    " their outputs."
                )
            own = corpus.system_fields.get(field, {})
            by_system = [
                own.get(system, corpus.fields.get(field, (None,) * len(corpus))) for system in corpus.systems
            ]
            found[dimension] = _cells([list(values) for values in by_system], field)
    return found


def _cells(values: list[list[Any]], name: str) -> Array:
    lists = [[as_numbers(value, name) for value in row] for row in values]
    found = np.full(
        (len(lists), len(lists[0]), max((len(cell) for row in lists for cell in row), default=1) or 1), np.nan
    )
    for i, row in enumerate(lists):
        for j, cell in enumerate(row):
            found[i, j, : len(cell)] = cell
    return found


def _of_rows(
    result: Result,
    humans: Any,
    dimensions: Sequence[str] | None,
    system: str,
    segment: str,
    annotator: str | None,
) -> dict[str, Array]:
    """(S, N, annotators) by dimension, from rows with a system and a segment; those of other systems or
    segments are refused.
    """
    records = records_of(humans)
    chosen = list(dimensions or [name for name in records[0] if name not in (system, segment, annotator)])
    judged = from_frame(records, chosen, system=system, segment=segment, annotator=annotator)
    places = [result.corpus.number(one) for one in judged.segments]
    strangers = [str(one) for one, place in zip(judged.segments, places, strict=True) if place is None]
    strangers += [one for one in judged.systems if one not in result.systems]
    if strangers:
        more = f" and {len(strangers) - 5} more" if len(strangers) > 5 else ""
        raise InputError(
            f"human scores are given of what the result does not have: {', '.join(strangers[:5])}{more}."
        )
    found = {}
    for name in chosen:
        values = judged.ratings[name] if name in judged.ratings else judged.humans[name][..., None]
        full = np.full((len(result.systems), len(result.corpus), values.shape[-1]), np.nan)
        full[
            np.ix_(
                [result.systems.index(one) for one in judged.systems],
                [place for place in places if place is not None],
            )
        ] = values
        found[name] = full
    return found
