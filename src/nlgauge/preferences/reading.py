"""Verdicts from records: nlgauge's fields, files of Arena, and annotations of AlpacaEval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus.records import ABSENT, Records, as_records, find_field
from nlgauge.errors import InputError
from nlgauge.preferences.verdicts import Verdicts, check_some, numbered, soft_outcomes

# Names of the fields: the name of nlgauge, and the names that Arena and AlpacaEval use.
_FIRST = ("first", "model_a", "generator_1")
_SECOND = ("second", "model_b", "generator_2")
_SEGMENT = ("item", "segment", "segment_id", "id", "question_id", "instruction")
_DOCUMENT = ("doc", "document", "doc_id", "document_id")
_VERDICT = ("winner", "win", "preference")
_LENGTHS = (
    ("first_length", "second_length"),
    ("conv_metadata.sum_assistant_a_tokens", "conv_metadata.sum_assistant_b_tokens"),
)
_TEXTS = (("first_text", "second_text"), ("output_1", "output_2"), ("response_a", "response_b"))
_FIRST_WON = frozenset(("first", "model_a", "generator_1"))
_SECOND_WON = frozenset(("second", "model_b", "generator_2"))
_TIED = frozenset(("tie", "tie (bothbad)", "both_bad", "bothbad"))
_OUTCOMES = {"first": (1.0, 0.0, 0.0), "tie": (0.0, 1.0, 0.0), "second": (0.0, 0.0, 1.0)}


def read_records(records: Any, documents: str | None = None) -> Verdicts:
    """Read verdicts; `documents` names the field of the documents, by default "doc" or "document" if it exists."""
    table = as_records(list(records) if _is_plain_iterable(records) else records)
    if table is None or not table.count:
        raise InputError(
            "records must be dictionaries with the fields first, second and winner, a data frame of them, or a"
            f" Result with a metric, got {type(records).__name__}."
        )
    sides = [_names(table, aliases) for aliases in (_FIRST, _SECOND)]
    outcomes = _outcomes(table, sides)
    known = ~np.isnan(outcomes[:, 0])
    for row in range(table.count):
        if sides[0][row] == sides[1][row]:
            raise InputError(f"{table.place(row)} compares {sides[0][row]!r:.60} with itself.")
    numbers, systems = numbered([*sides[0], *sides[1]])
    segments, segment_names = _labels(table, _field(table, _SEGMENT))
    verdicts = Verdicts(
        tuple(systems),
        numbers[: table.count],
        numbers[table.count :],
        outcomes,
        segments,
        segment_names,
        _documents(table, documents, segments),
        _lengths(table),
        int((~known).sum()),
    )
    return check_some(verdicts.take(np.flatnonzero(known)))


def _is_plain_iterable(records: Any) -> bool:
    """Return True for generators and tuples of dictionaries."""
    return (
        not hasattr(records, "columns")
        and not hasattr(records, "column_names")
        and hasattr(records, "__next__")
    )


def _field(table: Records, aliases: Sequence[str]) -> str | None:
    return next((name for name in aliases if name in table.columns), None)


def _names(table: Records, aliases: Sequence[str]) -> list[str]:
    """Return the system of each record on one side."""
    field = _field(table, aliases)
    if field is None:
        raise InputError(
            f"the records have no field {aliases[0]!r} (or {', '.join(map(repr, aliases[1:]))}); they have"
            f" {', '.join(table.columns) or 'none'}."
        )
    return [_label(table, field, row) for row in range(table.count)]


def _label(table: Records, field: str, row: int) -> str:
    value = table.columns[field][row]
    if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
        return str(value)
    raise InputError(f"{table.place(row)}: {field!r} is {_shown(value)}, but must be a name.")


def _labels(table: Records, field: str | None) -> tuple[Array | None, list[str]]:
    if field is None:
        return None, []
    return numbered([_label(table, field, row) for row in range(table.count)])


def _documents(table: Records, name: str | None, segments: Array | None) -> Array | None:
    """Return the number of each record's document; raise if a segment is in two documents."""
    field = _field(table, _DOCUMENT) if name is None else find_field(name, list(table.columns), "the records")
    if field is None or (name is not None and field == _field(table, _SEGMENT)):
        return None
    documents, names = _labels(table, field)
    if segments is not None and documents is not None:
        owner = np.full(int(segments.max()) + 1, -1)
        owner[segments] = documents
        for row in np.flatnonzero(owner[segments] != documents)[:1].tolist():
            raise InputError(
                f"{table.place(row)}: a segment is in the documents {names[documents[row]]!r:.60} and"
                f" {names[owner[segments[row]]]!r:.60}, but must be in one."
            )
    return documents


