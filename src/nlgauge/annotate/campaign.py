"""Campaigns: a directory with the items, the assignment and the ratings of people.

campaign.json   protocol, seed, systems, segments, annotators, the order of items of each annotator
items.jsonl     the texts of each item
ratings.jsonl   the log of ratings
lock            locked while a process writes ratings
"""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import msgspec

from nlgauge._core.paths import making_beside, name_problem, put
from nlgauge.annotate import assignment, log
from nlgauge.annotate.protocols import TIE, Protocol
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError, ResultError, UnknownNameError, no_such

FORMAT = 1
_CAMPAIGN, _ITEMS, _RATINGS, _LOCK = "campaign.json", "items.jsonl", "ratings.jsonl", "lock"


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    """One screen: the outputs of some systems for a segment; `repeats` is the key of an earlier item."""

    key: str
    segment: str
    systems: list[str]
    outputs: list[str]
    source: str | None = None
    references: list[str] = []
    repeats: str = ""


class Plan(msgspec.Struct, frozen=True):
    """The content of campaign.json; `orders` has the keys of each annotator's items, by block."""

    format: int
    protocol: Protocol
    seed: int
    systems: list[str]
    segments: list[str]
    annotators: list[str]
    orders: dict[str, list[list[str]]]
    items: str


@dataclass(frozen=True)
class Campaign:
    """A campaign on disk.

    Parameters
    ----------
    directory : Path
        Directory of the campaign.
    plan : Plan
        Protocol, systems, segments, annotators and the order of items of each annotator.
    items : mapping of str to Item
        Items by key.
    """

    directory: Path
    plan: Plan
    items: Mapping[str, Item]

    @classmethod
    def new(
        cls,
        directory: str | Path,
        corpus: Corpus,
        protocol: Protocol,
        annotators: Sequence[str],
        *,
        segments: int | None = None,
        overlap: float = 0.0,
        repeats: float = 0.0,
        seed: int = 12345,
    ) -> Campaign:
        """Draw segments, assign them to annotators, and write the directory.

        Parameters
        ----------
        directory : str or Path
            Directory of the campaign; it must not exist.
        corpus : Corpus
            Predictions of S systems for N segments.
        protocol : Protocol
            Questions.
        annotators : sequence of str
            Codes of the annotators. Codes are better than names, because working times are personal data.
        segments : int, optional
            Number of segments, drawn at random. Default: all.
        overlap : float, default 0
            Share of the segments that every annotator rates, from 0 to 1.
        repeats : float, default 0
            Share of an annotator's items that come again, at least 20 items later.
        seed : int, default 12345
            Seed of the draw, the assignment and the orders.

        Returns
        -------
        Campaign
            The new campaign.

        Raises
        ------
        ParameterError
            If an option is outside its domain, or the directory exists.
        InputError
            If the texts do not fit the protocol.
        """
        target = Path(directory)
        if target.exists():
            raise ParameterError(f"{target} exists; choose another directory for the campaign.")
        _check_annotators(annotators)
        for name, share in (("overlap", overlap), ("repeats", repeats)):
            if not 0 <= share <= 1:
                raise ParameterError(f"{name} must be between 0 and 1, got {share!r}.")
        texts = _texts(corpus, protocol)
        count = len(texts) if segments is None else segments
        if not 1 <= count <= len(texts):
            raise ParameterError(f"segments must be 1 to {len(texts)}, the number of segments, got {count}.")
        rng = random.Random(f"nlgauge {seed}")  # noqa: S311
        drawn = sorted(rng.sample(list(texts), count), key=list(texts).index)
        items = [item for segment in drawn for item in _items(texts[segment], protocol, rng)]
        keys: dict[str, list[str]] = {}
        for item in items:
            keys.setdefault(item.segment, []).append(item.key)
        by_key, orders = {item.key: item for item in items}, {}
        for annotator, part in assignment.segments_of(drawn, annotators, overlap, rng).items():
            blocks = assignment.blocks_of(part)
            order = assignment.ordered(
                [{segment: keys[segment] for segment in block} for block in blocks], rng
            )
            again = _repeats(order, by_key, repeats, rng)
            by_key |= {item.key: item for item in again}
            orders[annotator] = assignment.with_repeats(
                order, {item.key: item.repeats for item in again}, rng
            )
        content = b"".join(msgspec.json.encode(item) + b"\n" for item in by_key.values())
        plan = Plan(
            FORMAT,
            protocol,
            seed,
            list(corpus.systems),
            drawn,
            list(annotators),
            orders,
            hashlib.sha256(content).hexdigest(),
        )
        if not target.absolute().parent.is_dir():
            raise ParameterError(f"the directory {target.parent} does not exist; create it first.")
        with making_beside(target) as making:
            (making / _ITEMS).write_bytes(content)
            (making / _CAMPAIGN).write_bytes(msgspec.json.format(msgspec.json.encode(plan), indent=1) + b"\n")
            put(making, target, lambda _: False)
        return cls(target, plan, by_key)

    @classmethod
    def open(cls, directory: str | Path) -> Campaign:
        """Open the directory of a campaign.

        Parameters
        ----------
        directory : str or Path
            Directory of the campaign.

        Returns
        -------
        Campaign
            The campaign.

        Raises
        ------
        ResultError
            If the directory is not a campaign, is damaged, or was written by another version.
        """
        folder = Path(directory)
        file = folder / _CAMPAIGN
        if not file.is_file():
            raise ResultError(f"{folder} is not a campaign: it has no {_CAMPAIGN}.")
        try:
            version = json.loads(file.read_bytes()).get("format")
            if version != FORMAT:
                raise ResultError(
                    f"{folder} has format {version!r}, and this version of nlgauge reads format {FORMAT}; use the"
                    " version that wrote it."
                )
            plan = msgspec.json.decode(file.read_bytes(), type=Plan)
            content = (folder / _ITEMS).read_bytes()
            items = [msgspec.json.decode(line, type=Item) for line in content.splitlines()]
        except (ValueError, AttributeError, OSError) as error:
            if isinstance(error, ResultError):
                raise
            raise ResultError(f"the campaign {folder} is damaged: {error}.") from None
        if hashlib.sha256(content).hexdigest() != plan.items:
            raise ResultError(
                f"{_ITEMS} of {folder} was changed after the campaign was created; restore it from a copy."
            )
        return cls(folder, plan, {item.key: item for item in items})

    def order(self, annotator: str) -> list[str]:
        """Return the keys of an annotator's items in their order.

        Parameters
        ----------
        annotator : str
            Code of the annotator.

        Returns
        -------
        list of str
            Keys of items.

        Raises
        ------
        UnknownNameError
            If there is no such annotator.
        """
        if annotator not in self.plan.orders:
            raise UnknownNameError(no_such("annotator", annotator, self.plan.annotators))
        return [key for block in self.plan.orders[annotator] for key in block]

    def shown(self, annotator: str, key: str) -> list[int]:
        """Return the numbers of an item's outputs in the order in which this annotator sees them.

        Parameters
        ----------
        annotator : str
            Code of the annotator.
        key : str
            Key of the item.

        Returns
        -------
        list of int
            Numbers of the outputs.
        """
        numbers = range(len(self.items[key].systems))
        rng = random.Random(f"{self.plan.seed} {annotator} {key}")  # noqa: S311
        return rng.sample(numbers, len(numbers))

    def work(self, annotator: str) -> dict[str, dict[str, Any]]:
        """Return what an annotator may see: texts by key, without systems, segments or other ratings.

        Parameters
        ----------
        annotator : str
            Code of the annotator.

        Returns
        -------
        dict
            Source, references and outputs of each item, in the annotator's order.
        """
        visible = {}
        for key in self.order(annotator):
            item = self.items[key]
            texts: dict[str, Any] = {
                "outputs": [item.outputs[number] for number in self.shown(annotator, key)]
            }
            if "source" in self.plan.protocol.show and item.source is not None:
                texts["source"] = item.source
            if "references" in self.plan.protocol.show:
                texts["references"] = item.references
            visible[key] = texts
        return visible

    def records(self) -> list[log.Record]:
        """Return all events of the log; an incomplete last line is left out.

        Returns
        -------
        list of dict
            Events in the order in which they were written.

        Raises
        ------
        ResultError
            If a line of the log is damaged.
        """
        return log.read(self.directory / _RATINGS)[0]

    def repair(self) -> int:
        """Move damaged lines of the log to a file next to it.

        Returns
        -------
        int
            Number of damaged lines.
        """
        with self._locked():
            return log.repair(self.directory / _RATINGS)

    @contextmanager
    def rating(self) -> Iterator[Rater]:
        """Open the campaign to add ratings; only one process at a time can do this.

        Yields
        ------
        Rater
            Writer of ratings.

        Raises
        ------
        ResultError
            If another process adds ratings, or a line of the log is damaged.
        """
        with self._locked():
            written = log.Log(self.directory / _RATINGS)
            try:
                yield Rater(self, written)
            finally:
                written.close()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with (self.directory / _LOCK).open("a+", encoding="utf-8") as file:
            if not _lock(file):
                file.seek(0)
                raise ResultError(
                    f"process {file.read().strip() or 'unknown'} adds ratings to {self.directory}; end it first."
                )
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            yield


