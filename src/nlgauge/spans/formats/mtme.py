"""mt-metrics-eval: `.seg.rating` files. The k-th line of a system belongs to the k-th segment; None is not annotated.

system <tab> {"errors": [{"start", "end", "category", "severity", "is_source_error"}]} <tab> rater
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from nlgauge.errors import InputError
from nlgauge.spans.formats.record import (
    Mark,
    Options,
    Record,
    Source,
    decoded,
    first_object,
    formula_names,
    json_line,
    one_line,
    safe_cell,
)
from nlgauge.spans.report import Report
from nlgauge.spans.span import Annotation, category_of, known_severity

_NONE = "None"


class Error(msgspec.Struct):
    """One error."""

    start: int
    end: int
    severity: str
    category: str | None = None
    is_source_error: bool = False


class Rating(msgspec.Struct):
    """Errors of one text."""

    errors: list[Error]


def recognizes(source: Source) -> bool:
    """Return True if the content is in this format."""
    cells = source.first_line().split("\t")
    if len(cells) not in (2, 3):
        return False
    value = first_object(cells[1])
    return cells[1] == _NONE or (isinstance(value, dict) and "errors" in value)


def read(source: Source, options: Options, report: Report) -> Iterator[Record]:
    """Yield the records of a file."""
    decoder = msgspec.json.Decoder(Rating)
    lines: Counter[str] = Counter()
    for place, line in source.lines():
        cells = line.split("\t")
        if len(cells) not in (2, 3):
            raise InputError(f"{place}: a rating has two or three columns, got {len(cells)}.")
        system, number = cells[0], lines[cells[0]]
        lines[system] += 1
        if cells[1] == _NONE:
            report.left_out["lines without an annotation"] += 1
            continue
        who = cells[2] if len(cells) == 3 else options.annotator
        if not who:
            raise InputError(
                f"{place}: these spans have no annotator",
                python="pass annotator='NAME'",
                cli="name the annotator with --annotator",
            )
        marks = [
            Mark(
                error.start,
                error.end,
                known_severity(error.severity, options.severities),
                category_of(error.category),
                "source" if error.is_source_error else "target",
            )
            for error in decoded(decoder.decode, cells[1], place).errors
        ]
        yield Record(place, who, system, number, marks, number=number)


def write(annotations: Sequence[Annotation]) -> str:
    """Return annotations as the text of a file."""
    segments = list(dict.fromkeys(each.segment for each in annotations))
    cells = {
        (each.system, each.segment): each for each in annotations if each.annotator == _first(annotations)
    }
    lines = []
    for system in dict.fromkeys(each.system for each in annotations):
        for segment in segments:
            each = cells.get((system, segment))
            rating = _NONE if each is None else json_line({"errors": _errors(each)}).rstrip("\n")
            names = [safe_cell(one_line(name)) for name in (system, _first(annotations))]
            lines.append("\t".join([names[0], rating, *(names[1:] if each else [])]))
    return "\n".join(lines) + "\n"


def _first(annotations: Sequence[Annotation]) -> str:
    return annotations[0].annotator


def _errors(annotation: Annotation) -> list[dict[str, object]]:
    return [
        {
            "start": span.start,
            "end": span.end,
            "category": span.category,
            "severity": span.severity,
            "score": None,
            "is_source_error": span.side == "source",
        }
        for span in annotation.spans
        if span.start is not None and span.side != "reference"
    ]


def lost(annotations: Sequence[Annotation]) -> list[str]:
    """Return what the annotations contain and the format cannot."""
    spans = [span for each in annotations for span in each.spans]
    reasons = {
        "errors without a place": any(span.is_omission for span in spans),
        "spans in references": any(span.side == "reference" for span in spans),
        "scores": any(each.score is not None for each in annotations),
        "seconds": any(each.seconds is not None for each in annotations),
        "names that begin like formulas: they get an apostrophe": formula_names(annotations),
        "texts": any(each.target is not None for each in annotations),
        "ids of segments: they are numbers of lines": True,
        "annotators other than the first": len({each.annotator for each in annotations}) > 1,
    }
    return [reason for reason, applies in reasons.items() if applies]
