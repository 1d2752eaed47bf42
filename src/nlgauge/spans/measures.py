"""Measures: how well predicted spans agree with expected spans, as sums that can be added over texts.

For one text with predicted spans A and expected spans G: o(a, g) is the number of common characters (0 on different
sides), n(a) the length of a span, and c(a, g) is 1 if severities are equal, else 1 - penalty.

    em      weight of a pair  c if start and end are equal            true positives  sum of c
    mp      weight of a pair  c if o > 0                              true positives  sum of c
    mpp     weight of a pair  2 c o / (n(a) + n(g))                   true positives  sum of c o / n(a), sum of c o / n(g)
    char    per character and side: the smaller number of spans of each severity, plus 1 - penalty for the rest
    char23  per character and side: the worst severity only, without counting how many spans cover it

em, mp and mpp (arXiv 2603.19921) pair spans one to one with the largest total weight. Ties go to the larger overlap, then
to the first spans. char is the measure of the WMT 2025 shared task on error spans, char23 of the WMT 2023 shared task.

A text has four sums: true positives for precision, number predicted, true positives for recall, number expected. The
number counts spans (em, mp, mpp) or characters (char, char23).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError, no_such
from nlgauge.spans.columns import Spans
from nlgauge.spans.matching import Pairs, matched

MEASURES = ("em", "mp", "mpp", "char", "char23")
CATEGORIES = ("ignore", "first", "all")
OMISSIONS = ("drop", "match")
_WIDTH = 4


@dataclass(frozen=True)
class Rules:
    """Options of measures.

    Parameters
    ----------
    penalty : float, default 0.5
        Loss of credit for a wrong severity, from 0 to 1.
    severity : {"penalty", "exact", "ignore"}
        "penalty": a wrong severity loses credit, and critical errors count as major errors. "exact": the same, but critical
        errors are a separate severity. "ignore": severities do not matter.
    category : {"ignore", "first", "all"}
        Which levels of the categories must be equal.
    omissions : {"drop", "match"}
        Leave errors without a place out, or match the k-th predicted with the k-th expected of the same side.
    """

    penalty: float = 0.5
    severity: str = "penalty"
    category: str = "ignore"
    omissions: str = "drop"

    def __post_init__(self) -> None:
        if (
            isinstance(self.penalty, bool)
            or not isinstance(self.penalty, int | float)
            or not 0 <= self.penalty <= 1
        ):
            raise ParameterError(f"penalty must be a number from 0 to 1, got {self.penalty!r:.60}.")
        for name, values in (
            ("severity", ("penalty", "exact", "ignore")),
            ("category", CATEGORIES),
            ("omissions", OMISSIONS),
        ):
            if getattr(self, name) not in values:
                raise ParameterError(no_such(name, getattr(self, name), values))


@dataclass(frozen=True, eq=False)
class _Side:
    """Spans of one voice in canonical order, with codes that both voices share."""

    cell: Array
    start: Array
    end: Array
    severity: Array
    category: Array
    side: Array

    def take(self, which: Array) -> _Side:
        return _Side(*(getattr(self, name)[which] for name in self.__dataclass_fields__))

    def __len__(self) -> int:
        return len(self.cell)


def counts(
    predicted: Spans, expected: Spans, measures: Sequence[str] = MEASURES, rules: Rules | None = None
) -> dict[str, Array]:
    """Count true positives, predicted and expected spans of every text.

    Parameters
    ----------
    predicted : Spans
        Spans of a metric or an annotator on S systems and N segments.
    expected : Spans
        Spans of people on the same systems and segments.
    measures : sequence of str
        Measures, some of `MEASURES`.
    rules : Rules, optional
        Options.

    Returns
    -------
    dict of str to ndarray of shape (S, N, 4)
        True positives for precision, number predicted, true positives for recall, number expected, by measure. NaN if one of
        the two did not read the text.

    Raises
    ------
    InputError
        If the systems or segments differ.
    ParameterError
        If a measure is unknown.
    """
    for name in measures:
        if name not in MEASURES:
            raise ParameterError(no_such("measure", name, MEASURES))
    if predicted.systems != expected.systems or predicted.segments != expected.segments:
        raise InputError(
            "predicted and expected spans must have the same systems and segments in the same order."
        )
    rules = rules or Rules()
    both = predicted.looked & expected.looked
    ours, theirs = _coded(predicted, expected, rules)
    cells = both.size
    ours, theirs = ours.take(both.ravel()[ours.cell]), theirs.take(both.ravel()[theirs.cell])
    omitted = np.zeros((cells, _WIDTH))
    if rules.omissions == "match":
        omitted = _omissions(ours, theirs, rules, cells)
    ours, theirs = ours.take(ours.start >= 0), theirs.take(theirs.start >= 0)
    pairs = _pairs(ours, theirs, rules) if {"em", "mp", "mpp"} & set(measures) else None
    result = {}
    for name in measures:
        sums = (
            _characters(ours, theirs, rules, cells, worst_only=name == "char23")
            if pairs is None or name.startswith("char")
            else _matched(name, pairs, ours, theirs, cells)
        )
        values = (sums + omitted).reshape(*both.shape, _WIDTH)
        values[~both] = np.nan
        result[name] = values
    return result


def precision_recall_f(sums: Array) -> Array:
    """Return precision, recall and F of sums; 0 / 0 is 1, and F is 0 if both are 0.

    Parameters
    ----------
    sums : ndarray of shape (..., 4)
        True positives for precision, number predicted, true positives for recall, number expected.

    Returns
    -------
    ndarray of shape (..., 3)
        Precision, recall and F.

    Examples
    --------
    >>> precision_recall_f(np.array([[1.0, 2.0, 1.0, 4.0], [0.0, 0.0, 0.0, 0.0]])).round(3).tolist()
    [[0.5, 0.25, 0.333], [1.0, 1.0, 1.0]]
    """
    tp, predicted, tr, expected = (sums[..., k] for k in range(_WIDTH))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(predicted == 0, 1.0, tp / predicted)
        r = np.where(expected == 0, 1.0, tr / expected)
        f = np.where(p + r == 0, 0.0, 2 * p * r / (p + r))
    unknown = np.isnan(sums).any(axis=-1)
    values = np.stack([p, r, f], axis=-1)
    values[unknown] = np.nan
    return values


def _coded(one: Spans, other: Spans, rules: Rules) -> tuple[_Side, _Side]:
    """Return both voices with shared numbers of severities and categories, in an order that does not depend on the file."""
    severities: dict[str, int] = {}
    categories: dict[str, int] = {}

    def severity(name: str) -> int:
        if rules.severity == "ignore":
            name = ""
        elif rules.severity == "penalty" and name == "critical":
            name = "major"
        return severities.setdefault(name, len(severities))

    def category(name: str) -> int:
        if rules.category == "ignore":
            name = ""
        elif rules.category == "first":
            name = name.split("/")[0]
        return categories.setdefault(name, len(categories))

    # Numbers in the order of the names, so that they do not depend on which voice is first.
    for name in sorted({*one.severities, *other.severities}):
        severity(name)
    for name in sorted({*one.categories, *other.categories}):
        category(name)
    sides = []
    for spans in (one, other):
        levels = np.array([severity(name) for name in spans.severities] or [0])
        kinds = np.array([category(name) for name in spans.categories] or [0])
        columns = (
            spans.owners,
            spans.start.astype(np.int64),
            spans.end.astype(np.int64),
            levels[spans.severity] if len(spans) else np.zeros(0, np.int64),
            kinds[spans.category] if len(spans) else np.zeros(0, np.int64),
            spans.side.astype(np.int64),
        )
        cell, start, end, level, kind, side = columns
        order = np.lexsort((kind, level, end, start, side, cell))
        sides.append(_Side(*(column[order] for column in columns)))
    return sides[0], sides[1]


def _pairs(ours: _Side, theirs: _Side, rules: Rules) -> Pairs:
    """Return all pairs of spans of one text with common characters and some credit."""
    return Pairs.of(
        (ours.cell, ours.side, ours.start, ours.end),
        (theirs.cell, theirs.side, theirs.start, theirs.end),
        lambda i, j: np.where(
            ours.category[i] != theirs.category[j],
            0.0,
            np.where(ours.severity[i] == theirs.severity[j], 1.0, 1.0 - rules.penalty),
        ),
    )


def _matched(name: str, pairs: Pairs, ours: _Side, theirs: _Side, cells: int) -> Array:
    """Return the sums of a measure that pairs spans."""
    weights = {
        "em": np.where(pairs.same, pairs.credit, 0.0),
        "mp": pairs.credit,
        "mpp": pairs.credit * 2 * pairs.overlap / (pairs.first_length + pairs.second_length),
    }[name]
    chosen = matched(pairs, weights)
    cell, credit = ours.cell[pairs.first[chosen]], pairs.credit[chosen]
    precise, recalled = credit, credit
    if name == "mpp":
        precise = credit * pairs.overlap[chosen] / pairs.first_length[chosen]
        recalled = credit * pairs.overlap[chosen] / pairs.second_length[chosen]
    return np.stack(
        [
            np.bincount(cell, precise, cells),
            np.bincount(ours.cell, minlength=cells),
            np.bincount(cell, recalled, cells),
            np.bincount(theirs.cell, minlength=cells),
        ],
        axis=1,
    ).astype(float)


def _characters(ours: _Side, theirs: _Side, rules: Rules, cells: int, worst_only: bool) -> Array:
    """Return the sums of char: stretches between neighboring ends of spans, in which all characters are alike."""
    voices = (ours, theirs)
    sums = np.zeros((cells, _WIDTH))
    if not len(ours) + len(theirs):
        return sums
    # A stretch belongs to a text, a side and a category.
    group = [((voice.cell * 3 + voice.side) << 20) + voice.category for voice in voices]
    groups = np.concatenate([group[0], group[0], group[1], group[1]])
    places = np.concatenate([ours.start, ours.end, theirs.start, theirs.end])
    order = np.lexsort((places, groups))
    new = np.ones(len(order), bool)
    new[1:] = (groups[order][1:] != groups[order][:-1]) | (places[order][1:] != places[order][:-1])
    stretch_of = np.empty(len(order), np.int64)
    stretch_of[order] = np.cumsum(new) - 1
    starts = order[new]
    length = np.zeros(len(starts))
    length[:-1] = places[starts][1:] - places[starts][:-1]
    length[:-1][groups[starts][1:] != groups[starts][:-1]] = 0.0
    owner = (groups[starts] >> 20) // 3
    severities = 1 + int(max(voice.severity.max(initial=0) for voice in voices))
    covered = np.zeros((2, severities, len(starts)))
    at = 0
    for k, voice in enumerate(voices):
        begin, finish = stretch_of[at : at + len(voice)], stretch_of[at + len(voice) : at + 2 * len(voice)]
        at += 2 * len(voice)
        for level in range(severities):
            which = voice.severity == level
            steps = np.bincount(begin[which], minlength=len(starts)).astype(float)
            steps -= np.bincount(finish[which], minlength=len(starts))
            covered[k, level] = np.cumsum(steps)
    if worst_only:
        covered = _worst(covered)
    shared = np.minimum(covered[0], covered[1])
    rest = np.minimum((covered[0] - shared).sum(axis=0), (covered[1] - shared).sum(axis=0))
    credit = (shared.sum(axis=0) + (1 - rules.penalty) * rest) * length
    for column, values in (
        (0, credit),
        (1, covered[0].sum(axis=0) * length),
        (3, covered[1].sum(axis=0) * length),
    ):
        sums[:, column] = np.bincount(owner, values, cells)
    sums[:, 2] = sums[:, 0]
    return sums


def _worst(covered: Array) -> Array:
    """Return 1 for the worst severity of each voice and stretch, 0 for all others."""
    # Names are in alphabetical order: critical, major, minor, neutral, so the first that occurs is the worst.
    marked = covered > 0
    first = marked & (np.cumsum(marked, axis=1) == 1)
    return np.asarray(first, float)


def _omissions(ours: _Side, theirs: _Side, rules: Rules, cells: int) -> Array:
    """Return the sums of errors without a place: the k-th of both voices on a side are a pair."""
    sums = np.zeros((cells, _WIDTH))
    keys = []
    for voice, column in ((ours, 1), (theirs, 3)):
        omitted = voice.take(voice.start < 0)
        sums[:, column] = np.bincount(omitted.cell, minlength=cells)
        owner = omitted.cell * 3 + omitted.side
        firsts = np.searchsorted(owner, owner)
        keys.append((owner, np.arange(len(owner)) - firsts, omitted))
    (owner, rank, one), (other_owner, other_rank, other) = keys
    size = 1 + int(max(rank.max(initial=0), other_rank.max(initial=0)))
    _, i, j = np.intersect1d(owner * size + rank, other_owner * size + other_rank, return_indices=True)
    credit = np.where(
        one.category[i] != other.category[j],
        0.0,
        np.where(one.severity[i] == other.severity[j], 1.0, 1 - rules.penalty),
    )
    sums[:, 0] = sums[:, 2] = np.bincount(one.cell[i], credit, cells)
    return sums
