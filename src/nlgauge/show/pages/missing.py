"""Sentences of tables and comparisons about missing scores: their number, system, reason and possible
effect.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nlgauge._core.numbers import counted, number, p_value

if TYPE_CHECKING:
    from nlgauge.results.comparison import Compared
    from nlgauge.results.missing import Reasons

NOT_COMPARABLE = (
    "Means over different segments are not comparable; `nlgauge compare` uses the segments that both systems"
    " have"
)
_WORDS = {
    "empty": "empty prediction",
    "unreadable": "unreadable reply",
    "error": "no reply",
    "absent": "not scored",
}


def reasons_text(reasons: Reasons) -> str:
    """Return the reasons for missing scores with their counts.

    >>> reasons_text((("unreadable", 10), ("error", 2)))
    'unreadable reply: 10, no reply: 2'
    """
    return ", ".join(f"{_WORDS[reason]}: {count}" for reason, count in reasons)


def missing_note(row: Compared) -> str:
    """Return what a reader of a comparison must know about missing scores; "" if none is missing."""
    gaps, output = row.gaps, row.output
    if not gaps.any:
        return ""
    total = gaps.used + gaps.first + gaps.second + gaps.both
    sides = (
        (row.first, gaps.first + gaps.both, gaps.reasons[0]),
        (row.second, gaps.second + gaps.both, gaps.reasons[1]),
    )
    lacking = [
        f"{count} have no score of {system} ({reasons_text(reasons)})"
        for system, count, reasons in sides
        if count
    ]
    sentences = [f"{gaps.used} of {counted(total, 'segment')} compared: {'; '.join(lacking)}."]
    if gaps.unequal:
        scores = [
            f"{side[0]} {number(score, output)} of {total - side[1]}"
            for side, score in zip(sides, gaps.own_scores, strict=True)
        ]
        sentences.append(f"Scores on all segments that each system has: {', '.join(scores)}.")
    return " ".join([*sentences, *_range(row), *_balance(row)]).removesuffix(".")


def _range(row: Compared) -> list[str]:
    """Return the sentence about the bounds of the gain."""
    gaps, output = row.gaps, row.output
    if math.isnan(row.bound_low):
        return (
            ["The output has no bounds, so the missing scores could change the gain by any amount."]
            if gaps.unequal
            else []
        )
    if row.bound_low == row.bound_high:
        return []
    low, high = number(row.bound_low, output, sign=True), number(row.bound_high, output, sign=True)
    decide = "" if row.robust else ": they can decide"
    return [f"Whatever the missing scores are, the gain on all segments is between {low} and {high}{decide}."]


def _balance(row: Compared) -> list[str]:
    """Return the sentence about the system that lacks more scores."""
    gaps = row.gaps
    if not gaps.unequal:
        return []
    (most, more), (least, less) = sorted(
        ((row.first, gaps.first), (row.second, gaps.second)), key=lambda side: -side[1]
    )
    return [
        f"{counted(more, 'score')} {'is' if more == 1 else 'are'} missing only for {most}, {less} only for {least} ({_p(gaps.p)})."
    ]


def _p(value: float) -> str:
    text = p_value(value)
    return f"p {text.replace('<', '< 0')}" if text.startswith("<") else f"p = {text}"
