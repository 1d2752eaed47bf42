"""How numbers are written: decimals by the scale of the output, NaN as n/a."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nlgauge._core.ragged import Array

if TYPE_CHECKING:
    from nlgauge.metric import Output


def number(value: float, output: Output, sign: bool = False) -> str:
    """A score with the decimals of its output, none for a whole count; NaN is n/a."""
    if math.isnan(value):
        return "n/a"
    whole = output.decimals is None and is_count(output) and float(value).is_integer()
    return f"{value:{'+' if sign else ''}.{0 if whole else decimals_of(output)}f}"


def decimals_of(output: Output) -> int:
    """Return how many decimals every medium shows of an output: as many as it asks for, two on a scale to
    100, else four.
    """
    if output.decimals is not None:
        return output.decimals
    return 2 if output.high == 100 else 4


def ties(first: Array, second: Array, output: Output) -> Array:
    """Return for each pair of scores whether they print the same with the shown decimals; a missing score
    ties with nothing.

    >>> from nlgauge.metric import Output
    >>> ties(np.array([12.341, 12.344, np.nan]), np.array([12.339, 12.346, np.nan]), Output("bleu", True, 0, 100)).tolist()
    [True, False, False]
    """
    decimals = decimals_of(output)
    same: Array = first == second
    with np.errstate(invalid="ignore"):
        near = np.abs(first - second) < 10.0**-decimals
    for at in np.flatnonzero(near & ~same):
        same[at] = f"{first[at]:z.{decimals}f}" == f"{second[at]:z.{decimals}f}"
    return same


def is_count(output: Output) -> bool:
    """Whether an output may be a count: from 0, without an end, and neither better high nor low."""
    return output.higher_is_better is None and output.low == 0 and output.high == math.inf


def bounds(low: float, high: float, output: Output, sign: bool = False) -> str:
    """An interval; n/a where it is not known."""
    return (
        "n/a"
        if math.isnan(low) or math.isnan(high)
        else f"[{number(low, output, sign)}, {number(high, output, sign)}]"
    )


def p_value(value: float, decimals: int = 4) -> str:
    """A p-value with four decimals or as many as are asked for; one that they cannot show is said to be below
    the least.

    >>> p_value(0.0123), p_value(0.00002), p_value(0.00002, 3)
    ('0.0123', '<.0001', '<.001')
    """
    if math.isnan(value):
        return "n/a"
    least = f"{10**-decimals:.{decimals}f}"
    return f"<{least[1:]}" if value < float(least) else f"{value:.{decimals}f}"


def stars(p: float) -> str:
    """Marks of significance: one below .05, two below .01, three below .001."""
    return "*" * sum(p < level for level in (0.05, 0.01, 0.001))


def counted(count: int, name: str, plural: str = "") -> str:
    """A number with its noun, in the singular where it is one.

    >>> counted(1, "test"), counted(3, "test")
    ('1 test', '3 tests')
    """
    return f"{count} {name if count == 1 else plural or name + 's'}"


def listed(names: Sequence[str]) -> str:
    """Return names as a phrase: "A", "A and B", "A, B and C".

    >>> listed(["A", "B", "C"])
    'A, B and C'
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
