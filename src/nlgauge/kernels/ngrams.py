"""Clipped n-gram matches: min(count in the prediction, greatest count in any one reference), summed over
n-grams.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged


@compiled
def ngram_matches(column: Ragged, predictions: Array, references: Ragged, orders: int) -> Array:
    """Return (rows, orders) clipped matches of prediction row `predictions[i]` with the reference rows
    `references[i]`.
    """
    rows = column.lists()
    count = _counter(rows, shared=len(np.unique(references.values)) < len(references.values))
    matches = np.zeros((len(predictions), orders))
    for i, (prediction, group) in enumerate(zip(predictions.tolist(), references.lists(), strict=True)):
        for n in range(1, orders + 1):
            grams = Counter(zip(*(rows[prediction][k:] for k in range(n)), strict=False))
            greatest: dict[tuple[int, ...], int] = {}
            for reference in group:
                counts = count(reference, n)
                for gram in grams.keys() & counts.keys():
                    greatest[gram] = max(counts[gram], greatest.get(gram, 0))
            if not greatest:
                break  # no longer n-gram can match either
            matches[i, n - 1] = sum(min(grams[gram], most) for gram, most in greatest.items())
    return matches


def _counter(rows: list[list[int]], shared: bool) -> Callable[[int, int], Counter[tuple[int, ...]]]:
    """Return a function that counts the n-grams of a row; a row that several predictions are compared with is
    counted once.
    """

    def count(row: int, n: int) -> Counter[tuple[int, ...]]:
        return Counter(zip(*(rows[row][k:] for k in range(n)), strict=False))

    return cache(count) if shared else count


def ngram_totals(lengths: Array, orders: int) -> Array:
    """Return (rows, orders) numbers of n-grams in texts of these lengths."""
    return np.maximum(lengths[:, None] - np.arange(orders), 0).astype(np.float64)


def longest_matched(prediction: list[str], references: list[list[str]], orders: int) -> list[int]:
    """Return for each token of the prediction, the order of the longest matched n-gram it is in, up to
    `orders`; 0: none.
    """
    longest = [0] * len(prediction)
    for n in range(1, min(orders, len(prediction)) + 1):
        known = {
            gram for reference in references for gram in zip(*(reference[k:] for k in range(n)), strict=False)
        }
        for start, gram in enumerate(zip(*(prediction[k:] for k in range(n)), strict=False)):
            if gram in known:
                longest[start : start + n] = [n] * n
    return longest
