"""Corpus: the only place that reads predictions, references and sources in every shape.

Each distinct text is kept once and referred to by an integer id; what belongs to a segment is held in columns of ids.

    predictions             references               meaning
    [p1, ..., pk]           [r1, ..., rk]            one prediction, one reference per segment
    [p1, ..., pk]           [[r11, ...], ...]        any number of references per segment (ragged)
    [[p11, ...], ...]       [[r11, ...], ...]        several predictions per segment
    {"A": ..., "B": ...}    as above                 several systems on the same segments
    [p1, ..., pk]           None                     no references
    [{"prediction": ...}]   in the records           records, as dictionaries or a data frame

``references[i]`` always belongs to ``predictions[i]``: a list of reference *files* must be transposed first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from nlgauge.corpus import language
from nlgauge.corpus.columns import Array, Ragged, offsets_of
from nlgauge.corpus.records import arguments_of, as_records, is_text_list
from nlgauge.corpus.texts import Texts
from nlgauge.errors import InputError

DEFAULT_SYSTEM = "system"


@dataclass(frozen=True, eq=False)
class Corpus:
    """Segments with the predictions of one or more systems, references and sources, as columns of text ids."""

    texts: Texts
    ids: tuple[str, ...]
    predictions: Mapping[str, Ragged]
    references: Ragged | None = None
    sources: Array | None = None
    weights: Array | None = None
    documents: tuple[str, ...] | None = None
    lang: str | None = None

    @classmethod
    def read(
        cls,
        predictions: Any,
        references: Any = None,
        sources: Any = None,
        *,
        ids: Iterable[Any] | None = None,
        weights: Iterable[float] | None = None,
        documents: Iterable[Any] | None = None,
        lang: str | None = None,
    ) -> Corpus:
        """The corpus of what was given, in any of the shapes of this module's table."""
        language.checked(lang)
        records = as_records(predictions)
        if records is not None:
            others = {"references": references, "sources": sources, "ids": ids, "weights": weights, "documents": documents}
            given = [name for name, value in others.items() if value is not None]
            if given:
                raise InputError(f"predictions are records, which carry their own fields; {given[0]} was given beside them.")
            return cls.read(**arguments_of(records), lang=lang)
        named = isinstance(predictions, Mapping)
        systems = dict(predictions) if named else {DEFAULT_SYSTEM: predictions}
        if not systems:
            raise InputError("predictions is an empty mapping; give at least one system.")
        for system in systems:
            _check_system(system)
        texts = Texts()
        columns: dict[str, Ragged] = {}
        count = -1
        for system, given_texts in systems.items():
            name = f"predictions[{system!r}]" if named else "predictions"
            rows = _rows(given_texts, name)
            if count >= 0 and len(rows) != count:
                raise InputError(f"{name} has {len(rows)} segments, {next(iter(columns))!r} has {count}; all systems need the same segments.")
            count = len(rows)
            columns[system] = _column(rows, name, texts, least=1)
        if count == 0:
            raise InputError("predictions is empty; give at least one segment.")
        return cls(
            texts=texts,
            ids=_ids(ids, count),
            predictions=columns,
            references=None if references is None else _references(references, count, texts),
            sources=None if sources is None else _sources(sources, count, texts),
            weights=None if weights is None else _weights(weights, count),
            documents=None if documents is None else _labels(documents, count, "documents"),
            lang=lang,
        )

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems' names, in the order given."""
        return tuple(self.predictions)

    @property
    def reference_count(self) -> str:
        """How many references every segment has, "var" where that varies."""
        counts = set() if self.references is None else set(self.references.lengths.tolist())
        return str(counts.pop()) if len(counts) == 1 else "var" if counts else "0"

    def take(self, segments: Array) -> Corpus:
        """The corpus of these segments, with the same text ids."""
        return replace(
            self,
            ids=tuple(self.ids[i] for i in segments),
            predictions={system: column.take(segments) for system, column in self.predictions.items()},
            references=None if self.references is None else self.references.take(segments),
            sources=None if self.sources is None else self.sources[segments],
            weights=None if self.weights is None else self.weights[segments],
            documents=None if self.documents is None else tuple(self.documents[i] for i in segments),
        )

    def distinct_references(self) -> Array:
        """The ids of all references, each once per segment."""
        assert self.references is not None
        found: Array = np.unique(np.column_stack([self.references.owners, self.references.values]), axis=0)[:, 1]
        return found

    def only(self, *systems: str) -> Corpus:
        """The corpus with these systems alone."""
        return replace(self, predictions={system: self.predictions[system] for system in systems})

    def adding(self, predictions: Mapping[str, Any]) -> Corpus:
        """The corpus of the same segments with other systems' predictions alone, text ids kept and extended."""
        columns = {}
        for system, given in predictions.items():
            _check_system(system)
            if system in self.predictions:
                raise InputError(f"system {system!r} is already in the result; give the new one another name.")
            name = f"predictions[{system!r}]"
            rows = _rows(given, name)
            if len(rows) != len(self):
                raise InputError(f"{name} has {len(rows)} segments, the result has {len(self)}.")
            columns[system] = _column(rows, name, self.texts, least=1)
        return replace(self, predictions=columns)

    def swapping(self, one: str, other: str, where: Array) -> Corpus:
        """The corpus in which two systems have changed places in these segments."""
        both = Ragged.concatenate([self.predictions[one], self.predictions[other]])
        ours, theirs = np.arange(len(self)), np.arange(len(self)) + len(self)
        swapped = {one: both.take(np.where(where, theirs, ours)), other: both.take(np.where(where, ours, theirs))}
        return replace(self, predictions={**self.predictions, **swapped})

    def chunks(self, characters: int = 200_000) -> list[Array]:
        """Runs of whole segments with about this many characters of text each."""
        lengths = np.array([len(text) for text in self.texts.strings])
        size = np.zeros(len(self), dtype=np.int64)
        columns = [*self.predictions.values()] + ([self.references] if self.references is not None else [])
        for column in columns:
            np.add.at(size, column.owners, lengths[column.values])
        if self.sources is not None:
            size += lengths[self.sources]
        number = (np.cumsum(size) - 1).clip(0) // characters
        bounds = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(self)]
        return [np.arange(start, end) for start, end in pairwise(bounds)]

    def records(self) -> list[dict[str, Any]]:
        """One plain dictionary per segment, from which `from_saved` makes the same corpus."""
        found = []
        for i, segment in enumerate(self.ids):
            record: dict[str, Any] = {"id": segment}
            if self.sources is not None:
                record["source"] = self.texts[self.sources[i]]
            if self.references is not None:
                record["references"] = [self.texts[j] for j in self.references[i]]
            record["predictions"] = {system: [self.texts[j] for j in column[i]] for system, column in self.predictions.items()}
            if self.weights is not None:
                record["weight"] = float(self.weights[i])
            if self.documents is not None:
                record["document"] = self.documents[i]
            found.append(record)
        return found

    @classmethod
    def from_saved(cls, records: Sequence[Mapping[str, Any]], lang: str | None) -> Corpus:
        """The corpus that `records` wrote."""
        first = records[0]
        corpus = cls.read(
            {system: [record["predictions"][system] for record in records] for system in first["predictions"]},
            [record["references"] for record in records] if "references" in first else None,
            [record["source"] for record in records] if "source" in first else None,
            ids=[record["id"] for record in records],
            weights=[record["weight"] for record in records] if "weight" in first else None,
            documents=[record["document"] for record in records] if "document" in first else None,
        )
        # What was saved may have a language that is refused today.
        return replace(corpus, lang=lang)


