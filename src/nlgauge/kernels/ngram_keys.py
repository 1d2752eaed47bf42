"""N-grams as 64-bit numbers that are the same in every chunk, so that counts of the whole corpus can be
looked up by them.

The key of an n-gram is a polynomial of its tokens' keys modulo 2^64. Two n-grams that differ in one token
never share a key unless the tokens do; any two others share one with a chance of 2^-64.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged, offsets_of

_BASE = np.uint64(0x9E3779B97F4A7C15)


@compiled
def ngram_keys(column: Ragged, n: int, first: int | None = None) -> Ragged:
    """Return for each row of token keys, the keys of its n-grams in order (or of their `first` tokens); none
    if the row is shorter than n.
    """
    lengths = np.maximum(column.lengths - (n - 1), 0)
    offsets = offsets_of(lengths)
    starts = np.arange(offsets[-1]) + np.repeat(column.offsets[:-1] - offsets[:-1], lengths)
    keys = np.zeros(len(starts), dtype=np.uint64)
    for k in range(n if first is None else first) if len(starts) else ():
        keys = keys * _BASE + column.values[starts + k]
    return Ragged(keys, offsets)


@compiled
def count_keys(keys: Array, counts: Array) -> tuple[Array, Array]:
    """Return the distinct keys in order, and the sum of the counts of each."""
    distinct, inverse = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(inverse.reshape(-1), counts, len(distinct)).astype(np.float64)


@compiled
def keys_once_each(keys: Ragged, groups: Ragged) -> Array:
    """Return the keys of each group of rows, group after group, each key once in a group."""
    rows = keys.lists()
    found = [
        key for group in groups.lists() for key in dict.fromkeys(key for row in group for key in rows[row])
    ]
    return np.array(found, dtype=np.uint64)


@compiled
def look_up(keys: Array, known: Array, values: Array, missing: float) -> Array:
    """Return the value of each key, from keys in order; `missing` for a key that is not among them."""
    if not len(known):
        return np.full(len(keys), missing)
    place = np.searchsorted(known, keys).clip(0, len(known) - 1)
    return np.where(known[place] == keys, values[place], missing)


@compiled
def weighted_matches(keys: Ragged, weights: Array, predictions: Array, references: Ragged) -> Array:
    """Return (rows,) clipped matches, each counted with the weight of its n-gram; `weights` has one for each
    of `keys.values`.

    A match is clipped at the greatest count of the n-gram in any one of the row's references.
    """
    rows, row_weights = keys.lists(), Ragged(weights, keys.offsets).lists()
    found = np.zeros(len(predictions))
    for i, (prediction, group) in enumerate(zip(predictions.tolist(), references.lists(), strict=True)):
        weight = dict(zip(rows[prediction], row_weights[prediction], strict=True))
        counted = [Counter(rows[reference]) for reference in group]
        for key, count in Counter(rows[prediction]).items():
            found[i] += weight[key] * min(count, max(counts[key] for counts in counted))
    return found
