"""MQM as tab-separated values (google/wmt-mqm-human-evaluation, Marot): one line per error, `<v>` around its place.

A quote is a character. "No-error" means that the annotator read the text and marked nothing. An error without tags has
no place, unless its category is non-translation: then the whole text is marked. Older files call their columns seg_id and doc_id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from nlgauge.errors import InputError
from nlgauge.spans.formats.record import Mark, Options, Record, Source, formula_names, one_line, safe_cell
from nlgauge.spans.report import Report
from nlgauge.spans.span import Annotation, category_of, known_severity

_TAG = re.compile(r"</?v>")
_NONE = ("no-error", "no error")
# Attention checks of the viewer, which hide an error in the text.
_CHECKS = ("hotw-test",)
_WHOLE = "non-translation"
_COLUMNS = ("system", "rater", "source", "target", "category", "severity")
_HEADER = (
    "system",
    "doc",
    "docSegId",
    "globalSegId",
    "rater",
    "source",
    "target",
    "category",
    "severity",
    "metadata",
)
_SIDES = ("source", "target")
# Metadata of a row whose texts may have an apostrophe, because a spreadsheet would read them as formulas.
_ESCAPED = '{"escaped":["source","target"]}'


class Untagged(NamedTuple):
    """A text without its tags, the places between them, and whether a tag is not closed."""

    text: str
    places: list[tuple[int, int]]
    is_open: bool


def recognizes(source: Source) -> bool:
    """Return True if the content is in this format."""
    return set(_COLUMNS) <= set(source.first_line().split("\t"))


def read(source: Source, options: Options, report: Report) -> Iterator[Record]:
    """Yield the records of a file."""
    lines = source.lines()
    header = source.first_line().split("\t")
    if missing := [name for name in _COLUMNS if name not in header]:
        raise InputError(f"{source.name}: the header has no column {missing[0]!r}.")
    next(lines)
    # Lines of one annotation may differ in outer white space.
    records: dict[tuple[str, ...], Record] = {}
    begun: set[tuple[str, ...]] = set()
    for place, line in lines:
        cells = line.split("\t")
        if len(cells) < header.index("severity") + 1:
            raise InputError(
                f"{place}: the row has {len(cells)} columns and needs {header.index('severity') + 1}."
            )
        row = dict(zip(header, cells, strict=False))
        if row.get("metadata") == _ESCAPED:
            row |= {side: row[side].removeprefix("'") for side in _SIDES}
        target, in_source = _untagged(row["target"]), _untagged(row["source"])
        document = row.get("doc") or None
        number = row.get("docSegId") or row.get("seg_id") or row.get("globalSegId") or ""
        segment = f"{document}:{number}" if document and number else document or number
        key = row["rater"], row["system"], segment
        if not all(key):
            raise InputError(f"{place}: the row has no rater, system or segment.")
        texts = {"target": target.text, "source": in_source.text}
        record = records.setdefault(
            (*key, target.text, in_source.text),
            Record(place, *key, [], texts=texts, document=document, joins=key in begun),
        )
        begun.add(key)
        record.marks += _marks(row, target, in_source, options, report)
    yield from records.values()


def _marks(
    row: dict[str, str], target: Untagged, source: Untagged, options: Options, report: Report
) -> list[Mark]:
    severity, category = known_severity(row["severity"], options.severities), category_of(row["category"])
    if severity.lower() in _NONE:
        return []
    if severity.lower() in _CHECKS:
        report.left_out["attention checks"] += 1
        return []
    if target.is_open or source.is_open:
        report.remarks.append(
            f"A tag of {row['system']} is not closed, so the error ({row['category']}) has no place."
        )
    places = [("target", *place) for place in target.places] + [("source", *place) for place in source.places]
    if not places and category.split("/")[0].startswith(_WHOLE) and target.text:
        places = [("target", 0, len(target.text))]
    if not places:
        return [Mark(None, None, severity, category)]
    return [
        Mark(start, end, severity, category, side, continues=number > 0)
        for number, (side, start, end) in enumerate(places)
    ]


def _untagged(text: str) -> Untagged:
    """Return the text without tags.

    >>> _untagged("A <v>b</v> c")
    Untagged(text='A b c', places=[(2, 3)], is_open=False)
    """
    places, parts, start, last, length = [], [], None, 0, 0
    for tag in _TAG.finditer(text):
        parts.append(text[last : tag.start()])
        length += tag.start() - last
        last = tag.end()
        if tag[0] == "<v>":
            start = length
        elif start is not None:
            places.append((start, length))
            start = None
    return Untagged("".join(parts) + text[last:], places, start is not None)


def write(annotations: Sequence[Annotation]) -> str:
    """Return annotations as the text of a file."""
    lines = ["\t".join(_HEADER)]
    documents: dict[str, dict[str, int]] = {}
    numbers = {name: k for k, name in enumerate(dict.fromkeys(each.segment for each in annotations), start=1)}
    for each in annotations:
        document, _, number = str(each.segment).rpartition(":")
        if not (document and number.isdecimal()):
            document, number = each.document or "document", str(numbers[each.segment])
        documents.setdefault(document, {})
        names = (each.system, document, number, str(numbers[each.segment]), each.annotator)
        where = [safe_cell(one_line(name)) for name in names]
        texts = {"source": each.source or "", "target": each.target or ""}
        if not each.spans:
            lines.append("\t".join([*where, *_texts(texts, "No-error", "No-error")]))
        errors: list[list[int]] = []
        for k, span in enumerate(each.spans):
            if span.continues and errors:
                errors[-1].append(k)
            else:
                errors.append([k])
        for parts in errors:
            first = each.spans[parts[0]]
            tagged = dict(texts)
            for side in texts:
                places = [
                    (each.spans[k].start, each.spans[k].end) for k in parts if each.spans[k].side == side
                ]
                for start, end in sorted((s, e) for s, e in places if s is not None and e is not None)[::-1]:
                    text = tagged[side]
                    tagged[side] = f"{text[:start]}<v>{text[start:end]}</v>{text[end:]}"
            category = "/".join(level.capitalize() for level in first.category.split("/"))
            lines.append("\t".join([*where, *_texts(tagged, category, first.severity.capitalize())]))
    return "\n".join(lines) + "\n"


def _texts(texts: Mapping[str, str], category: str, severity: str) -> list[str]:
    """Return the cells from the texts on."""
    plain = [one_line(text) for text in texts.values()]
    cells = [safe_cell(text) for text in plain]
    error = [safe_cell(one_line(category)), safe_cell(one_line(severity))]
    return [*plain, *error, "{}"] if cells == plain else [*(f"'{text}" for text in plain), *error, _ESCAPED]


def lost(annotations: Sequence[Annotation]) -> list[str]:
    """Return what the annotations contain and the format cannot."""
    reasons = {
        "scores": any(each.score is not None for each in annotations),
        "seconds": any(each.seconds is not None for each in annotations),
        "ids of segments: they are numbers of a document": any(
            not (str(each.segment).rpartition(":")[0] and str(each.segment).rpartition(":")[2].isdecimal())
            for each in annotations
        ),
        "tabs and line breaks of texts": any(
            one_line(text) != text for each in annotations for text in (each.source or "", each.target or "")
        ),
        "names that begin like formulas: they get an apostrophe": formula_names(annotations),
        "spans in references": any(span.side == "reference" for each in annotations for span in each.spans),
    }
    return [reason for reason, applies in reasons.items() if applies]