def _check_system(name: Any) -> None:
    if not isinstance(name, str) or not name:
        raise InputError(f"system names must be non-empty strings, got {name!r:.40}.")
    _encodable(name, f"the system name {name!a}")


def _items(values: Any, name: str, what: str = "texts") -> list[Any]:
    """The items of a sequence of any kind that people keep texts in."""
    if isinstance(values, str | bytes):
        raise InputError(f"{name} is one {type(values).__name__}; give a list of {what}, for a single one a list with one item.")
    if values is None:
        raise InputError(f"{name} is None; give a list of {what}.")
    if isinstance(values, type) or not is_text_list(values):
        raise InputError(f"{name} is {_a(values)}; give a list of {what}.")
    if hasattr(values, "columns"):
        raise InputError(f"{name} is {_a(values)}; give one of its columns.")
    return list(values)


def _a(value: Any) -> str:
    """What a value is, with its article."""
    kind = f"class {value.__name__}" if isinstance(value, type) else type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def _rows(values: Any, name: str) -> list[list[Any]]:
    """One list of texts per segment, from a list of texts or of lists of texts."""
    items = _items(values, name)
    nested = [is_text_list(item) for item in items]
    if any(nested) and not all(nested):
        odd = nested.index(not nested[0])
        kinds = ("a list", "one text") if nested[0] else ("one text", "a list")
        raise InputError(f"{name}[0] is {kinds[0]}, {name}[{odd}] is {kinds[1]}; give texts alone or lists alone.")
    return [list(item) for item in items] if any(nested) else [[item] for item in items]


