"""pearmut: JSON lines of one item each, with annotations by model; `end_i` is the last character of a span."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from nlgauge.errors import InputError
from nlgauge.spans.formats.appraise import marks_of, plain_span
from nlgauge.spans.formats.record import Options, Record, Source, first_object, json_line, name_of
from nlgauge.spans.report import Report
from nlgauge.spans.span import Annotation

_ONLY = "output"


class MarkedSpan(msgspec.Struct):
    """One span."""

    start_i: int | str | None
    end_i: int | str | None
    severity: str
    category: str | None = None


class Answer(msgspec.Struct):
    """Annotation of one text."""

    score: float | None = None
    error_spans: list[MarkedSpan] = []


class Item(msgspec.Struct):
    """Texts of one item."""

    src: str | None = None
    tgt: dict[str, str] | str | None = None
    item_id: str | int | None = None
    ref: str | None = None


class Line(msgspec.Struct):
    """One line of the file."""

    annotation: dict[str, Answer] | list[dict[str, Answer]]
    user_id: str | int | None = None
    item_i: int | str | None = None
    item: list[Item] | Item | None = None
    time: float | None = None


def recognizes(source: Source) -> bool:
    """Return True if the content is in this format."""
    value = first_object(source.first_line())
    return isinstance(value, dict) and "annotation" in value and ("item_i" in value or "item" in value)


def read(source: Source, options: Options, report: Report) -> Iterator[Record]:
    """Yield the records of a file."""
    for place, line in source.objects(Line):
        answers = line.annotation if isinstance(line.annotation, list) else [line.annotation]
        items = line.item if isinstance(line.item, list) else [line.item or Item()]
        if len(items) != len(answers):
            raise InputError(f"{place}: {len(items)} items and {len(answers)} annotations; they must match.")
        who = line.user_id if line.user_id is not None else options.annotator
        outputs = sum(map(len, answers))
        for k, (item, by_model) in enumerate(zip(items, answers, strict=True)):
            segment = item.item_id
            if segment is None:
                segment = f"{line.item_i}:{k + 1}" if len(items) > 1 else line.item_i
            targets = {_ONLY: item.tgt} if isinstance(item.tgt, str) else item.tgt or {}
            for system, answer in by_model.items():
                texts = {"source": item.src, "target": targets.get(system), "reference": item.ref}
                yield Record(
                    place,
                    name_of(who, "user_id", place),
                    name_of(system, "model", place),
                    name_of(segment, "item_id or item_i", place),
                    marks_of(
                        (
                            (each.start_i, each.end_i, each.severity, each.category)
                            for each in answer.error_spans
                        ),
                        options,
                        report,
                        place,
                    ),
                    answer.score,
                    # The line has one time for all outputs.
                    line.time if outputs == 1 else None,
                    {side: text for side, text in texts.items() if text is not None},
                )


def write(annotations: Sequence[Annotation]) -> str:
    """Return annotations as the text of a file."""
    segments = list(dict.fromkeys(each.segment for each in annotations))
    lines: dict[tuple[str, Any], list[Annotation]] = {}
    for each in annotations:
        lines.setdefault((each.annotator, each.segment), []).append(each)
    return "".join(
        json_line(
            {
                "user_id": who,
                "item_i": segments.index(segment),
                "item": [_item(segment, group)],
                "annotation": {each.system: _answer(each) for each in group},
                "time": round(sum(each.seconds or 0.0 for each in group), 3),
            }
        )
        for (who, segment), group in lines.items()
    )


def _item(segment: Any, group: Sequence[Annotation]) -> dict[str, Any]:
    texts = {each.system: each.target for each in group if each.target is not None}
    return {"item_id": str(segment), "src": group[0].source, "tgt": texts}


def _answer(annotation: Annotation) -> dict[str, Any]:
    spans = []
    for span in annotation.spans:
        if span.side != "source":
            plain = plain_span(span)
            del plain["error_type"]
            spans.append(plain | {"category": span.category or None})
    return {"score": annotation.score, "error_spans": spans}


def batches(annotations: Sequence[Annotation]) -> str:
    """Return the texts as a campaign of pearmut."""
    groups: dict[Any, list[Annotation]] = {}
    for each in annotations:
        groups.setdefault(each.segment, []).append(each)
    documents = [[_item(segment, group)] for segment, group in groups.items()]
    info = {"assignment": "task-based", "protocol": "ESA"}
    campaign = {"campaign_id": "nlgauge", "info": info, "data": [documents]}
    return json.dumps(campaign, ensure_ascii=False, indent=1) + "\n"


def lost(annotations: Sequence[Annotation]) -> list[str]:
    """Return what the annotations contain and the format cannot."""
    reasons = {
        "spans in the source": any(span.side == "source" for each in annotations for span in each.spans),
        "seconds of one system": any(each.seconds is not None for each in annotations),
        "references": any(each.references for each in annotations),
    }
    return [reason for reason, applies in reasons.items() if applies]
