"""The word of the reference that each word of the prediction matches, and the number of pairs in the same
order.

A word is identified by the shortest n-gram that it begins or ends, and that occurs exactly once in either
text. All those n-grams come from one suffix array of both texts, so that long and repetitive texts cost n log
n and not n^3.
"""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged


@compiled
def word_places(column: Ragged, predictions: Array, references: Array, nltk: bool = False) -> Ragged:
    """Return for each pair of rows, the place in the reference of every token of the prediction; -1 if it is
    unknown.

    The shorter of two n-grams decides: the n-gram that the token begins and the n-gram that it ends. On a tie
    it is the n-gram that the token ends, as in RIBES 1.03; with `nltk` it is the n-gram that the token
    begins, and n-grams as long as the text before the token are not tried.
    """
    rows = column.lists()
    pairs = zip(predictions.tolist(), references.tolist(), strict=True)
    return Ragged.of([_places(rows[prediction], rows[reference], nltk) for prediction, reference in pairs])


def _places(prediction: list[int], reference: list[int], nltk: bool) -> Array:
    size = len(prediction)
    right_lengths, starts = _unique_ngrams(prediction, reference)
    left_lengths, ends = (found[::-1] for found in _unique_ngrams(prediction[::-1], reference[::-1]))
    never = size + 1
    if nltk:
        i = np.arange(size)
        longest = np.minimum(np.maximum(i, size - i + 1), len(reference))
        right_lengths, left_lengths = (
            np.where((lengths > 1) & (lengths > longest), never, lengths)
            for lengths in (right_lengths, left_lengths)
        )
    begins = right_lengths <= left_lengths if nltk else right_lengths < left_lengths
    places = np.where(begins, starts, len(reference) - 1 - ends)
    return np.where(np.minimum(right_lengths, left_lengths) == never, -1, places)


def _unique_ngrams(prediction: list[int], reference: list[int]) -> tuple[Array, Array]:
    """Return for each token, the length of the shortest n-gram from it on that occurs once in either text,
    and its start in the reference.

    Without such an n-gram the length is one more than the length of the prediction. Such an n-gram begins
    exactly two suffixes of the two texts, one of each: neighbors in sorted order that have more in common
    than either has with its other neighbor.
    """
    size = len(prediction)
    never = np.full(size, size + 1)
    if not prediction or not reference:
        return never, never
    order, rank = _sorted_suffixes(np.array([*prediction, -1, *reference, -2]))
    common = _common_prefixes([*prediction, -1, *reference, -2], order.tolist(), rank.tolist())
    k = rank[:size]
    above, below = common[k], common[k + 1]
    first = above > below
    other = order[np.clip(np.where(first, k - 1, k + 1), 0, len(order) - 1)]
    beyond = np.where(first, common[k - 1], common[np.minimum(k + 2, len(order))])
    lengths = np.maximum(np.minimum(above, below), beyond) + 1
    found = (lengths <= np.maximum(above, below)) & (other > size)
    return np.where(found, lengths, never), other - size - 1


def _sorted_suffixes(values: Array) -> tuple[Array, Array]:
    """Return the suffixes in sorted order and their ranks; all suffixes must differ. Ranks by the first 1, 2,
    4, ...

    values are refined.
    """
    rank = np.unique(values, return_inverse=True)[1].reshape(-1)
    width = 1
    while True:
        following = np.append(rank[width:], np.full(min(width, len(rank)), -1))
        order = np.lexsort((following, rank))
        differs = (np.diff(rank[order]) != 0) | (np.diff(following[order]) != 0)
        rank[order] = np.append(0, np.cumsum(differs))
        if differs.all():
            return order, rank
        width *= 2


def _common_prefixes(values: list[int], order: list[int], rank: list[int]) -> Array:
    """Return the number of values that each sorted suffix shares with the previous suffix; 0 at both ends.
    Kasai's algorithm.

    Kasai's algorithm.
    """
    common = np.zeros(len(values) + 1, dtype=np.int64)
    length = 0
    for start, place in enumerate(rank):
        if place == 0:
            length = 0
            continue
        before = order[place - 1]
        while values[start + length] == values[before + length]:
            length += 1
        common[place] = length
        length = max(length - 1, 0)
    return common


@compiled
def ascending_pairs(places: Ragged) -> Array:
    """Return (rows, 2) known places, and pairs of them of which the earlier is strictly smaller; -1 stands
    for an unknown place.
    """
    counts = np.zeros((len(places), 2))
    for i, row in enumerate(places.lists()):
        before: list[int] = []
        for place in row:
            if place >= 0:
                counts[i, 1] += bisect_left(before, place)
                insort(before, place)
        counts[i, 0] = len(before)
    return counts
