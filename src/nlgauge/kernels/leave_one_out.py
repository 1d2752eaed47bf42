"""Each text against all others of its corpus, in time linear in the corpus: the greatest and the second
greatest values are stored.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged


@compiled
def matches_with_the_others(column: Ragged, texts: Array, orders: int) -> Array:
    """Return (texts, orders) clipped n-gram matches of each of the rows `texts` with all the others as
    references.
    """
    rows = column.take(texts).lists()
    matches = np.zeros((len(rows), orders))
    for n in range(1, min(orders, max(map(len, rows), default=0)) + 1):
        counts = [Counter(zip(*(row[k:] for k in range(n)), strict=False)) for row in rows]
        greatest: dict[tuple[int, ...], tuple[int, int, int]] = {}
        for i, grams in enumerate(counts):
            for gram, count in grams.items():
                first, owner, second = greatest.get(gram, (0, -1, 0))
                greatest[gram] = (count, i, first) if count > first else (first, owner, max(count, second))
        for i, grams in enumerate(counts):
            for gram, count in grams.items():
                first, owner, second = greatest[gram]
                matches[i, n - 1] += min(count, second if owner == i else first)
    return matches


def closest_other_lengths(lengths: Array) -> Array:
    """Return for each of two or more texts the length closest to its own among all other texts; on a tie the
    shorter.
    """
    order = np.argsort(lengths, kind="stable")
    ordered = lengths[order]
    below = np.append(ordered[:1] - np.iinfo(np.int32).max, ordered[:-1])
    above = np.append(ordered[1:], ordered[-1:] + np.iinfo(np.int32).max)
    closest = np.empty_like(lengths)
    closest[order] = np.where(ordered - below <= above - ordered, below, above)
    return closest
