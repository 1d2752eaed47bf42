"""The states of a recursion from the last to the first, without keeping all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isqrt
from typing import TypeVar

State = TypeVar("State")
Item = TypeVar("Item")
Found = TypeVar("Found")


# A table of fewer bytes is stored whole.
SMALL = 1 << 24


def backwards(
    first: State,
    items: Sequence[Item],
    advance: Callable[[State, Item], State],
    size: float,
    found: Callable[[State], Found],
    found_size: float,
) -> Iterator[Found]:
    """Yield the value of `found` in the state after each item, from last to first; `advance` makes a state
    from the previous state and an item.

    A state takes about `size` bytes and its value `found_size`. The stored states take as much memory as the
    states between two of them, which are made again on the way back: n states take the memory of sqrt(n), and
    twice the time.
    """
    small = found_size * len(items) < SMALL
    width = max(1, len(items) if small else isqrt(int(len(items) * max(1.0, size / found_size))))
    kept = [first]
    for start in range(0, len(items) - width, width):
        state = kept[-1]
        for item in items[start : start + width]:
            state = advance(state, item)
        kept.append(state)
    while kept:
        state = kept.pop()
        block = []
        for item in items[len(kept) * width : (len(kept) + 1) * width]:
            state = advance(state, item)
            block.append(found(state))
        while block:
            yield block.pop()