@dataclass(frozen=True)
class Rater:
    """Writer of the ratings of a campaign."""

    campaign: Campaign
    log: log.Log

    def rate(
        self,
        annotator: str,
        key: str,
        answers: Mapping[str, Any],
        *,
        seconds: float = 0.0,
        active: float = 0.0,
        request: str | None = None,
    ) -> int:
        """Write a rating to disk and return its number; raise InputError if it is not valid."""
        item = self._item(annotator, key)
        if reason := self.campaign.plan.protocol.problem(answers, len(item.outputs)):
            raise InputError(f"this is not a rating of the campaign: {reason}.")
        for value in (seconds, active):
            if type(value) not in (int, float) or not 0 <= value < 1e9:
                raise InputError(f"seconds must be a number from 0, got {value!r}.")
        shown = self.campaign.shown(annotator, key)
        times = {"shown": shown, "active": round(active, 1), "seconds": round(seconds, 1)}
        return self._add("rating", annotator, key, request, answers=dict(answers), **times)

    def undo(self, annotator: str, key: str, *, request: str | None = None) -> int:
        """Take back the last rating of an item; the log keeps both events."""
        self._item(annotator, key)
        return self._add("undo", annotator, key, request)

    def _item(self, annotator: str, key: str) -> Item:
        # A key of another annotator is refused like an unknown key.
        if type(key) is not str or key not in self.campaign.order(annotator):
            raise InputError(f"{annotator} has no such item.")
        return self.campaign.items[key]

    def _add(self, kind: str, annotator: str, key: str, request: str | None, **values: Any) -> int:
        if request is not None and (type(request) is not str or len(request) > 64):
            raise InputError("request must be a text of at most 64 characters.")
        record = {"kind": kind, "annotator": annotator, "item": key, **values}
        return self.log.add(record if request is None else {**record, "request": request})


