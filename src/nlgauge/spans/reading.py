"""Read files with error spans: the format is recognized by the content, and every place is checked with the texts."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError, no_such
from nlgauge.io.files import decoded as decoded_text
from nlgauge.io.files import read_bytes
from nlgauge.spans.building import columns_of
from nlgauge.spans.columns import Spans
from nlgauge.spans.formats import appraise, comet, factgenie, inline, label_studio, mqm, mtme, own, pearmut
from nlgauge.spans.formats.record import SEVERITY, Mark, Options, Record, Source
from nlgauge.spans.known_texts import KnownTexts
from nlgauge.spans.places import Mapping as TextMapping
from nlgauge.spans.places import clipped, code_points, first_difference, same_text, word_ends
from nlgauge.spans.report import Report
from nlgauge.spans.span import SIDES, Annotation, Span
from nlgauge.spans.texts import SpanTexts

# Side, system and segment.
TextKey = tuple[str, str, Any]
ENDS = ("inclusive", "exclusive")


class _Format(Protocol):
    def recognizes(self, source: Source) -> bool: ...
    def read(self, source: Source, options: Options, report: Report) -> Iterable[Record]: ...


# Formats in the order in which they are tried.
FORMATS: dict[str, _Format] = {
    "nlgauge": own,
    "factgenie": factgenie,
    "pearmut": pearmut,
    "label_studio": label_studio,
    "comet": comet,
    "inline": inline,
    "mqm": mqm,
    "mtme": mtme,
    "appraise": appraise,
}
_INCLUSIVE = ("appraise", "pearmut")
_METRICS = ("comet",)
# Fewer spans do not show which end a file names.
_FEWEST_ENDS = 20


class SpanFile(list[Spans]):
    """Spans of a file, one `Spans` per annotator.

    Parameters
    ----------
    annotations : sequence of Annotation
        Annotations in the order of the file.
    report : Report
        Contents of the file, and what was changed or left out.
    kind : {"people", "metric"}
        People or metric.
    """

    def __init__(self, annotations: Sequence[Annotation], report: Report, kind: str = "people") -> None:
        spans, self.texts = columns_of(annotations, kind)
        super().__init__(spans)
        self.annotations = list(annotations)
        self.report = report


def read(
    path: str | Path,
    format: str | None = None,  # noqa: A002
    texts: str | Path | Corpus | SpanTexts | None = None,
    *,
    ends: str | None = None,
    units: str | None = None,
    severities: Mapping[str, str] | None = None,
    severity: str | Mapping[str, str] = SEVERITY,
    tags: Mapping[str, str] | None = None,
    annotator: str | None = None,
    encoding: str | None = None,
) -> SpanFile:
    """Read error spans of people or metrics from a file.

    Parameters
    ----------
    path : str or Path
        File; compressed if its name ends in .gz, .bz2, .xz or .zst.
    format : str, optional
        Format, a key of `FORMATS`. Default: the format that the content shows.
    texts : str, Path, Corpus or SpanTexts, optional
        Texts of the systems, for formats without texts, and to check the texts of other formats: records with system, id,
        source and prediction, a file of batches of Appraise, a campaign of pearmut, or a corpus.
    ends : {"inclusive", "exclusive"}, optional
        Whether the end of a span names its last character. Default: as the format defines it.
    units : {"code points", "utf-16"}, optional
        What offsets count. Default: as the format defines it.
    severities : mapping of str to str, optional
        Other names of severities, such as {"High": "major"}.
    severity : str or mapping, default "major"
        Severity of spans without one, for all or by category.
    tags : mapping of str to str, optional
        Severities of tags of inline files, such as {"v": "major"}. Default: tags with the name of a severity.
    annotator : str, optional
        Annotator of a file that does not name one.
    encoding : str, optional
        Encoding of the file. Default: UTF-8.

    Returns
    -------
    SpanFile
        List of `Spans`, one per annotator, with `annotations` and `report`.

    Raises
    ------
    InputError
        If the format is unknown, a record is invalid, a span is past the end of its text by more than one character, or a
        text differs from the text in `texts`.
    ParameterError
        If an option is invalid.
    """
    for name, value, values in (("ends", ends, ENDS), ("units", units, ("code points", "utf-16"))):
        if value is not None and value not in values:
            raise ParameterError(no_such(name, value, values))
    if format is not None and format not in FORMATS:
        raise ParameterError(no_such("format", format, FORMATS))
    source = Source(str(path), decoded_text(read_bytes(str(path)), str(path), encoding))
    chosen = format or recognized(source)
    report = Report(chosen)
    options = Options(severities or {}, tags, severity, annotator)
    known = KnownTexts.of(texts)
    inclusive = (ends or ("inclusive" if chosen in _INCLUSIVE else "exclusive")) == "inclusive"
    annotations: dict[tuple[str, str, Any], Annotation] = {}
    records = list(FORMATS[chosen].read(source, options, report))
    checked = _Places(report, inclusive, units == "utf-16", _longest_texts(records, known))
    for record in records:
        annotation = checked.annotation(record, known)
        key = annotation.annotator, annotation.system, annotation.segment
        if key in annotations and record.joins:
            annotation = replace(annotation, spans=(*annotations[key].spans, *annotation.spans))
        elif key in annotations:
            # The later annotation counts; the order stays that of the first.
            report.left_out["annotations that the annotator repeated later"] += 1
        annotations[key] = annotation
    if not annotations:
        raise InputError(f"{path} has no annotations ({chosen}).")
    checked.warn_of_ends(str(path))
    _count(report, annotations.values())
    return SpanFile(list(annotations.values()), report, "metric" if chosen in _METRICS else "people")


def recognized(source: Source) -> str:
    """Return the format of a file by its content."""
    name = next((name for name, each in FORMATS.items() if each.recognizes(source)), None)
    if name is None:
        raise InputError(
            f"{source.name} is in no known format of error spans",
            python=f"pass format=, one of {', '.join(FORMATS)}",
            cli=f"name the format with --format, one of {', '.join(FORMATS)}",
        )
    return name


def _count(report: Report, annotations: Iterable[Annotation]) -> None:
    annotators = set()
    for each in annotations:
        annotators.add(each.annotator)
        report.annotations += 1
        omissions = sum(span.is_omission for span in each.spans)
        report.omissions += omissions
        report.spans += len(each.spans) - omissions
    report.annotators = len(annotators)


def _key(side: str, record: Record, segment: Any) -> TextKey:
    """Return the key of a text: a source belongs to all systems."""
    return side, record.system if side == "target" else "", segment


def _longest_texts(records: Iterable[Record], known: KnownTexts) -> dict[TextKey, str]:
    """Return the text of each system and segment, with all its outer white space.

    Lines of one text may differ in outer white space, which may be marked. The references of a human translation and of
    other systems may differ altogether.
    """
    texts: dict[TextKey, str] = {}
    for record in records:
        for side, text in record.texts.items():
            if side != "reference":
                key = _key(side, record, known.segment(record))
                if len(text) > len(texts.setdefault(key, text)) and same_text(text, texts[key]):
                    texts[key] = text
    return texts


class _Places:
    """Checks of the places of all records of a file."""

    def __init__(self, report: Report, inclusive: bool, utf16: bool, longest: dict[TextKey, str]) -> None:
        self._report, self._inclusive, self._utf16, self._longest = report, inclusive, utf16, longest
        self._ends: list[tuple[str, int]] = []

    def annotation(self, record: Record, known: KnownTexts) -> Annotation:
        """Return the annotation of a record, with places in the stored texts."""
        segment = known.segment(record)
        stored = known.texts(record.system, segment)
        if known and not stored:
            raise InputError(
                f"{record.place}: the texts have no segment {segment!r:.60} of the system {record.system!r:.60}."
            )
        texts, mappings = dict(record.texts), {}
        for side, text in self._stored(record, segment, stored).items():
            old = record.texts.get(side)
            if old is not None and old != text:
                mappings[side] = self._mapping(record, segment, side, old, text)
            texts[side] = text
        spans = [
            self._span(mark, record, mappings.get(mark.side), texts.get(mark.side)) for mark in record.marks
        ]
        reference = texts.get("reference")
        return Annotation(
            segment,
            record.system,
            record.annotator,
            tuple(spans),
            record.score,
            record.seconds,
            texts.get("source"),
            texts.get("target"),
            () if reference is None else (reference,),
            record.document,
            {} if record.group is None else {"group": record.group},
        )

    def _stored(self, record: Record, segment: Any, known: dict[str, str]) -> dict[str, str]:
        """Return the texts to which places refer: the known texts, else the texts of the file."""
        texts = {
            side: self._longest[_key(side, record, segment)]
            for side in record.texts
            if _key(side, record, segment) in self._longest
        }
        return texts | known

    def _mapping(
        self, record: Record, segment: Any, side: str, old: str, new: str
    ) -> tuple[str, TextMapping]:
        if not same_text(old, new):
            raise InputError(
                f"{record.place}: the text of {segment}/{record.system} differs from the text in the corpus or in"
                f" earlier lines ({side}, first difference at character {first_difference(old, new)}); nothing was read."
            )
        return old, TextMapping(old, new)

    def _span(
        self, mark: Mark, record: Record, mapping: tuple[str, TextMapping] | None, text: str | None
    ) -> Span:
        details = (mark.severity, mark.category, mark.side, mark.confidence)
        if mark.side not in SIDES:
            raise InputError(
                f"{record.place}: side must be one of {', '.join(SIDES)}, got {mark.side!r:.60}."
            )
        if mark.start is None or mark.end is None:
            if (mark.start is None) != (mark.end is None):
                raise InputError(f"{record.place}: a span has a start or an end, but not both.")
            return Span(None, None, *details, mark.note, mark.continues)
        old = text if mapping is None else mapping[0]
        start, end = self._code_points(mark.start, mark.end, old, record)
        if self._inclusive and end >= 0:
            end += 1
        if old is not None:
            self._ends.append((old, end))
        start, end, was_outside = clipped(start, end, old, record.place)
        self._report.clipped += was_outside
        if old is not None and mark.text is not None and old[start:end] != mark.text:
            raise InputError(
                f"{record.place}: the span {start} to {end} marks {old[start:end]!r:.60}, but its text is"
                f" {mark.text!r:.60}; the offsets belong to another text or count other units."
            )
        if start >= end:
            self._report.remarks.append(
                f"{record.place}: a span at {start} is empty and became an error without a place."
            )
            return Span(None, None, *details, mark.note or f"at {start}", mark.continues)
        if mapping is not None:
            start, end = mapping[1].span(start, end)
            self._report.mapped += 1
        return Span(start, end, *details, mark.note, mark.continues)

    def _code_points(self, start: int, end: int, text: str | None, record: Record) -> tuple[int, int]:
        if not self._utf16 or text is None:
            return start, end
        places = code_points(text, start), code_points(text, end)
        if places[0] is None or places[1] is None:
            raise InputError(
                f"{record.place}: the span {start} to {end} ends inside a character, so its offsets do not count"
                " UTF-16 units."
            )
        return places[0], places[1]

    def warn_of_ends(self, path: str) -> None:
        """Warn if the other meaning of ends gives more ends of words."""
        if len(self._ends) < _FEWEST_ENDS:
            return
        here = word_ends(self._ends)
        shift = -1 if self._inclusive else 1
        other = word_ends([(text, end + shift) for text, end in self._ends])
        if other > here:
            name = ENDS[self._inclusive]
            warnings.warn(
                f"{other:,} of {len(self._ends):,} spans of {path} end with a word if ends are {name}, and {here:,} if"
                f" they are {ENDS[not self._inclusive]}, as they were read; check the origin of the file, and set the"
                " option ends.",
                stacklevel=3,
            )
