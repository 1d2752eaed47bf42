"""Raw columns of a corpus, from records or from separate arguments, before texts get ids."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from itertools import chain
from typing import Any

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.corpus.fields import kept
from nlgauge.corpus.records import (
    ABSENT,
    FIELD_NAMES,
    USUAL_SYSTEM,
    Records,
    absence,
    is_text_list,
    names_of,
)
from nlgauge.corpus.validation import check_system, is_hashable, is_missing, items_of, missing_text
from nlgauge.errors import InputError, no_such

DEFAULT_SYSTEM = "system"
_OF_A_SEGMENT = {
    "references": "references",
    "sources": "source",
    "ids": "id",
    "weights": "weight",
    "documents": "document",
}
_TEXTS = ("prediction", "references", "source")


@dataclass(frozen=True, eq=False)
class RawColumns:
    """Columns of all segments; `name` returns the name of a system's predictions for messages."""

    predictions: Mapping[str, Any]
    references: Any = None
    sources: Any = None
    ids: Any = None
    weights: Any = None
    documents: Any = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    system_fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    name: Callable[[str], str] = "predictions[{!r}]".format
    # True if several predictions of a segment are repeats, and a segment may have none.
    repeats: bool = False

    def take(self, segments: Sequence[int]) -> RawColumns:
        """Return the columns of only these segments."""
        return replace(
            self,
            **{
                part.name: _taken(getattr(self, part.name), segments)
                for part in fields(self)
                if part.name not in ("name", "repeats")
            },
        )

    def as_lists(self) -> RawColumns:
        """Return the same columns as lists instead of other containers."""
        columns: dict[str, Any] = {
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
            **columns,
        )

    def without_gaps(self) -> RawColumns:
        """Return the segments without a missing text, with their original ids or numbers.

        Warn how many segments are left out.
        """
        parts = self.as_lists()
        gaps = parts.gaps()
        if gaps:
            check_left(len(gaps), parts.count)
        return parts.without(gaps)

    @property
    def count(self) -> int:
        """Number of segments of the first system."""
        return len(next(iter(self.predictions.values())))

    def gaps(self) -> set[int]:
        """Return the numbers of the segments with a missing text.

        The result is empty if the columns have different lengths, which is an error elsewhere.
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
        """Return the columns without these segments; the others have their original ids or numbers."""
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
    """Warn how many segments lack a text; raise InputError if all of them do."""
    if gaps == count:
        raise InputError(
            f"a text is missing in every segment ({count}), so nothing is left to score",
            python="leave skip_missing out to see where the first text is missing",
            cli="leave --skip-missing out to see where the first text is missing",
        )
    say_left_out(gaps, count, "a text is missing")


def say_left_out(count: int, total: int, why: str) -> None:
    """Warn that segments are left out."""
    warnings.warn(
        f"{count} of {counted(total, 'segment')} {'is' if count == 1 else 'are'} left out: {why}.",
        stacklevel=6,
    )


def gaps_in(column: list[Any]) -> list[int]:
    """Return the numbers of the segments with a missing text in a column of texts or lists of texts."""
    kinds = set(map(type, column))
    if kinds <= {str} or (kinds <= {list, tuple} and set(map(type, chain.from_iterable(column))) <= {str}):
        return []
    return [i for i, value in enumerate(column) if _is_gap(value)]


def _is_gap(value: Any) -> bool:
    several = isinstance(value, list | tuple) or (is_text_list(value) and hasattr(value, "shape"))
    return value is ABSENT or (any(map(is_missing, value)) if several else is_missing(value))


def system_names(systems: Any) -> list[str]:
    """Return the names of the systems to read; an empty list means all systems."""
    names = (
        []
        if systems is None
        else [systems]
        if isinstance(systems, str)
        else items_of(systems, "systems", "names")
    )
    for name in names:
        check_system(name)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"the system {twice!r} is named twice; name each system once.")
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
    """Return the columns that were passed as separate arguments."""
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
            raise InputError(no_such("system", name, predictions))
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
    """Return the columns of records of one system or several.

    Records of several systems have a field with the name of the system, or one column of predictions per system
    (`wanted`). The ids of pooled records of several systems end with the name of the system: always in a chunk
    (`piece`) of a larger corpus, otherwise only if ids repeat.
    """
    wide = wanted if wanted and all(name in records.columns for name in wanted) else []
    if wanted and not wide and not records.columns.keys() & set(FIELD_NAMES["system"]):
        raise InputError(
            no_such("column", next(name for name in wanted if name not in records.columns), records.columns)
        )
    names = names_of(records, wide)
    if not (wide or pooled or piece) and _names_systems(records, names):
        names["system"] = USUAL_SYSTEM
    if pooled and wanted and not wide:
        column = records.columns[names["system"]]
        of_wanted = [i for i, system in enumerate(column) if str(system) in wanted]
        if not of_wanted:
            raise InputError(no_such("system", wanted[0], dict.fromkeys(map(str, column))))
        records = records.take(of_wanted)
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
    name_format = "predictions" if list(predictions) == [DEFAULT_SYSTEM] else "predictions[{!r}]"
    return RawColumns(
        predictions, **shared, fields=shared_fields, system_fields=system_fields, name=name_format.format
    )


def _at(column: list[Any], rows: Sequence[int]) -> list[Any]:
    return column if rows == range(len(column)) else [column[i] for i in rows]


def _check_gaps(records: Records, names: Sequence[str]) -> None:
    for name in names:
        gaps = gaps_in(records.columns[name])
        if gaps:
            value = records.columns[name][gaps[0]]
            if value is ABSENT:
                raise missing_text(absence(records, name, gaps[0]).removesuffix("."))
            shown = "null" if records.file is not None and value is None else f"{value!r:.40}"
            raise missing_text(
                f"{records.place(gaps[0])}: {name!r} is {shown}, but must be a text; an empty text is ''"
            )


def _without_gaps(records: Records, names: Sequence[str], ids: list[Any]) -> Records:
    """Return the records of the segments that have all texts of all systems."""
    gaps = {str(ids[i]) for name in names for i in gaps_in(records.columns[name])}
    if not gaps:
        return records
    segments = list(map(str, ids))
    check_left(len(gaps), len(set(segments)))
    return records.take([i for i, segment in enumerate(segments) if segment not in gaps])


def _check_ids(records: Records, names: Mapping[str, str], rows: Sequence[int]) -> None:
    """Raise InputError if two records of a system have the same id, or if an id is invalid."""
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
            problem = f"{records.place(i)} repeats segment {segment!r}{of}, which {records.place(other)} already has"
            if of:
                raise InputError(f"{problem}; every system needs one record per segment.")
            raise InputError(
                f"{problem}; change the id, or name the field that contains the system",
                python="pass mapping={'system': FIELD}",
                cli="use --map system=FIELD",
            )


def _names_systems(records: Records, names: Mapping[str, str]) -> bool:
    """Return True if ids repeat, and the field "model" has several names."""
    if "system" in names or "id" not in names or USUAL_SYSTEM not in records.columns:
        return False
    ids, models = records.columns[names["id"]], records.columns[USUAL_SYSTEM]
    if not (set(map(type, ids)) <= {str, int} and set(map(type, models)) == {str}):
        return False
    return len(set(ids)) < records.count and len(set(models)) > 1


def _pooled_ids(records: Records, names: Mapping[str, str], always: bool) -> list[Any] | None:
    """Return the ids of pooled records, with the name of the system if ids repeat or if `always`."""
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
    """Return the rows of each system, with the same segments in the same order for all systems."""
    if "id" not in names:
        raise no_ids()
    rows: dict[str, Sequence[int]] = {}
    for i, system in enumerate(records.columns[names["system"]]):
        rows.setdefault(str(system), []).append(i)  # type: ignore[attr-defined]
    for name in wanted:
        if name not in rows:
            raise InputError(no_such("system", name, rows))
    rows = {name: rows[name] for name in wanted} or rows
    ids, numbers = records.columns[names["id"]], dict[Hashable, int]()
    keys = np.full(records.count, -1)
    for places in rows.values():
        _check_ids(records, names, places)
        keys[places] = [numbers.setdefault(ids[i], len(numbers)) for i in places]
    unordered = {system: np.array(places) for system, places in rows.items()}
    ordered = aligned(unordered, keys, common, ids.__getitem__)
    rows = {system: places.tolist() for system, places in ordered.items()}
    _check_shared(records, names, rows, next(iter(rows)))
    return rows


def aligned(
    places: Mapping[str, Array], keys: Array, common: bool, id_of: Callable[[int], Any]
) -> Mapping[str, Array]:
    """Return the places of each system's records in the order of the first system's segments.

    With `common`, segments that a system lacks are left out; otherwise they are an error. `keys` has one number
    per record, which is equal for records of the same segment, and `id_of` returns the id of a record.
    """
    segments = {system: keys[rows] for system, rows in places.items()}
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
            (system, rows[unshared][0])
            for system, rows in places.items()
            if (unshared := ~np.isin(segments[system], shared)).any()
        )
        lacking = next(system for system, numbers in segments.items() if keys[odd] not in numbers)
        raise missing_segment(id_of(odd), having, lacking, left_out, len(every))
    if left_out:
        say_left_out(left_out, len(every), f"not all {len(places)} systems have them")
    order = first[np.isin(first, shared)]
    return {system: rows[_places_of(order, segments[system])] for system, rows in places.items()}


def _places_of(wanted: Array, keys: Array) -> Array:
    """Return the place in `keys` of each key of `wanted`."""
    order = np.argsort(keys, kind="stable")
    return order[np.searchsorted(keys[order], wanted)]


def _check_shared(
    records: Records, names: Mapping[str, str], rows: Mapping[str, Sequence[int]], first_name: str
) -> None:
    """Raise InputError if systems have different references, sources, weights or documents of a segment."""
    for our in ("references", "source", "weight", "document"):
        if our not in names:
            continue
        column = records.columns[names[our]]
        first = [column[i] for i in rows[first_name]]
        for system, places in rows.items():
            for place, value in (
                zip(places, first, strict=True) if not _same([column[i] for i in places], first) else ()
            ):
                if not _same(column[place], value):
                    segment = records.columns[names["id"]][place]
                    raise different_values(
                        segment, our, f"{system!r} ({records.place(place)})", f"{first_name!r}"
                    )


def no_ids() -> InputError:
    """Return the error for records of several systems without an id."""
    return InputError(
        "the records have a field with the system, but no field 'id' with the segment of each record",
        python="add that field, or pass pooled=True to score every record as a segment",
        cli="add that field, or use `nlgauge score --pooled` to score every record as a segment",
    )


def missing_segment(segment: Any, having: str, lacking: str, left_out: int, every: int) -> InputError:
    """Return the error for a segment that only some systems have."""
    effect = f"to leave out the {left_out} of {counted(every, 'segment')} that some system lacks"
    return InputError(
        f"{having!r} has the segment {segment!r} but {lacking!r} does not; all systems need the same segments",
        python=f"pass common=True {effect}",
        cli=f"use `nlgauge score --common` {effect}",
    )


def nothing_shared(systems: int) -> InputError:
    """Return the error for systems without a common segment."""
    return InputError(
        f"the {systems} systems have no segment in common",
        python="choose other records or systems, or pass pooled=True to score every record as a segment",
        cli="use `nlgauge score` with --where EXPRESSION to choose other records, or with --pooled to score every"
        " record as a segment",
    )


def different_values(segment: Any, name: str, system: str, first: str) -> InputError:
    """Return the error for systems that disagree about a value that belongs to the segment."""
    return InputError(
        f"the systems {system} and {first} have different values of {name!r} for segment {segment!r}",
        python="leave one system out, or pass pooled=True to score every record as a segment",
        cli="use `nlgauge score` with --column SYSTEM for each system to read, or with --pooled to score every record as"
        " a segment",
    )


def _same(left: Any, right: Any) -> bool:
    try:
        return (
            list(left) == list(right) if is_text_list(left) and is_text_list(right) else bool(left == right)
        )
    except (TypeError, ValueError):  # data frames and arrays, which are refused as texts later
        return left is right


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
    """Return the fields that are the same for every system, and the fields that differ, by system."""
    shared, differing = {}, {}
    for name, by_system in fields.items():
        first, *others = by_system.values()
        if all(_same(first, other) for other in others):
            shared[name] = first
        else:
            differing[name] = by_system
    return shared, differing
