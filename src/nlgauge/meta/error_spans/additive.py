"""Rows that can be added over texts: precision, recall and F of a sum of rows, micro- or macro-averaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.spans.columns import Spans
from nlgauge.spans.combining import first_of, joined, union_of
from nlgauge.spans.measures import Rules, counts, precision_recall_f

AVERAGES = ("micro", "macro")
GOLDS = ("each", "first", "union")
WIDTH = 4


@dataclass(frozen=True, eq=False)
class Expected:
    """Annotations of people, one after the other, with the text and the weight of each.

    The weights of the annotations of one text have the sum 1.
    """

    spans: Spans
    cells: Array
    weights: Array

    @classmethod
    def of(cls, people: Sequence[Spans], gold: str) -> Expected:
        """Return all annotations, or one for each text."""
        chosen = people if gold == "each" else [(first_of if gold == "first" else union_of)(people)]
        spans, cells = joined(chosen)
        numbers = np.bincount(cells, minlength=1)
        return cls(spans, cells, 1 / numbers[cells])

    def within(self, which: Array) -> Expected:
        """Return the annotations of some texts, by a mask of all texts."""
        return self._take(np.flatnonzero(which[self.cells]))

    def _take(self, numbers: Array) -> Expected:
        return Expected(self.spans.of_texts(numbers), self.cells[numbers], self.weights[numbers])


def text_rows(
    predicted: Spans, expected: Expected, measures: Sequence[str], average: str, rules: Rules, cells: int
) -> dict[str, Array]:
    """Return a row per text and measure: the four sums, or precision, recall, F and 1; 0 for texts without one.

    A text with several annotations has the mean of their rows.
    """
    found = counts(predicted.of_texts(expected.cells), expected.spans, measures, rules)
    rows = {}
    for measure, sums in found.items():
        values = sums[0]
        if average == "macro":
            values = np.concatenate([precision_recall_f(values), np.ones((len(values), 1))], axis=1)
        known = ~np.isnan(values[:, 0])
        weights = np.where(known, expected.weights, 0.0)
        values = np.where(known[:, None], values, 0.0)
        rows[measure] = np.stack(
            [np.bincount(expected.cells, weights * values[:, k], cells) for k in range(WIDTH)], axis=1
        )
    return rows


def values_of(sums: Array, average: str) -> Array:
    """Return (..., 3) precision, recall and F of (..., 4) sums of rows; NaN without a text."""
    if average == "micro":
        return precision_recall_f(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., :3] / sums[..., 3:])
