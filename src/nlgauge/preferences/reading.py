"""Verdicts from records: nlgauge's fields, pairs of benchmarks, files of Arena, and annotations of AlpacaEval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus.records import ABSENT, Records, as_records, find_field
from nlgauge.errors import InputError, ParameterError
from nlgauge.preferences.grades import (
    ARROWS,
    STRENGTH,
    grades_of,
    highest_of,
    is_missing,
    number,
    outcomes_of,
    strengths_of,
)
from nlgauge.preferences.verdicts import Verdicts, check_some, numbered, soft_outcomes

# Names of the fields: the name of nlgauge, and the names that benchmarks, Arena and AlpacaEval use.
_FIRST = ("first", "first.system", "model_a", "generator_1")
_SECOND = ("second", "second.system", "model_b", "generator_2")
_SEGMENT = ("item", "segment", "segment_id", "id", "question_id", "instruction")
_DOCUMENT = ("doc", "document", "doc_id", "document_id")
_VERDICT = ("winner", "win", "preference", "grade")
_LENGTHS = (
    ("first_length", "second_length"),
    ("conv_metadata.sum_assistant_a_tokens", "conv_metadata.sum_assistant_b_tokens"),
)
_TEXTS = (
    ("first_text", "second_text"),
    ("first.text", "second.text"),
    ("output_1", "output_2"),
    ("response_a", "response_b"),
)
_FIRST_WON = frozenset(("first", "model_a", "generator_1"))
_SECOND_WON = frozenset(("second", "model_b", "generator_2"))
_TIED = frozenset(("tie", "tie (bothbad)", "both_bad", "bothbad"))
_OUTCOMES = {"first": (1.0, 0.0, 0.0), "tie": (0.0, 1.0, 0.0), "second": (0.0, 0.0, 1.0)}


def read_records(
    records: Any, documents: str | None = None, verdict: str | None = None, grades: float | None = None
) -> Verdicts:
    """Read verdicts; `grades` is the grade of a whole win, None if every decided verdict is one.

    `documents` and `verdict` name fields: by default "doc" or "document" if it exists, and the first of `_VERDICT`.
    """
    table = as_records(list(records) if _is_plain_iterable(records) else records)
    if table is None or not table.count:
        raise InputError(
            "records must be dictionaries with the fields first, second and winner, a data frame of them, or a"
            f" Result with a metric, got {type(records).__name__}."
        )
    sides = [_names(table, aliases) for aliases in (_FIRST, _SECOND)]
    outcomes, highest = _outcomes(table, sides, verdict, grades)
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
        highest,
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


def _outcomes(
    table: Records, sides: Sequence[Sequence[str]], verdict: str | None, grades: float | None
) -> tuple[Array, float | None]:
    """Return the shares of each record that the first side won, tied and lost, NaN without a verdict, and the highest
    grade, None if verdicts have no grades.
    """
    field = _verdict_field(table, verdict)
    if field in ("win", "preference"):
        if grades is not None:
            raise _no_grades(f"{field!r} is a probability")
        read: Callable[[float], float] = (lambda value: value) if field == "win" else _of_preference
        wins = [
            _probability(table, field, row, value, read) for row, value in enumerate(table.columns[field])
        ]
        return soft_outcomes(np.array(wins)), None
    if field == "grade" or (field != "winner" and _is_number(table.columns[field])):
        found = grades_of(table, field)
        return outcomes_of(table, found, grades), highest_of(found)
    return _of_winners(table, field, sides, grades)


def _verdict_field(table: Records, verdict: str | None) -> str:
    """Return the field of the verdicts."""
    if verdict is not None:
        return find_field(verdict, list(table.columns), "the records")
    field = _field(table, _VERDICT)
    if field is not None:
        return field
    rated = ", ".join(name for name in table.columns if name.startswith("human."))
    if rated:
        raise InputError(
            f"the records have ratings of people ({rated}); name one of these fields",
            python="pass verdict=FIELD",
            cli="use --verdict FIELD",
        )
    raise InputError(
        "the records have no verdict; they need a field 'winner' (first, second, tie or a system), 'win' (the"
        " probability that the first wins), 'preference' (1 to 2, as in AlpacaEval) or 'grade' (above 0: the second is"
        " better)."
    )


def _is_number(values: Sequence[Any]) -> bool:
    """Return True if the first value that is not missing is a number."""
    return next((not math.isnan(number(value)) for value in values if not is_missing(value)), True)


def _of_winners(
    table: Records, field: str, sides: Sequence[Sequence[str]], grades: float | None
) -> tuple[Array, float | None]:
    """Return the outcomes of named winners, and the highest grade of arrows ("A>>B") or of a field of strengths."""
    values = table.columns[field]
    words = [str(value).strip().lower() for value in values]
    if any(word in ARROWS for word in words):
        found = np.array(
            [
                math.nan if is_missing(values[row]) else _of_arrow(table, field, row, word)
                for row, word in enumerate(words)
            ]
        )
        return outcomes_of(table, found, grades), highest_of(found)
    outcomes = np.array(
        [
            _of_winner(table, field, row, value, sides[0][row], sides[1][row])
            for row, value in enumerate(values)
        ]
    )
    if STRENGTH not in table.columns:
        if grades is not None:
            raise _no_grades("the records have only winners")
        return outcomes, None
    found = strengths_of(table, outcomes[:, 0] - outcomes[:, 2])
    return outcomes if grades is None else outcomes_of(table, found, grades), highest_of(found)


def _no_grades(reason: str) -> ParameterError:
    return ParameterError(
        f"verdicts have no grades: {reason}", python="leave grades out", cli="leave --grades out"
    )


def _of_arrow(table: Records, field: str, row: int, word: str) -> float:
    if word in ARROWS:
        return ARROWS[word]
    raise InputError(
        f"{table.place(row)}: {field!r} is {_shown(table.columns[field][row])}, but must be A>>B, A>B, A=B, B>A or B>>A."
    )


def _of_winner(
    table: Records, field: str, row: int, value: Any, first: str, second: str
) -> tuple[float, float, float]:
    if is_missing(value):
        return (math.nan,) * 3
    name = str(value)
    # The name of a system comes first: a system may be called "tie".
    if name in (first, second):
        return _OUTCOMES["first" if name == first else "second"]
    for words, outcome in ((_FIRST_WON, "first"), (_SECOND_WON, "second"), (_TIED, "tie")):
        if name.lower() in words:
            return _OUTCOMES[outcome]
    raise InputError(
        f"{table.place(row)}: {field!r} is {_shown(value)}, but must be first, second, tie, {first} or {second}."
    )


def _probability(table: Records, field: str, row: int, value: Any, read: Callable[[float], float]) -> float:
    """Return the probability that the first side wins; NaN without a verdict."""
    if is_missing(value):
        return math.nan
    win = read(number(value))
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
    value = number(table.columns[field][row])
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


def _shown(value: Any) -> str:
    return "missing" if value is None or value is ABSENT else f"{value!r:.60}"
