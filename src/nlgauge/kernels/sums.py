"""Sums as compiled kernels make them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add


def added(values: Iterable[float]) -> float:
    """Return the sum of numbers, one added after the other; Python's `sum` compensates for rounding from 3.12
    on.

    >>> added([0.1] * 10)
    0.9999999999999999
    """
    return reduce(add, values, 0.0)
