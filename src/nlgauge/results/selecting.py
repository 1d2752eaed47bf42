"""The segments of a result that meet an expression (`nlgauge._core.expression`)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

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
from nlgauge._core.safe_text import visible
from nlgauge.errors import InputError, ParameterError
from nlgauge.results.labels import output_names
from nlgauge.spans.named_numbers import named_numbers, with_span_fields
from nlgauge.spans.of_corpus import spans_of_corpus

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.results.result import Result

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
_HUMAN = "human."
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
        own = [*_TEXTS] if self.predictions else [name for name in _TEXTS if name in self.texts]
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
            found = _as_numbers(self.values[name])
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
            return [[[None if value is None or value == "" else str(value)] for value in self.values[name]]]
        if name == "prediction" and self.predictions is not None:
            wanted = list(self.chosen) if system is None else [system]
            return [[list(row) for row in self.predictions(number)] for number in wanted]
        if name in self.texts:
            return [[list(row) for row in self.texts[name]()]]
        numbers = self.array(name)
        assert numbers is not None
        return [[[f"{value:g}"] for value in numbers[0].tolist()]]


def selected(result: Result, expression: str) -> Array:
    """Return the numbers of the segments that meet an expression, in order.

    Raises
    ------
    ExpressionError
        If the expression has a mistake.
    InputError
        If no segment meets it.
    """
    segments = np.flatnonzero(matching(expression, columns_of(result)))
    if not len(segments):
        raise InputError(f"no segment meets {expression!r:.200}; use a wider expression.")
    return segments


def columns_of(result: Result, chosen: Sequence[int] | None = None) -> Columns:
    """Return what an expression can name in a result; `chosen` are the systems that count."""
    corpus = result.corpus

    def scores(label: str, output: str) -> Callable[[], Array]:
        return lambda: np.stack(
            [result._tables[system, label].segments_of(output) for system in result.systems]
        )

    numbers: dict[str, Callable[[], Array]] = {}
    shown = output_names(result)
    for label in result.labels:
        table = result._tables[result.systems[0], label]
        known = [output.name for output in table.outputs() if (label, output.name) in shown]
        for place, output in enumerate(known):
            names = [shown[label, output], f"{label}.{output}", *([label] if place == 0 else [])]
            for name in names:
                numbers.setdefault(name, scores(label, output))
    values: dict[str, Sequence[Any]] = {
        name: column for name, column in with_span_fields(corpus).fields.items() if name not in numbers
    }
    for name, by_system in corpus.system_fields.items():
        rows = [_scores_of(by_system.get(system, [None] * len(corpus))) for system in result.systems]
        if name not in numbers and all(row is not None for row in rows):
            numbers[name] = lambda rows=rows: np.concatenate(rows)  # type: ignore[misc]
    if corpus.spans:
        for name, counted in named_numbers(spans_of_corpus(corpus)).items():
            numbers.setdefault(name, lambda counted=counted: counted)  # type: ignore[misc]
    # A human score has its name with and without the prefix.
    free = {name.removeprefix(_HUMAN) for name in (*numbers, *values)} - {*numbers, *values}
    short = {name: name.removeprefix(_HUMAN) for name in (*numbers, *values)}
    numbers |= {short[name]: found for name, found in numbers.items() if short[name] in free}
    values |= {short[name]: found for name, found in values.items() if short[name] in free}
    numbers |= {visible(name): found for name, found in numbers.items() if visible(name) not in numbers}
    values |= {visible(name): found for name, found in values.items() if visible(name) not in values}
    texts: dict[str, Callable[[], list[list[str]]]] = {
        "id": lambda: [[str(segment)] for segment in corpus.ids]
    }
    if result.has_texts and corpus.sources is not None:
        sources = corpus.sources
        texts["source"] = lambda: [[corpus.texts[int(text)]] for text in sources]
    if result.has_texts and corpus.references is not None:
        references = corpus.references
        texts["reference"] = lambda: [[corpus.texts[int(text)] for text in row] for row in references]
    predictions = (lambda number: _first_texts(corpus, result.systems[number])) if result.has_texts else None
    systems = [visible(system) for system in result.systems]
    return Columns(
        systems,
        len(corpus),
        numbers,
        values,
        texts,
        predictions,
        range(len(systems)) if chosen is None else chosen,
    )


def _first_texts(corpus: Corpus, system: str) -> list[list[str]]:
    """Return the first prediction of each segment; an empty text for a segment without one."""
    return [[corpus.texts[int(row[0])] if len(row) else ""] for row in corpus.predictions[system]]


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


def _scores_of(values: Sequence[Any]) -> Array | None:
    """Return scores as numbers, (1, N), with the mean of several ratings; None if some score is not a number."""
    means = []
    for value in values:
        ratings = [one for one in value if one is not None] if isinstance(value, list | tuple) else [value]
        rated = _as_numbers(ratings)
        if rated is None and any(one is not None for one in ratings):
            return None
        means.append(math.nan if rated is None else float(np.nanmean(rated)))
    return np.array([means])


def _as_numbers(values: Sequence[Any]) -> Array | None:
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
