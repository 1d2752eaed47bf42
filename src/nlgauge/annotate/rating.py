"""Ratings and skips: checked, written to the log, and as numbers of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import msgspec

from nlgauge.annotate import log
from nlgauge.annotate.items import Item
from nlgauge.annotate.marks import LONGEST_NOTE, Mark, decoded, plain
from nlgauge.annotate.protocols import TIE, Protocol
from nlgauge.errors import InputError, NlgaugeError
from nlgauge.spans.weights import Weights, weights_of

if TYPE_CHECKING:
    from nlgauge.annotate.campaign import Campaign

_LONGEST_REQUEST = 64
# The largest number of seconds, also since 1970.
_LATEST = 1e11


@dataclass
class Rater:
    """Writer of the ratings of a campaign, to which proposals add blocks."""

    campaign: Campaign
    log: log.Log

    def rate(
        self,
        annotator: str,
        key: str,
        answers: Mapping[str, Any],
        spans: Sequence[Any] = (),
        *,
        seconds: float = 0.0,
        active: float = 0.0,
        request: str | None = None,
        at: float | None = None,
        merged: int | None = None,
    ) -> int:
        """Write a rating to disk and return its number; raise InputError if it is not valid.

        `merged` is the number of the event that names the file from which the rating comes.
        """
        marks = self.check(annotator, key, answers, spans, times=(seconds, active, at or 0), request=request)
        values: dict[str, Any] = {"answers": dict(answers)}
        if self.campaign.plan.protocol.spans is not None:
            values["spans"] = plain(marks)
        values |= {
            "shown": self.campaign.shown(annotator, key),
            "active": round(active, 1),
            "seconds": round(seconds, 1),
            "protocol": self.campaign.protocol_digest,
        }
        number = self._add(log.RATING, annotator, key, request, at, merged, **values)
        self.propose()
        return number

    def skip(
        self,
        annotator: str,
        key: str,
        reason: str = "",
        *,
        seconds: float = 0.0,
        active: float = 0.0,
        request: str | None = None,
        at: float | None = None,
        merged: int | None = None,
    ) -> int:
        """Write to disk that an item cannot be rated, and return the number; raise InputError if it is not valid."""
        self.check_skip(annotator, key, reason, times=(seconds, active, at or 0), request=request)
        values = {"reason": reason, "active": round(active, 1), "seconds": round(seconds, 1)}
        number = self._add(log.SKIP, annotator, key, request, at, merged, **values)
        self.propose()
        return number

    def propose(self) -> None:
        """Write the next blocks of annotators who have rated everything, if metrics propose segments.

        A rating that was saved stays saved if this fails; the next rating tries again.
        """
        from nlgauge.annotate.campaign import with_note
        from nlgauge.annotate.proposals import next_block

        with suppress(NlgaugeError, OSError):
            while (note := next_block(self.campaign, self.log.records)) is not None:
                self.log.add(note)
                self.campaign = with_note(self.campaign, note)

    def check(
        self,
        annotator: str,
        key: str,
        answers: Mapping[str, Any],
        spans: Sequence[Any] = (),
        *,
        times: Sequence[float] = (),
        request: str | None = None,
    ) -> list[Mark]:
        """Return the marks of a rating; raise InputError if the rating is not valid."""
        item, protocol = self._item(annotator, key), self.campaign.plan.protocol
        marks = _marks(spans)
        reason = protocol.problem(answers, len(item.outputs), len(item.claims)) or _marks_problem(
            marks, item, protocol
        )
        if reason:
            raise InputError(f"this is not a rating of the campaign: {reason}.")
        _check_times(times)
        _check_request(request)
        return marks

    def check_skip(
        self,
        annotator: str,
        key: str,
        reason: str,
        *,
        times: Sequence[float] = (),
        request: str | None = None,
    ) -> None:
        """Raise InputError if this is not a skip of an annotator's item."""
        self._item(annotator, key)
        if type(reason) is not str or len(reason) > LONGEST_NOTE:
            raise InputError(f"the reason of a skip must be a text of at most {LONGEST_NOTE:,} characters.")
        _check_times(times)
        _check_request(request)

    def undo(
        self,
        annotator: str,
        key: str,
        *,
        request: str | None = None,
        at: float | None = None,
        merged: int | None = None,
    ) -> int:
        """Take back the last rating or skip of an item; the log keeps both events."""
        self.check_undo(annotator, key, at=at, request=request)
        return self._add(log.UNDO, annotator, key, request, at, merged)

    def check_undo(
        self, annotator: str, key: str, *, at: float | None = None, request: str | None = None
    ) -> None:
        """Raise InputError if this is not an annotator's item."""
        self._item(annotator, key)
        _check_times([at or 0])
        _check_request(request)

    def opened(self, annotator: str, *, request: str | None = None) -> int:
        """Write to disk that an annotator opened the page."""
        self.campaign.order(annotator)
        _check_request(request)
        return self._add(log.OPENED, annotator, "", request)

    def merging(self, file: str, events: int) -> int:
        """Write to disk that events of a file follow, and return the number by which they name this event."""
        return self._add(log.MERGED, "", "", None, file=file, events=events)

    def _item(self, annotator: str, key: str) -> Item:
        # A key of another annotator is refused like an unknown key.
        if type(key) is not str or not self.campaign.has(annotator, key):
            raise InputError(f"{annotator} has no such item.")
        return self.campaign.items[key]

    def _add(
        self,
        kind: str,
        annotator: str,
        key: str,
        request: str | None,
        at: float | None = None,
        merged: int | None = None,
        **values: Any,
    ) -> int:
        record = {"kind": kind, "annotator": annotator, "item": key, **values}
        record |= {name: value for name, value in (("at", at), ("merged", merged)) if value is not None}
        return self.log.add(record if request is None else {**record, "request": request})


