"""WMT ESA: the CSV export of Appraise, without a header; `end_i` is the last character of a span.

    user, system, item, type, source language, target language, score, document, complete, spans, start, end

A document may have several items; they are numbered in the order of the items. Control items are left out.
"""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from nlgauge.errors import InputError
from nlgauge.spans.formats.own import UNDECIDED, place_of
from nlgauge.spans.formats.record import Mark, Options, Record, Source, decoded, formula_names, safe_cell
from nlgauge.spans.report import Report
from nlgauge.spans.span import Annotation, Span, category_of, known_severity

_WIDTH = 12
_CONTROLS = ("#bad", "#dup", "#incomplete", "tutorial")


class MarkedSpan(msgspec.Struct):
    """One span."""

    start_i: int | str | None
    end_i: int | str | None
    severity: str
    error_type: list[str | None] | str | None = None


def recognizes(source: Source) -> bool:
    """Return True if the content is in this format."""
    row = next(csv.reader([source.first_line()]), [])
    return len(row) == _WIDTH and row[8] in ("True", "False") and row[9].startswith("[")


def read(source: Source, options: Options, report: Report) -> Iterator[Record]:
    """Yield the records of a file."""
    decoder = msgspec.json.Decoder(list[MarkedSpan])
    rows: dict[tuple[str, str, str], list[tuple[int, Record]]] = defaultdict(list)
    reader = csv.reader(io.StringIO(source.text, newline=""), strict=True)
    for row in _rows(reader, source.name):
        place = f"{source.name}, line {reader.line_num}"
        if not row:
            continue
        if len(row) != _WIDTH:
            raise InputError(f"{place}: a row of Appraise has {_WIDTH} fields, got {len(row)}.")
        user, system, item, kind, *_, score, document, _, spans, start, end = row
        if kind != "TGT" or any(mark in document.lower() for mark in _CONTROLS):
            report.left_out["control items and tutorials"] += 1
            continue
        marked = decoded(decoder.decode, spans, place)
        parts = ((each.start_i, each.end_i, each.severity, each.error_type) for each in marked)
        marks = marks_of(parts, options, report, place)
        name = document.partition("#")[0]
        record = Record(
            place,
            user,
            system,
            name,
            marks,
            _number(score, "score", place),
            round(_number(end, "end", place) - _number(start, "start", place), 3),
            document=name,
        )
        rows[user, system, name].append((int(_number(item, "item", place)), record))
    several = {name for (_, _, name), records in rows.items() if len({number for number, _ in records}) > 1}
    for (_, _, name), records in rows.items():
        items = sorted({number for number, _ in records})
        for number, record in records:
            if name in several:
                record.segment = f"{name}:{items.index(number) + 1}"
            yield record


def _rows(reader: Any, name: str) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: {error}.") from None


def marks_of(
    spans: Iterable[tuple[Any, Any, str, Any]], options: Options, report: Report, place: str
) -> list[Mark]:
    """Return spans, each with start, end, severity and category, without those of undecided severity."""
    marks = []
    for start, end, severity, category in spans:
        if severity.lower() == UNDECIDED:
            report.left_out["spans of undecided severity"] += 1
            continue
        known = known_severity(severity, options.severities)
        marks.append(Mark(place_of(start, place), place_of(end, place), known, category_of(category)))
    return marks


def _number(text: str, what: str, place: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{place}: {what} must be a number, got {text!r:.60}.") from None


def write(annotations: Sequence[Annotation]) -> str:
    """Return annotations as the text of a file."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    clock = 0.0
    for item, each in enumerate(annotations):
        spans = json.dumps(
            [plain_span(span) for span in each.spans if span.side != "source"], ensure_ascii=False
        )
        score = "" if each.score is None else f"{each.score:g}"
        names = (safe_cell(each.annotator), safe_cell(each.system), item, "TGT", "src", "tgt", score or "0")
        end = clock + (each.seconds or 0.0)
        writer.writerow(
            [*names, safe_cell(f"{each.segment}#{each.system}"), False, spans, f"{clock:g}", f"{end:.17g}"]
        )
    return stream.getvalue()


def plain_span(span: Span) -> dict[str, Any]:
    """Return a span as Appraise has it: the end is the last character."""
    place: dict[str, Any] = {"start_i": "missing", "end_i": "missing"}
    if span.start is not None and span.end is not None:
        place = {"start_i": span.start, "end_i": span.end - 1}
    return {
        **place,
        "severity": span.severity,
        "error_type": span.category.split("/") if span.category else None,
    }


def batches(annotations: Sequence[Annotation]) -> str:
    """Return the texts as a file of batches, which `texts` reads."""
    items = [
        {
            "itemID": item,
            "itemType": "TGT",
            "documentID": f"{each.segment}#{each.system}",
            "targetID": each.system,
            "sourceText": each.source or "",
            "targetText": each.target or "",
        }
        for item, each in enumerate({(each.segment, each.system): each for each in annotations}.values())
    ]
    return json.dumps([{"items": items}], ensure_ascii=False, indent=1) + "\n"


def lost(annotations: Sequence[Annotation]) -> list[str]:
    """Return what the annotations contain and the format cannot."""
    reasons = {
        "texts (they are in the file of batches)": any(each.target is not None for each in annotations),
        "spans in the source": any(span.side == "source" for each in annotations for span in each.spans),
        "names that begin like formulas: they get an apostrophe": formula_names(annotations),
        "scores that are missing become 0": any(each.score is None for each in annotations),
    }
    return [reason for reason, applies in reasons.items() if applies]
