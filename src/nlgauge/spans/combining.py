"""Spans of several annotators as one: the first annotation of each text, or the union of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array, offsets_of
from nlgauge.errors import InputError
from nlgauge.spans.columns import COLUMNS, Spans
from nlgauge.spans.span import Span


def check_same_texts(several: Sequence[Spans]) -> None:
    """Raise an error if spans have different systems or segments."""
    if not several:
        raise InputError("spans of at least one annotator are needed.")
    first = several[0]
    for spans in several[1:]:
        if spans.systems != first.systems or spans.segments != first.segments:
            raise InputError(
                f"the spans of {spans.who} and {first.who} have different systems or segments; read them from one"
                " file, or align them."
            )


def joined(several: Sequence[Spans]) -> tuple[Spans, Array]:
    """Return all annotations as one system, one segment per annotation, and the number `s * N + n` of each text."""
    check_same_texts(several)
    cells = [np.flatnonzero(spans.looked) for spans in several]
    parts = [spans.of_texts(numbers) for spans, numbers in zip(several, cells, strict=True)]
    severities = {
        name: k for k, name in enumerate(dict.fromkeys(n for part in parts for n in part.severities))
    }
    categories = {
        name: k for k, name in enumerate(dict.fromkeys(n for part in parts for n in part.categories))
    }
    recoded = [
        replace(
            part,
            severity=_recoded(part.severity, part.severities, severities),
            category=_recoded(part.category, part.categories, categories),
            severities=tuple(severities),
            categories=tuple(categories),
        )
        for part in parts
    ]
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in recoded]) for name in COLUMNS
    }
    first, texts = recoded[0], np.concatenate(cells)
    return (
        replace(
            first,
            segments=tuple(range(len(texts))),
            offsets=offsets_of(np.concatenate([np.diff(part.offsets) for part in recoded])),
            looked=np.ones((1, len(texts)), bool),
            notes={},
            **columns,
        ),
        texts,
    )


def _recoded(codes: Array, names: Sequence[str], numbers: Mapping[str, int]) -> Array:
    table = np.array([numbers[name] for name in names] or [0], np.uint16)
    return table[codes] if len(codes) else codes


def first_of(several: Sequence[Spans]) -> Spans:
    """Return the spans of the first annotator of each text."""
    return _combined(several, "first annotator", lambda lists: lists[0])


def union_of(several: Sequence[Spans]) -> Spans:
    """Return the spans of all annotators; overlapping spans of equal severity and side become one."""
    return _combined(several, "all annotators", _union)


def _combined(several: Sequence[Spans], who: str, combine: Callable[[list[list[Span]]], list[Span]]) -> Spans:
    check_same_texts(several)
    looked = np.any([spans.looked for spans in several], axis=0)
    cells = {}
    for s, n in np.argwhere(looked).tolist():
        lists = [marked for spans in several if (marked := spans.at(s, n)) is not None]
        cells[s, n] = combine(lists)
    first = several[0]
    return Spans.of_cells(who, "people", first.systems, first.segments, cells, first.texts)


def _union(lists: list[list[Span]]) -> list[Span]:
    spans = [span for marked in lists for span in marked]
    merged: list[Span] = []
    placed = [span for span in spans if span.start is not None and span.end is not None]
    for span in sorted(placed, key=lambda span: (span.side, span.severity, span.start or 0, span.end or 0)):
        last = merged[-1] if merged else None
        if (
            last is not None
            and last.end is not None
            and (last.side, last.severity) == (span.side, span.severity)
            and (span.start or 0) < last.end
        ):
            end = max(last.end, span.end or 0)
            category = last.category if last.category == span.category else ""
            merged[-1] = Span(last.start, end, last.severity, category, last.side)
        else:
            merged.append(Span(span.start, span.end, span.severity, span.category, span.side))
    # Errors without a place cannot be compared; the longest list is taken.
    omitted = max(([span for span in marked if span.is_omission] for marked in lists), key=len)
    return merged + omitted
