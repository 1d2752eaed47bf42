"""Parts: what a corpus is made of, one list per column, before its texts are numbered; from records of
one system or several, or as given.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from itertools import chain
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus.fields import kept
from nlgauge.corpus.records import ABSENT, FIELD_NAMES, Records, absence, is_text_list, names_of
from nlgauge.corpus.validation import check_system, is_hashable, is_missing, items_of
from nlgauge.errors import InputError, did_you_mean

DEFAULT_SYSTEM = "system"
_OF_A_SEGMENT = {
    "references": "references",
    "sources": "source",
    "ids": "id",
    "weights": "weight",
    "documents": "document",
}
_TEXTS = ("prediction", "references", "source")


@dataclass(frozen=True)
class RawColumns:
    """The columns of all segments; `name` is what messages call a system's predictions."""

    predictions: Mapping[str, Any]
    references: Any = None
    sources: Any = None
    ids: Any = None
    weights: Any = None
    documents: Any = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    system_fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    name: Callable[[str], str] = "predictions[{!r}]".format

    def take(self, segments: Sequence[int]) -> RawColumns:
        """These segments alone."""
        return replace(
            self,
            **{
                part.name: _taken(getattr(self, part.name), segments)
                for part in fields(self)
                if part.name != "name"
            },
        )

    def as_lists(self) -> RawColumns:
        """The same, with lists in the place of other containers."""
        alone: dict[str, Any] = {
            name: items_of(values, name)
            for name in _OF_A_SEGMENT
            if (values := getattr(self, name)) is not None
        }
        predictions = {
            system: items_of(values, self.name(system)) for system, values in self.predictions.items()
        }
        return replace(
            self,
            predictions=predictions,
            fields={name: items_of(values, name) for name, values in self.fields.items()},
            **alone,
        )

    def without_gaps(self) -> RawColumns:
        """The segments of which no text is missing, with the ids or numbers that they had; how many
        others there are is said.
        """
        parts = self.as_lists()
        gaps = parts.gaps()
        if gaps:
            check_left(len(gaps), parts.count)
        return parts.without(gaps)

    @property
    def count(self) -> int:
        """How many segments the first system has."""
        return len(next(iter(self.predictions.values())))

    def gaps(self) -> set[int]:
        """The numbers of the segments of which a text is missing; none where columns are not of one
        length, which is said elsewhere.
        """
        columns = [
            *self.predictions.values(),
            *(column for column in (self.references, self.sources) if column is not None),
        ]
        return (
            set()
            if any(len(column) != self.count for column in columns)
            else set(chain.from_iterable(map(gaps_in, columns)))
        )

    def without(self, segments: Container[int]) -> RawColumns:
        """The other segments, with the ids or numbers that they had."""
        numbers = [i for i in range(self.count) if i not in segments]
        if len(numbers) == self.count:
            return self
        return self.take(numbers) if self.ids is not None else replace(self.take(numbers), ids=numbers)


def _taken(column: Any, segments: Sequence[int]) -> Any:
    if isinstance(column, Mapping):
        return {name: _taken(inner, segments) for name, inner in column.items()}
    return (
        None
        if column is None
        else [column[i] for i in segments]
        if max(segments, default=-1) < len(column)
        else column
    )


def check_left(gaps: int, count: int) -> None:
    """Says how many segments lack a text; raises where all of them do."""
    if gaps == count:
        raise InputError(f"a text is missing in each of the {count} segments; nothing is left to score.")
    say_left_out(gaps, count, "a text is missing")


def say_left_out(count: int, total: int, why: str) -> None:
    """Warns that segments are left out."""
    warnings.warn(
        f"{count} of {total} segments {'is' if count == 1 else 'are'} left out: {why}.", stacklevel=6
    )


def gaps_in(column: list[Any]) -> list[int]:
    """Where a column of texts, or of lists of texts, has something missing."""
    kinds = set(map(type, column))
    if kinds <= {str} or (kinds <= {list, tuple} and set(map(type, chain.from_iterable(column))) <= {str}):
        return []
    return [i for i, value in enumerate(column) if _is_gap(value)]


