"""Checks of annotators: progress, repeated, damaged and gold items. Nobody is excluded automatically."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.items import DAMAGED, GOLD, RATE, REPEAT, Item
from nlgauge.annotate.log import OPENED, SKIP, Record
from nlgauge.annotate.rating import points
from nlgauge.annotate.responses import Responses, current_responses

# With fewer damaged items, no annotator fails.
FEWEST = 8
LEVEL = 0.05
_TOLERANCE = 3


def progress(campaign: Campaign, records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the state of each annotator.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    records : sequence of dict
        Events of the log.

    Returns
    -------
    list of dict
        Code, how often the page was opened, number of rated or skipped items, number of items, number of skipped
        items and of checks among them, median active seconds, hours left, the median absolute difference between
        an item and its repetition, the number of damaged items that were rated lower than, as high as and higher
        than the original, with a sign test, and the gold items that passed. Numbers without data are None.
    """
    responses = current_responses(campaign, records)
    opened = Counter(record["annotator"] for record in records if record["kind"] == OPENED)
    return [_state(campaign, name, responses, opened[name]) for name in campaign.plan.annotators]


def failed(campaign: Campaign, records: Sequence[Record]) -> list[str]:
    """Return the annotators who do not rate damaged texts lower, by a one-sided exact sign test.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    records : sequence of dict
        Events of the log.

    Returns
    -------
    list of str
        Annotators with at least 8 damaged items and p > 0.05.
    """
    return [state["annotator"] for state in progress(campaign, records) if state["failed"]]


def _state(campaign: Campaign, annotator: str, responses: Responses, opened: int) -> dict[str, Any]:
    keys = campaign.order(annotator)
    done = {key: responses[annotator, key] for key in keys if (annotator, key) in responses}
    skipped = [key for key, record in done.items() if record["kind"] == SKIP]
    rated = {key: record for key, record in done.items() if record["kind"] != SKIP}
    seconds = statistics.median(record["active"] for record in done.values()) if done else None
    again = [
        difference
        for key, record in rated.items()
        if campaign.items[key].kind == REPEAT and campaign.items[key].of in rated
        for difference in _differences(campaign, key, record, rated[campaign.items[key].of])
    ]
    signs = [_sign(campaign, key, rated) for key in rated if campaign.items[key].kind == DAMAGED]
    worse = [sign for sign in signs if sign is not None]
    gold = [
        passed(campaign.items[key], record)
        for key, record in rated.items()
        if campaign.items[key].kind == GOLD
    ]
    p = sign_test(worse.count(-1), worse.count(1)) if worse else None
    return {
        "annotator": annotator,
        "opened": opened,
        "done": len(done),
        "of": len(keys),
        "skipped": len(skipped),
        "checks_skipped": sum(campaign.items[key].kind != RATE for key in skipped),
        "median_seconds": seconds,
        "hours_left": None if seconds is None else seconds * (len(keys) - len(done)) / 3600,
        "repeats": sum(campaign.items[key].kind == REPEAT for key in rated),
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


def outcome(campaign: Campaign, record: Record, ratings: Responses) -> dict[str, Any]:
    """Return a check as exports contain it: the texts, the answers, and whether they passed.

    `passed` is None if the check was skipped, or the original of a damaged text has no rating.
    """
    annotator, key = record["annotator"], record["item"]
    item = campaign.items[key]
    check: dict[str, Any] = {"kind": item.kind, "annotator": annotator}
    if item.kind == GOLD:
        check["expected"] = {name: value for name, value in item.allowed.items() if value is not None}
    if item.kind != REPEAT:
        check["predictions"] = item.outputs
    if record["kind"] == SKIP:
        check["skipped"] = record["reason"]
    else:
        names = ("answers", "spans", "shown") if len(item.outputs) > 1 else ("answers", "spans")
        check |= {name: record[name] for name in names if name in record}
    if item.kind == GOLD:
        check["passed"] = None if record["kind"] == SKIP else passed(item, record)
    elif item.kind == DAMAGED:
        mine = {name: ratings[annotator, name] for name in (key, item.of) if (annotator, name) in ratings}
        sign = _sign(campaign, key, mine) if key in mine else None
        check["passed"] = None if sign is None else sign < 0
    return check


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


def _sign(campaign: Campaign, key: str, rated: Mapping[str, Record]) -> int | None:
    """Return the sign of the score of a damaged text minus the score of the original; None if this has no rating."""
    item, protocol, record = campaign.items[key], campaign.plan.protocol, rated[key]
    if len(item.systems) > 1:
        original, damaged = (points(item, record, protocol)[protocol.name][number] for number in (0, 1))
        difference = damaged - original
    elif item.of in rated:
        values = _differences(campaign, key, record, rated[item.of])
        difference = statistics.fmean(values) if values else 0.0
    else:
        return None
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
