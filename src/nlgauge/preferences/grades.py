"""Grades: verdicts with the size of the preference, such as "slightly better" and "much better".

A grade is a number on a scale from -G to G; 0 is a tie, and above 0 the first system is better.

    without G     the better system wins, whatever the grade
    with G        the first system wins (1 + g / G) / 2 of the comparison
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus.records import ABSENT, Records
from nlgauge.errors import InputError
from nlgauge.preferences.verdicts import soft_outcomes

# Verdicts of Arena-Hard, with their grades.
ARROWS = {"a>>b": 2.0, "a>b": 1.0, "a=b": 0.0, "b>a": -1.0, "b>>a": -2.0}
STRENGTH = "strength"


def number(value: Any) -> float:
    """Return a number, also of a table of texts; NaN if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan


def is_missing(value: Any) -> bool:
    """Return True for an absent or empty value; a table of texts has an empty field for a missing value."""
    return value is None or value is ABSENT or value == "" or (isinstance(value, float) and math.isnan(value))


def grades_of(table: Records, field: str) -> Array:
    """Return the grades of a field whose positive numbers prefer the second system; NaN for a missing grade."""
    return np.array(
        [
            -_finite(table, field, row, "a number (above 0: the second is better)")
            for row in range(table.count)
        ]
    )


def strengths_of(table: Records, sides: Array) -> Array:
    """Return the grades from the better side (1, 0 or -1) and the field of strengths; NaN without a strength."""
    grades = np.zeros(table.count)
    for row in range(table.count):
        # A tie has no strength, even if the record has one.
        if sides[row] != 0:
            strength = _finite(table, STRENGTH, row, "a number above 0")
            if strength <= 0:
                raise _bad(table, STRENGTH, row, "a number above 0")
            grades[row] = sides[row] * strength
    return grades


def outcomes_of(table: Records, grades: Array, highest: float | None) -> Array:
    """Return the outcomes (N, 3) of grades; `highest` is the grade of a whole win, None if all decided grades are."""
    if highest is None:
        outcomes = np.column_stack([grades > 0, grades == 0, grades < 0]).astype(float)
        outcomes[np.isnan(grades)] = np.nan
        return outcomes
    for row in np.flatnonzero(np.abs(grades) > highest)[:1].tolist():
        raise InputError(
            f"{table.place(row)} has a grade of {abs(grades[row]):g}, above the highest grade of {highest:g}",
            python="pass the highest grade of the scale as grades",
            cli="pass the highest grade of the scale with --grades",
        )
    return soft_outcomes((1 + grades / highest) / 2)


def highest_of(grades: Array) -> float | None:
    """Return the highest grade; None without grades, or if all are alike and so say nothing more than the winner."""
    sizes: Sequence[float] = np.unique(np.abs(grades[np.isfinite(grades) & (grades != 0)])).tolist()
    return sizes[-1] if len(sizes) > 1 else None


def _finite(table: Records, field: str, row: int, needed: str) -> float:
    """Return the number of a field; NaN if it is missing."""
    value = table.columns[field][row]
    if is_missing(value):
        return math.nan
    found = number(value)
    if not math.isfinite(found):
        raise _bad(table, field, row, needed)
    return found


def _bad(table: Records, field: str, row: int, needed: str) -> InputError:
    return InputError(
        f"{table.place(row)}: {field!r} is {table.columns[field][row]!r:.60}, but must be {needed}."
    )
