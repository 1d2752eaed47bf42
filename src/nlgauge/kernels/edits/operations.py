"""Operations of a rewriting on its source, compared with the references: n-grams added, kept and deleted.

A count of the source or the prediction weighs as much as one in every reference, so with k references all
counts are in units of 1/k.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged
from nlgauge.kernels.sums import added

ADD, KEEP, DELETE = range(3)
Gram = tuple[int, ...]


class Operation(NamedTuple):
    """N-grams of one operation with their counts: done by the prediction, by the references, and by both."""

    done: Counter[Gram]
    wanted: Counter[Gram]
    right: Counter[Gram]


@compiled
def operation_counts(
    column: Ragged, sources: Array, predictions: Array, references: Ragged, orders: int
) -> Array:
    """Return (rows, orders, 3, 3): for additions, keeps and deletions how many were right, done, and wanted.

    An added n-gram counts once, however often it was added. A deletion is right as often as the references
    deleted the n-gram too.
    """
    counts = np.zeros((len(predictions), orders, 3, 3))
    for i, n, operations, unit in _rows(column, sources, predictions, references, orders):
        for j, operation in enumerate(operations):
            weight = 1 if j == ADD else unit
            counts[i, n, j] = [
                sum(side.values()) / weight for side in (operation.right, operation.done, operation.wanted)
            ]
    return counts


@compiled
def operation_shares(
    column: Ragged, sources: Array, predictions: Array, references: Ragged, orders: int
) -> Array:
    """Return (rows, orders, 3, 2): precision and recall of each operation as the mean over n-grams of the
    share that is right; NaN for none.

    A deletion is right here only as far as the n-gram's deletions exceed its count in the references.
    """
    shares = np.full((len(predictions), orders, 3, 2), np.nan)
    for i, n, operations, _ in _rows(column, sources, predictions, references, orders, exceeding=True):
        for j, operation in enumerate(operations):
            for k, whole in enumerate((operation.done, operation.wanted)):
                if whole:
                    shares[i, n, j, k] = added(
                        count / whole[gram] for gram, count in operation.right.items()
                    ) / len(whole)
    return shares


def _rows(
    column: Ragged,
    sources: Array,
    predictions: Array,
    references: Ragged,
    orders: int,
    exceeding: bool = False,
) -> Iterator[tuple[int, int, list[Operation], int]]:
    """Return row, order, its three operations, and the number of references."""
    rows = column.lists()
    for i, (source, prediction, group) in enumerate(
        zip(sources.tolist(), predictions.tolist(), references.lists(), strict=True)
    ):
        for n in range(orders):
            before, after = (_grams(rows[text], n + 1, len(group)) for text in (source, prediction))
            expected = sum((_grams(rows[reference], n + 1) for reference in group), Counter())
            new, wanted = (
                Counter(dict.fromkeys(side.keys() - before.keys(), 1)) for side in (after, expected)
            )
            kept, should_keep = before & after, before & expected
            deleted, should_delete = before - after, before - expected
            right = deleted - expected if exceeding else deleted & should_delete
            yield (
                i,
                n,
                [
                    Operation(new, wanted, new & wanted),
                    Operation(kept, should_keep, kept & should_keep),
                    Operation(deleted, should_delete, right),
                ],
                len(group),
            )


def _grams(row: list[int], n: int, times: int = 1) -> Counter[Gram]:
    counts = Counter(zip(*(row[k:] for k in range(n)), strict=False))
    return Counter({gram: count * times for gram, count in counts.items()})
