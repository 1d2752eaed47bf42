"""Columns of spans from annotations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nlgauge.spans.columns import Spans
from nlgauge.spans.span import Annotation, Span
from nlgauge.spans.texts import SpanTexts


def columns_of(annotations: Sequence[Annotation], kind: str = "people") -> tuple[list[Spans], SpanTexts]:
    """Return the spans of each annotator and the texts, from annotations, in the order of first appearance."""
    systems = {name: s for s, name in enumerate(dict.fromkeys(each.system for each in annotations))}
    segments = {name: n for n, name in enumerate(dict.fromkeys(each.segment for each in annotations))}
    targets = np.full((len(systems), len(segments)), None, object)
    sources: list[str | None] = [None] * len(segments)
    references: list[str | None] = [None] * len(segments)
    documents: list[str | None] = [None] * len(segments)
    groups = [""] * len(segments)
    referenced = {each.system for each in annotations if each.references}
    cells: dict[str, dict[tuple[int, int], Sequence[Span]]] = {}
    for each in annotations:
        s, n = systems[each.system], segments[each.segment]
        targets[s, n] = each.target if targets[s, n] is None else targets[s, n]
        sources[n] = sources[n] if each.source is None else each.source
        references[n] = each.references[0] if each.references else references[n]
        documents[n] = documents[n] if each.document is None else each.document
        groups[n] = str(each.fields.get("group", groups[n]))
        cells.setdefault(each.annotator, {})[s, n] = each.spans
    texts = SpanTexts(
        tuple(systems),
        tuple(segments),
        targets,
        _some(sources),
        _some(references),
        _some(documents),
        groups if any(groups) else None,
        frozenset(set(systems) - referenced) if referenced else frozenset(),
    )
    return [
        Spans.of_cells(who, kind, texts.systems, texts.segments, marked, texts)
        for who, marked in cells.items()
    ], texts


def _some(column: list[str | None]) -> list[str | None] | None:
    """Return the column; None if it has no value."""
    return None if all(value is None for value in column) else column
