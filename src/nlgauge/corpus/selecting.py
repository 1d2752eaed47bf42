"""The segments that meet an expression (`nlgauge._core.expression`): its evaluation on columns."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from nlgauge._core.expression import (
    Every,
    ExpressionError,
    Node,
    Not,
    Term,
    Test,
    Value,
    Word,
    parse,
    pattern,
)
from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError

# Seconds that a regular expression may take for one text.
_PATIENCE = 0.1
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_NUMBER = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_TEXTS = ("id", "source", "reference", "prediction")


@dataclass(eq=False)
class Columns:
    """The names of an expression: `numbers` (S, N) by name, values of segments by column, and texts.

    `texts` has the texts of each segment by "id", "source", "reference" (lists), and the texts of each
    system as "prediction".
    """

    systems: Sequence[str]
    count: int
    numbers: Mapping[str, Callable[[], Array]] = field(default_factory=dict)
    values: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    texts: Mapping[str, Callable[[], list[list[str]]]] = field(default_factory=dict)
    predictions: Callable[[int], list[list[str]]] | None = None
    # Numbers of the systems that a name without a system means.
    chosen: Sequence[int] = ()
    _made: dict[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Every name that an expression may contain."""
        texts = {*self.texts, *(["prediction"] if self.predictions else [])}
        own = [name for name in _TEXTS if name in texts]
        return list(dict.fromkeys([*self.numbers, *self.values, *own, "words", "length"]))

    def array(self, name: str) -> Array | None:
        """Return the numbers of a name, (S, N) or (1, N); None if it has texts. NaN is not known."""
        if name in self._made:
            made: Array | None = self._made[name]
            return made
        found: Array | None = None
        if name in self.numbers:
            found = np.asarray(self.numbers[name](), dtype=np.float64)
        elif name in self.values:
            found = as_numbers(self.values[name])
        elif name in ("words", "length"):
            texts = self.measured()
            found = np.array(
                [[len(text.split()) if name == "words" else len(text) for text in texts]], dtype=float
            )
        self._made[name] = found
        return found

    def measured(self) -> list[str]:
        """Return the text of each segment whose length counts: the source, else the first reference."""
        rows = self.texts["source" if "source" in self.texts else "reference"]() if self.texts else []
        return [row[0] if row else "" for row in rows] or [""] * self.count

    def strings(self, name: str, system: int | None) -> list[list[list[str | None]]]:
        """Return the texts of a name: for each system (or one row for all), for each segment."""
        if name in self.numbers:
            numbers = self.array(name)
            assert numbers is not None
            found = numbers if system is None else numbers[[system]]
            return [
                [[None if math.isnan(value) else f"{value:g}"] for value in row] for row in found.tolist()
            ]
        if name in self.values:
            return [
                [[None if value is None or value == "" else spelled(value)] for value in self.values[name]]
            ]
        if name == "prediction" and self.predictions is not None:
            wanted = list(self.chosen) if system is None else [system]
            return [[list(row) for row in self.predictions(number)] for number in wanted]
        if name in self.texts:
            return [[list(row) for row in self.texts[name]()]]
        numbers = self.array(name)
        assert numbers is not None
        return [[[f"{value:g}"] for value in numbers[0].tolist()]]


