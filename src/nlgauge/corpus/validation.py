"""What a caller gives to `Corpus.read`, checked and read into columns: texts, names of segments and
documents, weights.

What is almost always given, lists of plain strings, is checked as a whole; anything else item by item, so
that an error says where it is.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged, offsets_of
from nlgauge.corpus.records import is_text_list
from nlgauge.corpus.texts import Texts, are_texts, flattened
from nlgauge.errors import InputError


class ColumnInput(NamedTuple):
    """What was given for a column: the texts of all segments one after the other, and how many each
    segment has (None: one each).
    """

    name: str
    items: list[Any]
    lengths: Array | None = None

    @classmethod
    def of(cls, values: Any, name: str) -> ColumnInput:
        """A list of texts, or of lists of texts."""
        items = items_of(values, name)
        if set(map(type, items)) <= {str}:
            return cls(name, items)
        plain = flattened(items)
        if plain is None:
            nested = [is_text_list(item) for item in items]
            if any(nested) and not all(nested):
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
        """The column of the texts' ids; every segment needs at least so many."""
        enough = self.lengths is None or not len(self.lengths) or self.lengths.min() >= least
        items = self.items if enough and are_texts(self.items) else self._checked(least)
        values = texts.intern_all(items)
        return Ragged.single(values) if self.lengths is None else Ragged(values, offsets_of(self.lengths))

    def _checked(self, least: int) -> list[str]:
        """The texts as plain strings, or an error that says which one is not a text."""
        found: list[str] = []
        items = iter(self.items)
        for i, length in enumerate([1] * len(self.items) if self.lengths is None else self.lengths.tolist()):
            if length < least:
                raise InputError(
                    f"{self.name}[{i}] is an empty list; pass at least one text, '' if the system has none."
                )
            found.extend(
                _text(next(items), f"{self.name}[{i}]" if length == 1 else f"{self.name}[{i}][{j}]")
                for j in range(length)
            )
        return found


def references_of(references: Any, count: int, texts: Texts) -> Ragged:
    """The references of so many segments."""
    given = ColumnInput.of(references, "references")
    if len(given) != count:
        hint = "give one (or a list) for each prediction."
        if count > 1 and given.lengths is not None and (given.lengths == count).all():
            hint = (
                f"they look transposed ({len(given)} lists of {count}): give list(zip(*references)), all"
                " references of one prediction together."
            )
        raise InputError(f"references has {len(given)} items, predictions has {count}; {hint}")
    return given.column(texts, least=0)


def sources_of(sources: Any, count: int, texts: Texts) -> Array:
    """The sources of so many segments."""
    items = items_of(sources, "sources")
    if len(items) != count:
        raise InputError(
            f"sources has {len(items)} items but predictions has {count}; pass one text per prediction."
        )
    return ColumnInput("sources", items).column(texts, least=1).values


def weights_of(weights: Iterable[float], count: int, piece: bool = False) -> Array:
    """The weights of so many segments, not all 0 unless they are a piece of a larger corpus."""
    items = items_of(weights, "weights", "numbers")
    try:
        column = np.array([float(item) for item in items])
    except (TypeError, ValueError, OverflowError):
        raise InputError("weights must be numbers, one for each segment.") from None
    if len(column) != count:
        raise InputError(
            f"weights has {column.size} items but predictions has {count}; pass one number per segment."
        )
    if not np.isfinite(column).all() or (column < 0).any() or (column.sum() == 0 and not piece):
        raise InputError("weights must be finite, not negative, and not all 0.")
    return column


def values_of(values: Iterable[Any], count: int, name: str) -> list[Any]:
    """Values of any kind, one for each of so many segments."""
    items = items_of(values, name, "names")
    if len(items) != count:
        raise InputError(f"{name} has {len(items)} items but predictions has {count}; pass one per segment.")
    return items


def labels_of(labels: Iterable[Any], count: int, name: str, hashable: bool = False) -> tuple[str, ...]:
    """The names of so many segments, or of the documents that they are from; a name may be any `hashable`
    value, or one value alone.
    """
    items = values_of(labels, count, name)
    if are_texts(items):
        return tuple(items)
    return tuple(_label(item, f"{name}[{i}]", hashable) for i, item in enumerate(items))


def ids_of(ids: Iterable[Any] | None, count: int) -> Sequence[Hashable]:
    """The ids of so many segments as they were given, all different, also as texts; their numbers where
    none are given.
    """
    if ids is None:
        return range(count)
    items = [item.item() if isinstance(item, np.generic) else item for item in items_of(ids, "ids", "names")]
    names = labels_of(items, count, "ids", hashable=True)
    for given in (names, items):
        if len(set(given)) != count:
            seen: set[Hashable] = set()
            twice = next(name for name in given if name in seen or seen.add(name))  # type: ignore[func-returns-value]
            raise InputError(
                f"ids must be unique, but {twice!r} occurs twice",
                python="for several systems pass predictions={name: texts}, or records with a 'system'",
                cli="for several systems use one file per system, or records with a 'system'",
            )
    return range(count) if items == list(range(count)) else tuple(items)


def check_system(name: Any) -> None:
    """Raises where a system cannot be called this."""
    if not isinstance(name, str) or not name:
        raise InputError(f"system names must be non-empty strings, got {name!r:.40}.")
    _encodable(name, f"the system name {name!a}")


def items_of(values: Any, name: str, what: str = "texts") -> list[Any]:
    """The items of a sequence of any kind that people keep texts in."""
    if isinstance(values, str | bytes):
        raise InputError(
            f"{name} is one {type(values).__name__}; pass a list of {what}, with one item for a single text."
        )
    if values is None:
        raise InputError(f"{name} is None; pass a list of {what}.")
    if isinstance(values, type) or not is_text_list(values):
        raise InputError(f"{name} is {_a(values)}; pass a list of {what}.")
    if hasattr(values, "columns"):
        raise InputError(f"{name} is {_a(values)}; pass one of its columns.")
    return list(values)


def _a(value: Any) -> str:
    """What a value is, with its article."""
    kind = f"class {value.__name__}" if isinstance(value, type) else type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def _text(value: Any, place: str) -> str:
    """The text itself, or an error that says where it is and what is wrong with it."""
    if isinstance(value, str):
        return _encodable(str(value), place)
    if is_missing(value):
        raise InputError(
            f"{place} is {value!r}, but must be a text; an empty text is ''",
            python="pass skip_missing=True to leave such segments out",
            cli="use --skip-missing to leave such segments out",
        )
    raise InputError(f"{place} is {_a(value)} ({value!r:.40}); pass a str.")


def _encodable(text: str, place: str) -> str:
    if text.isascii():  # which costs nothing
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
    """A name as a string; what is missing or holds several values is not a name."""
    if is_missing(item) or not (
        is_hashable(item) if hashable else not isinstance(item, Mapping) and not is_text_list(item)
    ):
        raise InputError(f"{place} is {item!r:.40}; it must be a name or a number.")
    return _encodable(str(item), place)


def is_missing(value: Any) -> bool:
    """Whether a value is one of the ways in which JSON and data frames say that there is none."""
    if value is None:
        return True
    if isinstance(value, float):
        return math.isnan(value)
    return not isinstance(value, str | int | list | tuple | Mapping) and str(value) in ("nan", "<NA>", "NaT")


def is_hashable(item: Any) -> bool:
    """Whether a value can be an id."""
    try:
        hash(item)
    except TypeError:
        return False
    return True
