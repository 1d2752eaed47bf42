"""Answers: records of texts and scores, grouped by segment and system."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nlgauge.corpus.raw_columns import DEFAULT_SYSTEM, RawColumns
from nlgauge.corpus.records import ABSENT, FIELD_NAMES, Records, find_field, usual_names
from nlgauge.corpus.validation import is_hashable, is_missing
from nlgauge.errors import InputError

# Further usual names of fields in files of scores.
_USUAL: Mapping[str, tuple[str, ...]] = {
    "id": (*FIELD_NAMES["id"], "item", "item_id", "sample_id", "question_id"),
    "system": (*FIELD_NAMES["system"], "model"),
    "repeat": ("epoch", "repeat"),
    "document": FIELD_NAMES["document"],
    "weight": FIELD_NAMES["weight"],
    "prediction": FIELD_NAMES["prediction"],
    "references": FIELD_NAMES["references"],
    "source": FIELD_NAMES["source"],
}

# The field that identifies an answer which several records score.
_SAMPLE = "sample"
# The roles of texts that all systems share.
_INPUTS = ("references", "source")


@dataclass(frozen=True)
class AnswerFields:
    """Names of the fields that identify an answer; None selects a usual name."""

    item: str | None = None
    system: str | None = None
    repeat: str | None = None
    documents: str | None = None

    def roles(self, records: Records, scores: Sequence[str]) -> dict[str, str]:
        """Return the field of each role that the records have."""
        columns = [name for name in records.columns if name not in scores]
        chosen = {"id": self.item, "system": self.system, "repeat": self.repeat, "document": self.documents}
        whose = _whose(records)
        roles = {role: find_field(name, columns, whose) for role, name in chosen.items() if name is not None}
        for role, names in _USUAL.items():
            match = next((name for name in names if name in columns and name not in roles.values()), None)
            if match is not None:
                roles.setdefault(role, match)
        return roles | usual_names(columns, roles)


class Answers(NamedTuple):
    """Rows of records by system and segment, in the order of repeats; the texts and fields of the segments."""

    records: Records
    roles: Mapping[str, str]
    ids: list[Hashable]
    # For each system and each segment, the rows of its answers.
    rows: dict[str, list[list[int]]]
    # All rows of an answer that several records score, by its first row: judge runs.
    runs: Mapping[int, list[int]] = {}

    @classmethod
    def of(cls, records: Records, fields: AnswerFields, scores: Sequence[str]) -> Answers:
        """Group records by segment and system."""
        for name in scores:
            find_field(name, list(records.columns), _whose(records))
        roles = fields.roles(records, scores)
        systems = _systems(records, roles)
        items = _items(records, roles, systems)
        numbers: dict[Hashable, int] = {}
        for item in items:
            numbers.setdefault(item, len(numbers))
        rows: dict[str, list[list[int]]] = {
            system: [[] for _ in numbers] for system in dict.fromkeys(systems)
        }
        order = range(records.count)
        if "repeat" in roles:
            repeats = records.columns[roles["repeat"]]
            order = sorted(order, key=lambda i: _sort_key(repeats[i]))  # type: ignore[assignment]
        for i in order:
            rows[systems[i]][numbers[items[i]]].append(i)
        answers = cls(records, roles, list(numbers), rows)._with_runs()
        answers._check_shared()
        return answers

    def _with_runs(self) -> Answers:
        """Return the answers, with records of one segment, `sample` and prediction as scores of one answer."""
        samples = self.records.columns.get(_SAMPLE)
        if samples is None or _SAMPLE in self.roles.values():
            return self
        texts = self.records.columns.get(self.roles.get("prediction", ""), [None] * self.records.count)
        runs: dict[int, list[int]] = {}

        def answers_of(of_segment: list[int]) -> list[int]:
            first: dict[str, int] = {}
            for i in of_segment:
                key = repr((i,) if _is_gap(samples[i]) else (samples[i], texts[i]))
                runs.setdefault(first.setdefault(key, i), []).append(i)
            return list(first.values())

        rows = {system: [answers_of(each) for each in lists] for system, lists in self.rows.items()}
        return self._replace(rows=rows, runs=runs)

    def _check_shared(self) -> None:
        """Raise InputError if two systems have no segment in common."""
        first, *others = self.rows
        for other in others:
            if not any(
                ours and theirs for ours, theirs in zip(self.rows[first], self.rows[other], strict=True)
            ):
                some = [
                    ", ".join(
                        repr(item) for item, rows in zip(self.ids, self.rows[each], strict=True) if rows
                    )
                    for each in (first, other)
                ]
                raise InputError(
                    f"{first} and {other} have no segment in common ({first}: {some[0]:.40}; {other}: {some[1]:.40})",
                    python="name the field that identifies segments with item=FIELD",
                    cli="name the field that identifies segments with --item FIELD",
                )

    def parts(self, used: Sequence[str], ignore_inputs: bool) -> RawColumns:
        """Return the columns of a corpus; `used` are the fields of scores."""
        predictions = {system: self._texts("prediction", rows) for system, rows in self.rows.items()}
        is_plain = all(len(texts) == 1 for lists in predictions.values() for texts in lists)
        fields, system_fields = self._further(used)
        return RawColumns(
            {system: [texts[0] for texts in lists] for system, lists in predictions.items()}
            if is_plain
            else predictions,
            self._shared("references", ignore_inputs) if "references" in self.roles else None,
            self._shared("source", ignore_inputs) if "source" in self.roles else None,
            ids=self.ids,
            documents=self._of_segments("document") if "document" in self.roles else None,
            weights=self._of_segments("weight") if "weight" in self.roles else None,
            fields=fields,
            system_fields=system_fields,
            repeats=not is_plain,
        )

    def _texts(self, role: str, rows: list[list[int]]) -> list[list[str]]:
        """Return the texts of each segment; rows without a text are left out."""
        if role not in self.roles:
            return [[] for _ in rows]
        column = self.records.columns[self.roles[role]]
        texts = [[column[i] for i in each if not _is_gap(column[i])] for each in rows]
        odd = next((text for each in texts for text in each if not isinstance(text, str)), None)
        if odd is not None:
            raise InputError(f"{self.roles[role]!r} contains {odd!r:.40}, which is not a text.")
        return texts

    def _every_row(self) -> list[list[int]]:
        """Return the rows of each segment, of all systems and judge runs."""
        segments = zip(*self.rows.values(), strict=True)
        return [self._all_runs([i for rows in of_segment for i in rows]) for of_segment in segments]

    def _all_runs(self, rows: Sequence[int]) -> list[int]:
        """Return the rows of answers with the rows of their other judge runs."""
        return [run for i in rows for run in self.runs.get(i, (i,))] if self.runs else list(rows)

    def _of_segments(self, role: str, ignore: bool = False) -> list[Any]:
        """Return the value of each segment that all its answers share, None if it has none.

        Raise InputError if values differ, unless `ignore`.
        """
        name = self.roles[role]
        column = self.records.columns[name]
        values: list[Any] = []
        for item, rows in zip(self.ids, self._every_row(), strict=True):
            present = [_plain(column[i]) for i in rows if not _is_gap(column[i])]
            if not ignore and any(value != present[0] for value in present):
                raise InputError(
                    f"segment {item!r} has different values of {name!r}, so its answers do not belong to the"
                    " same segment",
                    python="name the field that identifies segments with item=FIELD"
                    + (", or pass ignore_inputs=True" if role in _INPUTS else ""),
                    cli="name the field that identifies segments with --item FIELD"
                    + (", or use --ignore-inputs" if role in _INPUTS else ""),
                )
            values.append(present[0] if present else None)
        return values

    def _shared(self, role: str, ignore: bool) -> list[Any]:
        """Return the texts that all systems share: one source, or a list of references, for each segment."""
        texts: list[list[str]] = []
        for value in self._of_segments(role, ignore):
            texts.append([] if value is None else [value] if isinstance(value, str) else value)
            if not isinstance(texts[-1], list) or not all(isinstance(text, str) for text in texts[-1]):
                raise InputError(f"{self.roles[role]!r} contains {value!r:.40}, which is not a text.")
        return ["\n\n".join(each) for each in texts] if role == "source" else texts

    def _further(self, used: Sequence[str]) -> tuple[dict[str, list[Any]], dict[str, dict[str, list[Any]]]]:
        """Return further fields: of segments if all answers have the same value, otherwise of systems."""
        left = [name for name in self.records.columns if name not in {*used, *self.roles.values()}]
        fields: dict[str, list[Any]] = {}
        system_fields: dict[str, dict[str, list[Any]]] = {}
        every = self._every_row()
        for name in left:
            column = [None if value is ABSENT else _plain(value) for value in self.records.columns[name]]
            values = [[column[i] for i in rows] for rows in every]
            if all(value == each[0] for each in values for value in each):
                fields[name] = [each[0] for each in values]
            else:
                system_fields[name] = {
                    system: [_of_answers([column[i] for i in self._all_runs(each)]) for each in rows]
                    for system, rows in self.rows.items()
                }
        return fields, system_fields


def _whose(records: Records) -> str:
    return f"the records of {records.file}" if records.file else "the records"


def _systems(records: Records, roles: Mapping[str, str]) -> list[str]:
    """Return the system of each record."""
    if "system" not in roles:
        return [DEFAULT_SYSTEM] * records.count
    values = records.columns[roles["system"]]
    if set(map(type, values)) == {str}:
        return values
    for i, value in enumerate(values):
        if _is_gap(value) or isinstance(value, list | dict):
            raise InputError(
                f"{records.place(i)} has no name of a system in {roles['system']!r}",
                python="add the name, or name another field with system=FIELD",
                cli="add the name, or name another field with --system-field FIELD",
            )
    return list(map(str, values))


def _items(records: Records, roles: Mapping[str, str], systems: list[str]) -> list[Hashable]:
    """Return the segment of each record: its id, or its number among the records of its system."""
    if "id" in roles:
        items = records.columns[roles["id"]]
        if set(map(type, items)) <= {str, int}:
            return items
        for i, item in enumerate(items):
            if item is ABSENT or is_missing(item) or not is_hashable(item):
                raise InputError(
                    f"{records.place(i)}: {roles['id']!r} is {item!r:.40}; ids must be names or numbers."
                )
        return items
    counts: dict[str, int] = {}
    numbers: list[Hashable] = []
    for system in systems:
        numbers.append(counts.setdefault(system, 0))
        counts[system] += 1
    if len(set(counts.values())) > 1:
        raise InputError(
            f"the systems have different numbers of records ({counts}), and no field identifies the segments",
            python="name it with item=FIELD",
            cli="name it with --item FIELD",
        )
    return numbers


def _sort_key(value: Any) -> tuple[bool, float, str]:
    is_number = isinstance(value, int | float) and abs(value) < math.inf
    return not is_number, value if is_number else 0.0, "" if is_number else str(value)


def _is_gap(value: Any) -> bool:
    return type(value) is not str and (value is ABSENT or is_missing(value))


def _plain(value: Any) -> Any:
    """Return an array or a tuple as a list, so that two values can be compared."""
    return value.tolist() if isinstance(value, np.ndarray) else list(value) if type(value) is tuple else value


def _of_answers(values: list[Any]) -> Any:
    """Return the value of the only answer, or the values of all answers."""
    return values[0] if len(values) == 1 else values or None
