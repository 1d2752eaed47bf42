"""Error spans: places of texts that people or metrics marked as wrong, their files, scores and measures.

span.py        Span and Annotation: one marked error, and what one annotator marked in one text
columns.py     Spans: the spans of one annotator or metric in all texts, as columns
texts.py       SpanTexts: these texts
reading.py     read: files of Appraise, MQM, mt-metrics-eval, Label Studio, pearmut, factgenie, XCOMET, and tagged texts
writing.py     write: the same formats
formats/       one module per format
weights.py     score: scores of texts by the weights of their errors
measures.py    counts: em, mp, mpp, char of predicted and expected spans, as sums
sentinels.py   detectors that a metric must beat
combining.py   the first annotation of each text, or the union of all
places.py      offsets: code points, UTF-16 units, other Unicode forms, ends of texts

>>> Span(4, 9, "major").plain()
{'side': 'target', 'start': 4, 'end': 9, 'severity': 'major'}
"""

from __future__ import annotations

from nlgauge.spans.columns import Spans
from nlgauge.spans.of_corpus import spans_of_corpus, with_spans
from nlgauge.spans.reading import SpanFile, read
from nlgauge.spans.report import Report
from nlgauge.spans.span import Annotation, Span
from nlgauge.spans.texts import SpanTexts
from nlgauge.spans.weights import score
from nlgauge.spans.writing import write

__all__ = [
    "Annotation",
    "Report",
    "Span",
    "SpanFile",
    "SpanTexts",
    "Spans",
    "read",
    "score",
    "spans_of_corpus",
    "with_spans",
    "write",
]
