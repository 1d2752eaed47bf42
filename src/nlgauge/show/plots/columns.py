"""The scores that plots of a result show: which outputs, and the values of their segments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.metric import Output
from nlgauge.results.labels import output_named, output_names

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments
    from nlgauge.results.result import Result


class PlottedOutput(NamedTuple):
    """One output of a metric: how it is called on a plot, and where it is found."""

    name: str
    label: str
    output: Output


def columns(result: Result, metrics: str | Iterable[str] | None = None) -> list[PlottedOutput]:
    """The outputs that were asked for ("rouge", "rouge.rouge2"), or the leading ones of every metric.

    Parameters of a metric are left out of its name where it is the only one of that name.
    """
    if metrics is None:
        asked = [
            (label, output)
            for label in result.labels
            for output in result.tables[result.systems[0], label].leading()
        ]
    else:
        asked = [output_named(result, name) for name in ([metrics] if isinstance(metrics, str) else metrics)]
    if not asked:
        raise InputError("this result has no score to draw.")
    names = output_names(result)
    return [PlottedOutput(names[label, output.name], label, output) for label, output in asked]


def segment_scores(result: Result, column: PlottedOutput) -> Array | None:
    """(systems, segments) scores; None where the metric has none of segments."""
    rows = [
        result.tables[system, column.label].segments().get(column.output.name) for system in result.systems
    ]
    return (
        np.stack([row for row in rows if row is not None]) if all(row is not None for row in rows) else None
    )


def need_segments(result: Result, column: PlottedOutput, what: str) -> Array:
    """As `segment_scores`; raises where there are none."""
    found = segment_scores(result, column)
    if found is None:
        raise InputError(
            f"{what} needs the scores of segments, {column.name} has one for the whole corpus alone."
        )
    return found


def direction(output: Output) -> str:
    """What is better, in words."""
    return {True: "higher is better", False: "lower is better", None: "neither is better"}[
        output.higher_is_better
    ]


def given_numbers(result: Result) -> dict[str, Array]:
    """Numbers that came with the outputs of every system, such as human scores: (systems, segments) by
    name.
    """
    from nlgauge.show.page_data.data import _numbers

    found: dict[str, Any] = {
        name: _numbers(by_system, result) for name, by_system in result.corpus.system_fields.items()
    }
    return {name: values for name, values in found.items() if values is not None}


def human_judgments(result: Result, humans: str | Sequence[str] | None = None) -> Judgments:
    """Return the scores of a result beside its human scores: the fields that are named, or all that hold
    human scores.

    Without names these are the numbers that came with the outputs of several systems, and fields called
    human.NAME; with one system a number may be anything about the text, so that its field has to be named.
    """
    from nlgauge.meta.judgments import Judgments
    from nlgauge.show.page_data.data import _numbers

    fields = [humans] if isinstance(humans, str) else list(humans or [])
    further = result.corpus.fields
    if not fields:
        prefixed = any(name.startswith("human.") for name in (*result.corpus.system_fields, *further))
        fields = ["human"] if prefixed else list(given_numbers(result))
    if not fields:
        single = result.systems[0] if len(result.systems) == 1 else None
        numeric = [
            name
            for name, values in further.items()
            if single is not None and _numbers({single: values}, result) is not None
        ]
        hint = (
            f": humans=[...] or --human, of the fields with numbers {', '.join(numeric)}" if numeric else ""
        )
        raise InputError(
            "human_map needs human scores: name numbers in a further field of the records that were"
            f" scored{hint}."
        )
    return Judgments.from_result(result, fields)
