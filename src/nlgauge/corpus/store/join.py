"""Join of stored records of several systems by their ids, some segments at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus import Corpus
from nlgauge.corpus.raw_columns import aligned, check_left, different_values, shared_and_own
from nlgauge.errors import InputError, no_such

# Fields of a stored record with the id of its segment and the name of its system; no column of a file has these
# names.
ID, SYSTEM = "\0id", "\0system"
_ROWS = 20_000


class Joining:
    """Join of the records of a stored corpus: the same segments in the same order for all systems.

    Records are matched by hashes of their ids, so that only 8 bytes per id are in memory. The ids themselves are
    compared when the segments are read.
    """

    def __init__(self, rows: Corpus, systems: Sequence[str], gaps: AbstractSet[Any], common: bool) -> None:
        self._rows = rows
        names: dict[str, int] = {}
        codes = np.fromiter(
            (names.setdefault(name, len(names)) for name in rows.fields[SYSTEM]), np.int32, len(rows)
        )
        self._hashes = np.fromiter(map(hash, rows.fields[ID]), np.int64, len(rows))
        for name in systems:
            if name not in names:
                raise InputError(no_such("system", name, names))
        places = {name: np.flatnonzero(codes == names[name]) for name in systems or names}
        if gaps:
            lacking = np.fromiter(map(hash, gaps), np.int64, len(gaps))
            check_left(len(gaps), len(np.union1d(self._hashes, lacking)))
            places = {name: rows[~np.isin(self._hashes[rows], lacking)] for name, rows in places.items()}
        for name, numbers in places.items():
            self._check_once(name, numbers)
        self._places = aligned(places, self._hashes, common, self._id)

    def pieces(self) -> Iterator[Corpus]:
        """Yield the segments, some thousands at a time."""
        count = len(next(iter(self._places.values())))
        step = max(1, _ROWS // len(self._places))
        for start, stop in pairwise([*range(0, count, step), count]):
            yield self._piece(start, stop)

    def _check_once(self, system: str, places: Array) -> None:
        hashes = self._hashes[places]
        order = np.argsort(hashes, kind="stable")
        for i in np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]]).tolist():
            first, second = (self._id(places[order[k]]) for k in (i, i + 1))
            if first == second:
                raise InputError(
                    f"system {system!r} has two records for segment {first!r}; every system needs one record per"
                    " segment."
                )

    def _id(self, place: int) -> Any:
        return self._rows.fields[ID][int(place)]

    def _piece(self, start: int, stop: int) -> Corpus:
        """Return some segments with all systems; raise InputError if systems disagree on a shared column."""
        size = stop - start
        part = self._rows.apart(np.concatenate([places[start:stop] for places in self._places.values()]))
        parts = {name: part.take(np.arange(k * size, (k + 1) * size)) for k, name in enumerate(self._places)}
        first_name, first = next(iter(parts.items()))
        ids = first.fields[ID]
        for name, system_part in parts.items():
            if system_part.fields[ID] != ids:
                raise InputError(
                    f"the segments of {name!r} and {first_name!r} have different ids with the same hash;"
                    " change these ids."
                )
            self._check_shared(first, system_part, first_name, name)
        fields, system_fields = shared_and_own(
            {
                field: {name: system_part.fields[field] for name, system_part in parts.items()}
                for field in part.fields
                if field not in (ID, SYSTEM)
            }
        )
        predictions = {
            name: next(iter(system_part.predictions.values())) for name, system_part in parts.items()
        }
        return replace(first, ids=ids, predictions=predictions, fields=fields, system_fields=system_fields)

    def _check_shared(self, first: Corpus, second: Corpus, first_name: str, name: str) -> None:
        for column in ("references", "sources", "weights", "documents"):
            expected, values = getattr(first, column), getattr(second, column)
            same = [] if expected is None else _same(expected, values)
            if not all(same):
                segment = first.fields[ID][same.index(False)]
                label = column if column == "references" else column.removesuffix("s")
                raise different_values(segment, label, repr(name), repr(first_name))


def _same(first: Any, second: Any) -> list[bool]:
    """Return True for each segment with equal values in both columns; equal texts have equal ids."""
    if isinstance(first, Ragged):
        return [left == right for left, right in zip(first.lists(), second.lists(), strict=True)]
    return [bool(left == right) for left, right in zip(first, second, strict=True)]
