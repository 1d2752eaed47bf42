"""Texts that are known in addition to a file of error spans, by system and segment."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

from nlgauge.corpus import Corpus
from nlgauge.errors import InputError
from nlgauge.io.files import decoded, lines_of, read_bytes
from nlgauge.spans.formats.record import Record, first_object
from nlgauge.spans.texts import SpanTexts

_TARGETS = ("prediction", "target", "mt", "hypothesis", "output")
_IDS = ("segment", "id", "segment_id", "item_id")
Cell = tuple[Hashable, str, dict[str, str]]


class KnownTexts:
    """Source, target and reference of each system and segment; the order of segments numbers them."""

    def __init__(self, cells: Iterator[Cell] | None = None) -> None:
        self._cells: dict[tuple[str, str], dict[str, str]] = {}
        self._segments: dict[str, Hashable] = {}
        for segment, system, texts in cells or ():
            self._cells[system, str(segment)] = texts
            self._segments.setdefault(str(segment), segment)
        self._order = list(self._segments.values())

    @classmethod
    def of(cls, texts: str | Path | Corpus | SpanTexts | None) -> KnownTexts:
        """Return the texts of a file or a corpus; no texts for None."""
        if texts is None:
            return cls()
        if isinstance(texts, Corpus):
            return cls(_of_corpus(texts))
        if isinstance(texts, SpanTexts):
            return cls(_of_texts(texts))
        return cls(_of_file(str(texts)))

    def __bool__(self) -> bool:
        return bool(self._cells)

    def segment(self, record: Record) -> Hashable:
        """Return the id of a record's segment as the texts have it."""
        if record.number is not None and self._order:
            if not 0 <= record.number < len(self._order):
                raise InputError(
                    f"{record.place}: segment number {record.number} is unknown; there are {len(self._order)} texts."
                )
            return self._order[record.number]
        segment: Hashable = self._segments.get(str(record.segment), record.segment)
        return segment

    def texts(self, system: str, segment: Hashable) -> dict[str, str]:
        """Return the texts by side; nothing if they are unknown."""
        return self._cells.get((system, str(segment)), {})


def _of_corpus(corpus: Corpus) -> Iterator[Cell]:
    for record in corpus.each_record():
        shared = {name: record[name] for name in ("source",) if name in record}
        if record.get("references"):
            shared["reference"] = record["references"][0]
        for system, texts in record["predictions"].items():
            if texts:
                yield record["id"], system, {**shared, "target": texts[0]}


def _of_texts(texts: SpanTexts) -> Iterator[Cell]:
    for n, segment in enumerate(texts.segments):
        for s, system in enumerate(texts.systems):
            sides = {side: texts.text(side, s, n) for side in ("source", "target", "reference")}
            if sides["target"] is not None:
                yield segment, system, {side: text for side, text in sides.items() if text is not None}


def _of_file(path: str) -> Iterator[Cell]:
    text = decoded(read_bytes(path), path)
    document = first_object(text) if text.lstrip()[:1] in ("[", "{") else None
    rows: Iterator[tuple[str, Any]]
    if isinstance(document, dict | list) and not (isinstance(document, dict) and set(_IDS) & document.keys()):
        rows = ((path, item) for item in _items(document))
    else:
        rows = (
            (f"{path}, line {number}", first_object(line))
            for number, line in enumerate(lines_of(text), start=1)
            if line.strip()
        )
    order: dict[str, list[int]] = {}
    documents = [(place, row) for place, row in rows]
    for _, row in documents:
        if isinstance(row, dict) and "targetText" in row:
            order.setdefault(str(row.get("documentID")), []).append(int(row.get("itemID", 0)))
    several = {name.partition("#")[0] for name, items in order.items() if len(set(items)) > 1}
    for place, row in documents:
        if not isinstance(row, dict):
            raise InputError(f"{place}: a record of texts must be an object of JSON.")
        yield from _cells_of(row, place, order, several)


def _items(value: Any) -> Iterator[Any]:
    """Yield the objects with texts in batches of Appraise, a campaign of pearmut or a list of records."""
    if isinstance(value, dict) and (
        {"src", "tgt"} <= value.keys() or "targetText" in value or set(_IDS) & value.keys()
    ):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _items(each)
    elif isinstance(value, list):
        for each in value:
            yield from _items(each)


def _cells_of(
    row: dict[str, Any], place: str, order: dict[str, list[int]], several: set[str]
) -> Iterator[Cell]:
    if "targetText" in row:  # Appraise
        name, _, _ = str(row.get("documentID")).partition("#")
        if name in several:
            items = sorted(set(order[str(row.get("documentID"))]))
            name = f"{name}:{items.index(int(row.get('itemID', 0))) + 1}"
        texts = {"source": row.get("sourceText"), "target": row.get("targetText")}
        yield name, str(row.get("targetID")), _texts(texts, place)
        return
    segment = next((row[name] for name in _IDS if row.get(name) is not None), None)
    if isinstance(row.get("tgt"), dict):  # pearmut
        for system, target in row["tgt"].items():
            yield (
                _hashable(segment, place),
                system,
                _texts({"source": row.get("src"), "target": target}, place),
            )
        return
    target = next((row[name] for name in _TARGETS if row.get(name) is not None), None)
    if segment is None or row.get("system") is None or target is None:
        raise InputError(f"{place}: a record of texts needs system, id and prediction.")
    references = row.get("references") or []
    texts = {
        "source": row.get("source"),
        "target": target,
        "reference": references[0] if references else None,
    }
    yield _hashable(segment, place), str(row["system"]), _texts(texts, place)


def _hashable(segment: Any, place: str) -> Hashable:
    if isinstance(segment, str | int):
        return segment
    raise InputError(f"{place}: the id of a segment must be a text or a number, got {segment!r:.60}.")


def _texts(texts: dict[str, Any], place: str) -> dict[str, str]:
    known = {side: text for side, text in texts.items() if text is not None}
    for side, text in known.items():
        if not isinstance(text, str):
            raise InputError(f"{place}: the {side} must be a text, got {text!r:.60}.")
    return known
