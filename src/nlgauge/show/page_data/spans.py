"""Error spans of a page: the marks of each segment, and how well metrics find the errors that people mark."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.safe_text import visible
from nlgauge.errors import NlgaugeError
from nlgauge.meta import span_scores
from nlgauge.show.page_data.parts import array_part, json_part
from nlgauge.spans import Spans, spans_of_corpus
from nlgauge.spans.named_numbers import named_numbers

if TYPE_CHECKING:
    from nlgauge.results.result import Result

# Segments of one part.
SEGMENTS = 16
# Resamples of a page, as for other metrics.
DRAWS = 500


def span_parts(result: Result) -> tuple[dict[str, Any] | None, dict[str, bytes]]:
    """Return the description of the spans of a result and the parts with its marks; None without spans.

    Part `spansK` has the marks of the segments from 16 K: by segment, system and voice, each as [start, end, severity,
    category, side, note], with null for an error without a place. Without texts only the table is shown. Part `span_columns` has the
    numbers by which segments can be selected, float32 by column, system and segment.
    """
    spans = spans_of_corpus(result.corpus)
    if not spans:
        return None, {}
    voices = [{"name": visible(each.who), "kind": each.kind} for each in spans]
    named = named_numbers(spans)
    described = {
        "voices": voices,
        "size": SEGMENTS,
        "scores": span_table(result),
        "columns": [visible(name) for name in named],
    }
    marks = _marks(spans, len(result.corpus)) if result.has_texts else {}
    return described, {
        "span_columns": array_part(np.stack(list(named.values())).astype(np.float32)),
        **marks,
    }


def _marks(spans: Sequence[Spans], segments: int) -> dict[str, bytes]:
    blocks: list[dict[str, dict[str, dict[str, list[list[Any]]]]]] = [
        {} for _ in range(0, segments, SEGMENTS)
    ]
    for voice, each in enumerate(spans):
        for s, n in np.argwhere(each.looked).tolist():
            by_system = blocks[n // SEGMENTS].setdefault(str(n), {}).setdefault(str(s), {})
            by_system[str(voice)] = [
                [
                    span.start,
                    span.end,
                    visible(span.severity),
                    visible(span.category),
                    span.side,
                    visible(span.note),
                ]
                for span in each.at(s, n) or []
            ]
    return {f"spans{number}": json_part(block) for number, block in enumerate(blocks) if block}


def span_table(result: Result) -> dict[str, Any] | None:
    """Return the table of F of all metrics and sentinels; None without people or if nothing can be compared."""
    spans = spans_of_corpus(result.corpus)
    known = [each if result.has_texts else replace(each, texts=None) for each in spans]
    people = [each for each in known if each.kind == "people"]
    metrics = {each.who: each for each in known if each.kind == "metric"}
    if not people:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = span_scores(people, metrics, resamples=DRAWS)
    except NlgaugeError:
        return None
    rows = [
        {
            "name": visible(row["metric"]),
            "kind": row["kind"],
            **{name: _number(row[name]) for name in ("precision", "recall", "value", "low", "high")},
            "letters": row["letters"] or "",
        }
        for row in scores.rows
    ]
    return {"rows": rows, "notes": [visible(note) for note in scores.notes]}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
