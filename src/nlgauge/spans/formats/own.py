"""nlgauge: JSON lines with segment, system, annotator and spans; and records of benchmarks with meta.spans.

{"segment": "s1", "system": "A", "annotator": "ana", "spans": [{"start": 3, "end": 9, "severity": "major"}]}
{"segment": "s1", "system": "A", "prediction": "...", "meta": {"annotators": ["ana"], "spans": [[...]]}}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from nlgauge.errors import InputError
from nlgauge.spans.formats.record import Mark, Options, Record, Source, first_object, json_line, name_of
from nlgauge.spans.report import Report
from nlgauge.spans.span import Annotation, category_of, known_severity

# "undecided" was the answer of annotators who did not choose a severity in the WMT24 campaign.
UNDECIDED = "undecided"


class OwnSpan(msgspec.Struct, kw_only=True):
    """One span."""

    start: int | str | None = None
    end: int | str | None = None
    severity: str
    category: str | None = None
    side: str = "target"
    confidence: float | None = None
    note: str = ""
    continues: bool = False
    text: str | None = None


class Meta(msgspec.Struct):
    """Spans and times of several annotators."""

    annotators: list[str | int] = []
    spans: list[list[OwnSpan] | None] = []
    seconds: list[float | None] = []
    lp: str | None = None
    document: str | None = None


class Line(msgspec.Struct):
    """One line of the file."""

    segment: str | int | None = None
    id: str | int | None = None
    system: str | int | None = None
    annotator: str | int | None = None
    spans: list[OwnSpan] | None = None
    score: float | None = None
    seconds: float | None = None
    source: str | None = None
    target: str | None = None
    prediction: str | None = None
    references: list[str] = []
    document: str | None = None
    group: str | None = None
    human_raw: dict[str, list[float | None] | None] = {}
    meta: Meta | None = None


def recognizes(source: Source) -> bool:
    """Return True if the content is in this format."""
    value = first_object(source.first_line())
    if not isinstance(value, dict):
        return False
    meta = value.get("meta")
    return ("spans" in value and "annotations" not in value) or (isinstance(meta, dict) and "spans" in meta)


def read(source: Source, options: Options, report: Report) -> Iterator[Record]:
    """Yield the records of a file."""
    for place, line in source.objects(Line):
        segment = line.segment if line.segment is not None else line.id
        if segment is None:
            raise InputError(f"{place}: the record has no segment; add the field segment.")
        texts = {"source": line.source, "target": line.target if line.target is not None else line.prediction}
        texts["reference"] = line.references[0] if line.references else None
        meta = line.meta or Meta()
        shared: dict[str, Any] = {
            "texts": {side: text for side, text in texts.items() if text is not None},
            "document": line.document or meta.document,
            "group": line.group or meta.lp,
        }
        system = name_of(line.system, "system", place)
        if line.spans is not None:
            who = line.annotator if line.annotator is not None else options.annotator
            if who is None:
                raise InputError(
                    f"{place}: these spans have no annotator",
                    python="pass annotator='NAME'",
                    cli="name the annotator with --annotator",
                )
            marks = _marks(line.spans, options, report, place)
            yield Record(
                place,
                name_of(who, "annotator", place),
                system,
                segment,
                marks,
                line.score,
                line.seconds,
                **shared,
            )
            continue
        names: list[Any] = [*meta.annotators] or [f"annotator {k}" for k in range(1, len(meta.spans) + 1)]
        if len(names) != len(meta.spans):
            raise InputError(
                f"{place}: meta has {len(names)} annotators and {len(meta.spans)} lists of spans; they must match."
            )
        names = _distinct([name_of(name, "annotator", place) for name in names])
        scores = next((scores for scores in line.human_raw.values() if scores), None) or []
        for k, spans in enumerate(meta.spans):
            if spans is not None:
                yield Record(
                    place,
                    names[k],
                    system,
                    segment,
                    _marks(spans, options, report, place),
                    scores[k] if len(scores) == len(names) else None,
                    meta.seconds[k] if len(meta.seconds) == len(names) else None,
                    **shared,
                )


def _distinct(names: list[str]) -> list[str]:
    """Return names in which the second annotation of an annotator has a number.

    >>> _distinct(["ana", "ben", "ana"])
    ['ana', 'ben', 'ana (2)']
    """
    counts: Counter[str] = Counter()
    distinct = []
    for name in names:
        counts[name] += 1
        distinct.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    return distinct


def _marks(spans: Sequence[OwnSpan], options: Options, report: Report, place: str) -> list[Mark]:
    marks = []
    for span in spans:
        severity = known_severity(span.severity, options.severities)
        if severity == UNDECIDED:
            report.left_out["spans of undecided severity"] += 1
            continue
        marks.append(
            Mark(
                place_of(span.start, place),
                place_of(span.end, place),
                severity,
                category_of(span.category),
                span.side,
                span.confidence,
                span.note,
                span.continues,
                span.text,
            )
        )
    return marks


def place_of(value: int | str | None, place: str) -> int | None:
    """Return an offset; None for "missing", as Appraise and pearmut call an omission."""
    if isinstance(value, str):
        if value != "missing":
            raise InputError(f"{place}: an offset must be a whole number or 'missing', got {value!r:.60}.")
        return None
    return value


def write(annotations: Sequence[Annotation]) -> str:
    """Return annotations as the text of a file."""
    return "".join(json_line(each.plain()) for each in annotations)


def lost(annotations: Sequence[Annotation]) -> list[str]:
    """Return what the annotations contain and the format cannot."""
    return []
