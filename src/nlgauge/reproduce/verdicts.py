"""Verdicts: one word for a computed cell next to its printed value, and one for a claim.

The words of a cell, tried in this order:

    not computed   there is no value; `why` is weights, data, cost or no number
    misprint       the printed value is impossible, or contradicts a cell with the same meaning
    equal          the printed value is the computed value, rounded or cut
    near           at most 3 swapped pairs of systems (Kendall), or at most 2 units of the last printed digit
    inside         the printed value is in the interval
    differs        none of these; `why` is model, data, definition or unknown

A value of another model or of other texts than the document's is never equal or near: agreement by chance
must not count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from nlgauge.reproduce.printed_tables import Printed

Word = Literal["not computed", "misprint", "equal", "near", "inside", "differs"]
WORDS: tuple[Word, ...] = ("equal", "near", "inside", "differs", "misprint", "not computed")
ClaimWord = Literal["supported", "contradicted", "undecided", "not tested"]
CLAIM_WORDS: tuple[ClaimWord, ...] = ("supported", "contradicted", "undecided", "not tested")
_MOST_SWAPS = 3
_MOST_UNITS = 2


class Cell(msgspec.Struct, frozen=True):
    """A cell of a table: printed and computed value with the verdict.

    `swaps` is the number of swapped pairs of systems between two Kendall coefficients. `stand_in` names the
    model or the texts of a value that are not those of the document.
    """

    row: str
    column: str
    printed: Any
    value: float | None
    verdict: Word
    low: float | None = None
    high: float | None = None
    swaps: float | None = None
    why: str = ""
    stand_in: str = ""
    metric: str = ""
    n: int | None = None


class Computed(msgspec.Struct, frozen=True):
    """A computed value with its interval.

    `systems` is the number of ranked systems if the value is a Kendall coefficient, `n` the number of units
    and `why` the reason why the value may differ from print, or is missing (NaN).
    """

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    why: str = ""
    stand_in: str = ""
    metric: str = ""
    n: int | None = None
    systems: int | None = None


def cell(table: Printed, row: str, column: str, computed: Computed) -> Cell:
    """Return a cell of a printed table with its verdict."""
    value = table.value(row, column)
    word, swaps = _verdict(table, value, computed)
    why = (computed.why or "unknown") if word == "differs" else computed.why
    wrong = table.misprint(row, column)
    if wrong is not None and word != "not computed":
        why = wrong.why
        if wrong.corrected is not None:
            again, _ = _verdict(table, wrong.corrected, computed)
            why = f"{why}; the right number, {wrong.corrected:g}: {again}"
        word, swaps = "misprint", None
    return Cell(
        row,
        column,
        value,
        _known(computed.value),
        word,
        _known(computed.low),
        _known(computed.high),
        swaps,
        why,
        computed.stand_in,
        computed.metric,
        computed.n,
    )


def _verdict(table: Printed, printed: Any, computed: Computed) -> tuple[Word, float | None]:
    if math.isnan(computed.value) or isinstance(printed, bool) or not isinstance(printed, int | float):
        return "not computed", None
    swaps = None
    if computed.systems is not None:
        swaps = abs(computed.value - printed) * computed.systems * (computed.systems - 1) / 4
    if not computed.stand_in:
        unit = 10.0 ** -(table.decimals or 0)
        if _is_rounded(computed.value, printed, unit):
            return "equal", swaps
        # Printed numbers are rounded, so the difference of two of them has a tolerance.
        if (swaps is not None and round(swaps, 1) <= _MOST_SWAPS) or (
            swaps is None and abs(computed.value - printed) <= (_MOST_UNITS + 1e-9) * unit
        ):
            return "near", swaps
    if computed.low <= printed <= computed.high:
        return "inside", swaps
    return "differs", swaps


def _is_rounded(value: float, printed: float, unit: float) -> bool:
    """Return True if the printed number is the value rounded or cut to the unit."""
    wanted = round(printed / unit)
    return wanted in (round(value / unit), math.trunc(value / unit + math.copysign(1e-9, value)))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def difference_verdict(low: float, high: float) -> ClaimWord:
    """Return the verdict on the claim that a difference is positive, from its interval."""
    if math.isnan(low) or math.isnan(high):
        return "not tested"
    if low > 0:
        return "supported"
    return "contradicted" if high < 0 else "undecided"


def of_all(words: Sequence[ClaimWord]) -> ClaimWord:
    """Return the verdict on a claim that is supported if all of its parts are supported."""
    if words and all(word == "supported" for word in words):
        return "supported"
    return "contradicted" if "contradicted" in words else "undecided"
