"""Spans of metrics on texts: XCOMET, GEMBA and other judges mark errors, and edit distances count edits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.results.explain import explain_segments
from nlgauge.results.result import Result
from nlgauge.scoring import score
from nlgauge.spans.columns import Spans
from nlgauge.spans.explained import columns_of_explanations, spans_of, texts_of
from nlgauge.spans.span import Span
from nlgauge.spans.texts import SpanTexts

# Segments that are explained at once.
_AT_ONCE = 200


def metric_spans(result: Result, metrics: Sequence[str] | None = None) -> dict[str, Spans]:
    """Return the error spans of the metrics of a result.

    Parameters
    ----------
    result : Result
        Result with texts.
    metrics : sequence of str, optional
        Metrics of the result. Default: all metrics that have spans.

    Returns
    -------
    dict of str to Spans
        Spans by metric, on the systems and segments of the result.

    Raises
    ------
    InputError
        If a metric has no spans.

    Notes
    -----
    XCOMET, GEMBA (MQM, ESA) and judges mark errors. Of metrics that count edits (ter, wer, cder, eed), replaced and inserted
    words of the prediction are minor errors, and missing words are errors without a place.
    """
    corpus = result.corpus
    texts = texts_of(corpus)
    labels = list(result._job.metrics) if metrics is None else [result._label(name) for name in metrics]
    cells: dict[str, dict[tuple[int, int], Any]] = {label: {} for label in labels}
    systems = {system: s for s, system in enumerate(corpus.systems)}
    for start in range(0, len(corpus), _AT_ONCE):
        segments = range(start, min(start + _AT_ONCE, len(corpus)))
        for (label, system, n), several in explain_segments(result, segments, labels).items():
            cells[label][systems[system], n] = several
        # A metric without spans is not explained for all texts.
        for label in [
            label for label in labels if all(spans_of(each) is None for each in cells[label].values())
        ]:
            if metrics is not None:
                raise InputError(
                    f"{label} marks no errors; use xcomet, gemba(variant='ESA'), or a metric that counts edits, such"
                    " as ter."
                )
            labels.remove(label)
            del cells[label]
    return {
        label: columns_of_explanations(label, corpus.systems, tuple(corpus.ids), cells[label], texts)
        for label in labels
    }


def spans_on(texts: SpanTexts, metrics: Sequence[Any], **options: Any) -> dict[str, Spans]:
    """Return the spans of metrics on texts, which not all systems need to have.

    Segments with texts of the same systems are scored together; texts that lack what a metric needs are not read.
    """
    columns: dict[str, dict[tuple[int, int], Sequence[Span]]] = {}
    for columns_of_texts, systems, segments in _alike(texts):
        result = score(**columns_of_texts, metrics=metrics, **options)
        for label, spans in metric_spans(result, list(result._job.metrics)).items():
            for (s, system), (n, segment) in (
                ((s, system), (n, segment))
                for s, system in enumerate(systems)
                for n, segment in enumerate(segments)
            ):
                marked = spans.at(s, n)
                if marked is not None:
                    columns.setdefault(label, {})[system, segment] = marked
    return {
        label: Spans.of_cells(label, "metric", texts.systems, texts.segments, cells, texts)
        for label, cells in columns.items()
    }


def _alike(texts: SpanTexts) -> list[tuple[dict[str, Any], list[int], list[int]]]:
    """Return texts with the same systems as arguments of `score`, and the numbers of these systems and segments."""
    known = np.array([[text is not None for text in row] for row in texts.targets], bool)
    # A human translation would be compared with itself.
    known[[s for s, system in enumerate(texts.systems) if system in texts.unreferenced]] = False
    patterns: dict[tuple[Any, ...], list[int]] = {}
    for n in range(len(texts.segments)):
        has_reference = texts.references is not None and texts.references[n] is not None
        has_source = texts.sources is not None and texts.sources[n] is not None
        patterns.setdefault((tuple(known[:, n]), has_reference, has_source), []).append(n)
    if not known.any():
        raise InputError("these spans have no texts, so no metric can mark errors; read them with texts.")
    found = []
    for (has, reference, source), segments in patterns.items():
        systems = [s for s, there in enumerate(has) if there]
        if systems:
            found.append((_columns(texts, systems, segments, reference, source), systems, segments))
    return found


def _columns(
    texts: SpanTexts, systems: list[int], segments: list[int], reference: bool, source: bool
) -> dict[str, Any]:
    return {
        "predictions": {texts.systems[s]: [texts.targets[s, n] for n in segments] for s in systems},
        "references": [texts.references[n] for n in segments] if reference and texts.references else None,
        "sources": [texts.sources[n] for n in segments] if source and texts.sources else None,
        "ids": [texts.segments[n] for n in segments],
    }