def _is_gap(value: Any) -> bool:
    several = isinstance(value, list | tuple) or (is_text_list(value) and hasattr(value, "shape"))
    return value is ABSENT or (any(map(is_missing, value)) if several else is_missing(value))


def system_names(systems: Any) -> list[str]:
    """The names of the systems that were asked for; none where all are."""
    names = (
        []
        if systems is None
        else [systems]
        if isinstance(systems, str)
        else items_of(systems, "systems", "names")
    )
    for name in names:
        check_system(name)
    if len(set(names)) != len(names):
        raise InputError("systems names one of them twice.")
    return names


def given_parts(
    predictions: Any,
    systems: list[str],
    references: Any,
    sources: Any,
    ids: Any,
    weights: Any,
    documents: Any,
    named_fields: Any,
) -> RawColumns:
    """The parts as they were given beside each other."""
    if named_fields is not None and not isinstance(named_fields, Mapping):
        raise InputError(f"fields is {named_fields!r:.40}; pass {{name: values}} with one value per segment.")
    named = {str(name): values for name, values in (named_fields or {}).items()}
    if not isinstance(predictions, Mapping):
        if systems:
            raise InputError(
                "systems selects columns of records, or some of several systems, but predictions is one list of"
                " texts; leave systems out."
            )
        return RawColumns(
            {DEFAULT_SYSTEM: predictions},
            references,
            sources,
            ids,
            weights,
            documents,
            named,
            name=lambda _: "predictions",
        )
    for name in systems:
        if name not in predictions:
            raise InputError(no_system(name, list(map(str, predictions)), "a system"))
    chosen = {name: predictions[name] for name in systems} if systems else dict(predictions)
    return RawColumns(chosen, references, sources, ids, weights, documents, named)


def parts_of(
    records: Records,
    wanted: list[str],
    *,
    common: bool,
    pooled: bool,
    skip_missing: bool,
    piece: bool = False,
) -> RawColumns:
    """The parts that records hold: of one system, of several that name theirs, or of several with a column
    each (`systems`).

    Pooled records of several systems have ids that say whose they are, of a `piece` of them all, else where
    that is needed.
    """
    wide = wanted if wanted and all(name in records.columns for name in wanted) else []
    if wanted and not wide and not records.columns.keys() & set(FIELD_NAMES["system"]):
        raise InputError(
            no_system(
                next(name for name in wanted if name not in records.columns),
                list(records.columns),
                "a column",
            )
        )
    names = names_of(records, wide)
    if pooled and wanted and not wide:
        records = records.where({names["system"]: wanted})
    several = "system" in names and not wide and not pooled
    texts = [name for our, name in names.items() if our in _TEXTS] + wide
    if not skip_missing:
        _check_gaps(records, texts)
    elif several and "id" in names:
        records = _without_gaps(records, texts, records.columns[names["id"]])
    rows = (
        _rows_by_system(records, names, wanted, common) if several else {DEFAULT_SYSTEM: range(records.count)}
    )
    used = [name for our, name in names.items() if not (pooled and our == "system")] + wide
    first = next(iter(rows.values()))
    predictions = {name: records.columns[name] for name in wide} or {
        system: _at(records.columns[names["prediction"]], places) for system, places in rows.items()
    }
    shared: dict[str, Any] = {
        argument: _at(records.columns[names[our]], first)
        for argument, our in _OF_A_SEGMENT.items()
        if our in names
    }
    if pooled:
        shared["ids"] = _pooled_ids(records, names, piece)
    elif "id" in names and len(rows) == 1:
        _check_ids(records, names, first)
    shared_fields, system_fields = _fields(
        records, [name for name in records.columns if name not in used], rows
    )
    alone = "predictions" if list(predictions) == [DEFAULT_SYSTEM] else "predictions[{!r}]"
    return RawColumns(
        predictions, **shared, fields=shared_fields, system_fields=system_fields, name=alone.format
    )


def no_system(name: str, known: Sequence[str], what: str) -> str:
    """Says that there is no such system or column, and which ones there are."""
    return (
        f"{name!r} is not {what} of the records{did_you_mean(name, known)}; there are"
        f" {', '.join(map(repr, known))}."
    )


