"""Pairs of spans of two voices, and the matching of spans in pairs with the largest total weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nlgauge._core.ragged import Array

# Of equal sums of weights the pairs with more common characters are chosen, then the first spans.
_PER_CHARACTER, _PER_PLACE = 1e-9, 1e-12
# Cell, side, start and end of the spans of one voice, sorted.
Voice = tuple[Array, Array, Array, Array]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of a span of the first and a span of the second voice with common characters.

    `place` is i * (number of spans of the second voice in the text) + j for the i-th and j-th span of the text.
    """

    first: Array
    second: Array
    overlap: Array
    credit: Array
    same: Array
    first_length: Array
    second_length: Array
    place: Array

    @classmethod
    def of(cls, one: Voice, other: Voice, credit: Callable[[Array, Array], Array]) -> Pairs:
        """Return all pairs of spans of one text and side that overlap and have credit."""
        first, second = _of_one_text(one[0], other[0])
        overlap = np.minimum(one[3][first], other[3][second]) - np.maximum(one[2][first], other[2][second])
        which = (overlap > 0) & (one[1][first] == other[1][second])
        first, second, overlap = first[which], second[which], overlap[which]
        shares = credit(first, second)
        which = shares > 0
        first, second, overlap, shares = first[which], second[which], overlap[which], shares[which]
        cell = one[0][first]
        size = np.searchsorted(other[0], cell, side="right") - np.searchsorted(other[0], cell)
        place = (first - np.searchsorted(one[0], cell)) * size + second - np.searchsorted(other[0], cell)
        same = (one[2][first] == other[2][second]) & (one[3][first] == other[3][second])
        return cls(
            first,
            second,
            overlap.astype(float),
            shares,
            same,
            (one[3] - one[2])[first].astype(float),
            (other[3] - other[2])[second].astype(float),
            place,
        )


def _of_one_text(one: Array, other: Array) -> tuple[Array, Array]:
    """Return the numbers of all pairs of spans of one text, from sorted cells."""
    low, high = np.searchsorted(other, one), np.searchsorted(other, one, side="right")
    sizes = high - low
    first = np.repeat(np.arange(len(one)), sizes)
    ends = np.cumsum(sizes)
    second = np.arange(int(sizes.sum())) - np.repeat(ends - sizes, sizes) + np.repeat(low, sizes)
    return first, second


def matched(pairs: Pairs, weights: Array) -> Array:
    """Return the numbers of the pairs of the best matching; a pair without weight is never matched.

    Pairs that share no span with another pair are matched at once. Only the others need an assignment.
    """
    usable = np.flatnonzero(weights > 0)
    if not len(usable):
        return usable
    first, second = pairs.first[usable], pairs.second[usable]
    values = weights[usable] + _PER_CHARACTER * pairs.overlap[usable] - _PER_PLACE * pairs.place[usable]
    alone = (np.bincount(first)[first] == 1) & (np.bincount(second)[second] == 1)
    chosen = [usable[alone]]
    rest = np.flatnonzero(~alone)
    if len(rest):
        labels = _components(first[rest], second[rest])
        order = np.argsort(labels, kind="stable")
        bounds = np.flatnonzero(np.diff(labels[order])) + 1
        for part in np.split(rest[order], bounds):
            chosen.append(usable[part[_assigned(first[part], second[part], values[part])]])
    return np.concatenate(chosen)


def _components(first: Array, second: Array) -> Array:
    """Return the number of the group of each pair; pairs that share a span are in one group."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    ours, i = np.unique(first, return_inverse=True)
    theirs, j = np.unique(second, return_inverse=True)
    size = len(ours) + len(theirs)
    graph = coo_matrix((np.ones(len(i)), (i, j + len(ours))), shape=(size, size))
    labels = connected_components(graph, directed=False)[1]
    return np.asarray(labels[i])


def _assigned(first: Array, second: Array, values: Array) -> Array:
    """Return the pairs of a group that the best assignment contains."""
    ours, i = np.unique(first, return_inverse=True)
    theirs, j = np.unique(second, return_inverse=True)
    if len(ours) == 1 or len(theirs) == 1:
        return np.array([int(values.argmax())])
    from scipy.optimize import linear_sum_assignment

    table = np.zeros((len(ours), len(theirs)))
    table[i, j] = values
    rows, columns = linear_sum_assignment(table, maximize=True)
    is_chosen = np.zeros(table.shape, bool)
    is_chosen[rows, columns] = True
    return np.flatnonzero(is_chosen[i, j] & (values > 0))
