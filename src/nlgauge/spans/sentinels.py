"""Sentinels: detectors of errors that do not read a text as people do. A metric is useful only if it is better.

nothing                 no span
everything              the whole text, major
not in the reference    runs of words that the reference lacks, minor
at random               the expected spans at random places: it knows how many errors there are, and how long they are
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.spans.columns import Spans
from nlgauge.spans.span import SIDES, Span
from nlgauge.spans.texts import SpanTexts

NOTHING, EVERYTHING, UNKNOWN_WORDS, AT_RANDOM = "nothing", "everything", "not in the reference", "at random"
SENTINELS = (NOTHING, EVERYTHING, UNKNOWN_WORDS, AT_RANDOM)
_WORD = re.compile(r"\w+|[^\w\s]")


def nothing(texts: SpanTexts, looked: Array) -> Spans:
    """Return no span in each text that was read."""
    return _detected(NOTHING, texts, looked, lambda s, n: [])


def everything(texts: SpanTexts, looked: Array) -> Spans:
    """Return the whole of each text that was read, as a major error."""

    def whole(s: int, n: int) -> list[Span]:
        text = _target(texts, s, n)
        return [Span(0, len(text), "major")] if text else []

    return _detected(EVERYTHING, texts, looked, whole)


def not_in_the_reference(texts: SpanTexts, looked: Array) -> Spans:
    """Return the runs of words that the reference of a text lacks, as minor errors; texts without a reference
    are not read.
    """
    references = texts.references or [None] * len(texts.segments)
    words = [None if text is None else {word.lower() for word in _WORD.findall(text)} for text in references]
    has_words = np.array([known is not None for known in words], bool)

    def missing(s: int, n: int) -> list[Span]:
        return unknown_words(words[n] or set(), _target(texts, s, n))

    referenced = np.array([system not in texts.unreferenced for system in texts.systems], bool)
    return _detected(UNKNOWN_WORDS, texts, looked & has_words & referenced[:, None], missing)


def unknown_words(known: set[str], text: str) -> list[Span]:
    """Return the runs of words of a text that are not known.

    >>> [(span.start, span.end) for span in unknown_words({"the", "sat"}, "the big cat sat")]
    [(4, 11)]
    """
    spans: list[Span] = []
    start = end = -1
    for word in _WORD.finditer(text):
        if word[0].isalnum() and word[0].lower() not in known:
            start = word.start() if start < 0 else start
            end = word.end()
        elif start >= 0:
            spans.append(Span(start, end, "minor"))
            start = -1
    if start >= 0:
        spans.append(Span(start, end, "minor"))
    return spans


def at_random(expected: Spans, seed: int | tuple[int, ...], lengths: Array | None = None) -> Spans:
    """Return the expected spans of the target at random places of the same text; other spans stay.

    The places do not depend on the order of the spans in a file.
    """
    if lengths is None:
        if expected.texts is None:
            raise InputError(
                "spans at random places need the texts of the systems; read the spans with texts."
            )
        lengths = text_lengths(expected.texts)
    size = (expected.end - expected.start).astype(np.int64)
    room = np.where(expected.start >= 0, lengths.ravel()[expected.owners] - size, -1)
    moves = (room >= 0) & (expected.side == SIDES.index("target"))
    order = np.lexsort((size, expected.side, expected.owners))
    shares = np.empty(len(order))
    shares[order] = np.random.default_rng(seed).random(len(order))
    start = np.where(moves, np.floor(shares * (room + 1)).astype(np.int64), expected.start)
    end = np.where(moves, start + size, expected.end)
    return replace(
        expected, who=AT_RANDOM, kind="metric", start=start.astype(np.int32), end=end.astype(np.int32)
    )


def text_lengths(texts: SpanTexts) -> Array:
    """Return the number of characters of each target; 0 without a text."""
    lengths = [[0 if text is None else len(text) for text in row] for row in texts.targets]
    return np.array(lengths, np.int64).reshape(texts.targets.shape)


def _target(texts: SpanTexts, s: int, n: int) -> str:
    return texts.targets[s, n] or ""


def _detected(who: str, texts: SpanTexts, looked: Array, find: Callable[[int, int], Sequence[Span]]) -> Spans:
    cells = {(s, n): find(s, n) for s, n in np.argwhere(looked).tolist()}
    return Spans.of_cells(who, "metric", texts.systems, texts.segments, cells, texts)