def _at(column: list[Any], rows: Sequence[int]) -> list[Any]:
    return column if rows == range(len(column)) else [column[i] for i in rows]


def _check_gaps(records: Records, names: Sequence[str]) -> None:
    for name in names:
        gaps = gaps_in(records.columns[name])
        if gaps:
            value = records.columns[name][gaps[0]]
            if value is ABSENT:
                raise InputError(absence(records, name, gaps[0]))
            shown = "null" if records.file is not None and value is None else f"{value!r:.40}"
            raise InputError(
                f"{records.place(gaps[0])}: {name!r} is {shown}, but must be a text; an empty text is ''",
                python="pass skip_missing=True to leave such segments out",
                cli="use --skip-missing to leave such segments out",
            )


def _without_gaps(records: Records, names: Sequence[str], ids: list[Any]) -> Records:
    """The records of the segments of which no system's record lacks a text."""
    gaps = {str(ids[i]) for name in names for i in gaps_in(records.columns[name])}
    if not gaps:
        return records
    segments = list(map(str, ids))
    check_left(len(gaps), len(set(segments)))
    return records.take([i for i, segment in enumerate(segments) if segment not in gaps])


def _check_ids(records: Records, names: Mapping[str, str], rows: Sequence[int]) -> None:
    """Raises where two records of one system have the same id, or one has none."""
    segments = _at(records.columns[names["id"]], rows)
    if set(map(type, segments)) <= {str, int} and len(set(segments)) == len(segments):
        return
    seen: dict[Hashable, int] = {}
    for i, segment in zip(rows, segments, strict=True):
        if is_missing(segment) or not is_hashable(segment):
            raise InputError(
                f"{records.place(i)}: {names['id']!r} is {segment!r:.40}; ids must be names or numbers."
            )
        other = seen.setdefault(segment, i)
        if other != i:
            of = f" of system {records.columns[names['system']][i]!r}" if "system" in names else ""
            several = "" if of else "; records of several systems need a 'system' that says whose each is"
            raise InputError(
                f"{records.place(i)} repeats segment {segment!r}{of}, which is {records.place(other)}"
                f" already{several}."
            )


def _pooled_ids(records: Records, names: Mapping[str, str], always: bool) -> list[Any] | None:
    """An id for every record; one that several systems share is followed by the system's name."""
    if "id" not in names:
        return None
    ids = records.columns[names["id"]]
    if "system" not in names or (not always and len(set(map(str, ids))) == len(ids)):
        return ids
    return [
        f"{segment}/{system}" for segment, system in zip(ids, records.columns[names["system"]], strict=True)
    ]


def _rows_by_system(
    records: Records, names: Mapping[str, str], wanted: Sequence[str], common: bool
) -> dict[str, Sequence[int]]:
    """The rows of each system, the same segments in the same order for all."""
    if "id" not in names:
        raise InputError(
            "records of several systems need an 'id' that identifies the segment of each record."
        )
    rows: dict[str, Sequence[int]] = {}
    for i, system in enumerate(records.columns[names["system"]]):
        rows.setdefault(str(system), []).append(i)  # type: ignore[attr-defined]
    for name in wanted:
        if name not in rows:
            raise InputError(no_system(name, list(rows), "a system"))
    rows = {name: rows[name] for name in wanted} or rows
    ids, numbers = records.columns[names["id"]], dict[Hashable, int]()
    keys = np.full(records.count, -1)
    for places in rows.values():
        _check_ids(records, names, places)
        keys[places] = [numbers.setdefault(ids[i], len(numbers)) for i in places]
    own = {system: np.array(places) for system, places in rows.items()}
    rows = {system: places.tolist() for system, places in aligned(own, keys, common, ids.__getitem__).items()}
    _check_shared(records, names, rows, next(iter(rows)))
    return rows