def spelled(value: Any) -> str:
    """Return the value of a field as text; true and false as JSON spells them.

    >>> spelled(True), spelled(3)
    ('true', '3')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def matching(expression: str, columns: Columns) -> Array:
    """Return a mask (N,) of the segments that meet an expression."""
    node = parse(expression)
    return np.ones(columns.count, dtype=bool) if node is None else _met(node, columns)


def _met(node: Node, columns: Columns) -> Array:
    if isinstance(node, Not):
        return ~_met(node.inner, columns)
    if isinstance(node, Every):
        masks = [_met(inner, columns) for inner in node.inner]
        return np.asarray(np.any(masks, axis=0) if node.some else np.all(masks, axis=0))
    if isinstance(node, Word):
        return _searched(node.text, columns)
    return _tested(node, columns)


def _searched(text: str, columns: Columns) -> Array:
    small = text.lower()
    found = np.zeros(columns.count, dtype=bool)
    names = [*columns.texts, *(["prediction"] if columns.predictions else [])]
    for name in names:
        for rows in columns.strings(name, None):
            found |= np.array([any(small in (one or "").lower() for one in row) for row in rows], dtype=bool)
    return found


def _tested(test: Test, columns: Columns) -> Array:
    """Return the segments that meet a comparison, for the named or for any chosen system."""
    for term in (*test.left, *(test.right if isinstance(test.right, tuple) else ())):
        _check(term, columns)
    right = test.right
    if (
        isinstance(right, Value)
        and test.operator != "~"
        and right.number is None
        and right.text in columns.names
    ):
        # A name on the right side is the numbers of that name if both sides are numbers.
        term = Term(right.text, None, 0.0, 1, right.at)
        if columns.array(right.text) is not None and _is_numeric(test.left, columns):
            right = (term,)
    is_text = isinstance(right, Value) and (right.number is None or test.operator == "~")
    if isinstance(right, Value) and (is_text or not _is_numeric(test.left, columns)):
        return _of_texts(test, right, columns)
    if test.operator == "~":
        raise ExpressionError('~ needs a regular expression, such as "a|b"', test.at)
    left = _sum(test.left, columns, test.at)
    other = np.array([[right.number]]) if isinstance(right, Value) else _sum(right, columns, test.at)
    left, other = np.broadcast_arrays(left, other)
    with np.errstate(invalid="ignore"):
        holds = _COMPARE[test.operator](left, other)
    known = ~(np.isnan(left) | np.isnan(other))
    return _of_systems(holds & known if test.operator != "!=" else holds | ~known, columns)


def _of_texts(test: Test, value: Value, columns: Columns) -> Array:
    """Return the segments whose text equals a value, or matches a regular expression."""
    if len(test.left) > 1 or test.left[0].name is None:
        _sum(test.left, columns, test.at)
        if value.text is None or test.operator not in ("=", "!="):
            raise ExpressionError("a number is needed here", value.at)
        return np.full(columns.count, test.operator == "!=")
    (term,) = test.left
    name, system = str(term.name), None if term.system is None else columns.systems.index(term.system)
    numbers = columns.array(name)
    if value.text is None and numbers is not None:
        unknown = np.isnan(numbers if system is None or len(numbers) == 1 else numbers[[system]])
        if test.operator not in ("=", "!="):
            raise ExpressionError("none can only be compared by = and !=", test.at)
        if len(unknown) > 1:
            unknown = unknown[list(columns.chosen)]
        return np.asarray(unknown.all(axis=0) if test.operator == "=" else ~unknown.all(axis=0))
    if test.operator not in ("=", "!=", "~"):
        message = f"{name} is not a number" if numbers is None else "a number is needed here"
        raise ExpressionError(message, test.at if numbers is None else value.at)
    rows = columns.strings(name, system)
    if len(rows) == len(columns.systems) > 1 and system is None and name in columns.numbers:
        rows = [rows[number] for number in columns.chosen]
    if test.operator == "~":
        found = _searcher(value)
        holds = [[any(one is not None and found(one) for one in row) for row in of] for of in rows]
        return np.asarray(np.any(np.array(holds, dtype=bool), axis=0))
    if value.text is None:
        empty = np.all(
            np.array([[all(one is None for one in row) for row in of] for of in rows], dtype=bool), axis=0
        )
        return np.asarray(empty if test.operator == "=" else ~empty)
    equal = np.array([[any(one == value.text for one in row) for row in of] for of in rows], dtype=bool)
    return np.asarray(np.any(equal if test.operator == "=" else ~equal, axis=0))


def _searcher(value: Value) -> Callable[[str], bool]:
    """Return a function that searches a regular expression in a text, within a limited time."""
    import regex

    def refuse(why: object) -> NoReturn:
        raise ExpressionError(
            f'"{value.text}" is not a regular expression that can be used here: {why}', value.at
        )

    if value.text is None:
        refuse("none is not a text")
    try:
        compiled = regex.compile(pattern(str(value.text)), flags=regex.ASCII | regex.V0)
    except (ValueError, regex.error) as error:
        refuse(error)

    def found(text: str) -> bool:
        try:
            return compiled.search(text, timeout=_PATIENCE) is not None
        except TimeoutError:
            raise ParameterError(
                f"the regular expression {str(value.text)!r} takes more than {_PATIENCE:g} s for one text; use a simpler one."
            ) from None

    return found


def _check(term: Term, columns: Columns) -> None:
    if term.name is not None and term.name not in columns.names:
        import difflib

        near = difflib.get_close_matches(term.name.lower(), columns.names, n=1, cutoff=0.6)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise ExpressionError(f"unknown column {term.name}{hint}", term.at)
    if term.system is not None and term.system not in columns.systems:
        raise ExpressionError(f"unknown system {term.system}", term.system_at)
    if term.system is not None and not (term.name in columns.numbers or term.name == "prediction"):
        raise ExpressionError(f"{term.name} is the same for every system", term.system_at)


def _is_numeric(terms: Sequence[Term], columns: Columns) -> bool:
    return all(term.name is None or columns.array(term.name) is not None for term in terms)


def _sum(terms: Sequence[Term], columns: Columns, at: int) -> Array:
    """Return the sum of terms: one row per system, or one row if it is the same for all."""
    total: Array = np.zeros((1, 1))
    for term in terms:
        if term.name is None:
            values: Array | None = np.array([[term.number]])
        else:
            values = columns.array(term.name)
            if values is None:
                raise ExpressionError(f"{term.name} is not a number", at)
            if term.system is not None:
                values = values[[columns.systems.index(term.system)]]
        total = total + term.sign * np.asarray(values)
    return total


def _of_systems(holds: Array, columns: Columns) -> Array:
    """Return whether a comparison holds for any chosen system."""
    rows = np.broadcast_to(holds, (len(holds), columns.count))
    return np.asarray(rows[0] if len(rows) == 1 else rows[list(columns.chosen)].any(axis=0))


def as_numbers(values: Sequence[Any]) -> Array | None:
    """Return a column as numbers, (1, N), NaN if a value is missing; None if some value is not a number."""
    found = []
    for value in values:
        if value is None or value == "":
            found.append(math.nan)
        elif (isinstance(value, int | float) and not isinstance(value, bool)) or (
            isinstance(value, str) and _NUMBER.fullmatch(value)
        ):
            found.append(float(value))
        else:
            return None
    return np.array([found]) if found and not np.isnan(found).all() else None
