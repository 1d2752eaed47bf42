"""Clipped n-gram matches of every prediction with every reference, and with the mean of all references."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged

Gram = tuple[int, ...]


@compiled
def ngram_square(column: Ragged, predictions: Array, references: Array, orders: int) -> Array:
    """Return (predictions, references, orders) sums over n-grams of min(count in the prediction, count in the
    reference).

    The compiled twin makes the k-th occurrence of an n-gram in a text a bit, so that two texts share as many
    bits as n-grams match, and counts the bits of both.
    """
    rows = column.lists()
    matches = np.zeros((len(predictions), len(references), orders))
    for n in range(1, orders + 1):
        counts = {row: _counts(rows[row], n) for row in {*predictions.tolist(), *references.tolist()}}
        for i, prediction in enumerate(predictions.tolist()):
            for j, reference in enumerate(references.tolist()):
                matches[i, j, n - 1] = (counts[prediction] & counts[reference]).total()
    return matches


@compiled
def mean_ngram_matches(
    column: Ragged, predictions: Array, references: Array, weights: Array, orders: int
) -> Array:
    """Return (predictions, orders) sums over n-grams of min(count in the prediction, weighted mean of the
    counts in the references).

    Sums are in the order in which n-grams appear in the prediction.
    """
    rows = column.lists()
    matches = np.zeros((len(predictions), orders))
    for n in range(1, orders + 1):
        means: dict[Gram, float] = defaultdict(float)
        for reference, weight in zip(references.tolist(), weights.tolist(), strict=True):
            for gram, count in _counts(rows[reference], n).items():
                means[gram] += weight * count
        for i, prediction in enumerate(predictions.tolist()):
            for gram, count in _counts(rows[prediction], n).items():
                matches[i, n - 1] += min(count, means.get(gram, 0.0))
    return matches


def _counts(row: list[int], n: int) -> Counter[Gram]:
    return Counter(zip(*(row[k:] for k in range(n)), strict=False))
