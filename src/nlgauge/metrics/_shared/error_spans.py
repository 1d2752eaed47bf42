"""Error spans from the probabilities of labels: maximal runs of pieces whose likeliest label is an error.

As the authors' program reads them: a run that is still open at the last piece is dropped, a run has the
severity of its first piece, and the start mark may begin one. Completely: the marks are not part of the text,
a run to the end is a run, and its severity is that which is likeliest over all of its pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.explanations import ErrorSpan


class Span(NamedTuple):
    """A run: its start and end in the text, the number of its label (from 1), and the mean probability of its
    pieces' likeliest labels.
    """

    start: int
    end: int
    label: int
    confidence: float


def decoded(probabilities: Array, offsets: Array, complete: bool) -> list[Span]:
    """Return the error spans of one text, from (pieces, labels) probabilities, "no error" first, and (pieces,
    2) places; first and last piece are marks.
    """
    if complete:
        probabilities, offsets = probabilities[1:-1], offsets[1:-1]
    best = probabilities.argmax(axis=1) if len(probabilities) else np.zeros(0, dtype=np.int64)
    found = []
    for first, end in _runs(best > 0):
        if end == len(best) and not complete:
            continue
        run = probabilities[first:end]
        label = int(run[:, 1:].sum(axis=0).argmax()) + 1 if complete else int(best[first])
        found.append(
            Span(int(offsets[first][0]), int(offsets[end - 1][1]), label, float(run.max(axis=1).mean()))
        )
    return found


def spans_of(spans: Sequence[Span], labels: Sequence[str]) -> list[ErrorSpan]:
    """Return the spans with their severity in words."""
    return [ErrorSpan(span.start, span.end, labels[span.label - 1], span.confidence) for span in spans]


def _runs(flags: Array) -> Iterator[tuple[int, int]]:
    """Return the first place, and the place after the last, of every run of true values.

    >>> list(_runs(np.array([False, True, True, False, True])))
    [(1, 3), (4, 5)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int64), [0]])))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
