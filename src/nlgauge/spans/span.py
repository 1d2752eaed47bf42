"""Span: one marked error; Annotation: what one annotator marked in one text."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nlgauge.errors import InputError

SEVERITIES = ("neutral", "minor", "major", "critical")
# Places are stored in 32 bits.
_LAST = 2**31 - 1
SIDES = ("target", "source", "reference")


@dataclass(frozen=True, slots=True)
class Span:
    """A marked error of a text.

    Parameters
    ----------
    start : int or None
        First character (code point) in the text as stored; None if the error has no place, such as an omission.
    end : int or None
        Character after the last; None if the error has no place.
    severity : str
        "neutral", "minor", "major", "critical", or a name of the data.
    category : str
        Lower case, with levels joined by "/", such as "accuracy/mistranslation".
    side : {"target", "source", "reference"}
        Text that is marked.
    confidence : float, optional
        Confidence of a metric, from 0 to 1.
    note : str
        Remark.
    continues : bool
        The span is a further part of the error before it: measures count it, weights do not.
    """

    start: int | None
    end: int | None
    severity: str
    category: str = ""
    side: str = "target"
    confidence: float | None = None
    note: str = ""
    continues: bool = False

    def __post_init__(self) -> None:
        places = (self.start, self.end)
        # Exact types: True is a number in Python.
        if places != (None, None) and not all(type(place) is int for place in places):
            raise InputError(
                f"a span needs two whole numbers or no place, got {self.start!r} and {self.end!r}."
            )
        if self.start is not None and self.end is not None and not 0 <= self.start < self.end <= _LAST:
            raise InputError(
                f"the span {self.start} to {self.end} is empty, negative or too large; a span starts before it"
                " ends."
            )
        if self.side not in SIDES:
            raise InputError(f"side must be one of {', '.join(SIDES)}, got {self.side!r:.60}.")
        if not self.severity:
            raise InputError("a span needs a severity, got an empty text.")

    @property
    def is_omission(self) -> bool:
        """Return True if the error has no place."""
        return self.start is None

    def plain(self) -> dict[str, Any]:
        """Return the span as a dictionary for JSON, without default values.

        Returns
        -------
        dict
            Names and values; `Span(**values)` is the span.
        """
        values: dict[str, Any] = {"side": self.side, "start": self.start, "end": self.end}
        values["severity"] = self.severity
        optional = {
            "category": self.category,
            "confidence": self.confidence,
            "note": self.note,
            "continues": self.continues,
        }
        return values | {name: value for name, value in optional.items() if value not in ("", None, False)}


@dataclass(frozen=True, slots=True)
class Annotation:
    """Spans of one annotator in one text, with the score of the text and the texts.

    Parameters
    ----------
    segment : hashable
        Id of the segment.
    system : str
        System.
    annotator : str
        Annotator or metric.
    spans : tuple of Span
        Spans; empty if the annotator read the text and marked nothing.
    score : float, optional
        Score that the annotator gave the text.
    seconds : float, optional
        Time that the annotator took.
    source : str, optional
        Source text.
    target : str, optional
        Text of the system.
    references : tuple of str
        References.
    document : str, optional
        Label of the document.
    fields : mapping
        Further values, such as the group of the segment.
    """

    segment: Hashable
    system: str
    annotator: str
    spans: tuple[Span, ...] = ()
    score: float | None = None
    seconds: float | None = None
    source: str | None = None
    target: str | None = None
    references: tuple[str, ...] = ()
    document: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """Return the annotation as a dictionary for JSON, without missing values.

        Returns
        -------
        dict
            Names and values, with the spans as dictionaries.
        """
        values: dict[str, Any] = {"annotator": self.annotator, "system": self.system, "segment": self.segment}
        values |= {"score": self.score, "spans": [span.plain() for span in self.spans]}
        values |= {"seconds": self.seconds, "source": self.source, "target": self.target}
        values |= {"references": list(self.references) or None, "document": self.document}
        return {name: value for name, value in values.items() if value is not None}

    def text(self, side: str) -> str | None:
        """Return the text of a side; None if it is missing.

        Parameters
        ----------
        side : {"target", "source", "reference"}
            Side.

        Returns
        -------
        str or None
            Text; of several references the first.
        """
        if side == "reference":
            return self.references[0] if self.references else None
        return self.target if side == "target" else self.source


def known_severity(name: str, renamed: Mapping[str, str] | None = None) -> str:
    """Return a severity by its usual name: renamed, and in lower case if it is one of `SEVERITIES`.

    >>> known_severity("Major"), known_severity("Very High"), known_severity("High", {"High": "major"})
    ('major', 'Very High', 'major')
    """
    name = (renamed or {}).get(name, name)
    return name.lower() if name.lower() in SEVERITIES else name


def category_of(levels: Any) -> str:
    """Return a category with its levels joined, from a text or a list of texts.

    >>> category_of("Accuracy/Mistranslation"), category_of(["Fluency", "Grammar"]), category_of(None)
    ('accuracy/mistranslation', 'fluency/grammar', '')
    """
    if not isinstance(levels, list | tuple):
        levels = [levels]
    parts = (part.strip() for level in levels if level for part in str(level).split("/"))
    return "/".join(part for part in parts if part).lower()
