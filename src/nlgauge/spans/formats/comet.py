"""COMET: the JSON file of `comet-score --to_json`, and JSON lines with `error_spans`, as XCOMET writes them.

The words of a span are searched for if its offsets do not fit them; words that the text lacks become an error without a
place, with the words as note.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

import msgspec

from nlgauge.explanations.spans import spans as located
from nlgauge.spans.formats.record import Mark, Options, Record, Source, first_object, name_of
from nlgauge.spans.report import Report
from nlgauge.spans.span import known_severity

_NAME = "xcomet"


class Error(msgspec.Struct):
    """One error."""

    severity: str
    text: str = ""
    start: int | None = None
    end: int | None = None
    confidence: float | None = None


class Scored(msgspec.Struct):
    """One text with its errors."""

    mt: str
    errors: list[Error]
    src: str | None = None
    ref: str | None = None
    COMET: float | None = None


class Line(msgspec.Struct):
    """One line of the file."""

    error_spans: list[Error]
    segment: str | int | None = None
    id: str | int | None = None
    system: str | int | None = None
    metric: str = _NAME
    mt: str | None = None
    prediction: str | None = None
    score: float | None = None


def recognizes(source: Source) -> bool:
    """Return True if the content is in this format."""
    value = first_object(source.first_line())
    if isinstance(value, dict) and "error_spans" in value:
        return True
    if not source.text.lstrip().startswith("{"):
        return False
    value = first_object(source.text)
    lists = list(value.values()) if isinstance(value, dict) else []
    return bool(lists) and all(
        isinstance(rows, list) and rows and isinstance(rows[0], dict) and {"mt", "errors"} <= rows[0].keys()
        for rows in lists
    )


def read(source: Source, options: Options, report: Report) -> Iterator[Record]:
    """Yield the records of a file."""
    who = options.annotator or _NAME
    first = first_object(source.first_line())
    if isinstance(first, dict) and "error_spans" in first:
        for number, (place, line) in enumerate(source.objects(Line)):
            text = line.mt if line.mt is not None else line.prediction
            segment = line.segment if line.segment is not None else line.id
            yield Record(
                place,
                options.annotator or line.metric,
                name_of(line.system, "system", place),
                number if segment is None else segment,
                marks_of(line.error_spans, text, options, report),
                line.score,
                texts={} if text is None else {"target": text},
                number=number if segment is None else None,
            )
        return
    for name, rows in source.document(dict[str, list[Scored]]).items():
        for number, row in enumerate(rows):
            texts = {"target": row.mt, "source": row.src, "reference": row.ref}
            yield Record(
                f"{source.name}, {name}, item {number + 1}",
                who,
                PurePath(name).stem,
                number,
                marks_of(row.errors, row.mt, options, report),
                row.COMET,
                texts={side: text for side, text in texts.items() if text is not None},
                number=number,
            )


def marks_of(errors: list[Error], text: str | None, options: Options, report: Report) -> list[Mark]:
    """Return the marks of errors that are named by their words."""
    marks = []
    for error in errors:
        severity = known_severity(error.severity, options.severities)
        start, end, note = error.start, error.end, ""
        words = error.text.strip()
        if text is not None and words and (start is None or end is None or text[start:end].strip() != words):
            place = located([words], text)[0] if words in text else None
            start, end = place or (None, None)
            if place is None:
                note = words
                report.left_out["places of errors whose words are not in the text"] += 1
        elif text is not None and start is not None and end is not None:
            # Offsets of word pieces begin with the space before the word.
            lead = len(text[start:end]) - len(text[start:end].lstrip())
            start += lead if text[start:end].strip() else 0
        marks.append(Mark(start, end, severity, confidence=error.confidence, note=note))
    return marks
