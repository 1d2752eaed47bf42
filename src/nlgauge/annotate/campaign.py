"""Campaigns: a directory with the texts, the items, the assignment and the ratings of people.

campaign.json     protocol, seed, systems, segments, annotators, the order of items of each annotator
campaign-2.json   annotators and segments that were added later; further additions have the next numbers
texts.jsonl       the texts of all segments, also of segments without a rating
items.jsonl       the items: their keys, segments and systems; items-2.jsonl, ... of additions
metrics.npz       scores of metrics for all outputs, if the campaign was created from a saved result
tokens.json       digests of the access tokens
ratings.jsonl     the log of ratings
lock              locked while a process writes ratings
"""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

from nlgauge._core.lazy import lazy
from nlgauge.annotate import log
from nlgauge.annotate.items import GOLD, Item, Texts
from nlgauge.annotate.plan import FORMAT, Addition, Plan, extended
from nlgauge.annotate.proposals import noted
from nlgauge.annotate.rating import Rater
from nlgauge.errors import ResultError, UnknownNameError, no_such

CAMPAIGN, TEXTS, ITEMS = "campaign.json", "texts.jsonl", "items.jsonl"
_RATINGS, _LOCK = "ratings.jsonl", "lock"
Content = TypeVar("Content", bound=msgspec.Struct)


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
    texts : mapping of str to Texts
        Texts of all segments.
    additions : int, default 0
        Number of additions to the campaign.
    """

    directory: Path
    plan: Plan
    items: Mapping[str, Item]
    texts: Mapping[str, Texts]
    additions: int = 0

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
        if not (folder / CAMPAIGN).is_file():
            raise ResultError(f"{folder} is not a campaign: it has no {CAMPAIGN}.")
        try:
            plan = _decoded(folder / CAMPAIGN, Plan)
            lines = _checked_lines(folder / TEXTS, plan.texts)
            texts = {each.segment: each for each in (msgspec.json.decode(line, type=Texts) for line in lines)}
            items = _items(folder / ITEMS, plan.items, texts)
            number = 1
            while (file := folder / f"campaign-{number + 1}.json").exists():
                number += 1
                addition = _decoded(file, Addition)
                items |= _items(folder / f"items-{number}.jsonl", addition.items, texts)
                plan = extended(plan, addition)
            if plan.proposals is not None:
                plan = noted(plan, log.readable(folder / _RATINGS))
            unknown = [
                name
                for order in plan.orders.values()
                for block in order
                for name in block
                if name not in items
            ]
            if unknown or set(plan.orders) != set(plan.annotators):
                raise ResultError(f"the campaign {folder} is damaged: its orders name unknown items.")
            if not _fits(plan, items, texts):
                raise ResultError(
                    f"the campaign {folder} is damaged: its systems or segments are not those of its items."
                )
        except (ValueError, AttributeError, KeyError, RecursionError, OSError) as error:
            if isinstance(error, ResultError):
                raise
            raise ResultError(f"the campaign {folder} is damaged: {error}.") from None
        return cls(folder, plan, items, texts, number - 1)

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
        return [name for block in self.plan.orders[annotator] for name in block]

    def has(self, annotator: str, key: str) -> bool:
        """Return whether an annotator rates an item.

        Parameters
        ----------
        annotator : str
            Code of the annotator.
        key : str
            Key of the item.

        Returns
        -------
        bool
            True if the item is in the annotator's order.
        """
        return key in self._keys[annotator] if annotator in self._keys else key in self.order(annotator)

    @lazy
    def _keys(self) -> dict[str, frozenset[str]]:
        return {annotator: frozenset(self.order(annotator)) for annotator in self.plan.annotators}

    @lazy
    def protocol_digest(self) -> str:
        """Return 12 characters that identify the protocol."""
        return self.plan.protocol.digest()

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
        visible, show = {}, self.plan.protocol.show
        for name in self.order(annotator):
            item = self.items[name]
            texts: dict[str, Any] = {
                "outputs": [item.outputs[number] for number in self.shown(annotator, name)]
            }
            if "source" in show and item.source is not None:
                texts["source"] = item.source
            if "references" in show:
                texts["references"] = item.references
            if "context" in show:
                texts["context"] = self._context(item)
            if item.claims:
                texts["claims"] = item.claims
            visible[name] = texts
        return visible

    def _context(self, item: Item) -> dict[str, str | None]:
        """Return the sources before and after an item in its document."""
        names = self._documents.get(item.unit, [])
        place = names.index(item.segment) if item.segment in names else -1
        before = names[place - 1] if place > 0 else None
        after = names[place + 1] if 0 <= place < len(names) - 1 else None
        return {
            where: None if name is None else self.texts[name].source
            for where, name in (("before", before), ("after", after))
        }

    @lazy
    def _documents(self) -> dict[str, list[str]]:
        """Return the segments of each document."""
        documents: dict[str, list[str]] = {}
        for segment, each in self.texts.items():
            documents.setdefault(each.unit, []).append(segment)
        return documents

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
        with self.locked():
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
        with self.locked():
            written = log.Log(self.directory / _RATINGS)
            try:
                rater = Rater(self, written)
                rater.propose()
                yield rater
            finally:
                written.close()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from writing in the campaign.

        Raises
        ------
        ResultError
            If another process has locked it.
        """
        with (self.directory / _LOCK).open("a+", encoding="utf-8") as file:
            if not _lock(file):
                file.seek(0)
                raise ResultError(
                    f"the campaign is being served by process {file.read().strip() or 'unknown'}; end it first."
                )
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            yield


def with_note(campaign: Campaign, note: log.Record) -> Campaign:
    """Return a campaign with a note that was written."""
    return replace(campaign, plan=noted(campaign.plan, [note]))


def with_addition(campaign: Campaign, addition: Addition, items: Mapping[str, Item]) -> Campaign:
    """Return a campaign with an addition that was written."""
    return replace(
        campaign,
        plan=extended(campaign.plan, addition),
        items={**campaign.items, **items},
        additions=campaign.additions + 1,
    )


def _fits(plan: Plan, items: Mapping[str, Item], texts: Mapping[str, Texts]) -> bool:
    """Return True if the items of the orders have systems and segments of the plan, each of which is named once."""
    segments, systems = set(plan.segments), set(plan.systems)
    rated = (items[key] for order in plan.orders.values() for block in order for key in block)
    return (
        len(segments) == len(plan.segments)
        and len(systems) == len(plan.systems)
        and segments | set(plan.population) <= set(texts)
        and all(
            item.segment in segments and systems >= set(item.systems) for item in rated if item.kind != GOLD
        )
    )


def _decoded(file: Path, kind: type[Content]) -> Content:
    content = file.read_bytes()
    version = json.loads(content).get("format")
    if version != FORMAT:
        raise ResultError(
            f"{file.parent} has format {version!r:.20}, and this version of nlgauge reads format {FORMAT}; use the"
            " version that wrote it."
        )
    return msgspec.json.decode(content, type=kind)


def _checked_lines(file: Path, digest: str) -> Sequence[bytes]:
    content = file.read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        raise ResultError(
            f"{file.name} of {file.parent} was changed after the campaign was created; restore it from a copy."
        )
    return content.split(b"\n")[:-1]


def _items(file: Path, digest: str, texts: Mapping[str, Texts]) -> dict[str, Item]:
    decoder = msgspec.json.Decoder(Item)
    items = (decoder.decode(line).filled(texts) for line in _checked_lines(file, digest))
    return {item.key: item for item in items}


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
