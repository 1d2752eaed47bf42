"""Inline tags: records whose text has tags around errors, such as `<major>nach drinnen</major>`.

Only tags with a name of a severity, `<span severity="...">`, and the tags of the option `tags` are read; everything else in
angle brackets is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

import msgspec

from nlgauge.errors import InputError
from nlgauge.spans.formats.record import Mark, Options, Record, Source, first_object, json_line, name_of
from nlgauge.spans.report import Report
from nlgauge.spans.span import SEVERITIES, Annotation, Span, known_severity

_DEFAULT = {name: name for name in SEVERITIES}
_SPAN = "span"


class Line(msgspec.Struct):
    """One line of the file."""

    system: str | int | None = None
    id: str | int | None = None
    segment: str | int | None = None
    annotator: str | int | None = None
    prediction: str | None = None
    target: str | None = None
    source: str | None = None


def recognizes(source: Source) -> bool:
    """Return True if the content is in this format."""
    value = first_object(source.first_line())
    return (
        isinstance(value, dict)
        and not {"spans", "annotations", "annotation", "meta"} & value.keys()
        and ("annotator" in value)
    )


def read(source: Source, options: Options, report: Report) -> Iterator[Record]:
    """Yield the records of a file."""
    for place, line in source.objects(Line):
        tagged = line.prediction if line.prediction is not None else line.target
        segment = line.segment if line.segment is not None else line.id
        who = line.annotator if line.annotator is not None else options.annotator
        if tagged is None or segment is None or who is None:
            raise InputError(f"{place}: the record needs an annotator, an id and a prediction with tags.")
        text, marks = untagged(tagged, place, options)
        texts = {"target": text} | ({} if line.source is None else {"source": line.source})
        yield Record(
            place,
            name_of(who, "annotator", place),
            name_of(line.system, "system", place),
            segment,
            marks,
            texts=texts,
        )


def untagged(tagged: str, place: str, options: Options) -> tuple[str, list[Mark]]:
    """Return the text without tags, and the spans between them; an unclosed tag is an error."""
    severities: Mapping[str, str] = _DEFAULT if options.tags is None else options.tags
    names = "|".join(map(re.escape, [*severities, *([_SPAN] if options.tags is None else [])]))
    pattern = re.compile(rf"<(?P<close>/?)(?P<name>{names})(?P<rest>(?:\s+severity=\"[^\"<>]*\")?)\s*>")
    parts: list[str] = []
    marks: list[tuple[int, Mark]] = []
    opened: list[tuple[str, str, int, int]] = []
    last = length = 0
    for tag in pattern.finditer(tagged):
        rest = tag["rest"].strip()
        if tag["name"] == _SPAN and not tag["close"] and not rest:
            continue  # a tag of the text itself
        if tag["name"] == _SPAN and tag["close"] and not any(name == _SPAN for name, *_ in opened):
            continue
        parts.append(tagged[last : tag.start()])
        length += tag.start() - last
        last = tag.end()
        if not tag["close"]:
            severity = rest[len('severity="') : -1] if rest else severities[tag["name"]]
            opened.append((tag["name"], known_severity(severity, options.severities), length, tag.start()))
            continue
        if not opened or opened[-1][0] != tag["name"]:
            raise _unclosed(place, tagged, tag[0], tag.start())
        _, severity, start, at = opened.pop()
        marks.append((at, Mark(start, length, severity)))
    if opened:
        raise _unclosed(place, tagged, f"<{opened[-1][0]}>", opened[-1][3])
    return "".join(parts) + tagged[last:], [mark for _, mark in sorted(marks, key=itemgetter(0))]


def _unclosed(place: str, tagged: str, tag: str, at: int) -> InputError:
    line, column = tagged.count("\n", 0, at) + 1, at - tagged.rfind("\n", 0, at)
    where = f"column {column}" if line == 1 else f"line {line} of the text, column {column}"
    return InputError(f"{place}: the tag {tag} at {where} has no other half; every tag must be closed.")


def write(annotations: Sequence[Annotation]) -> str:
    """Return annotations as the text of a file."""
    return "".join(
        json_line(
            {
                "system": each.system,
                "id": each.segment,
                "annotator": each.annotator,
                "prediction": _tagged(each.target or "", each.spans),
                **({} if each.source is None else {"source": each.source}),
            }
        )
        for each in annotations
    )


def _writable(span: Span) -> bool:
    return span.side == "target" and span.start is not None


def _tagged(text: str, spans: Sequence[Span]) -> str:
    """Return the text with tags; a span that overlaps a span before it without being inside is left out."""
    for span in sorted(nested(spans), key=lambda span: (span.start or 0, -(span.end or 0)))[::-1]:
        start, end = span.start or 0, span.end or 0
        named = span.severity in _DEFAULT
        opening = span.severity if named else f'span severity="{span.severity}"'
        # Spans inside this span are tagged already; their tags are between its ends.
        end += _added(text, start, end)
        text = f"{text[:start]}<{opening}>{text[start:end]}</{span.severity if named else _SPAN}>{text[end:]}"
    return text


def _added(text: str, start: int, end: int) -> int:
    """Return how many characters of tags are between two places of the text without tags."""
    plain, at = start, start
    pattern = re.compile(r"</?(?:neutral|minor|major|critical|span(?:\s+severity=\"[^\"<>]*\")?)>")
    while True:
        tag = pattern.match(text, at)
        if tag is not None and (plain < end or tag[0].startswith("</")):
            at = tag.end()
        elif plain == end:
            return at - end
        else:
            plain, at = plain + 1, at + 1


def nested(spans: Sequence[Span]) -> list[Span]:
    """Return the spans with a place in the target that are inside each other or apart."""
    chosen: list[Span] = []
    for span in sorted(filter(_writable, spans), key=lambda span: (span.start or 0, -(span.end or 0))):
        if not any(
            (other.start or 0) < (span.start or 0) < (other.end or 0) < (span.end or 0) for other in chosen
        ):
            chosen.append(span)
    return chosen


def lost(annotations: Sequence[Annotation]) -> list[str]:
    """Return what the annotations contain and the format cannot."""
    spans = [span for each in annotations for span in each.spans]
    reasons = {
        "errors without a place": any(span.is_omission for span in spans),
        "categories": any(span.category for span in spans),
        "spans in the source and in references": any(span.side != "target" for span in spans),
        "spans that overlap": any(
            len(nested(each.spans)) < sum(map(_writable, each.spans)) for each in annotations
        ),
        "scores": any(each.score is not None for each in annotations),
        "seconds": any(each.seconds is not None for each in annotations),
    }
    return [reason for reason, applies in reasons.items() if applies]
