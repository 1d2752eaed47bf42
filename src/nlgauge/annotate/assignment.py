"""Assignment: which annotator rates which items, in which order.

A unit is a segment, or a document if people see its context. An annotator who gets a unit gets all its systems,
so that the severity of the annotator cancels in differences of systems. Units are in random order, in blocks;
the units of finished blocks are a random sample.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

# Units per block, and the smallest number of items between an item and its repetition.
BLOCK = 5
DISTANCE = 20


class Extra(NamedTuple):
    """An item that is inserted into an order, far from the item `of` unless this is empty; with `is_after`,
    after it.
    """

    key: str
    unit: str
    of: str = ""
    is_after: bool = False


def parts_of(
    units: Sequence[str],
    annotators: Sequence[str],
    overlap: float,
    overlap_of: int,
    rng: random.Random,
    in_order: bool = False,
) -> dict[str, list[str]]:
    """Return the units of each annotator, in random order; with `in_order`, in the order of `units`.

    A share `overlap` of the units goes to `overlap_of` annotators (0: everyone), each other unit to one. The
    numbers of units differ by at most one.
    """
    raters = min(overlap_of or len(annotators), len(annotators))
    count = round(overlap * len(units)) if raters > 1 else 0
    shared = set(rng.sample(list(units), count))
    parts: dict[str, list[str]] = {annotator: [] for annotator in annotators}
    place = 0
    for together in (True, False):
        for unit in units:
            if (unit in shared) == together:
                for _ in range(raters if together else 1):
                    parts[annotators[place % len(annotators)]].append(unit)
                    place += 1
    places = {unit: number for number, unit in enumerate(units)}
    return {
        annotator: sorted(part, key=places.__getitem__) if in_order else rng.sample(part, len(part))
        for annotator, part in parts.items()
    }


def blocks_of(units: Sequence[str]) -> list[Sequence[str]]:
    """Return the units in blocks of about 5; a single unit is not a block, because its items would be
    neighbors.

    >>> [len(block) for block in blocks_of("abcdefghijk")]
    [5, 6]
    """
    count = max(1, round(len(units) / BLOCK))
    edges = [number * len(units) // count for number in range(count + 1)]
    return [units[start:end] for start, end in pairwise(edges) if end > start]


def screens(systems: Sequence[str], side_by_side: int, rng: random.Random) -> list[tuple[str, ...]]:
    """Return the systems that are on a screen together, for one segment: each system, each pair, or runs of
    `side_by_side` systems in a random circle, in which all systems occur equally often.
    """
    if side_by_side <= 2 or len(systems) <= side_by_side:
        return list(combinations(systems, min(side_by_side, len(systems))))
    circle = rng.sample(systems, len(systems))
    return [tuple((circle * 2)[start : start + side_by_side]) for start in range(len(circle))]


def ordered(blocks: Sequence[Mapping[str, Sequence[str]]], rng: random.Random) -> list[list[str]]:
    """Return the items of each block in random order; two items of one unit are not neighbors if this is
    possible. A block has the items of each unit.
    """
    orders, last = [], ""
    for block in blocks:
        left = {unit: rng.sample(items, len(items)) for unit, items in block.items()}
        order = []
        while any(left.values()):
            choices = [unit for unit, items in left.items() if items and unit != last]
            # The unit with most items first: otherwise its items would be left over as neighbors.
            last = max(
                choices or [unit for unit, items in left.items() if items],
                key=lambda unit: (len(left[unit]), rng.random()),
            )
            order.append(left[last].pop())
        orders.append(order)
    return orders


def with_extras(
    orders: Sequence[Sequence[str]],
    extras: Sequence[Extra],
    units: Mapping[str, str],
    rng: random.Random,
    distance: int = DISTANCE,
) -> list[list[str]]:
    """Return the orders with further items, each at least `distance` items from the item that it repeats or
    changes, and not next to an item of the same unit, if this is possible.
    """
    flat = [(number, item, units[item]) for number, order in enumerate(orders) for item in order]
    for extra in extras:
        places = list(range(len(flat) + 1))
        if extra.of:
            of = next(number for number, (_, item, _) in enumerate(flat) if item == extra.of)
            after, before = places[of + 1 + distance :], places[: max(0, of - distance + 1)]
            places = (after or places[-1:]) if extra.is_after else ([*before, *after] or places)
        free = [
            place
            for place in places
            if extra.unit not in [unit for _, _, unit in flat[max(place - 1, 0) : place + 1]]
        ]
        place = rng.choice(free or places)
        block = flat[place - 1][0] if place else 0
        flat.insert(place, (block, extra.key, extra.unit))
    return [[item for block, item, _ in flat if block == number] for number in range(max(len(orders), 1))]