def aligned(
    places: Mapping[str, Array], keys: Array, common: bool, id_of: Callable[[int], Any]
) -> Mapping[str, Array]:
    """Return the places of each system's records in the order of the first system's segments; segments that
    a system lacks are left out with `common`, else refused.

    `keys` has a number for each record, the same for the same segment, and `id_of` returns the id of a
    record.
    """
    segments = {system: keys[own] for system, own in places.items()}
    first = next(iter(segments.values()))
    if all(np.array_equal(first, other) for other in segments.values()):
        return places
    shared = reduce(np.intersect1d, segments.values())
    every = np.unique(np.concatenate(list(segments.values())))
    if not len(shared):
        raise nothing_shared(len(places))
    left_out = len(every) - len(shared)
    if left_out and not common:
        having, odd = next(
            (system, own[alone][0])
            for system, own in places.items()
            if (alone := ~np.isin(segments[system], shared)).any()
        )
        lacking = next(system for system, known in segments.items() if keys[odd] not in known)
        raise missing_segment(id_of(odd), having, lacking, left_out, len(every))
    if left_out:
        say_left_out(left_out, len(every), f"not all {len(places)} systems have them")
    order = first[np.isin(first, shared)]
    return {system: own[_places_of(order, segments[system])] for system, own in places.items()}


def _places_of(wanted: Array, keys: Array) -> Array:
    """Return the place of each wanted key."""
    order = np.argsort(keys, kind="stable")
    return order[np.searchsorted(keys[order], wanted)]


def _check_shared(
    records: Records, names: Mapping[str, str], rows: Mapping[str, Sequence[int]], first_name: str
) -> None:
    """Raises where two systems disagree on what belongs to the segment."""
    for our in ("references", "source", "weight", "document"):
        if our not in names:
            continue
        column = records.columns[names[our]]
        first = [column[i] for i in rows[first_name]]
        for system, places in rows.items():
            for place, one in (
                zip(places, first, strict=True) if not _same([column[i] for i in places], first) else ()
            ):
                if not _same(column[place], one):
                    segment = records.columns[names["id"]][place]
                    raise different_values(
                        segment, our, f"{system!r} ({records.place(place)})", f"{first_name!r}"
                    )


def missing_segment(segment: Any, having: str, lacking: str, left_out: int, every: int) -> InputError:
    """Return the error for a segment that only some systems have."""
    effect = f"to leave out the {left_out} of {every} segments that some system lacks"
    return InputError(
        f"{having!r} has the segment {segment!r} but {lacking!r} does not; all systems need the same segments",
        python=f"pass common=True {effect}",
        cli=f"use --common {effect}",
    )


def nothing_shared(systems: int) -> InputError:
    """Return the error for systems without a common segment."""
    return InputError(
        f"the {systems} systems have no segment in common",
        python="choose other records or systems, or pass pooled=True to score every record as a segment",
        cli="choose other records (--where FIELD=VALUE) or systems, or use --pooled to score every record as a"
        " segment",
    )


def different_values(segment: Any, name: str, system: str, first: str) -> InputError:
    """Return the error for systems that disagree about a value that belongs to the segment."""
    return InputError(
        f"the systems {system} and {first} must have the same {name} for segment {segment!r}",
        python="leave one system out, or pass pooled=True to score every record as a segment",
        cli="leave one system out (--where FIELD=VALUE), or use --pooled to score every record as a segment",
    )


def _same(one: Any, other: Any) -> bool:
    try:
        return list(one) == list(other) if is_text_list(one) and is_text_list(other) else bool(one == other)
    except (TypeError, ValueError):  # data frames and arrays, which are refused as texts later
        return one is other


def _fields(
    records: Records, names: Sequence[str], rows: Mapping[str, Sequence[int]]
) -> tuple[dict[str, Sequence[Any]], dict[str, dict[str, Sequence[Any]]]]:
    columns = {
        name: [None if value is ABSENT else value for value in records.columns[name]] for name in names
    }
    return shared_and_own(
        {
            name: {system: kept(_at(values, places)) for system, places in rows.items()}
            for name, values in columns.items()
        }
    )


def shared_and_own(
    fields: Mapping[str, dict[str, Sequence[Any]]],
) -> tuple[dict[str, Sequence[Any]], dict[str, dict[str, Sequence[Any]]]]:
    """Return the fields that are the same for every system of a segment, and those that differ, by system."""
    shared, own = {}, {}
    for name, by_system in fields.items():
        first, *others = by_system.values()
        if all(_same(first, other) for other in others):
            shared[name] = first
        else:
            own[name] = by_system
    return shared, own
