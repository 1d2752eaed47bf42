"""factgenie: JSON lines with start, text and type of each span; the end follows from the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from nlgauge.errors import InputError
from nlgauge.spans.formats.record import Mark, Options, Record, Source, first_object, json_line
from nlgauge.spans.report import Report
from nlgauge.spans.span import Annotation, category_of


class Typed(msgspec.Struct):
    """One span, with the number of its category."""

    start: int
    text: str
    type: int


class Category(msgspec.Struct):
    """One category."""

    name: str


class Metadata(msgspec.Struct):
    """Annotator and categories."""

    annotator_id: str | int | None = None
    annotation_span_categories: list[Category] = []


class Slider(msgspec.Struct):
    """One number that the annotator set."""

    label: str
    value: float | None = None


class Line(msgspec.Struct):
    """One line of the file."""

    example_idx: int
    setup_id: str
    annotations: list[Typed]
    metadata: Metadata = msgspec.field(default_factory=Metadata)
    sliders: list[Slider] = []
    output: str | None = None


def recognizes(source: Source) -> bool:
    """Return True if the content is in this format."""
    value = first_object(source.first_line())
    return isinstance(value, dict) and {"annotations", "setup_id", "example_idx"} <= value.keys()


def read(source: Source, options: Options, report: Report) -> Iterator[Record]:
    """Yield the records of a file."""
    for place, line in source.objects(Line):
        who = line.metadata.annotator_id
        who = who if who is not None else options.annotator
        if who is None:
            raise InputError(
                f"{place}: these spans have no annotator",
                python="pass annotator='NAME'",
                cli="name the annotator with --annotator",
            )
        categories = [category_of(category.name) for category in line.metadata.annotation_span_categories]
        marks = []
        for span in line.annotations:
            if categories and not 0 <= span.type < len(categories):
                raise InputError(f"{place}: the type {span.type} is not one of {len(categories)} categories.")
            category = categories[span.type] if categories else f"type {span.type}"
            severity = options.severity_of(category, report)
            end = span.start + len(span.text)
            marks.append(Mark(span.start, end, severity, category, text=span.text))
        score = next((slider.value for slider in line.sliders), None)
        texts = {} if line.output is None else {"target": line.output}
        yield Record(
            place,
            str(who),
            line.setup_id,
            line.example_idx,
            marks,
            score,
            texts=texts,
            number=line.example_idx,
        )


def write(annotations: Sequence[Annotation]) -> str:
    """Return annotations as the text of a file."""
    segments = {segment: k for k, segment in enumerate(dict.fromkeys(each.segment for each in annotations))}
    names = dict.fromkeys(span.category for each in annotations for span in each.spans)
    categories = [{"name": name} for name in names]
    numbers = {name: k for k, name in enumerate(names)}
    lines = []
    for each in annotations:
        spans = [
            {"start": span.start, "text": each.target[span.start : span.end], "type": numbers[span.category]}
            for span in each.spans
            if each.target is not None and span.start is not None and span.side == "target"
        ]
        sliders = [] if each.score is None else [{"label": "score", "value": each.score}]
        metadata = {"annotator_id": each.annotator, "annotation_span_categories": categories}
        lines.append(
            json_line(
                {
                    "dataset": "nlgauge",
                    "split": "test",
                    "example_idx": segments[each.segment],
                    "setup_id": each.system,
                    "annotations": spans,
                    "flags": [],
                    "options": [],
                    "sliders": sliders,
                    "text_fields": [],
                    "metadata": metadata,
                }
            )
        )
    return "".join(lines)


def lost(annotations: Sequence[Annotation]) -> list[str]:
    """Return what the annotations contain and the format cannot."""
    spans = [span for each in annotations for span in each.spans]
    reasons = {
        "errors without a place": any(span.is_omission for span in spans),
        "severities": bool(spans),
        "spans in the source and in references": any(span.side != "target" for span in spans),
        "seconds": any(each.seconds is not None for each in annotations),
        "texts": any(each.target is not None for each in annotations),
        "ids of segments: they are numbers of examples": True,
    }
    return [reason for reason, applies in reasons.items() if applies]
