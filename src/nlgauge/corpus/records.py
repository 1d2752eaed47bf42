"""Records: one dictionary, or one row of a data frame, per segment, with the field names that other tools use.

A field called "document" may be the text that was summarised or the label of the document that a segment is from. It is the source where most
are longer than a label (100 characters) and no other field is the source; it is the label where all are short and either one word each,
or mostly repeated, or there is another source. Anything else is refused: "source" and "doc_id" say which is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nlgauge.errors import InputError

# What other tools call the fields of a record, beside our own names.
FIELD_NAMES = {
    "prediction": ("prediction", "predictions", "mt", "hyp", "hypothesis", "candidate", "output"),
    "references": ("references", "reference", "ref", "refs", "target", "targets"),
    "source": ("source", "src", "sources", "document_text", "input"),
    "id": ("id", "segment", "segment_id"),
    "system": ("system", "system_name"),
    "weight": ("weight",),
    "document": ("doc", "doc_id", "document_id"),
}
_AMBIGUOUS = "document"
_LONGEST_LABEL = 100
KNOWN_NAMES = {_AMBIGUOUS, *(name for names in FIELD_NAMES.values() for name in names)}


def as_records(predictions: Any) -> list[Mapping[str, Any]] | None:
    """The records behind a data frame or a list of dictionaries; None where it is neither."""
    if isinstance(predictions, type):
        return None
    if hasattr(predictions, "to_dicts"):  # polars
        return list(predictions.to_dicts())
    if hasattr(predictions, "to_dict") and hasattr(predictions, "columns"):  # pandas
        return list(predictions.to_dict("records"))
    if isinstance(predictions, Sequence) and not isinstance(predictions, str) and predictions and all(isinstance(r, Mapping) for r in predictions):
        return list(predictions)
    return None


def is_text_list(value: Any) -> bool:
    """Whether a value holds several texts rather than being one."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping | set | frozenset) and getattr(value, "ndim", 1) > 0


def arguments_of(records: list[Mapping[str, Any]]) -> dict[str, Any]:
    """What `Corpus.read` takes, from records of one system, or of several that name theirs."""
    names = _names(records)
    if "system" in names:
        systems = _by_system(records, names)
        segments = next(iter(systems.values()))
        predictions: Any = {system: [rows[segment][names["prediction"]] for segment in segments] for system, rows in systems.items()}
        shared = list(segments.values())
    else:
        predictions, shared = [record[names["prediction"]] for record in records], records
    fields = {"references": "references", "sources": "source", "ids": "id", "weights": "weight", "documents": "document"}
    columns = {argument: [record[names[our]] for record in shared] for argument, our in fields.items() if our in names}
    return {"predictions": predictions, **columns}


def _names(records: list[Mapping[str, Any]]) -> dict[str, str]:
    """What these records call our fields."""
    if not records:
        raise InputError("there are no records; give at least one segment.")
    names = {}
    for our, theirs in FIELD_NAMES.items():
        present = [name for name in theirs if name in records[0]]
        if len(present) > 1:
            raise InputError(f"the records have both {present[0]!r} and {present[1]!r} for the {our}; keep one.")
        if present:
            names[our] = present[0]
    if "prediction" not in names:
        raise InputError(f"the records have no prediction, only {', '.join(map(repr, records[0]))}; name it 'prediction'.")
    used = [*names.values(), _AMBIGUOUS] if _AMBIGUOUS in records[0] else list(names.values())
    for i, record in enumerate(records):
        missing = [name for name in used if name not in record]
        if missing:
            raise InputError(f"record {i} has no {missing[0]!r}, record 0 has it; every record needs the same fields.")
    if _AMBIGUOUS in used:
        our = _meaning_of_document(records, names)
        if our in names:
            raise InputError(f"the records have both {names[our]!r} and {_AMBIGUOUS!r} for the {our}; keep one.")
        names[our] = _AMBIGUOUS
    return names


def _meaning_of_document(records: list[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """ "source" or "document", by what the field holds."""
    # Each segment counts once, however many systems have it.
    segments = {str(record[names["id"]]): record for record in records}.values() if "id" in names else records
    values = [str(record[_AMBIGUOUS]) for record in segments]
    long = sum(len(value) > _LONGEST_LABEL for value in values)
    if 2 * long > len(values) and "source" not in names:
        return "source"
    if not long and ("source" in names or all(map(_is_one_word, values)) or 2 * len(set(values)) <= len(values)):
        return "document"
    raise InputError(
        f"the records have a field {_AMBIGUOUS!r} ({values[0]!r:.40}) that may be the text which was summarised or the label of a document; "
        "rename it to 'source' or to 'doc_id'."
    )


def _is_one_word(value: str) -> bool:
    return value.isascii() and len(value.split()) == 1


def _by_system(records: list[Mapping[str, Any]], names: Mapping[str, str]) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Each system's records by segment; all must have the same segments, and agree on what belongs to a segment."""
    if "id" not in names:
        raise InputError("records of several systems need an 'id' that says which segment each is of.")
    systems: dict[str, dict[str, Mapping[str, Any]]] = {}
    for i, record in enumerate(records):
        rows = systems.setdefault(str(record[names["system"]]), {})
        if str(record[names["id"]]) in rows:
            raise InputError(f"record {i} repeats segment {record[names['id']]!r} of system {record[names['system']]!r}.")
        rows[str(record[names["id"]])] = record
    first_name, first = next(iter(systems.items()))
    for system, rows in systems.items():
        if rows.keys() != first.keys():
            odd = sorted(rows.keys() ^ first.keys())[0]
            raise InputError(f"segment {odd!r} is not there for both {first_name!r} and {system!r}; all systems need the same segments.")
        for segment, record in rows.items():
            for our in ("references", "source", "weight", "document"):
                if our in names and not _same(record[names[our]], first[segment][names[our]]):
                    raise InputError(f"segment {segment!r} has another {our} under {system!r} than under {first_name!r}; they belong to the segment.")
    return systems


def _same(one: Any, other: Any) -> bool:
    try:
        return list(one) == list(other) if is_text_list(one) and is_text_list(other) else bool(one == other)
    except (TypeError, ValueError):  # data frames and arrays, which are refused as texts later
        return one is other
