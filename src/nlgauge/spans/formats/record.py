"""Records: annotations as a file has them, before their places are checked; and what readers share."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from nlgauge.errors import InputError
from nlgauge.io.files import lines_of
from nlgauge.spans.report import Report
from nlgauge.spans.span import Annotation

Kind = TypeVar("Kind")
SEVERITY = "major"


@dataclass(slots=True)
class Mark:
    """A span as a file has it. `text` is the marked text if the file repeats it."""

    start: int | None
    end: int | None
    severity: str
    category: str = ""
    side: str = "target"
    confidence: float | None = None
    note: str = ""
    continues: bool = False
    text: str | None = None


@dataclass(slots=True)
class Record:
    """One annotation of a file. `place` names it in messages.

    `number` is the position of the segment if the file numbers segments and has no ids. A record that `joins` has further
    spans of an annotation that began before.
    """

    place: str
    annotator: str
    system: str
    segment: Any
    marks: list[Mark]
    score: float | None = None
    seconds: float | None = None
    texts: dict[str, str] = field(default_factory=dict)
    document: str | None = None
    group: str | None = None
    number: int | None = None
    joins: bool = False


@dataclass(frozen=True)
class Options:
    """Options of readers.

    `severities` renames severities, `tags` names the severity of tags of inline files, and `severity` is the
    severity of spans without one, by category or for all.
    """

    severities: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] | None = None
    severity: str | Mapping[str, str] = SEVERITY
    annotator: str | None = None

    def severity_of(self, category: str, report: Report) -> str:
        """Return the severity of a span that has none."""
        report.without_severity += 1
        if isinstance(self.severity, str):
            return self.severity
        for levels in range(len(category.split("/")), 0, -1):
            name = "/".join(category.split("/")[:levels])
            if name in self.severity:
                return self.severity[name]
        return SEVERITY


@dataclass(frozen=True)
class Source:
    """Text of a file, and its name for messages."""

    name: str
    text: str

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield the place and the content of each line that is not empty."""
        for number, line in enumerate(lines_of(self.text), start=1):
            if line.strip():
                yield f"{self.name}, line {number}", line

    def first_line(self) -> str:
        return next((line for _, line in self.lines()), "")

    def objects(self, kind: type[Kind]) -> Iterator[tuple[str, Kind]]:
        """Yield the place and the object of each line of JSON."""
        decoder = msgspec.json.Decoder(kind)
        for place, line in self.lines():
            yield place, decoded(decoder.decode, line, place)

    def document(self, kind: type[Kind]) -> Kind:
        """Return the JSON document."""
        return decoded(msgspec.json.Decoder(kind).decode, self.text, self.name)


def decoded(decode: Callable[[str], Kind], text: str, place: str) -> Kind:
    """Return decoded JSON; raise InputError with the place and what is wrong."""
    try:
        return decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise InputError(f"{place}: {error}.") from None


def first_object(text: str) -> Any:
    """Return the JSON value of a line or document; None if it is none."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None


def json_line(value: Any) -> str:
    """Return a value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False) + "\n"


def name_of(value: Any, what: str, place: str) -> str:
    """Return a name that may be a number; raise InputError if it is empty or of another type."""
    if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
        return str(value)
    raise InputError(f"{place}: {what} must be a name, got {value!r:.60}.")


_BREAKS = str.maketrans("\t\n\r", "   ")
# Beginnings of cells that a spreadsheet reads as formulas.
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")


def one_line(text: str) -> str:
    """Return the text of a cell of TSV, with spaces instead of tabs and line breaks."""
    return text.translate(_BREAKS)


def safe_cell(text: str) -> str:
    """Return the text of a cell of CSV or TSV; with an apostrophe if a spreadsheet would read it as a formula.

    >>> safe_cell("=1+1"), safe_cell("1+1")
    ("'=1+1", '1+1')
    """
    return f"'{text}" if _FORMULA.match(text) else text


def formula_names(annotations: Sequence[Annotation]) -> bool:
    """Return True if a system, a segment or an annotator gets an apostrophe."""
    names = {str(name) for each in annotations for name in (each.system, each.segment, each.annotator)}
    return any(safe_cell(name) != name for name in names)
