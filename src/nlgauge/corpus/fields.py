"""Fields: values of a segment in addition to its texts (a domain, a human score).

This module normalizes them, compares them with conditions and converts them to JSON values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sized
from typing import Any

import numpy as np

from nlgauge.corpus.records import is_text_list
from nlgauge.corpus.validation import is_missing
from nlgauge.errors import InputError

_UNCHANGED_TYPES = {str, int, bool, type(None)}
_SHOWN_VALUES = 10


class NothingMatches(InputError):
    """Error if no segment or record meets a condition."""


def kept(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return values in the form that a corpus stores.

    Missing values become None, lists become tuples, and NumPy scalars become Python numbers.

    >>> kept(["news", float("nan"), ["a", 1]])
    ('news', None, ('a', 1))
    """
    items = values if isinstance(values, list | tuple) else list(values)
    return tuple(items if set(map(type, items)) <= _UNCHANGED_TYPES else map(_kept, items))


def _kept(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if is_missing(value):
        return None
    if isinstance(value, Mapping):
        return {str(name): _kept(item) for name, item in value.items()}
    return kept(value) if is_text_list(value) else value


def is_plain(value: Any) -> bool:
    """Return True if JSON can represent the value without a change."""
    if isinstance(value, str):
        return value.isascii() or _is_encodable(value)
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(
            isinstance(name, str) and is_plain(name) and is_plain(item) for name, item in value.items()
        )
    return value is None or (isinstance(value, list | tuple) and all(map(is_plain, value)))


def plain(value: Any) -> Any:
    """Return a value in the form that is saved: unchanged if JSON can represent it, else as text.

    >>> plain((1, "a")), plain({1, 2}), plain(10**20)
    ((1, 'a'), '{1, 2}', '100000000000000000000')
    """
    return value if is_plain(value) else str(value).encode(errors="backslashreplace").decode()


def with_texts(values: Iterable[Any], change: Callable[[str], str]) -> tuple[Any, ...]:
    """Return the values with `change` applied to every text in them, also inside containers."""
    return tuple(_with_texts(value, change) for value in values)


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, Mapping):
        return {change(name): _with_texts(item, change) for name, item in value.items()}
    if isinstance(value, tuple):
        return with_texts(value, change)
    return value if value is None or isinstance(value, int | float) else change(str(value))


def saved_id(segment: Any) -> str | int | float:
    """Return an id in the form that is saved: texts and numbers unchanged, other values as text."""
    return plain(segment if isinstance(segment, str | int | float) else str(segment))  # type: ignore[no-any-return]


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_some(selected: Sized, name: str, condition: Any, values: Iterable[Any], what: str) -> None:
    """Raise NothingMatches if nothing was selected; the message lists the values that occur."""
    if not len(selected):
        present = list(dict.fromkeys(repr(value) for value in values))
        more = ", ..." if len(present) > _SHOWN_VALUES else ""
        raise NothingMatches(
            f"no {what} has {condition!r:.60} as its {name!r}; choose one of"
            f" {', '.join(present[:_SHOWN_VALUES])}{more}."
        )


def matches(value: Any, condition: Any) -> bool:
    """Return True if a value equals the condition, directly or as text.

    A list or a set as condition matches any of its items.

    >>> matches("news", "news"), matches(3, "3"), matches("3", 3), matches(True, "true"), matches("news", ["ted", "news"])
    (True, True, True, True, True)
    """
    if isinstance(condition, list | set | frozenset):
        return asks_for(condition)(value)
    if isinstance(condition, str) == isinstance(value, str):
        return bool(value == condition)
    text, other = (condition, value) if isinstance(condition, str) else (value, condition)
    if other is None:
        return text in ("None", "null")
    if isinstance(other, bool):
        return bool(text.lower() == str(other).lower())
    if isinstance(other, int | float):
        try:
            return float(text) == other
        except ValueError:
            return False
    return bool(text == str(other))


def asks_for(condition: Any) -> Callable[[Any], bool]:
    """Return a function that tests one value with `matches`, fast for many values.

    Items of a list that have the type of the value, text or number, are looked up in a set; the other items are
    compared one by one.
    """
    if not isinstance(condition, list | set | frozenset):
        return lambda value: matches(value, condition)
    texts = {item for item in condition if isinstance(item, str)}
    numbers = {item for item in condition if isinstance(item, int | float)}
    rest = [item for item in condition if not isinstance(item, str | int | float)]

    def fits(value: Any) -> bool:
        if isinstance(value, str):
            return value in texts or any(matches(value, item) for item in (*numbers, *rest))
        if isinstance(value, int | float):
            return value in numbers or any(matches(value, item) for item in (*texts, *rest))
        return any(matches(value, item) for item in (*texts, *numbers, *rest))

    return fits
