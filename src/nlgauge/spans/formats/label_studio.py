"""Label Studio: a JSON list of tasks; offsets count UTF-16 units, as JavaScript does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from nlgauge.errors import InputError
from nlgauge.spans.formats.record import Mark, Options, Record, Source, first_object, name_of
from nlgauge.spans.places import code_points, utf16_units
from nlgauge.spans.report import Report
from nlgauge.spans.span import SEVERITIES, SIDES, Annotation, category_of, known_severity

_SIDES = {
    **dict.fromkeys(("target", "prediction", "translation", "mt", "hypothesis", "output", "text"), "target"),
    **dict.fromkeys(("source", "src", "input"), "source"),
    **dict.fromkeys(("reference", "ref"), "reference"),
}


class Value(msgspec.Struct):
    """Place and labels of a region, or a number."""

    start: int | None = None
    end: int | None = None
    text: str | None = None
    labels: list[str] = []
    number: float | None = None
    rating: float | None = None


class Region(msgspec.Struct):
    """One answer of an annotator."""

    type: str
    from_name: str = ""
    to_name: str = ""
    id: str = ""
    value: Value = msgspec.field(default_factory=Value)


class Completed(msgspec.Struct):
    """Annotator as an object."""

    email: str = ""
    id: int | None = None
    username: str = ""


class Task(msgspec.Struct):
    """One text with its annotations."""

    class Answer(msgspec.Struct):
        """Annotation of one text."""

        result: list[msgspec.Raw] = []
        completed_by: Completed | int | str | None = None
        was_cancelled: bool = False
        lead_time: float | None = None

    data: dict[str, Any]
    annotations: list[Answer] = []
    id: int | str | None = None


def recognizes(source: Source) -> bool:
    """Return True if the content is in this format."""
    if not source.text.lstrip().startswith("["):
        return False
    value = first_object(source.text)
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(task, dict) and "data" in task and "annotations" in task for task in value[:1])
    )


def read(source: Source, options: Options, report: Report) -> Iterator[Record]:
    """Yield the records of a file."""
    for number, task in enumerate(source.document(list[Task]), start=1):
        place = f"{source.name}, task {number}"
        texts: dict[str, str] = {}
        for name, value in task.data.items():
            if name.lower() in _SIDES and isinstance(value, str):
                texts.setdefault(_SIDES[name.lower()], value)
        segment = next(
            (task.data[name] for name in ("segment", "segment_id", "id") if name in task.data), task.id
        )
        system = next((task.data[name] for name in ("system", "model") if name in task.data), None)
        for answer in task.annotations:
            if answer.was_cancelled:
                report.left_out["canceled annotations"] += 1
                continue
            marks, score = _marks(_regions(answer.result, place), texts, options, report, place)
            yield Record(
                place,
                name_of(_who(answer.completed_by, options), "annotator", place),
                name_of(system, "data.system", place),
                name_of(segment, "data.segment", place),
                marks,
                score,
                answer.lead_time,
                texts,
            )


def _who(completed: Completed | int | str | None, options: Options) -> Any:
    if isinstance(completed, Completed):
        return completed.email or completed.username or completed.id
    return options.annotator if completed is None else completed


def _regions(raw: list[msgspec.Raw], place: str) -> list[Region]:
    """Return the regions of labels and numbers; other kinds of answers have other values."""
    regions = []
    for each in raw:
        kind = msgspec.json.decode(each)
        if isinstance(kind, dict) and kind.get("type") in ("labels", "number", "rating"):
            try:
                regions.append(msgspec.json.decode(each, type=Region))
            except msgspec.MsgspecError as error:
                raise InputError(f"{place}: {error}.") from None
    return regions


def _marks(
    regions: list[Region], texts: dict[str, str], options: Options, report: Report, place: str
) -> tuple[list[Mark], float | None]:
    marks: dict[str, Mark] = {}
    labels: dict[str, list[str]] = {}
    score = None
    for number, region in enumerate(regions):
        value = region.value
        if region.type != "labels":
            score = value.number if value.number is not None else value.rating
            continue
        side = _SIDES.get(region.to_name.lower())
        if side is None:
            raise InputError(
                f"{place}: {region.to_name!r:.60} is marked, but its text is unknown; call the text of the task"
                f" {' or '.join(SIDES)}."
            )
        if value.start is None or value.end is None:
            raise InputError(f"{place}: a region of labels has no start or no end.")
        text = texts.get(side, "")
        start, end = code_points(text, value.start), code_points(text, value.end)
        if start is None or end is None:
            raise InputError(
                f"{place}: the span {value.start} to {value.end} ends inside a character; offsets of Label Studio"
                " count UTF-16 units."
            )
        # Answers to several questions about one region have its id.
        name = region.id or f"region {number}"
        marks.setdefault(name, Mark(start, end, "", side=side, text=value.text))
        labels.setdefault(name, []).extend(value.labels)
    for name, mark in marks.items():
        severities = [label for label in labels[name] if _is_severity(label, options)]
        mark.category = "/".join(category_of(label) for label in labels[name] if label not in severities)
        mark.severity = (
            known_severity(severities[0], options.severities)
            if severities
            else options.severity_of(mark.category, report)
        )
    return list(marks.values()), score


def _is_severity(label: str, options: Options) -> bool:
    return label in options.severities or label.lower() in SEVERITIES


def write(annotations: Sequence[Annotation]) -> str:
    """Return annotations as the text of a file."""
    tasks: dict[tuple[Any, str], dict[str, Any]] = {}
    for number, each in enumerate(annotations, start=1):
        data = {"segment": each.segment, "system": each.system, "source": each.source, "target": each.target}
        data |= {"reference": each.references[0]} if each.references else {}
        task = tasks.setdefault(
            (each.segment, each.system),
            {
                "id": len(tasks) + 1,
                "data": {k: v for k, v in data.items() if v is not None},
                "annotations": [],
            },
        )
        task["annotations"].append(
            {
                "id": number,
                "completed_by": {"email": each.annotator},
                "result": _results(each),
                "was_cancelled": False,
                "lead_time": each.seconds,
            }
        )
    return json.dumps(list(tasks.values()), ensure_ascii=False, indent=1) + "\n"


def _results(annotation: Annotation) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    for k, span in enumerate(annotation.spans):
        text = annotation.text(span.side)
        if span.start is None or span.end is None or text is None:
            continue
        place = {
            "start": utf16_units(text, span.start),
            "end": utf16_units(text, span.end),
            "text": text[span.start : span.end],
        }
        region = {"id": f"r{k}", "to_name": span.side, "type": "labels"}
        severity = span.severity.capitalize() if span.severity in SEVERITIES else span.severity
        results.append({**region, "from_name": "severity", "value": {**place, "labels": [severity]}})
        if span.category:
            results.append({**region, "from_name": "category", "value": {**place, "labels": [span.category]}})
    if annotation.score is not None:
        answer = {"id": "score", "from_name": "score", "to_name": "target", "type": "number"}
        results.append({**answer, "value": {"number": annotation.score}})
    return results


def lost(annotations: Sequence[Annotation]) -> list[str]:
    """Return what the annotations contain and the format cannot."""
    spans = [span for each in annotations for span in each.spans]
    return ["errors without a place"] if any(span.is_omission for span in spans) else []
