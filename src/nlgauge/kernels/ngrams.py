"""Clipped n-gram matches: min(count in the prediction, greatest count in any one reference), summed over n-grams."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import or_

import numpy as np

from nlgauge.columns import Array, Ragged


def ngram_matches(column: Ragged, predictions: Array, references: Ragged, orders: int) -> Array:
    """(rows, orders) clipped matches of prediction row `predictions[i]` with the reference rows `references[i]`."""
    rows = column.lists()
    matches = np.zeros((len(predictions), orders))
    for i, (prediction, group) in enumerate(zip(predictions.tolist(), references.lists(), strict=True)):
        for n in range(orders):
            grams = Counter(zip(*(rows[prediction][k:] for k in range(n + 1)), strict=False))
            if not grams:
                break
            counts = [Counter(zip(*(rows[reference][k:] for k in range(n + 1)), strict=False)) for reference in group]
            greatest = reduce(or_, counts)
            matched = sum(min(count, greatest[gram]) for gram, count in grams.items() if gram in greatest)
            if not matched:
                break  # no longer n-gram can match either
            matches[i, n] = matched
    return matches


def ngram_totals(lengths: Array, orders: int) -> Array:
    """(rows, orders) numbers of n-grams in texts of these lengths."""
    return np.clip(lengths[:, None] - np.arange(orders)[None, :], 0, None).astype(np.float64)


def longest_matched(prediction: list[str], references: list[list[str]], orders: int) -> list[int]:
    """For each token of the prediction, the order of the longest matched n-gram it is in, up to `orders`; 0: none."""
    longest = [0] * len(prediction)
    for n in range(1, orders + 1):
        known = {gram for reference in references for gram in zip(*(reference[k:] for k in range(n)), strict=False)}
        for start, gram in enumerate(zip(*(prediction[k:] for k in range(n)), strict=False)):
            if gram in known:
                longest[start : start + n] = [n] * n
    return longest
