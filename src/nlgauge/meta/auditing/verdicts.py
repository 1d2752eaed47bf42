"""Verdicts of a judge and labels of people as numbers of one scale.

binary      two categories: 1 is the positive category
nominal     categories without an order, numbered
ordinal     categories from worst to best, numbered
interval    numbers
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.auditing.cells import Cells, Nested, Value

Scale = Literal["binary", "nominal", "ordinal", "interval"]
# Whole numbers with more different values than this are measurements, not levels.
MOST_LEVELS = 11


@dataclass(frozen=True)
class Coding:
    """The scale of values, and the names of its categories in the order of their numbers."""

    scale: Scale
    levels: tuple[str, ...] = ()

    def values(self, numbers: Array) -> Array:
        """Return numbers of categories as values of the scale, if the names of the categories are numbers."""
        try:
            names = np.array([float(level) for level in self.levels])
        except ValueError:
            return numbers
        known = ~np.isnan(numbers)
        values = numbers.copy()
        if self.scale == "ordinal":
            values[known] = names[numbers[known].astype(np.int64)]
        return values

    @property
    def is_categorical(self) -> bool:
        """True unless values are numbers."""
        return self.scale != "interval"

    def number(self, value: Value) -> float:
        """Return the number of a value."""
        if not self.is_categorical:
            if isinstance(value, str):
                raise InputError(f"a value is {value!r:.40}, but the scale needs numbers.")
            return value
        name = _name(value)
        if name not in self.levels:
            raise InputError(f"{name!r:.40} is not one of the categories {', '.join(self.levels)}.")
        return float(self.levels.index(name))

    def together(self, numbers: Sequence[float]) -> float:
        """Return one number for several: the mean; of categories, the most frequent or, if they are ordered, the
        nearest to the mean. NaN for no number and for ties.

        >>> Coding("binary", ("no", "yes")).together([1.0, 0.0, 1.0])
        1.0
        >>> Coding("nominal", ("a", "b")).together([0.0, 1.0])
        nan
        """
        if len(numbers) < 2:
            return numbers[0] if numbers else math.nan
        mean = math.fsum(numbers) / len(numbers)
        if not self.is_categorical:
            return mean
        if self.scale == "ordinal":
            return math.nan if abs(mean % 1 - 0.5) < 1e-9 else float(round(mean))
        counts = sorted(((numbers.count(number), number) for number in set(numbers)), reverse=True)
        return math.nan if len(counts) > 1 and counts[0][0] == counts[1][0] else counts[0][1]


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Verdicts and labels of N cells; NaN if a cell has none.

    `members` are the verdicts of each judge of a panel; `ratings` (N, annotators) the labels of each person.
    `ties` counts cells whose values have no majority.
    """

    cells: Cells
    coding: Coding
    verdicts: Array
    labels: Array
    swapped: Array | None = None
    members: Mapping[str, Array] = field(default_factory=dict)
    ratings: Array | None = None
    ties: int = 0

    @property
    def judge(self) -> str:
        """The name of the judge, or of the panel."""
        return " + ".join(name.removeprefix("imported.") for name in self.cells.columns.judges)

    @property
    def both(self) -> Array:
        """True for cells with a verdict and a label."""
        return np.asarray(~np.isnan(self.verdicts) & ~np.isnan(self.labels))

    def runs(self, judge: str) -> dict[str, list[list[list[float]]]]:
        """Return the numbers of a judge by system, segment, answer and run."""
        nested: Mapping[str, Nested] = self.cells.nested[judge]
        return {
            system: [
                [[self.coding.number(value) for value in runs] for runs in answers] for answers in segments
            ]
            for system, segments in nested.items()
        }


def verdicts_of(
    cells: Cells, positive: str | None = None, scale: str | None = None, coding: Coding | None = None
) -> Verdicts:
    """Return the verdicts and labels of cells; `coding` is the coding of other cells to use again."""
    columns, is_new = cells.columns, coding is None
    coding = coding or _coding(cells, positive, scale)
    members = {
        name: _column(coding, cells.values[name]) * _sign(cells, coding, name) for name in columns.judges
    }
    people = [cells.values[name] for name in columns.humans]
    together = [[value for each in of_cell for value in each] for of_cell in zip(*people, strict=True)]
    verdicts, labels = _panel(coding, list(members.values())), _column(coding, together)
    if is_new and np.isnan(labels).all():
        raise InputError(f"no answer has a label in {', '.join(columns.humans)}.")
    if np.isnan(verdicts).all():
        raise InputError(f"no answer has a verdict of {', '.join(columns.judges)}.")
    sides = [(labels, together), *((members[name], cells.values[name]) for name in members)]
    ties = sum(int(np.isnan(numbers)[[bool(values) for values in each]].sum()) for numbers, each in sides)
    swapped = columns.swapped
    return Verdicts(
        cells,
        coding,
        verdicts,
        labels,
        None if swapped is None else _column(coding, cells.values[swapped]) * _sign(cells, coding, swapped),
        members if len(members) > 1 else {},
        _ratings(coding, together),
        ties,
    )


