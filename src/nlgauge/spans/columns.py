"""Spans: what one annotator or metric marked in the texts of several systems, as columns; and these texts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from nlgauge._core.frames import as_frame
from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array, offsets_of
from nlgauge.errors import InputError, UnknownNameError, no_such
from nlgauge.spans.span import SIDES, Annotation, Span
from nlgauge.spans.texts import SpanTexts

KINDS = ("people", "metric")
# Columns with one value per span.
COLUMNS = ("start", "end", "severity", "category", "side", "confidence", "continues")


@dataclass(frozen=True, eq=False, repr=False)
class Spans:
    """Errors that one annotator or metric marked in the texts of S systems on N segments.

    Parameters
    ----------
    who : str
        Name of the annotator or metric.
    kind : {"people", "metric"}
        People or metric.
    systems : tuple of str
        Names of the S systems.
    segments : tuple
        Identifiers of the N segments.
    offsets : ndarray of int, shape (S * N + 1,)
        Spans `offsets[s * N + n]` to `offsets[s * N + n + 1]` belong to system s and segment n.
    start, end : ndarray of int
        Places in code points, end exclusive; -1 without a place.
    severity, category, side : ndarray of int
        Numbers of the names in `severities`, `categories` and `SIDES`.
    confidence : ndarray of float
        Confidence of each span; NaN if it is unknown.
    continues : ndarray of bool
        True if the span is a further part of the error before it.
    looked : ndarray of bool, shape (S, N)
        True if the text was read: a text without errors differs from a text without an annotation.
    severities, categories : tuple of str
        Names.
    notes : mapping of int to str
        Remarks by number of the span.
    texts : SpanTexts, optional
        Texts of the cells.
    """

    who: str
    kind: str
    systems: tuple[str, ...]
    segments: tuple[Hashable, ...]
    offsets: Array
    start: Array
    end: Array
    severity: Array
    category: Array
    side: Array
    confidence: Array
    continues: Array
    looked: Array
    severities: tuple[str, ...]
    categories: tuple[str, ...]
    notes: Mapping[int, str] = field(default_factory=dict)
    texts: SpanTexts | None = None

    def __post_init__(self) -> None:
        cells, count = len(self.systems) * len(self.segments), len(self.start)
        if self.kind not in KINDS:
            raise InputError(f"kind must be one of {', '.join(KINDS)}, got {self.kind!r:.60}.")
        if len(self.offsets) != cells + 1 or self.looked.shape != (len(self.systems), len(self.segments)):
            raise InputError(f"spans of {cells} texts need {cells + 1} offsets, got {len(self.offsets)}.")
        if any(len(getattr(self, name)) != count for name in COLUMNS):
            raise InputError("the columns of spans have unequal lengths.")
        if self.offsets[0] != 0 or self.offsets[-1] != count or (np.diff(self.offsets) < 0).any():
            raise InputError("offsets of spans must grow from 0 to the number of spans.")
        placed = self.start >= 0
        if (self.end[placed] <= self.start[placed]).any() or (self.end[~placed] != -1).any():
            raise InputError("a span must start before it ends, or have no place.")
        for codes, names in (
            (self.severity, self.severities),
            (self.category, self.categories),
            (self.side, SIDES),
        ):
            if count and int(codes.max()) >= len(names):
                raise InputError("a number of a severity, category or side has no name.")
        if np.diff(self.offsets)[~self.looked.ravel()].any():
            raise InputError("a text that was not read has spans.")

    @classmethod
    def of_cells(
        cls,
        who: str,
        kind: str,
        systems: Sequence[str],
        segments: Sequence[Hashable],
        cells: Mapping[tuple[int, int], Sequence[Span]],
        texts: SpanTexts | None = None,
    ) -> Spans:
        """Return columns from the spans of each text that was read, by numbers of system and segment.

        Parameters
        ----------
        who : str
            Name of the annotator or metric.
        kind : {"people", "metric"}
            People or metric.
        systems : sequence of str
            Names of the S systems.
        segments : sequence
            Identifiers of the N segments.
        cells : mapping of (int, int) to sequence of Span
            Spans of each text that was read.
        texts : SpanTexts, optional
            Texts of the cells.

        Returns
        -------
        Spans
            Spans in the order of the texts.
        """
        looked = np.zeros((len(systems), len(segments)), bool)
        for cell in cells:
            looked[cell] = True
        ordered = [span for s, n in np.argwhere(looked).tolist() for span in sorted_spans(cells[s, n])]
        lengths = np.zeros(looked.shape, np.int64)
        for (s, n), spans in cells.items():
            lengths[s, n] = len(spans)
        severities, categories = _Names(), _Names()
        return cls(
            who,
            kind,
            tuple(systems),
            tuple(segments),
            offsets_of(lengths.ravel()),
            np.array([-1 if span.start is None else span.start for span in ordered], np.int32),
            np.array([-1 if span.end is None else span.end for span in ordered], np.int32),
            np.array([severities.number(span.severity) for span in ordered], np.uint16),
            np.array([categories.number(span.category) for span in ordered], np.uint16),
            np.array([SIDES.index(span.side) for span in ordered], np.uint8),
            np.array(
                [np.nan if span.confidence is None else span.confidence for span in ordered], np.float32
            ),
            np.array([span.continues for span in ordered], bool),
            looked,
            severities.names(),
            categories.names(),
            {number: span.note for number, span in enumerate(ordered) if span.note},
            texts,
        )

    def __len__(self) -> int:
        return len(self.start)

    def __repr__(self) -> str:
        return (
            f"Spans({self.who!r}, {self.kind}: {counted(int((self.start >= 0).sum()), 'span')},"
            f" {counted(int((self.start < 0).sum()), 'error')} without a place,"
            f" {counted(int(self.looked.sum()), 'text')} read)"
        )

    @property
    def owners(self) -> Array:
        """Cell `s * N + n` of each span."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def at(self, system: int, segment: int) -> list[Span] | None:
        """Return the spans of a text by numbers of system and segment; None if it was not read.

        Parameters
        ----------
        system : int
            Number of the system.
        segment : int
            Number of the segment.

        Returns
        -------
        list of Span or None
            Spans in order.
        """
        if not self.looked[system, segment]:
            return None
        cell = system * len(self.segments) + segment
        return [self.span(number) for number in range(int(self.offsets[cell]), int(self.offsets[cell + 1]))]

    def of(self, system: str, segment: Hashable) -> list[Span] | None:
        """Return the spans of a text by names.

        Parameters
        ----------
        system : str
            System.
        segment : hashable
            Segment.

        Returns
        -------
        list of Span or None
            Spans in order; None if the text was not read.

        Raises
        ------
        UnknownNameError
            If there is no such system or segment.
        """
        if system not in self.systems:
            raise UnknownNameError(no_such("system", system, self.systems))
        if segment not in self.segments:
            raise UnknownNameError(f"unknown segment {segment!r:.60}; the spans have no segment of this id.")
        return self.at(self.systems.index(system), self.segments.index(segment))

    def span(self, number: int) -> Span:
        """Return a span by its number.

        Parameters
        ----------
        number : int
            Number of the span, from 0.

        Returns
        -------
        Span
            Span.
        """
        start, confidence = int(self.start[number]), float(self.confidence[number])
        return Span(
            None if start < 0 else start,
            None if start < 0 else int(self.end[number]),
            self.severities[self.severity[number]],
            self.categories[self.category[number]],
            SIDES[self.side[number]],
            None if np.isnan(confidence) else confidence,
            self.notes.get(number, ""),
            bool(self.continues[number]),
        )

    def take(self, segments: Array) -> Spans:
        """Return the spans of some segments.

        Parameters
        ----------
        segments : ndarray of int
            Numbers of the segments, in the new order.

        Returns
        -------
        Spans
            Spans of these segments.
        """
        return self._selected(np.arange(len(self.systems)), np.asarray(segments))

    def only(self, *systems: str) -> Spans:
        """Return the spans of some systems.

        Parameters
        ----------
        *systems : str
            Systems.

        Returns
        -------
        Spans
            Spans of these systems.

        Raises
        ------
        UnknownNameError
            If there is no such system.
        """
        for system in systems:
            if system not in self.systems:
                raise UnknownNameError(no_such("system", system, self.systems))
        numbers = np.array([self.systems.index(system) for system in systems], np.int64)
        return self._selected(numbers, np.arange(len(self.segments)))

    def renumbered(self) -> Spans:
        """Return the spans with numbers instead of ids of the segments.

        Returns
        -------
        Spans
            The same spans, with the segments 0 to N - 1.
        """
        return replace(self, segments=tuple(range(len(self.segments))))

    def aligned(self, systems: Sequence[str], segments: Sequence[Hashable]) -> Spans:
        """Return the spans with other systems and segments; texts that these spans lack were not read.

        Parameters
        ----------
        systems : sequence of str
            Systems.
        segments : sequence
            Segments.

        Returns
        -------
        Spans
            Spans on these systems and segments.
        """
        cells, places = {}, {segment: n for n, segment in enumerate(self.segments)}
        for s, system in enumerate(systems):
            for n, segment in enumerate(segments):
                if system in self.systems and segment in places:
                    spans = self.at(self.systems.index(system), places[segment])
                    if spans is not None:
                        cells[s, n] = spans
        return Spans.of_cells(self.who, self.kind, systems, segments, cells)

    def of_texts(self, cells: Array) -> Spans:
        """Return the spans of some texts, by number `s * N + n`, as one system with a segment per text.

        Parameters
        ----------
        cells : ndarray of int
            Numbers of the texts.

        Returns
        -------
        Spans
            Spans of these texts.
        """
        lengths = np.diff(self.offsets)[cells]
        changes = {
            "systems": ("",),
            "segments": tuple(range(len(cells))),
            "looked": self.looked.ravel()[cells][None, :],
            "texts": None,
        }
        return self._of_numbers(self._numbers(cells), offsets_of(lengths), changes)

    def _numbers(self, cells: Array) -> Array:
        """Return the numbers of the spans of some texts, one text after the other."""
        lengths = np.diff(self.offsets)[cells]
        offsets = offsets_of(lengths)
        return np.repeat(self.offsets[cells] - offsets[:-1], lengths) + np.arange(int(offsets[-1]))

    def where(self, which: Array) -> Spans:
        """Return only the spans for which `which` is True; the texts stay read.

        Parameters
        ----------
        which : ndarray of bool
            One value per span.

        Returns
        -------
        Spans
            Some of the spans.
        """
        numbers = np.flatnonzero(which)
        lengths = np.bincount(self.owners[numbers], minlength=len(self.offsets) - 1)
        return self._of_numbers(numbers, offsets_of(lengths), {})

    def _selected(self, systems: Array, segments: Array) -> Spans:
        cells = (systems[:, None] * len(self.segments) + segments[None, :]).ravel()
        changes: dict[str, Any] = {
            "systems": tuple(self.systems[i] for i in systems.tolist()),
            "segments": tuple(self.segments[i] for i in segments.tolist()),
            "looked": self.looked[np.ix_(systems, segments)],
            "texts": None if self.texts is None else self.texts.take(systems, segments),
        }
        return self._of_numbers(self._numbers(cells), offsets_of(np.diff(self.offsets)[cells]), changes)

    def _of_numbers(self, numbers: Array, offsets: Array, changes: dict[str, Any]) -> Spans:
        notes = (
            {new: self.notes[old] for new, old in enumerate(numbers.tolist()) if old in self.notes}
            if self.notes
            else {}
        )
        columns = {name: getattr(self, name)[numbers] for name in COLUMNS}
        return replace(self, offsets=offsets, notes=notes, **columns, **changes)

    def frame(self, frame: str | None = None) -> Any:
        """Return the spans as a data frame.

        Parameters
        ----------
        frame : {"pandas", "polars", "records"}, optional
            Type of the table; "records" is a list of dictionaries. Default: the installed library, or "records" without
            one.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or list of dict
            One row per span: who, system, segment, side, start, end, severity, category, confidence, note, continues, and
            the marked text if the texts are known.
        """
        rows = []
        for number, cell in enumerate(self.owners.tolist()):
            s, n = divmod(cell, len(self.segments))
            span = self.span(number)
            text = None if self.texts is None else self.texts.text(span.side, s, n)
            marked = None if text is None or span.start is None else text[span.start : span.end]
            names = {"who": self.who, "system": self.systems[s], "segment": self.segments[n]}
            rows.append(
                {**names, **{each.name: getattr(span, each.name) for each in fields(Span)}, "text": marked}
            )
        return as_frame(rows, frame)

    def annotations(self) -> Iterable[Annotation]:
        """Yield one annotation per text that was read."""
        for s, n in np.argwhere(self.looked).tolist():
            texts = self.texts
            reference = None if texts is None else texts.text("reference", s, n)
            yield Annotation(
                self.segments[n],
                self.systems[s],
                self.who,
                tuple(self.at(s, n) or ()),
                source=None if texts is None else texts.text("source", s, n),
                target=None if texts is None else texts.text("target", s, n),
                references=() if reference is None else (reference,),
            )


class _Names:
    """Names, numbered in the order of their first use."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def names(self) -> tuple[str, ...]:
        return tuple(self._numbers)


def sorted_spans(spans: Sequence[Span]) -> list[Span]:
    """Return spans by side and start, errors without a place last; parts of an error stay with it."""
    errors: list[list[Span]] = []
    for span in spans:
        if span.continues and errors:
            errors[-1].append(span)
        else:
            errors.append([span])
    errors.sort(key=lambda parts: _order(parts[0]))
    return [span for parts in errors for span in parts]


def _order(span: Span) -> tuple[int, bool, int, int]:
    return SIDES.index(span.side), span.start is None, span.start or 0, span.end or 0
