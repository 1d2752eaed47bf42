"""N-grams as sets and distributions: distinct, novel and repeated n-grams, and the divergence of the
distributions of two texts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from functools import cache

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged
from nlgauge.kernels.sums import added

Counts = Counter[tuple[Hashable, ...]]


def ngram_counts(tokens: Sequence[Hashable], n: int) -> Counts:
    """Return the count of each n-gram, in order of first appearance."""
    return Counter(zip(*(tokens[k:] for k in range(n)), strict=False))


@compiled
def repeated_ngrams(column: Ragged, texts: Array, orders: int) -> Array:
    """Return (rows, orders, 3) different n-grams that occur more than once, different n-grams, all n-grams."""
    rows = column.lists()
    found = np.zeros((len(texts), orders, 3))
    for i, text in enumerate(texts.tolist()):
        for n in range(1, min(orders, len(rows[text])) + 1):
            counts = ngram_counts(rows[text], n)
            found[i, n - 1] = sum(count > 1 for count in counts.values()), len(counts), counts.total()
    return found


@compiled
def novel_ngrams(column: Ragged, summaries: Array, sources: Array, orders: int, distinct: bool) -> Array:
    """Return (rows, orders, 2) n-grams of the summary that the source lacks, and all of them; each counted
    once if `distinct`.
    """
    rows = column.lists()
    known = cache(lambda row, n: ngram_counts(rows[row], n).keys())
    found = np.zeros((len(summaries), orders, 2))
    for i, (summary, source) in enumerate(zip(summaries.tolist(), sources.tolist(), strict=True)):
        for n in range(1, min(orders, len(rows[summary])) + 1):
            counts = ngram_counts(rows[summary], n)
            new = counts.keys() - known(source, n)
            found[i, n - 1] = (
                (len(new), len(counts)) if distinct else (sum(counts[gram] for gram in new), counts.total())
            )
    return found


@compiled
def different_ngrams(column: Ragged, texts: Array, orders: int) -> Array:
    """Return (orders,) different n-grams of all texts together."""
    rows = column.take(texts).lists()
    found = np.zeros(orders, dtype=np.int64)
    for n in range(1, min(orders, max(map(len, rows), default=0)) + 1):
        different: set[tuple[int, ...]] = set()
        for row in rows:
            different.update(zip(*(row[k:] for k in range(n)), strict=False))
        found[n - 1] = len(different)
    return found


@compiled
def moving_ratios(column: Ragged, texts: Array, window: int) -> Array:
    """Return (rows,) mean type-token ratio of all windows of this number of tokens in a row; the ratio of the
    text itself if it is shorter, NaN if it is empty.

    A token is the first of its kind in a window if it is inside and its previous occurrence is not: so each
    token is counted in as many windows as start after the previous one, and a text costs one pass.
    """
    return np.array([_moving_ratio(text, window) for text in column.take(texts).lists()], dtype=np.float64)


def _moving_ratio(text: list[int], most: int) -> float:
    if not text:
        return math.nan
    window = min(most, len(text))
    windows = len(text) - window + 1
    previous: dict[int, int] = {}
    different = 0
    for place, token in enumerate(text):
        first = max(previous.get(token, -1) + 1, place - window + 1)
        different += max(min(place, windows - 1) - first + 1, 0)
        previous[token] = place
    return different / (windows * window)


@compiled
def js_divergences(column: Ragged, summaries: Array, sources: Array, order: int, smoothing: float) -> Array:
    """Return (rows,) Jensen-Shannon divergences in bits; 1 if one text has no n-gram, NaN if neither has."""
    rows = column.lists()
    count = cache(lambda row: ngram_counts(rows[row], order))
    pairs = zip(summaries.tolist(), sources.tolist(), strict=True)
    return np.array(
        [js_divergence(count(summary), count(source), smoothing) for summary, source in pairs],
        dtype=np.float64,
    )


def js_divergence(summary: Counts, source: Counts, smoothing: float) -> float:
    """Return the divergence of two texts' n-gram distributions: the sum of `js_terms`, or 1 or NaN if a text
    has no n-gram.
    """
    if not summary or not source:
        return 1.0 if summary or source else math.nan
    return min(max(added(bits for _, _, bits in js_terms(summary, source, smoothing).values()), 0.0), 1.0)


def js_terms(
    summary: Counts, source: Counts, smoothing: float
) -> dict[tuple[Hashable, ...], tuple[float, float, float]]:
    """Return for each n-gram of either text, the source's first: its probability in the summary, in the
    source, and its part of the divergence.
    """
    grams = dict.fromkeys([*source, *summary])
    sizes = [counts.total() + smoothing * len(grams) for counts in (summary, source)]
    found = {}
    for gram in grams:
        p, q = (
            (counts[gram] + smoothing) / size for counts, size in zip((summary, source), sizes, strict=True)
        )
        bits = added(x * math.log2(2 * x / (p + q)) for x in (p, q) if x > 0) / 2
        found[gram] = (p, q, bits)
    return found
