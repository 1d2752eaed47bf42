"""Validation of the arguments of `Corpus.read`: texts, weights, and names of segments and documents.

Lists of plain strings, the usual input, are checked as a whole. All other input is checked item by item, so
that an error names the place of the invalid item.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array, Ragged, offsets_of
from nlgauge.corpus.records import is_text_list
from nlgauge.corpus.texts import Texts, are_texts, flattened
from nlgauge.errors import InputError


class ColumnInput(NamedTuple):
    """Input of a column: the concatenated texts of all segments, and the number of texts per segment.

    `lengths` is None if every segment has one text.
    """

    name: str
    items: list[Any]
    lengths: Array | None = None

    @classmethod
    def of(cls, values: Any, name: str) -> ColumnInput:
        """Read a list of texts, or a list of lists of texts."""
        items = items_of(values, name)
        if set(map(type, items)) <= {str}:
            return cls(name, items)
        plain = flattened(items)
        if plain is None:
            nested = [is_text_list(item) for item in items]
            if any(nested) and not all(nested):
                for i, item in enumerate(items):
                    if not nested[i] and not isinstance(item, str):
                        _text(item, f"{name}[{i}]")  # raises
                odd = nested.index(not nested[0])
                shapes = ("a list", "one text") if nested[0] else ("one text", "a list")
                raise InputError(
                    f"{name}[0] is {shapes[0]} but {name}[{odd}] is {shapes[1]}; pass only texts or only lists."
                )
            if not nested[0]:
                return cls(name, items)
            plain = flattened([list(item) for item in items])
            assert plain is not None
        return cls(name, *plain)

    def __len__(self) -> int:
        return len(self.items) if self.lengths is None else len(self.lengths)

    def column(self, texts: Texts, least: int) -> Ragged:
        """Return the column of text ids; every segment needs at least `least` texts."""
        enough = self.lengths is None or not len(self.lengths) or self.lengths.min() >= least
        items = self.items if enough and are_texts(self.items) else self._checked(least)
        values = texts.intern_all(items)
        return Ragged.single(values) if self.lengths is None else Ragged(values, offsets_of(self.lengths))

    def _checked(self, least: int) -> list[str]:
        """Return the texts as plain strings; raise InputError with the place of an invalid item."""
        strings: list[str] = []
        items = iter(self.items)
        for i, length in enumerate([1] * len(self.items) if self.lengths is None else self.lengths.tolist()):
            if length < least:
                raise InputError(
                    f"{self.name}[{i}] is an empty list; pass at least one text, '' if the system has none."
                )
            strings.extend(
                _text(next(items), f"{self.name}[{i}]" if length == 1 else f"{self.name}[{i}][{j}]")
                for j in range(length)
            )
        return strings


def references_of(references: Any, count: int, texts: Texts) -> Ragged:
    """Return the column of references of `count` segments."""
    column = ColumnInput.of(references, "references")
    if len(column) != count:
        hint = "pass one text (or a list) per prediction."
        if count > 1 and column.lengths is not None and (column.lengths == count).all():
            hint = (
                f"they look transposed ({len(column)} lists of {count}), so pass list(zip(*references)), with"
                " all references of a prediction in one list."
            )
        raise InputError(f"references has {counted(len(column), 'item')} but predictions has {count}; {hint}")
    return column.column(texts, least=0)


def sources_of(sources: Any, count: int, texts: Texts) -> Array:
    """Return the text ids of the sources of `count` segments."""
    items = items_of(sources, "sources")
    if len(items) != count:
        raise InputError(
            f"sources has {counted(len(items), 'item')} but predictions has {count}; pass one text per prediction."
        )
    return ColumnInput("sources", items).column(texts, least=1).values


def weights_of(weights: Iterable[float], count: int, piece: bool = False) -> Array:
    """Return the weights of `count` segments; all may be 0 only in a chunk (`piece`) of a larger corpus."""
    items = items_of(weights, "weights", "numbers")
    column = np.array([_number(item, f"weights[{i}]") for i, item in enumerate(items)])
    if len(column) != count:
        raise InputError(
            f"weights has {counted(column.size, 'item')} but predictions has {count}; pass one number per segment."
        )
    invalid = np.flatnonzero(~(np.isfinite(column) & (column >= 0)))
    if len(invalid):
        raise InputError(
            f"weights[{invalid[0]}] is {column[invalid[0]]:g}; weights must be finite and not negative."
        )
    if not column.any() and not piece:
        raise no_weight()
    return column


def no_weight() -> InputError:
    """Return the error for weights that are all 0."""
    return InputError("all weights are 0; at least one segment needs a positive weight.")


def _number(value: Any, place: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{place} is {value!r:.40}, but must be a number.") from None


def values_of(values: Iterable[Any], count: int, name: str) -> list[Any]:
    """Return the values, of any type, as a list; raise InputError unless their number is `count`."""
    items = items_of(values, name, "values")
    if len(items) != count:
        raise InputError(
            f"{name} has {counted(len(items), 'item')} but predictions has {count}; pass one item per segment."
        )
    return items


def labels_of(labels: Iterable[Any], count: int, name: str, hashable: bool = False) -> tuple[str, ...]:
    """Return `count` labels, of segments or documents, as strings.

    With `hashable`, a label may be any hashable value; otherwise mappings and sequences are refused.
    """
    items = values_of(labels, count, name)
    if are_texts(items):
        return tuple(items)
    return tuple(_label(item, f"{name}[{i}]", hashable) for i, item in enumerate(items))


def ids_of(ids: Iterable[Any] | None, count: int) -> Sequence[Hashable]:
    """Return the ids of `count` segments, or 0 to `count` - 1 if `ids` is None.

    Raise InputError unless all ids are different, both as values and as texts.
    """
    if ids is None:
        return range(count)
    items = [item.item() if isinstance(item, np.generic) else item for item in items_of(ids, "ids", "names")]
    names = labels_of(items, count, "ids", hashable=True)
    for column in (names, items):
        if len(set(column)) != count:
            seen: set[Hashable] = set()
            twice = next(name for name in column if name in seen or seen.add(name))  # type: ignore[func-returns-value]
            raise repeated_id(f"{twice!r} occurs more than once")
    return range(count) if items == list(range(count)) else tuple(items)


def repeated_id(problem: str) -> InputError:
    """Return the error for ids that are not unique."""
    return InputError(
        f"ids must be unique, but {problem}",
        python="change an id or, for several systems, pass predictions={name: texts} or records with a field"
        " 'system'",
        cli="change an id or, for several systems, use one file per system or records with a field 'system'",
    )


def check_system(name: Any) -> None:
    """Raise InputError if the name of a system is not a non-empty, encodable string."""
    if not isinstance(name, str) or not name:
        raise InputError(f"system names must be non-empty strings, got {name!r:.40}.")
    encodable(name, f"the system name {name!a}")


def items_of(values: Any, name: str, what: str = "texts") -> list[Any]:
    """Return the items of a list, array, column of a data frame or other sequence as a list."""
    if isinstance(values, str | bytes):
        raise InputError(
            f"{name} is one {type(values).__name__}; pass a list of {what}, with one item for a single segment."
        )
    if values is None:
        raise InputError(f"{name} is None; pass a list of {what}.")
    if isinstance(values, type) or not is_text_list(values):
        raise InputError(f"{name} is {_a(values)}; pass a list of {what}.")
    if hasattr(values, "columns"):
        raise InputError(f"{name} is {_a(values)}; pass one of its columns.")
    return list(values)


def _a(value: Any) -> str:
    """Return the type of a value with an indefinite article."""
    kind = f"class {value.__name__}" if isinstance(value, type) else type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def _text(value: Any, place: str) -> str:
    """Return the value as a plain string; raise InputError with its place if it is not a text."""
    if isinstance(value, str):
        return encodable(str(value), place)
    if is_missing(value):
        raise missing_text(f"{place} is {value!r}, but must be a text; an empty text is ''")
    raise InputError(f"{place} is {_a(value)} ({value!r:.40}); pass a str.")


def missing_text(problem: str) -> InputError:
    """Return the error for a missing text; the hints name the function, because others lack the option."""
    return InputError(
        problem,
        python="score(..., skip_missing=True) leaves such segments out",
        cli="`nlgauge score --skip-missing` leaves such segments out",
    )


def encodable(text: str, place: str) -> str:
    """Return a text; raise InputError if it cannot be encoded."""
    if text.isascii():  # much faster than encoding
        return text
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{place} has a lone surrogate (U+{ord(text[error.start]):04X}) at character {error.start}, which"
            " is not valid text; read the data with the correct encoding."
        ) from None
    return text


def _label(item: Any, place: str, hashable: bool) -> str:
    """Return a label as a string; raise InputError if it is missing or contains several values."""
    if is_missing(item) or not (
        is_hashable(item) if hashable else not isinstance(item, Mapping) and not is_text_list(item)
    ):
        raise InputError(f"{place} is {item!r:.40}; it must be a name or a number.")
    return encodable(str(item), place)


def is_missing(value: Any) -> bool:
    """Return True for None, NaN and the missing values of data frames (<NA>, NaT)."""
    if value is None:
        return True
    if isinstance(value, float):
        return math.isnan(value)
    return not isinstance(value, str | int | list | tuple | Mapping) and str(value) in ("nan", "<NA>", "NaT")


def is_hashable(item: Any) -> bool:
    """Return True if a value is hashable and thus can be an id."""
    try:
        hash(item)
    except TypeError:
        return False
    return True