def _check_request(request: str | None) -> None:
    if request is not None and (type(request) is not str or not 1 <= len(request) <= _LONGEST_REQUEST):
        raise InputError(f"request must be a text of at most {_LONGEST_REQUEST} characters.")


def _check_times(times: Sequence[float]) -> None:
    for value in times:
        if type(value) not in (int, float) or not 0 <= value < _LATEST:
            raise InputError(f"seconds must be a number from 0, got {value!r}.")


def _marks(spans: Sequence[Any]) -> list[Mark]:
    try:
        return [span if isinstance(span, Mark) else decoded([span])[0] for span in spans]
    except (msgspec.ValidationError, TypeError) as error:
        raise InputError(f"this is not a rating of the campaign: spans: {error}.") from None


def _marks_problem(marks: Sequence[Mark], item: Item, protocol: Protocol) -> str:
    if protocol.spans is None:
        return "the protocol has no marks" if marks else ""
    texts = {"target": item.outputs[0]}
    if item.source is not None:
        texts["source"] = item.source
    return protocol.spans.problem(marks, texts)


def points(item: Item, record: log.Record, protocol: Protocol) -> dict[str, dict[int, float]]:
    """Return the numbers of a rating by dimension and number of the output.

    A yes is 1 and a no is 0; the score of claims is the share of yes. The better output of a pair gets 1, the
    other 0, and both get 0.5 for a tie. The best of several outputs gets 1, the worst -1 and the others 0. In an
    order, an output gets the share of the others that it is better than, with 0.5 for the same rank. Marks give minus
    the sum of their weights.
    """
    answers, shown = record["answers"], record["shown"]
    if protocol.side_by_side == 1:
        return {name: {0: value} for name, value in _alone(answers, record, protocol).items()}
    ranks = next(
        (answers.get(question.id) for question in protocol.questions if question.kind == "order"), None
    )
    if ranks is not None:
        return {protocol.name: {number: _wins(ranks, place) for place, number in enumerate(shown)}}
    chosen = [answers.get(question.id) for question in protocol.questions if question.kind == "output"]
    if len(chosen) == 1:
        if chosen[0] == TIE:
            return {protocol.name: dict.fromkeys(shown, 0.5)}
        return {protocol.name: {number: float(place == chosen[0]) for place, number in enumerate(shown)}}
    best, worst = chosen[:2]
    return {
        protocol.name: {
            number: float(place == best) - float(place == worst) for place, number in enumerate(shown)
        }
    }


def better_of(item: Item, record: log.Record, protocol: Protocol) -> list[tuple[int, int, float]]:
    """Return the decided pairs of the outputs on a screen: the numbers of two outputs, and 1, 0 or 0.5 for the first.

    Pairs of outputs between the best and the worst are left out, because nothing is known about them.
    """
    numbers = points(item, record, protocol)[protocol.name]
    two_questions = sum(question.kind == "output" for question in protocol.questions) == 2
    return [
        (first, second, 0.5 if numbers[first] == numbers[second] else float(numbers[first] > numbers[second]))
        for first, second in combinations(record["shown"], 2)
        if not (two_questions and numbers[first] == numbers[second])
    ]


def _wins(ranks: Sequence[int], place: int) -> float:
    """Return the share of the other outputs that have a larger rank; 0.5 for each of the same rank.

    >>> [_wins([2, 1, 2], place) for place in range(3)]
    [0.25, 1.0, 0.25]
    """
    others = [rank for other, rank in enumerate(ranks) if other != place]
    return sum((rank > ranks[place]) + 0.5 * (rank == ranks[place]) for rank in others) / len(others)


def _alone(answers: Mapping[str, Any], record: log.Record, protocol: Protocol) -> dict[str, float]:
    """Return the numbers of a rating of one output."""
    numbers: dict[str, float] = {}
    for question in protocol.questions:
        answer = answers.get(question.id)
        if answer is None:
            continue
        if question.kind in ("scale", "yes_no"):
            numbers[question.id] = float(answer)
        elif question.kind == "claims" and answer:
            numbers[question.id] = answer.count("yes") / len(answer)
    if protocol.spans is not None and protocol.spans.weights:
        numbers[protocol.name] = _score(record.get("spans", []), weights_of(protocol.spans.weights))
    return numbers


def _score(spans: Sequence[Mapping[str, Any]], weights: Weights) -> float:
    """Return minus the sum of the weights of marks, as `nlgauge.spans.score` does."""
    values = sorted(
        (weights.weight(span["severity"], span.get("category", "")) for span in spans), reverse=True
    )
    # 0.0 is added, because a score of minus zero would be printed.
    return -min(sum(values[: weights.worst]), weights.most) + 0.0