def _text(value: Any, place: str) -> str:
    """The text itself, or an error that says where it is and what is wrong with it."""
    if isinstance(value, str):
        return _encodable(str(value), place)
    if value is None or (isinstance(value, float) and math.isnan(value)):  # NaN is how data frames spell a missing text
        raise InputError(f"{place} is {value!r}; an empty text is ''.")
    raise InputError(f"{place} is {_a(value)} ({value!r:.40}); give a str.")


def _encodable(text: str, place: str) -> str:
    if text.isascii():  # which costs nothing
        return text
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{place} has a lone surrogate (U+{ord(text[error.start]):04X}) at character {error.start}, which no text can hold; "
            "read the data with its right encoding."
        ) from None
    return text


def _column(rows: list[list[Any]], name: str, texts: Texts, least: int) -> Ragged:
    values: list[int] = []
    for i, row in enumerate(rows):
        if len(row) < least:
            raise InputError(f"{name}[{i}] is an empty list; give at least one text, '' if the system gave none.")
        values.extend(texts.intern(_text(value, f"{name}[{i}]" if len(row) == 1 else f"{name}[{i}][{j}]")) for j, value in enumerate(row))
    return Ragged(np.array(values, dtype=np.int64), offsets_of([len(row) for row in rows]))


def _references(references: Any, count: int, texts: Texts) -> Ragged:
    rows = _rows(references, "references")
    if len(rows) != count:
        hint = "give one (or a list) for each prediction."
        if count > 1 and rows and all(len(row) == count for row in rows):
            hint = f"they look transposed ({len(rows)} lists of {count}): give list(zip(*references)), all references of one prediction together."
        raise InputError(f"references has {len(rows)} items, predictions has {count}; {hint}")
    return _column(rows, "references", texts, least=0)


def _sources(sources: Any, count: int, texts: Texts) -> Array:
    items = _items(sources, "sources")
    if len(items) != count:
        raise InputError(f"sources has {len(items)} items, predictions has {count}; give one text for each prediction.")
    return np.array([texts.intern(_text(item, f"sources[{i}]")) for i, item in enumerate(items)], dtype=np.int64)


def _weights(weights: Iterable[float], count: int) -> Array:
    items = _items(weights, "weights", "numbers")
    try:
        column = np.array([float(item) for item in items])
    except (TypeError, ValueError, OverflowError):
        raise InputError("weights must be numbers, one for each segment.") from None
    if len(column) != count:
        raise InputError(f"weights has {column.size} items, predictions has {count}; give one number for each segment.")
    if not np.isfinite(column).all() or (column < 0).any() or column.sum() == 0:
        raise InputError("weights must be finite, not negative, and not all 0.")
    return column


def _labels(labels: Iterable[Any], count: int, name: str) -> tuple[str, ...]:
    items = _items(labels, name, "names")
    if len(items) != count:
        raise InputError(f"{name} has {len(items)} items, predictions has {count}; give one for each segment.")
    return tuple(_label(item, f"{name}[{i}]") for i, item in enumerate(items))


def _label(item: Any, place: str) -> str:
    """A name as a string; what is missing or holds several values is not a name."""
    name = str(item)
    missing = not isinstance(item, str) and name in ("None", "nan", "<NA>", "NaT")  # as data frames have it
    if missing or isinstance(item, Mapping) or is_text_list(item):
        raise InputError(f"{place} is {item!r:.40}; give a name or a number.")
    return _encodable(name, place)


def _ids(ids: Iterable[Any] | None, count: int) -> tuple[str, ...]:
    if ids is None:
        return tuple(str(i) for i in range(count))
    found = _labels(ids, count, "ids")
    if len(set(found)) != count:
        seen: set[str] = set()
        twice = next(name for name in found if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise InputError(
            f"ids must differ, {twice!r} is there twice; for several systems give each record its system, or predictions={{name: texts}}."
        )
    return found
