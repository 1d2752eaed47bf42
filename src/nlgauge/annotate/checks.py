"""Checks of annotators: progress, repeated, damaged and gold items. Nobody is excluded automatically."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.items import DAMAGED, GOLD, REPEAT, Item
from nlgauge.annotate.log import Record
from nlgauge.annotate.rating import points
from nlgauge.annotate.rows import Ratings

# With fewer damaged items, no annotator fails.
FEWEST = 8
LEVEL = 0.05
_TOLERANCE = 3


def progress(campaign: Campaign, ratings: Ratings) -> list[dict[str, Any]]:
    """Return the state of each annotator.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    ratings : mapping
        Current rating of each annotator and item.

    Returns
    -------
    list of dict
        Code, number of rated items, number of items, median active seconds, hours left, the median absolute
        difference between an item and its repetition, the number of damaged items that were rated lower than,
        as high as and higher than the original, with a sign test, and the gold items that passed. Numbers
        without data are None.
    """
    return [_state(campaign, annotator, ratings) for annotator in campaign.plan.annotators]


def failed(campaign: Campaign, ratings: Ratings) -> list[str]:
    """Return the annotators who do not rate damaged texts lower, by a one-sided exact sign test.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    ratings : mapping
        Current rating of each annotator and item.

    Returns
    -------
    list of str
        Annotators with at least 8 damaged items and p > 0.05.
    """
    return [state["annotator"] for state in progress(campaign, ratings) if state["failed"]]


def _state(campaign: Campaign, annotator: str, ratings: Ratings) -> dict[str, Any]:
    keys = campaign.order(annotator)
    done = {key: ratings[annotator, key] for key in keys if (annotator, key) in ratings}
    seconds = statistics.median(record["active"] for record in done.values()) if done else None
    again = [
        difference
        for key, record in done.items()
        if campaign.items[key].kind == REPEAT and campaign.items[key].of in done
        for difference in _differences(campaign, key, record, done[campaign.items[key].of])
    ]
    worse = [
        _worse(campaign, key, record, done)
        for key, record in done.items()
        if campaign.items[key].kind == DAMAGED and (campaign.items[key].of in done or _is_pair(campaign, key))
    ]
    gold = [
        passed(campaign.items[key], record)
        for key, record in done.items()
        if campaign.items[key].kind == GOLD
    ]
    p = sign_test(worse.count(-1), worse.count(1)) if worse else None
    return {
        "annotator": annotator,
        "done": len(done),
        "of": len(keys),
        "median_seconds": seconds,
        "hours_left": None if seconds is None else seconds * (len(keys) - len(done)) / 3600,
        "repeats": sum(campaign.items[key].kind == REPEAT for key in done),
        "repeat_difference": statistics.median(map(abs, again)) if again else None,
        "damaged": len(worse),
        "damaged_lower": worse.count(-1),
        "damaged_same": worse.count(0),
        "damaged_higher": worse.count(1),
        "damaged_p": p,
        "failed": p is not None and len(worse) >= FEWEST and p > LEVEL,
        "gold": len(gold),
        "gold_passed": sum(gold),
    }


def _is_pair(campaign: Campaign, key: str) -> bool:
    return len(campaign.items[key].systems) > 1


def _differences(campaign: Campaign, key: str, record: Record, before: Record) -> list[float]:
    """Return the differences between an item and the item that it repeats, one per number of the rating."""
    item, protocol = campaign.items[key], campaign.plan.protocol
    original = points(campaign.items[item.of], before, protocol)
    return [
        value - original[dimension][number]
        for dimension, numbers in points(item, record, protocol).items()
        for number, value in numbers.items()
        if dimension in original
    ]


def _worse(campaign: Campaign, key: str, record: Record, done: Mapping[str, Record]) -> int:
    """Return the sign of the score of a damaged text minus the score of the original."""
    item, protocol = campaign.items[key], campaign.plan.protocol
    if len(item.systems) > 1:
        original, damaged = (points(item, record, protocol)[protocol.name][number] for number in (0, 1))
        difference = damaged - original
    else:
        values = _differences(campaign, key, record, done[item.of])
        difference = statistics.fmean(values) if values else 0.0
    return (difference > 0) - (difference < 0)


def sign_test(lower: int, higher: int) -> float:
    """Return the exact one-sided p-value of at least `lower` of `lower + higher` signs by chance; ties do not
    count.

    >>> sign_test(8, 0), sign_test(0, 0)
    (0.00390625, 1.0)
    """
    from scipy.stats import binomtest

    return float(binomtest(lower, lower + higher, alternative="greater").pvalue) if lower + higher else 1.0


def passed(item: Item, record: Record) -> bool:
    """Return whether a rating of a gold item has only allowed answers and the expected marks."""
    answers = item.allowed.get("answers", {})
    if not all(_is_allowed(record, name, allowed) for name, allowed in answers.items()):
        return False
    spans = item.allowed.get("spans")
    return spans is None or _are_marked(spans, record.get("spans", []))


def _is_allowed(record: Record, name: str, allowed: Any) -> bool:
    answer = record["answers"].get(name)
    if answer is None:
        return False
    if isinstance(allowed, dict):
        return bool(allowed["low"] <= answer <= allowed["high"])
    if isinstance(answer, int) and not isinstance(answer, bool) and answer < len(record["shown"]) > 1:
        answer = record["shown"][answer]  # the output, wherever it was on the screen
    if isinstance(answer, list) and len(record["shown"]) > 1:
        # The ranks in the order of the gold item, wherever its outputs were on the screen.
        answer = [answer[record["shown"].index(number)] for number in range(len(answer))]
    return (
        answer in allowed if isinstance(allowed, list) and not isinstance(answer, list) else answer == allowed
    )


def _are_marked(expected: Sequence[Mapping[str, Any]], marks: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether each expected span is marked within the tolerance; no span means no mark."""
    if not expected:
        return not marks
    return all(
        any(
            mark.get("side", "target") == span.get("side", "target")
            and ("severity" not in span or mark["severity"] == span["severity"])
            and all(_is_near(mark.get(end), span.get(end)) for end in ("start", "end"))
            for mark in marks
        )
        for span in expected
    )


def _is_near(one: int | None, other: int | None) -> bool:
    return one is other if one is None or other is None else abs(one - other) <= _TOLERANCE
