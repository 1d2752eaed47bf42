"""Assignment: which annotator rates which items, in which order.

An annotator who gets a segment gets all its systems, so that the severity of the annotator cancels in
differences of systems. Segments are in random order, in blocks; the segments of finished blocks are a random
sample.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

# Segments per block, and the smallest number of items between an item and its repetition.
BLOCK = 5
DISTANCE = 20


def segments_of(
    segments: Sequence[str], annotators: Sequence[str], overlap: float, rng: random.Random
) -> dict[str, list[str]]:
    """Return the segments of each annotator in random order.

    A share `overlap` of the segments goes to everyone, each other segment to one annotator; the numbers of
    segments differ by at most one.
    """
    drawn = rng.sample(segments, len(segments))
    shared = round(overlap * len(segments)) if len(annotators) > 1 else 0
    parts = {
        annotator: drawn[:shared] + drawn[shared + place :: len(annotators)]
        for place, annotator in enumerate(annotators)
    }
    return {annotator: rng.sample(part, len(part)) for annotator, part in parts.items()}


def blocks_of(segments: Sequence[str]) -> list[Sequence[str]]:
    """Return the segments in blocks of about 5; a single segment is not a block, because its items would be
    neighbors.

    >>> [len(block) for block in blocks_of("abcdefghijk")]
    [5, 6]
    """
    count = max(1, round(len(segments) / BLOCK))
    edges = [number * len(segments) // count for number in range(count + 1)]
    return [segments[start:end] for start, end in pairwise(edges)]


def screens(systems: Sequence[str], side_by_side: int, rng: random.Random) -> list[tuple[str, ...]]:
    """Return the systems that are on a screen together, for one segment: each system, each pair, or runs of
    `side_by_side` systems in a random circle, in which all systems occur equally often.
    """
    if side_by_side <= 2 or len(systems) <= side_by_side:
        return list(combinations(systems, min(side_by_side, len(systems))))
    circle = rng.sample(systems, len(systems))
    return [tuple((circle * 2)[start : start + side_by_side]) for start in range(len(circle))]


def ordered(blocks: Sequence[Mapping[str, Sequence[str]]], rng: random.Random) -> list[list[str]]:
    """Return the items of each block in random order; two items of one segment are not neighbors if this is
    possible. A block has the items of each segment.
    """
    orders, last = [], ""
    for block in blocks:
        left = {segment: rng.sample(items, len(items)) for segment, items in block.items()}
        order = []
        while any(left.values()):
            choices = [segment for segment, items in left.items() if items and segment != last]
            # The segment with most items first: otherwise its items would be left over as neighbors.
            last = max(
                choices or [segment for segment, items in left.items() if items],
                key=lambda segment: (len(left[segment]), rng.random()),
            )
            order.append(left[last].pop())
        orders.append(order)
    return orders


def with_repeats(
    orders: Sequence[Sequence[str]], repeats: Mapping[str, str], rng: random.Random
) -> list[list[str]]:
    """Return the orders with repeated items, by the item that each repeats, at least 20 items later."""
    flat = [(number, item) for number, order in enumerate(orders) for item in order]
    for item, original in repeats.items():
        start = [name for _, name in flat].index(original) + 1 + DISTANCE
        place = rng.randint(start, len(flat))
        flat.insert(place, (flat[place - 1][0], item))
    return [[item for block, item in flat if block == number] for number in range(len(orders))]
