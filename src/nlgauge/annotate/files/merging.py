"""Ratings of files, added to a campaign: of offline pages, and of other tools. All of a file is added, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from nlgauge.annotate.items import RATE
from nlgauge.annotate.marks import Mark
from nlgauge.annotate.rating import Rater
from nlgauge.annotate.responses import ratings_of
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.annotate.campaign import Campaign
    from nlgauge.spans import Span, SpanFile


class _Event(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind"):
    """One line of the file that an offline page saves."""

    campaign: str
    annotator: str
    item: str
    request: str
    at: float | None


class _Rating(_Event, tag="rating"):
    answers: dict[str, Any]
    spans: list[Mark]
    seconds: float
    active: float


class _Skip(_Event, tag="skip"):
    reason: str
    seconds: float
    active: float


class _Undo(_Event, tag="undo"):
    pass


_AnyEvent = _Rating | _Skip | _Undo


class _Placed(NamedTuple):
    """An event, and its place in the file for messages."""

    event: _AnyEvent
    where: str


def merge(campaign: Campaign, path: str | Path) -> int:
    """Add the ratings and skips of a file that an offline page saved, and return their number; all or nothing.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    path : str or Path
        File with ratings.

    Returns
    -------
    int
        Number of events that were added; merging a file twice adds nothing.

    Raises
    ------
    InputError
        If a line is not a rating of this campaign.
    """
    events = []
    for number, line in enumerate(Path(path).read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            event = msgspec.json.decode(line, type=_AnyEvent)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"{where} is not a rating: {error}; nothing was added.") from None
        if event.campaign != f"{campaign.plan.items[:12]}-{event.annotator}":
            raise InputError(f"{where} is a rating of another campaign; nothing was added.")
        if not event.request or event.at is None:
            raise InputError(f"{where} has no {'time' if event.request else 'request'}; nothing was added.")
        events.append(_Placed(event, where))
    return _add(campaign, events, Path(path).name)


def add_annotations(campaign: Campaign, file: SpanFile, name: str) -> int:
    """Add annotations of a file to the ratings of a campaign, and return their number; all or nothing.

    Parameters
    ----------
    campaign : Campaign
        Campaign whose annotators, segments and systems the file has.
    file : SpanFile
        Annotations.
    name : str
        Name of the file, for the log.

    Returns
    -------
    int
        Number of ratings that were added; ratings that are in the campaign already are left out.

    Raises
    ------
    InputError
        If an annotator, a segment or a system is unknown, a text differs, or a rating is not valid.
    """
    plan = campaign.plan
    scales = [question for question in plan.protocol.questions if question.kind == "scale"]
    keys = {
        (annotator, campaign.items[key].segment, campaign.items[key].systems[0]): key
        for annotator in plan.annotators
        for key in campaign.order(annotator)
        if campaign.items[key].kind == RATE and len(campaign.items[key].systems) == 1
    }
    events = []
    for number, each in enumerate(file.annotations, 1):
        where = f"annotation {number} ({each.annotator}, {each.system}, {each.segment})"
        key = keys.get((each.annotator, str(each.segment), each.system))
        if key is None:
            raise InputError(f"{where} is not an item of the campaign; nothing was added.")
        if each.target is not None and each.target != campaign.items[key].outputs[0]:
            raise InputError(f"{where} has another text than the campaign; nothing was added.")
        answers = {}
        if scales and each.score is not None:
            answers[scales[0].id] = int(each.score) if float(each.score).is_integer() else each.score
        marks = [_mark(span) for span in each.spans]
        rating = _Rating("", each.annotator, key, "", None, answers, marks, 0.0, each.seconds or 0.0)
        events.append(_Placed(rating, where))
    return _add(campaign, events, name)


def _add(campaign: Campaign, events: Sequence[_Placed], name: str) -> int:
    """Write events after all of them were checked; events that the log already has are left out."""
    with campaign.rating() as rater:
        current = ratings_of(campaign)
        owners: dict[tuple[str, str], str] = {}
        for event, where in events:
            owner = event.annotator, event.request
            try:
                _check(rater, event)
                if event.request and owners.setdefault(owner, event.item) != event.item:
                    raise InputError(f"the request {event.request!r} has another item too.")
            except InputError as error:
                raise InputError(f"{where}: {error.message.rstrip('.')}; nothing was added.") from None
        new: list[_AnyEvent] = []
        requests: set[tuple[str, str]] = set()
        for event, _ in events:
            owner = event.annotator, event.request
            if event.request:
                is_known = rater.log.has(*owner) or owner in requests
                requests.add(owner)
            else:
                is_known = _is_same(current.get((event.annotator, event.item)), event)
            if not is_known:
                new.append(event)
        if new:
            number = rater.merging(name, len(new))
            for event in new:
                _write(rater, event, number)
        return len(new)


def _check(rater: Rater, event: _AnyEvent) -> None:
    owner, request = (event.annotator, event.item), event.request or None
    match event:
        case _Rating():
            times = (event.seconds, event.active, event.at or 0)
            rater.check(*owner, event.answers, event.spans, times=times, request=request)
        case _Skip():
            times = (event.seconds, event.active, event.at or 0)
            rater.check_skip(*owner, event.reason, times=times, request=request)
        case _Undo():
            rater.check_undo(*owner, at=event.at, request=request)


def _write(rater: Rater, event: _AnyEvent, number: int) -> None:
    owner = event.annotator, event.item
    source: dict[str, Any] = {"request": event.request or None, "at": event.at, "merged": number}
    match event:
        case _Rating():
            source |= {"seconds": event.seconds, "active": event.active}
            rater.rate(*owner, event.answers, event.spans, **source)
        case _Skip():
            source |= {"seconds": event.seconds, "active": event.active}
            rater.skip(*owner, event.reason, **source)
        case _Undo():
            rater.undo(*owner, **source)


def _is_same(record: Mapping[str, Any] | None, event: _AnyEvent) -> bool:
    return (
        record is not None
        and isinstance(event, _Rating)
        and record["answers"] == event.answers
        and record.get("spans", []) == msgspec.to_builtins(event.spans)
    )


def _mark(span: Span) -> Mark:
    return Mark(span.severity, span.start, span.end, span.category, span.side, span.note)
