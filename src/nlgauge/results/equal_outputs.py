"""Outputs of one metric that are equal on every segment, such as rougeL and rougeLsum of texts without line
breaks.

They remain outputs of the result, but they are one number under two names: tables show it once, headlines and
corrections for several tests count it once. An output is named by its label and its own name.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nlgauge._core.numbers import listed
from nlgauge._core.ragged import blocks
from nlgauge.metric import Metric

if TYPE_CHECKING:
    from nlgauge.metric.table import Table
    from nlgauge.results.comparison import Compared

OutputKey = tuple[str, str]
EqualOutputs = Mapping[OutputKey, OutputKey]


def equal_outputs(tables: Mapping[tuple[str, str], Table]) -> dict[OutputKey, OutputKey]:
    """Map each leading output that repeats another of the same metric, on every segment of every system, to
    the first such output.

    The statistics must be equal too, so that intervals and tests of the two are the same. A missing score
    equals a missing score.
    """
    systems = list(dict.fromkeys(system for system, _ in tables))
    repeated: dict[OutputKey, OutputKey] = {}
    for label in dict.fromkeys(label for _, label in tables):
        by_system = [tables[system, label] for system in systems]
        metric = by_system[0].metric
        if not isinstance(metric, Metric):
            continue
        distinct: list[str] = []
        for part, outputs in metric.outputs().items():
            twin = next((other for other in distinct if _is_repeated(by_system, part, other)), None)
            if twin is None:
                distinct.append(part)
            else:
                repeated[label, outputs[0].name] = label, metric.outputs()[twin][0].name
    return repeated


def _is_repeated(tables: Sequence[Table], part: str, other: str) -> bool:
    """Return True if the first outputs of two parts have one direction, the same statistics, segment
    scores and corpus scores in every table.
    """
    metric = tables[0].metric
    first, second = metric.outputs()[part][0], metric.outputs()[other][0]
    return (
        first.higher_is_better == second.higher_is_better
        and all(_has_equal_rows(table, part, other, first.name, second.name) for table in tables)
        and all(
            np.array_equal(table.scores()[first.name], table.scores()[second.name], equal_nan=True)
            for table in tables
        )
    )


def _has_equal_rows(table: Table, part: str, other: str, first: str, second: str) -> bool:
    ours, theirs = table.statistics[part], table.statistics[other]
    if ours.shape != theirs.shape:
        return False
    for start, stop in blocks(len(ours)):
        if not np.array_equal(ours[start:stop], theirs[start:stop], equal_nan=True):
            return False
        scores = table.segment_block(start, stop)
        if not np.array_equal(scores[first], scores[second], equal_nan=True):
            return False
    return True


def equal_note(equal: EqualOutputs, shown: Collection[OutputKey]) -> str:
    """Return sentences about the outputs that a table leaves out because they repeat one of the shown
    outputs; "" if there are none.
    """
    repeats: dict[OutputKey, list[str]] = {}
    for (label, name), twin in equal.items():
        if twin in shown and (label, name) not in shown:
            repeats.setdefault(twin, []).append(name)
    sentences = [
        f"{listed(names)} {'is' if len(names) == 1 else 'are'} the same as {twin} on every segment."
        for (_, twin), names in repeats.items()
    ]
    return " ".join(sentences)


def corrected_once(comparisons: Sequence[tuple[Sequence[Compared], EqualOutputs]]) -> list[list[Compared]]:
    """Return the rows of comparisons with Holm's p-values, corrected for all of them together.

    An output that repeats another is the same test and has the same p-value.
    """
    from nlgauge.stats.corrections import holm

    tests: dict[tuple[int, tuple[str, ...]], float] = {}
    for number, (rows, equal) in enumerate(comparisons):
        for row in rows:
            tests.setdefault((number, _test(row, equal)), row.p)
    corrected = dict(zip(tests, holm(list(tests.values())), strict=True))
    return [
        [row._replace(p_holm=corrected[number, _test(row, equal)]) for row in rows]
        for number, (rows, equal) in enumerate(comparisons)
    ]


def _test(row: Compared, equal: EqualOutputs) -> tuple[str, ...]:
    key = row.label, row.output.name
    return row.first, row.second, *equal.get(key, key)
