"""Columns of scores: values of the rows as numbers, and descriptions of the scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from nlgauge._core.numbers import counted, listed
from nlgauge.io.logs.rows import LogFacts, LogRow, Reason, ScoreColumn

# Number of distinct texts up to which the texts of a score are levels and not free text.
_MOST_LEVELS = 20
RowReason = Callable[[LogRow, str], Reason]


def blank_or(reason: Reason) -> RowReason:
    """Return the rule for missing scores of tables: "empty" if the prediction is blank, else `reason`."""

    def rule(row: LogRow, name: str) -> Reason:
        return "empty" if row.prediction is not None and not row.prediction.strip() else reason

    return rule


def _number(value: Any) -> float | None:
    """Return the finite number of a value; None if it has none."""
    try:
        number = float(value) if isinstance(value, bool | int | float) else math.nan
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


class ScoreTable:
    """Collector of raw scores; `finish` writes them into the rows and describes the columns.

    Booleans and numbers are values. Texts are levels if a score has no other values; otherwise they are unreadable.
    """

    def __init__(self, declared: Mapping[str, ScoreColumn] | None = None) -> None:
        self._declared = dict(declared or {})
        self._raw: dict[str, list[tuple[LogRow, Any]]] = {}

    @property
    def names(self) -> list[str]:
        """Names of the scores so far."""
        return list(self._raw)

    def declare(self, column: ScoreColumn) -> None:
        """Describe a score; an earlier description remains."""
        self._declared.setdefault(column.name, column)

    def add(self, row: LogRow, name: str, value: Any) -> None:
        """Add the value of a score; None means that the score exists without a value in this row."""
        self._raw.setdefault(name, []).append((row, value))

    def finish(self, facts: LogFacts, rows: Iterable[LogRow], reason: RowReason) -> None:
        """Write scores and reasons into the rows, and descriptions and notes into the facts."""
        for name, values in self._raw.items():
            column = self._column(name, values, facts)
            if column is not None:
                facts.columns[name] = column
        for row in rows:
            for name in facts.columns:
                if name not in row.scores and name not in row.missing:
                    row.missing[name] = reason(row, name)

    def _column(self, name: str, values: list[tuple[LogRow, Any]], facts: LogFacts) -> ScoreColumn | None:
        """Write the values of a score into the rows and return its description; None for free text."""
        kinds = {type(value) for _, value in values}
        if str in kinds and not kinds & {bool, int, float}:
            return self._levels(name, values, facts)
        numbers, unreadable, replaced = [], 0, 0
        for row, value in values:
            number = _number(value)
            if number is not None:
                replaced += row.scores.get(name, number) != number
                row.scores[name] = number
                numbers.append(number)
            elif value is not None and not (isinstance(value, float) and math.isnan(value)):
                row.missing[name] = "unreadable"
                unreadable += 1
        if unreadable:
            facts.notes.append(f"{name}: {counted(unreadable, 'value')} cannot be read as a number.")
        if replaced:
            facts.notes.append(
                f"{name}: {counted(replaced, 'segment has', 'segments have')} several values; the last is read."
            )
        default = ScoreColumn(name)
        if bool in kinds and not kinds & {int, float, str}:
            default = ScoreColumn(name, low=0, high=1, kind="binary")
        return self._bounded(self._declared.get(name, default), numbers, facts)

    def _bounded(self, column: ScoreColumn, numbers: list[float], facts: LogFacts) -> ScoreColumn:
        """Return the description without bounds if a value is outside of them."""
        outside = next((value for value in numbers if not column.low <= value <= column.high), None)
        if outside is None:
            return column
        facts.notes.append(
            f"{column.name}: the value {outside:g} is outside of {column.low:g} to {column.high:g}, so the score is"
            " read without bounds."
        )
        return ScoreColumn(column.name, column.better)

    def _levels(self, name: str, values: list[tuple[LogRow, Any]], facts: LogFacts) -> ScoreColumn | None:
        """Write the texts of a score into the rows and return its description; None for free text."""
        levels = tuple(sorted({value for _, value in values if isinstance(value, str)}))
        if len(levels) > _MOST_LEVELS:
            facts.notes.append(f"{name} has {len(levels)} different texts and is not read as a score.")
            return None
        for row, value in values:
            if isinstance(value, str):
                row.scores[name] = value
        facts.notes.append(f"{name} has texts ({listed(levels)}), whose order from worst to best is unknown.")
        return ScoreColumn(name, "neither", kind="levels", levels=levels)