def _sign(cells: Cells, coding: Coding, name: str) -> float:
    """Return -1 for numbers of a judge that are better in the other direction than the labels."""
    is_opposite = cells.is_lower_better(name) != cells.is_lower_better(cells.columns.humans[0])
    return -1.0 if is_opposite and not coding.is_categorical else 1.0


def _column(coding: Coding, values: Sequence[Sequence[Value]]) -> Array:
    """Return one number for each cell."""
    return np.array([coding.together([coding.number(value) for value in each]) for each in values])


def _panel(coding: Coding, members: Sequence[Array]) -> Array:
    """Return the verdicts of a panel: one number for the members that have a verdict."""
    if len(members) == 1:
        return members[0]
    rows = np.stack(members, axis=1).tolist()
    return np.array([coding.together([number for number in row if not math.isnan(number)]) for row in rows])


def _ratings(coding: Coding, together: Sequence[Sequence[Value]]) -> Array | None:
    """Return (N, annotators) the labels of each person; None if no cell has two."""
    width = max(map(len, together), default=0)
    if width < 2:
        return None
    ratings = np.full((len(together), width), np.nan)
    for row, values in zip(ratings, together, strict=True):
        row[: len(values)] = [coding.number(value) for value in values]
    return ratings


def _coding(cells: Cells, positive: str | None, scale: str | None) -> Coding:
    """Return the coding of the values of all columns."""
    if scale is not None and scale not in get_args(Scale):
        raise ParameterError(f"scale must be one of {', '.join(get_args(Scale))}, got {scale!r:.60}.")
    values = {value for column in cells.values.values() for each in column for value in each}
    if any(isinstance(value, str) for value in values) or cells.categories:
        names = {_name(value) for value in values}
        levels = cells.categories or tuple(sorted(names))
        ordered = bool(cells.categories) and cells.is_ordered
    else:
        numbers = sorted(float(value) for value in values)
        levels, ordered = tuple(map(_name, numbers)), True
        if set(numbers) <= {0.0, 1.0}:
            levels = ("0", "1")
        whole = all(number == int(number) for number in numbers)
        is_level = whole and numbers[-1] - numbers[0] < MOST_LEVELS
        if scale == "interval" or (scale is None and len(levels) > 2 and not is_level):
            return Coding("interval")
        if len(levels) > 2 and is_level:
            levels = tuple(str(number) for number in range(int(numbers[0]), int(numbers[-1]) + 1))
    if scale == "interval":
        raise ParameterError("scale='interval' needs numbers, but the verdicts or labels are names.")
    if len(levels) <= 2 and scale in (None, "binary"):
        return Coding("binary", _with_positive(levels, positive, cells))
    if scale == "binary":
        raise ParameterError(f"scale='binary' needs two categories, got {', '.join(levels)}.")
    chosen: Scale = "nominal" if scale == "nominal" or (scale is None and not ordered) else "ordinal"
    if positive is not None and positive not in levels:
        raise _unknown_positive(positive, levels)
    if positive is not None and chosen == "nominal":
        levels = (positive, *(level for level in levels if level != positive))
    return Coding(chosen, levels)


def _with_positive(levels: Sequence[str], positive: str | None, cells: Cells) -> tuple[str, ...]:
    """Return both categories, the positive category last.

    The default is the higher or better category. If verdicts are about two texts, it is the category of the first text:
    1 of 0 and 1, otherwise the first category (1 of 1 and 2, A of A and B).
    """
    if len(levels) < 2:
        return tuple(levels)
    if positive is None:
        is_first = cells.columns.is_pair and tuple(levels) != ("0", "1")
        chosen = levels[0] if is_first else levels[-1]
    else:
        chosen = {"true": "1", "false": "0"}.get(positive.lower(), positive) if "1" in levels else positive
        if chosen not in levels:
            raise _unknown_positive(positive, levels)
    return (*(level for level in levels if level != chosen), chosen)


def _unknown_positive(positive: str, levels: Sequence[str]) -> ParameterError:
    return ParameterError(
        f"{positive!r:.40} is not one of the categories {', '.join(levels)}",
        python="pass one of them as positive",
        cli="pass one of them with --positive",
    )


def _name(value: Value) -> str:
    return value if isinstance(value, str) else f"{value:g}"