def _outcomes(table: Records, sides: Sequence[Sequence[str]]) -> Array:
    """Return the shares of each record that the first side won, tied and lost; NaN without a verdict."""
    field = _field(table, _VERDICT)
    if field is None:
        raise InputError(
            "the records have no verdict; they need a field 'winner' (first, second, tie or a system), 'win' (the"
            " probability that the first wins) or 'preference' (1 to 2, as in AlpacaEval)."
        )
    # A table of texts has an empty field for a missing verdict.
    values = [None if value is ABSENT or value == "" else value for value in table.columns[field]]
    if field == "winner":
        return np.array(
            [_of_winner(table, row, value, sides[0][row], sides[1][row]) for row, value in enumerate(values)]
        )
    read: Callable[[float], float] = (lambda value: value) if field == "win" else _of_preference
    return soft_outcomes(
        np.array([_probability(table, field, row, value, read) for row, value in enumerate(values)])
    )


def _of_winner(table: Records, row: int, value: Any, first: str, second: str) -> tuple[float, float, float]:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return (math.nan,) * 3
    name = str(value)
    # The name of a system comes first: a system may be called "tie".
    if name in (first, second):
        return _OUTCOMES["first" if name == first else "second"]
    for words, outcome in ((_FIRST_WON, "first"), (_SECOND_WON, "second"), (_TIED, "tie")):
        if name.lower() in words:
            return _OUTCOMES[outcome]
    raise InputError(
        f"{table.place(row)}: 'winner' is {_shown(value)}, but must be first, second, tie, {first} or {second}."
    )


def _probability(table: Records, field: str, row: int, value: Any, read: Callable[[float], float]) -> float:
    """Return the probability that the first side wins; NaN without a verdict."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return math.nan
    win = read(_number(value))
    if 0 <= win <= 1:
        return win
    span = "from 0 to 1" if field == "win" else "from 1 to 2"
    raise InputError(f"{table.place(row)}: {field!r} is {_shown(value)}, but must be a number {span}.")


def _of_preference(value: float) -> float:
    """Return the probability that the first generator wins; AlpacaEval writes a tie as 1.5, and once as 0."""
    return 0.5 if value == 0 else 2 - value


def _lengths(table: Records) -> Array | None:
    """Return the lengths of both predictions, of texts in characters; None if the records have neither."""
    for kinds, length in ((_LENGTHS, _length), (_TEXTS, _characters)):
        for names in kinds:
            if all(name in table.columns for name in names):
                columns = [[length(table, name, row) for row in range(table.count)] for name in names]
                return np.array(columns).T
    return None


def _length(table: Records, field: str, row: int) -> float:
    value = _number(table.columns[field][row])
    if 0 <= value < math.inf:
        return value
    raise InputError(
        f"{table.place(row)}: {field!r} is {_shown(table.columns[field][row])}, but must be a length."
    )


def _characters(table: Records, field: str, row: int) -> float:
    value = table.columns[field][row]
    texts = [value] if isinstance(value, str) else value
    if isinstance(texts, list) and all(isinstance(text, str) for text in texts):
        return float(sum(map(len, texts)))
    raise InputError(f"{table.place(row)}: {field!r} is {_shown(value)}, but must be a text.")


def _number(value: Any) -> float:
    """Return a number, also of a table of texts; NaN if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan


def _shown(value: Any) -> str:
    return "missing" if value is None or value is ABSENT else f"{value!r:.60}"
