"""The names that an expression can use in records, raw columns and corpora, and the segments that meet it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.expression import Every, ExpressionError, Node, Not, Test, Value, parse
from nlgauge._core.ragged import Array
from nlgauge._core.safe_text import visible
from nlgauge.corpus.fields import NothingMatches
from nlgauge.corpus.records import ABSENT, FIELD_NAMES, usual_names
from nlgauge.corpus.selecting import Columns, as_numbers, matching
from nlgauge.corpus.validation import is_missing
from nlgauge.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from nlgauge.corpus.corpus import Corpus
    from nlgauge.corpus.raw_columns import RawColumns
    from nlgauge.corpus.records import Records

_HUMAN = "human."
_SHOWN = 20
_TEXTS = {"id": "id", "source": "source", "references": "reference", "prediction": "prediction"}
Numbers = Mapping[str, Callable[[], Array]]


def meeting(expressions: str | Sequence[str], columns: Columns, what: str) -> list[int]:
    """Return the numbers of the rows that meet every expression; raise NothingMatches if there are none."""
    rows: Array = np.ones(columns.count, dtype=bool)
    for expression in each_expression(expressions):
        try:
            rows &= matching(expression, columns)
        except ExpressionError as error:
            if not error.says.startswith("unknown column") or ";" in error.says:
                raise
            raise ExpressionError(
                f"{error.says}; the columns are {_listed(columns.names)}", error.at
            ) from None
        if not rows.any():
            raise NothingMatches(
                f"no {what} meets {expression!r:.200}{_reason(expression, columns)}; use another expression."
            )
    return list(map(int, np.flatnonzero(rows)))


def each_expression(expressions: str | Sequence[str]) -> list[str]:
    """Return one or several expressions as a list."""
    found = [expressions] if isinstance(expressions, str) else list(expressions)
    if isinstance(expressions, Mapping) or not all(isinstance(each, str) for each in found):
        raise ParameterError(
            f"where must be an expression, such as 'domain = news', or a list of expressions, got {expressions!r:.80}."
        )
    return found


def unknown_values(expression: str, columns: Columns) -> Iterator[str]:
    """Yield a message for each comparison by = or != with a text that no row has."""
    node = parse(expression)
    for test in () if node is None else _tests(node):
        (first, *more), right = test.left, test.right
        if more or first.name is None or first.name not in columns.values or test.operator not in ("=", "!="):
            continue
        if not isinstance(right, Value) or right.text is None or right.text in columns.names:
            continue
        texts = list(dict.fromkeys(row[0] for row in columns.strings(first.name, None)[0]))
        present = [text for text in texts if text is not None]
        numbers = columns.array(first.name)
        is_number = right.number is not None and numbers is not None and right.number in numbers
        if right.text not in present and not is_number:
            near = did_you_mean(right.text, present)
            yield f"{first.name} is never {right.text!r:.60}{near}; its values are {_listed(present)}"


def _listed(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > _SHOWN else ""
    return ", ".join(map(repr, names[:_SHOWN])) + more


def _reason(expression: str, columns: Columns) -> str:
    message = next(unknown_values(expression, columns), None)
    return "" if message is None else f" ({message})"


def _tests(node: Node) -> Iterator[Test]:
    if isinstance(node, Test):
        yield node
    elif isinstance(node, Not):
        yield from _tests(node.inner)
    elif isinstance(node, Every):
        for inner in node.inner:
            yield from _tests(inner)


def of_records(records: Records) -> Columns:
    """Return the names of records: their columns, the ends of names with dots, and the roles of texts."""
    columns = {
        name: [None if value is ABSENT or is_missing(value) else value for value in values]
        for name, values in records.columns.items()
    }
    names: dict[str, str] = {name: name for name in columns}
    ends: dict[str, list[str]] = {}
    for name in columns:
        parts = name.split(".")
        for start in range(1, len(parts)):
            ends.setdefault(".".join(parts[start:]), []).append(name)
    names |= {end: found[0] for end, found in ends.items() if len(found) == 1 and end not in columns}
    roles = {
        our: next((name for name in theirs if name in columns), "") for our, theirs in FIELD_NAMES.items()
    }
    roles |= usual_names(list(columns), {our: name for our, name in roles.items() if name})
    texts = {
        _TEXTS[our]: (lambda name=name: [_as_texts(value) for value in columns[name]])
        for our, name in roles.items()
        if name and our in _TEXTS
    }
    labels = {our: name for our, name in roles.items() if name and our not in _TEXTS}
    names = {**labels, **names, **({"id": roles["id"]} if roles["id"] else {})}
    values = {name: columns[column] for name, column in names.items() if name == "id" or name not in texts}
    # A block in which all values of a column are missing must not decide that it has no numbers.
    empty = {name for name, column in values.items() if all(value is None for value in column)}
    return Columns(
        (),
        records.count,
        {name: (lambda: np.full((1, records.count), math.nan)) for name in empty},
        {name: column for name, column in values.items() if name not in empty},
        texts,
    )


def of_parts(parts: RawColumns) -> Columns:
    """Return the names of raw columns: fields, ids, documents, and texts by their role."""
    count = parts.count
    ids = range(count) if parts.ids is None else parts.ids
    labels = {"id": ids} if parts.documents is None else {"id": ids, "document": parts.documents}
    texts: dict[str, Callable[[], list[list[str]]]] = {"id": lambda: [[str(each)] for each in ids]}
    if parts.sources is not None:
        texts["source"] = lambda: [_as_texts(value) for value in parts.sources]
    if parts.references is not None:
        texts["reference"] = lambda: [_as_texts(value) for value in parts.references]
    systems = list(parts.predictions)
    return Columns(
        [visible(system) for system in systems],
        count,
        {},
        {**labels, **parts.fields},
        texts,
        lambda number: [_as_texts(value) for value in parts.predictions[systems[number]]],
        range(len(systems)),
    )


def of_corpus(
    corpus: Corpus,
    scores: Numbers | None = None,
    counts: Numbers | None = None,
    has_texts: bool = True,
    chosen: Sequence[int] | None = None,
) -> Columns:
    """Return the names of a corpus: its fields, texts and ids, with `scores` that hide fields of the same
    name, and `counts` that do not; `chosen` are the systems that count.
    """
    numbers: dict[str, Callable[[], Array]] = dict(scores or {})
    values: dict[str, Sequence[Any]] = {
        name: column for name, column in corpus.fields.items() if name not in numbers
    }
    for name, by_system in corpus.system_fields.items():
        rows = [_scores_of(by_system.get(system, [None] * len(corpus))) for system in corpus.systems]
        if name not in numbers and all(row is not None for row in rows):
            numbers[name] = lambda rows=rows: np.concatenate(rows)  # type: ignore[misc]
    for name, each in (counts or {}).items():
        numbers.setdefault(name, each)
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
    if has_texts and corpus.sources is not None:
        sources = corpus.sources
        texts["source"] = lambda: [[corpus.texts[int(text)]] for text in sources]
    if has_texts and corpus.references is not None:
        references = corpus.references
        texts["reference"] = lambda: [[corpus.texts[int(text)] for text in row] for row in references]
    systems = list(corpus.systems)
    return Columns(
        [visible(system) for system in systems],
        len(corpus),
        numbers,
        values,
        texts,
        (lambda number: _first_texts(corpus, systems[number])) if has_texts else None,
        range(len(systems)) if chosen is None else chosen,
    )


def _as_texts(value: Any) -> list[str]:
    several = value if isinstance(value, list | tuple) else [value]
    return [str(each) for each in several if not is_missing(each)]


def _first_texts(corpus: Corpus, system: str) -> list[list[str]]:
    """Return the first prediction of each segment; an empty text for a segment without one."""
    return [[corpus.texts[int(row[0])] if len(row) else ""] for row in corpus.predictions[system]]


def _scores_of(values: Sequence[Any]) -> Array | None:
    """Return scores as numbers, (1, N), with the mean of several ratings; None if some score is not a number."""
    means = []
    for value in values:
        ratings = [one for one in value if one is not None] if isinstance(value, list | tuple) else [value]
        rated = as_numbers(ratings)
        if rated is None and any(one is not None for one in ratings):
            return None
        means.append(math.nan if rated is None else float(np.nanmean(rated)))
    return np.array([means])
