"""Joining: records of several systems that were stored as they came, put together by their ids, some
segments at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus import Corpus
from nlgauge.corpus.raw_columns import aligned, check_left, different_values, no_system, shared_and_own
from nlgauge.errors import InputError

# The fields of a stored record that say which segment it is of, and which system it is from; no column of a
# file is called so.
ID, SYSTEM = "\0id", "\0system"
_ROWS = 20_000


class Joining:
    """The records of a stored corpus by system, the same segments in the same order for all.

    Segments are found by hashes of their ids, so that eight bytes of each are in memory; whether ids are the
    same is looked at as they are read.
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
                raise InputError(no_system(name, list(names), "a system"))
        places = {name: np.flatnonzero(codes == names[name]) for name in systems or names}
        if gaps:
            lacking = np.fromiter(map(hash, gaps), np.int64, len(gaps))
            check_left(len(gaps), len(np.union1d(self._hashes, lacking)))
            places = {name: own[~np.isin(self._hashes[own], lacking)] for name, own in places.items()}
        for name, own in places.items():
            self._check_once(name, own)
        self._places = aligned(places, self._hashes, common, self._id)

    def pieces(self) -> Iterator[Corpus]:
        """The segments, some thousands at a time."""
        count = len(next(iter(self._places.values())))
        step = max(1, _ROWS // len(self._places))
        for start, stop in pairwise([*range(0, count, step), count]):
            yield self._piece(start, stop)

    def _check_once(self, system: str, places: Array) -> None:
        hashes = self._hashes[places]
        order = np.argsort(hashes, kind="stable")
        for i in np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]]).tolist():
            one, other = (self._id(places[order[k]]) for k in (i, i + 1))
            if one == other:
                raise InputError(
                    f"system {system!r} has two records for segment {one!r}; every system needs one record per"
                    " segment."
                )

    def _id(self, place: int) -> Any:
        return self._rows.fields[ID][int(place)]

    def _piece(self, start: int, stop: int) -> Corpus:
        """Some segments with all their systems: of what belongs to a segment, the first system's records
        are believed if the others say the same.
        """
        size = stop - start
        part = self._rows.apart(np.concatenate([places[start:stop] for places in self._places.values()]))
        parts = {name: part.take(np.arange(k * size, (k + 1) * size)) for k, name in enumerate(self._places)}
        first_name, first = next(iter(parts.items()))
        ids = first.fields[ID]
        for name, own in parts.items():
            if own.fields[ID] != ids:
                raise InputError(
                    f"the segments of {name!r} and {first_name!r} have different ids with the same hash;"
                    " change these ids."
                )
            self._check_shared(first, own, first_name, name)
        fields, system_fields = shared_and_own(
            {
                field: {name: own.fields[field] for name, own in parts.items()}
                for field in part.fields
                if field not in (ID, SYSTEM)
            }
        )
        predictions = {name: next(iter(own.predictions.values())) for name, own in parts.items()}
        return replace(first, ids=ids, predictions=predictions, fields=fields, system_fields=system_fields)

    def _check_shared(self, first: Corpus, own: Corpus, first_name: str, name: str) -> None:
        for column in ("references", "sources", "weights", "documents"):
            ours, theirs = getattr(first, column), getattr(own, column)
            same = [] if ours is None else _same(ours, theirs)
            if not all(same):
                segment = first.fields[ID][same.index(False)]
                said = column if column == "references" else column.removesuffix("s")
                raise different_values(segment, said, repr(name), repr(first_name))


def _same(ours: Any, theirs: Any) -> list[bool]:
    """Whether a column has the same in each segment; texts are the same where their numbers are."""
    if isinstance(ours, Ragged):
        return [one == other for one, other in zip(ours.lists(), theirs.lists(), strict=True)]
    return [bool(one == other) for one, other in zip(ours, theirs, strict=True)]
