"""Error spans: from the probabilities of labels, and from the lists of a judge.

Spans from probabilities are the maximal runs of pieces whose likeliest label is an error.

As the authors' program reads them: a run that is still open at the last piece is dropped, a run has the
severity of its first piece, and the start mark may begin one. Completely: the marks are not part of the text,
a run to the end is a run, and its severity is that which is likeliest over all of its pieces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.explanations import ErrorSpan, UnplacedError
from nlgauge.judges.reading import ReadReply
from nlgauge.spans.weights import WEIGHTS

_WEIGHTS = WEIGHTS["xcomet"]
LOWEST = -_WEIGHTS.most
_KEYS = {"words": ("words", "text", "span"), "severity": ("severity",), "category": ("category", "type")}
_LONGEST = 2000
# A reply with more beginnings of lists is noise, which would take long to search.
_MOST_STARTS = 200
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)


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


class Error(NamedTuple):
    """One error of a text: its severity, its category, and the words that it is in."""

    severity: str
    kind: str
    span: str


@dataclass(frozen=True)
class JsonErrors:
    """Rule for a reply that lists errors as JSON: a list of objects with words, severity and category.

    The list may be in a fenced block, and sentences may be around it. A reply has no score if it has no list, several
    different lists, or an entry without a known severity: a part of a list would look like a better text.
    """

    def listed(self, text: str) -> list[Error] | None:
        """Return the errors of a reply; None if it has no list that can be read.

        >>> JsonErrors().listed('Here: [{"words": "a cat", "severity": "Major"}]')
        [Error(severity='major', kind='', span='a cat')]
        >>> JsonErrors().listed("[]"), JsonErrors().listed("It is perfect.")
        ([], None)
        """
        fenced = _FENCE.findall(text)
        lists = [found for part in (fenced or [text]) for found in _lists(part)]
        if not lists or any(other != lists[0] for other in lists):
            return None
        errors = [_error(entry) for entry in lists[0]]
        return None if None in errors else [error for error in errors if error is not None]

    def read(self, text: str) -> ReadReply | None:
        """Score the errors: minus the sum of their weights, 10 critical, 5 major, 1 minor, at most 25."""
        errors = self.listed(text)
        if errors is None:
            return None
        total = sum(_WEIGHTS.weight(error.severity, "") for error in errors)
        return ReadReply(-min(total, _WEIGHTS.most) + 0.0, "a list of errors" if errors else "an empty list")


def _lists(text: str) -> Iterator[list[Any]]:
    """Yield the outermost lists of JSON in a text, also as the field "errors" of an object."""
    decoder, place = json.JSONDecoder(), 0
    for _ in range(_MOST_STARTS):
        start = min((at for sign in "[{" if (at := text.find(sign, place)) >= 0), default=-1)
        if start < 0:
            return
        try:
            value, place = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            place = start + 1
            continue
        if isinstance(value, dict) and isinstance(value.get("errors"), list):
            value = value["errors"]
        if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
            yield value


def _error(entry: dict[str, Any]) -> Error | None:
    """Return the error of an entry; None if it has no known severity, or something else than texts."""
    values = {
        name: next((entry[key] for key in keys if entry.get(key) is not None), "")
        for name, keys in _KEYS.items()
    }
    if not all(isinstance(value, str) and len(value) <= _LONGEST for value in values.values()):
        return None
    severity = values["severity"].strip().lower()
    if severity not in _WEIGHTS.rules:
        return None
    return Error(severity, values["category"].strip(), values["words"].strip())


def located(errors: Sequence[Error], text: str) -> tuple[list[ErrorSpan], list[UnplacedError]]:
    """Return the places of the words of the errors in the translation, from left to right, and the errors
    whose words it lacks, such as omissions.

    >>> spans, unplaced = located([Error("major", "X", "cat"), Error("minor", "Y/Z", "dog")], "a cat, a cat")
    >>> [(span.start, span.end, span.severity, span.category) for span in spans]
    [(2, 5, 'major', 'x')]
    >>> unplaced
    [UnplacedError(severity='minor', category='y/z', words='dog')]
    """
    found: list[ErrorSpan] = []
    unplaced: list[UnplacedError] = []
    for error in errors:
        start = text.find(error.span) if error.span else -1
        while start >= 0 and any(
            start < other.end and other.start < start + len(error.span) for other in found
        ):
            start = text.find(error.span, start + 1)
        if start >= 0:
            found.append(
                ErrorSpan(start, start + len(error.span), error.severity, category=error.kind.lower())
            )
        else:
            unplaced.append(UnplacedError(error.severity, error.kind.lower(), error.span))
    return sorted(found, key=lambda span: span.start), unplaced
