"""Extractive fragments of Newsroom: the runs of a source that a summary is put together from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged, offsets_of


class Fragment(NamedTuple):
    """A run of tokens that both texts have: its start in the summary and in the source, and its length."""

    summary: int
    source: int
    length: int


Places = dict[Hashable, list[int]]


@compiled
def fragment_column(column: Ragged, summaries: Array, sources: Array, exhaustive: bool = False) -> Ragged:
    """Return the fragments of each row, as (start in the summary, start in the source, length)."""
    rows = column.lists()
    indexed = cache(lambda row: places(rows[row]))
    pairs = zip(summaries.tolist(), sources.tolist(), strict=True)
    found = [fragments(rows[summary], rows[source], indexed(source), exhaustive) for summary, source in pairs]
    flat = np.array([fragment for row in found for fragment in row], dtype=np.int64).reshape(-1, 3)
    return Ragged(flat, offsets_of([len(row) for row in found]))


def places(source: Sequence[Hashable]) -> Places:
    """Return the places of each token in a source."""
    found: Places = defaultdict(list)
    for place, token in enumerate(source):
        found[token].append(place)
    return found


def fragments(
    summary: Sequence[Hashable], source: Sequence[Hashable], where: Places, exhaustive: bool = False
) -> list[Fragment]:
    """Return the fragments, left to right: at each place of the summary the longest run, on a tie the first
    in the source; the search continues after the run.

    The published program continues after each run that it tries, so it may miss a longer run that starts
    inside; `exhaustive` tries every place.
    """
    found: list[Fragment] = []
    start = 0
    while start < len(summary):
        best = Fragment(start, -1, 0)
        tried = 0
        for place in where.get(summary[start], ()):
            if min(len(summary) - start, len(source) - place) <= best.length:
                break
            if place < tried and not exhaustive:
                continue
            length = 1
            while (
                start + length < len(summary)
                and place + length < len(source)
                and summary[start + length] == source[place + length]
            ):
                length += 1
            tried = place + length
            if length > best.length:
                best = Fragment(start, place, length)
        if best.length:
            found.append(best)
        start += max(best.length, 1)
    return found