def points(item: Item, record: log.Record, protocol: Protocol) -> dict[str, dict[str, float]]:
    """Return the numbers of a rating by dimension and system.

    A yes is 1 and a no is 0. The better output of a pair gets 1, the other 0, and both get 0.5 for a tie. The
    best of several outputs gets 1, the worst -1 and the others 0.
    """
    answers, shown = record["answers"], [item.systems[number] for number in record["shown"]]
    if protocol.side_by_side == 1:
        numbers = {
            question.id: float(answers[question.id])
            for question in protocol.questions
            if question.kind in ("scale", "yes_no") and question.id in answers
        }
        return {name: {shown[0]: value} for name, value in numbers.items()}
    chosen = [answers.get(question.id) for question in protocol.questions if question.kind == "output"]
    if len(chosen) == 1:
        equal = dict.fromkeys(shown, 0.5)
        return {
            protocol.name: equal
            if chosen[0] == TIE
            else {system: float(place == chosen[0]) for place, system in enumerate(shown)}
        }
    best, worst = chosen[:2]
    return {
        protocol.name: {
            system: float(place == best) - float(place == worst) for place, system in enumerate(shown)
        }
    }


def _lock(file: IO[str]) -> bool:
    """Lock a file until it is closed; return False if another process has locked it."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _check_annotators(annotators: Sequence[str]) -> None:
    if not annotators:
        raise ParameterError("a campaign needs at least one annotator, got none.")
    for number, code in enumerate(annotators):
        if problem := name_problem(code):
            raise ParameterError(f"{code!r} cannot be the code of an annotator: {problem}.")
        if code in annotators[:number]:
            raise ParameterError(f"the annotator {code!r} is named twice; use different codes.")


def _texts(corpus: Corpus, protocol: Protocol) -> dict[str, Item]:
    """Return the texts of each segment, with all systems."""
    needed = 1 if protocol.side_by_side == 1 else 2 if protocol.side_by_side == 2 else 3
    if len(corpus.systems) < needed:
        raise InputError(
            f"the protocol {protocol.name} needs {needed} systems, and the texts have {len(corpus.systems)}."
        )
    texts = {}
    for identifier, record in zip(corpus.ids, corpus.each_record(), strict=True):
        predictions = record["predictions"]
        if any(len(predictions[system]) != 1 for system in corpus.systems):
            raise InputError(
                f"segment {identifier!r} does not have one prediction per system; rate one prediction each."
            )
        outputs = [predictions[system][0] for system in corpus.systems]
        texts[str(identifier)] = Item(
            "",
            str(identifier),
            list(corpus.systems),
            outputs,
            record.get("source"),
            list(record.get("references", ())),
        )
    return texts


def _items(texts: Item, protocol: Protocol, rng: random.Random) -> list[Item]:
    outputs = dict(zip(texts.systems, texts.outputs, strict=True))
    return [
        msgspec.structs.replace(
            texts, key=_key(rng), systems=list(screen), outputs=[outputs[system] for system in screen]
        )
        for screen in assignment.screens(texts.systems, protocol.side_by_side, rng)
    ]


def _repeats(
    order: Sequence[Sequence[str]], items: Mapping[str, Item], share: float, rng: random.Random
) -> list[Item]:
    flat = [key for block in order for key in block]
    early = flat[: max(0, len(flat) - assignment.DISTANCE)]
    chosen = rng.sample(early, min(len(early), round(share * len(flat))))
    return [msgspec.structs.replace(items[key], key=_key(rng), repeats=key) for key in chosen]


def _key(rng: random.Random) -> str:
    """Return 12 random characters, from which nothing about the item can be inferred."""
    return "".join(rng.choices("abcdefghijkmnpqrstuvwxyz23456789", k=12))
