"""The segments of a result that meet an expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus.conditions import meeting, of_corpus
from nlgauge.corpus.selecting import Columns
from nlgauge.results.labels import output_names
from nlgauge.spans.named_numbers import named_numbers, with_span_fields
from nlgauge.spans.of_corpus import spans_of_corpus

if TYPE_CHECKING:
    from nlgauge.results.result import Result


def selected(result: Result, expression: str | Sequence[str]) -> Array:
    """Return the numbers of the segments that meet an expression (or each of several), in order.

    Raises
    ------
    ExpressionError
        If the expression has a mistake.
    InputError
        If no segment meets it.
    """
    return np.array(meeting(expression, columns_of(result), "segment"), dtype=np.int64)


def columns_of(result: Result, chosen: Sequence[int] | None = None) -> Columns:
    """Return the names of an expression in a result; `chosen` are the systems that count."""

    def scores(label: str, output: str) -> Callable[[], Array]:
        return lambda: np.stack(
            [result._tables[system, label].segments_of(output) for system in result.systems]
        )

    numbers: dict[str, Callable[[], Array]] = {}
    shown = output_names(result)
    for label in result.labels:
        table = result._tables[result.systems[0], label]
        known = [output.name for output in table.outputs() if (label, output.name) in shown]
        for place, output in enumerate(known):
            names = [shown[label, output], f"{label}.{output}", *([label] if place == 0 else [])]
            for name in names:
                numbers.setdefault(name, scores(label, output))
    corpus = result.corpus
    counts = named_numbers(spans_of_corpus(corpus)) if corpus.spans else {}
    return of_corpus(
        with_span_fields(corpus),
        numbers,
        {name: _constant(counted) for name, counted in counts.items()},
        result.has_texts,
        chosen,
    )


def _constant(values: Array) -> Callable[[], Array]:
    return lambda: values
