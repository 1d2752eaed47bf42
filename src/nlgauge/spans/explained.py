"""Spans of metrics, from explanations: the errors that a metric marks, or the edits that it counts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.explanations import Edits, ErrorSpans, Explanation
from nlgauge.spans.columns import Spans
from nlgauge.spans.span import Span, category_of, known_severity
from nlgauge.spans.texts import SpanTexts

_SIDES = {"prediction": "target"}


def spans_of(explanations: Iterable[Explanation]) -> list[Span] | None:
    """Return the spans of the first explanation of a text that has spans; None if none has.

    Marked errors come before edits. Of edits, replaced and inserted words of the prediction are minor errors, and words of
    the reference that the prediction lacks are errors without a place.
    """
    several = [each for each in explanations if each.prediction_number == 0]
    for kind in (ErrorSpans, Edits):
        for each in several:
            if isinstance(each, kind):
                return _of_errors(each) if isinstance(each, ErrorSpans) else _of_edits(each)
    return None


def _of_errors(explanation: ErrorSpans) -> list[Span]:
    placed = [
        Span(
            error.start,
            error.end,
            known_severity(error.severity),
            category_of(error.category),
            _SIDES.get(error.side, error.side),
            error.confidence,
        )
        for error in explanation.errors
        if error.start < error.end
    ]
    unplaced = [
        Span(None, None, known_severity(error.severity), category_of(error.category), note=error.words)
        for error in explanation.unplaced
    ]
    return [*placed, *unplaced]


def _of_edits(explanation: Edits) -> list[Span]:
    places = iter(explanation.spans.get("prediction", []))
    spans = []
    for edit in explanation.edits:
        if edit.kind == "shift":
            continue
        parts = [place for _ in edit.prediction if (place := next(places, None)) is not None]
        if edit.kind in ("equal", "jump"):
            continue
        if parts:
            spans.append(Span(min(start for start, _ in parts), max(end for _, end in parts), "minor"))
        elif edit.reference and not edit.prediction:
            spans.append(Span(None, None, "minor", note=" ".join(edit.reference)))
    return spans


def texts_of(corpus: Corpus) -> SpanTexts:
    """Return the texts of a corpus: the first prediction and the first reference of each segment."""
    strings = corpus.texts.strings
    targets = np.full((len(corpus.predictions), len(corpus)), None, object)
    for s, column in enumerate(corpus.predictions.values()):
        for n, texts in enumerate(column.lists()):
            targets[s, n] = strings[texts[0]] if texts else None
    references = None
    if corpus.references is not None:
        references = [strings[texts[0]] if texts else None for texts in corpus.references.lists()]
    return SpanTexts(
        corpus.systems,
        tuple(corpus.ids),
        targets,
        None if corpus.sources is None else [strings[text] for text in corpus.sources.tolist()],
        references,
        None if corpus.documents is None else list(corpus.documents),
    )


def columns_of_explanations(
    who: str,
    systems: Sequence[str],
    segments: Sequence[Hashable],
    explanations: Mapping[tuple[int, int], Sequence[Explanation]],
    texts: SpanTexts | None = None,
) -> Spans:
    """Return the spans of a metric, from the explanations of each text by numbers of system and segment."""
    cells = {
        cell: spans for cell, several in explanations.items() if (spans := spans_of(several)) is not None
    }
    return Spans.of_cells(who, "metric", systems, segments, cells, texts)
