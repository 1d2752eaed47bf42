"""The scores that plots of a result show: which outputs, and the values of their segments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.metric import Output
from nlgauge.results.labels import output_named, output_names

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments
    from nlgauge.results.result import Result


class PlottedOutput(NamedTuple):
    """An output of a metric: its name on a plot, and its place in the result."""

    name: str
    label: str
    output: Output


def columns(result: Result, metrics: str | Iterable[str] | None = None) -> list[PlottedOutput]:
    """Return the named outputs ("rouge", "rouge.rouge2"), or the leading ones of every metric.

    Parameters of a metric are left out of its name if it is the only metric of that name.
    """
    if metrics is None:
        asked = [
            (label, output)
            for label in result.labels
            for output in result._tables[result.systems[0], label].leading()
        ]
    else:
        asked = [output_named(result, name) for name in ([metrics] if isinstance(metrics, str) else metrics)]
    if not asked:
        raise InputError("this result has no score to draw; add another metric.")
    names = output_names(result)
    return [PlottedOutput(names[label, output.name], label, output) for label, output in asked]


def segment_scores(result: Result, column: PlottedOutput) -> Array | None:
    """Return (systems, segments) scores; None if the metric has no segment scores."""
    rows = [
        result._tables[system, column.label].segments().get(column.output.name) for system in result.systems
    ]
    known = [row for row in rows if row is not None]
    return np.stack(known) if len(known) == len(rows) else None


def need_segments(result: Result, column: PlottedOutput, what: str) -> Array:
    """Return `segment_scores`; raise if there are none."""
    scores = segment_scores(result, column)
    if scores is None:
        raise InputError(
            f"{what} needs segment scores, but {column.name} has only a corpus score; choose another metric."
        )
    return scores


def direction(output: Output) -> str:
    """Say which direction is better."""
    return {True: "higher is better", False: "lower is better", None: "neither is better"}[
        output.higher_is_better
    ]


def number_fields(result: Result) -> dict[str, Array]:
    """Return the numbers that came with the outputs of every system, such as human scores: (systems,
    segments) by name.
    """
    from nlgauge.show.page_data.data import numeric_rows

    fields = {name: numeric_rows(rows, result) for name, rows in result.corpus.system_fields.items()}
    return {name: values for name, values in fields.items() if values is not None}


def human_judgments(result: Result, human: str | Sequence[str] | None = None) -> Judgments:
    """Return the scores of a result with its human scores: the named fields, or all fields with human scores.

    Without names these are the numbers that came with the outputs of several systems, and fields called
    human.NAME; with one system a number may be anything about the text, so that its field has to be named.
    """
    from nlgauge.meta.judgments import Judgments
    from nlgauge.show.page_data.data import numeric_rows

    fields = [human] if isinstance(human, str) else list(human or [])
    further = result.corpus.fields
    if not fields:
        prefixed = any(name.startswith("human.") for name in (*result.corpus.system_fields, *further))
        fields = ["human"] if prefixed else list(number_fields(result))
    if not fields:
        single = result.systems[0] if len(result.systems) == 1 else None
        numeric = [
            name
            for name, values in further.items()
            if single is not None and numeric_rows({single: values}, result) is not None
        ]
        fields_with_numbers = f"; fields with numbers are {', '.join(numeric)}" if numeric else ""
        raise InputError(
            f"human_map needs human scores, as numbers in a field of the records{fields_with_numbers}",
            python="pass human=[FIELD]",
            cli="name the field with --human",
        )
    return Judgments.from_result(result, fields)
