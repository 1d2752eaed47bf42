"""A view as named parts of bytes, each gzip-compressed: what a report embeds and the explorer sends.

| part | content | |---|---| | meta | JSON: everything but texts, scores of segments and explanations | |
scores | float32 (column, system, segment), bytes of the same place together | | ids | JSON: the displayed ids
of the segments | | text0, text1, ... | each distinct text once, one after the other, in blocks | | lengths |
uint32 for each text: how many UTF-16 units it has | | predictions | uint32 text ids (system, segment) of the
first prediction | | references, reference_offsets, sources | uint32 text ids | | field0, field1, ... | uint32
for each segment: which of a field's values it has; meta names them | | why0, why1, ... | JSON: explanations
by segment, then label, then system |
"""

from __future__ import annotations

import gzip
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from nlgauge._core.ragged import Array, Ragged, blocks
from nlgauge._core.safe_text import visible
from nlgauge.corpus.selecting import spelled
from nlgauge.corpus.texts import text_lengths
from nlgauge.explanations import Alignment, Explanation, Transport
from nlgauge.explanations.wire import document

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.corpus.texts import Texts
    from nlgauge.show.page_data.data import PageData

_BLOCK = 1 << 20
# A field with more different values than these is not one to filter by.
_MOST_VALUES = 200
_DIGITS = 4
# A page shows numbers of a matrix with at most three digits, and has thousands of them.
_OF_MATRICES = 3
# Kinds of explanations with a matrix of tokens by tokens.
MATRICES = (Alignment, Transport)
# Texts are most of a page: this level takes a third of the time of gzip's default, and 5% more bytes.
_TEXT_LEVEL = 4


def packed(content: bytes, level: int = 6) -> bytes:
    """Return content compressed for storing and sending; the same bytes for the same content."""
    return gzip.compress(content, level, mtime=0)


def json_part(value: Any) -> bytes:
    """Return plain data as a part."""
    return packed(msgspec.json.encode(value), 9)


def array_part(array: Array) -> bytes:
    """Return numbers as a part: all first bytes, then all second ones, which compress better so."""
    return packed(np.ascontiguousarray(array).view(np.uint8).reshape(-1, array.itemsize).T.tobytes())


def score_parts(view: PageData, ids: Iterable[Any]) -> Iterator[tuple[str, bytes]]:
    """Yield the parts that every page has, with or without texts; meta comes last, when all of its content is
    known.
    """
    yield "scores", array_part(view.columns)
    yield "ids", json_part([visible(str(segment)) for segment in ids])


def text_parts(
    corpus: Corpus, systems: Sequence[str], segments: Sequence[int] | None = None
) -> Iterator[tuple[str, bytes]]:
    """Return the texts, each once, and the text numbers of each segment; with `segments` only the texts of
    these, and nothing for the others.
    """
    numbers = (
        np.arange(len(corpus.texts))
        if segments is None
        else _texts_of(corpus, systems, np.array(segments, dtype=np.int64))
    )
    # The last number is an empty text, for segments without a prediction.
    lengths = np.zeros(len(corpus.texts) + 1, dtype=np.uint32)
    for place, block in enumerate(_blocks(corpus.texts, numbers, lengths)):
        yield f"text{place}", packed(block.encode(), _TEXT_LEVEL)
    yield "lengths", array_part(lengths)
    yield (
        "predictions",
        array_part(
            np.stack([_firsts(corpus.predictions[system], len(corpus.texts)) for system in systems]).astype(
                np.uint32
            )
        ),
    )
    if corpus.references is not None:
        yield "references", array_part(corpus.references.values.astype(np.uint32))
        yield "reference_offsets", array_part(corpus.references.offsets.astype(np.uint32))
    if corpus.sources is not None:
        yield "sources", array_part(np.asarray(corpus.sources).astype(np.uint32))


def field_parts(
    corpus: Corpus, described: list[dict[str, Any]], human_fields: Collection[str] = ()
) -> Iterator[tuple[str, bytes]]:
    """Return further columns to filter segments by, without human scores; names and values are added to meta."""
    for name, values in corpus.fields.items():
        if name in human_fields:
            continue
        shown = [visible(spelled(value)) if value is not None else "" for value in values]
        distinct = list(dict.fromkeys(shown))
        if 1 < len(distinct) <= min(_MOST_VALUES, len(shown) - 1):
            numbers = {value: number for number, value in enumerate(distinct)}
            yield (
                f"field{len(described)}",
                array_part(np.array([numbers[value] for value in shown], dtype=np.uint32)),
            )
            described.append({"name": visible(name), "values": distinct})


def unit_parts(corpus: Corpus, meta: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield the weights of segments and the numbers of their documents, if there are any; meta has both facts."""
    meta |= {"weights": corpus.weights is not None, "units": corpus.documents is not None}
    if corpus.weights is not None:
        yield "weights", array_part(np.asarray(corpus.weights, dtype=np.float32))
    if corpus.documents is not None:
        numbers = {name: number for number, name in enumerate(dict.fromkeys(map(str, corpus.documents)))}
        yield (
            "units",
            array_part(np.array([numbers[str(name)] for name in corpus.documents], dtype=np.uint32)),
        )


def unstored(
    corpus: Corpus, described: list[dict[str, Any]], human_fields: Collection[str] = ()
) -> list[str]:
    """Return the fields of the records that a page does not contain."""
    shown = {field["name"] for field in described}
    known = [visible(name) for name in (*corpus.fields, *corpus.system_fields) if name not in human_fields]
    return [name for name in known if name not in shown]


def explanation_part(found: Mapping[int, Mapping[str, Mapping[str, Sequence[Explanation]]]]) -> bytes:
    """Return explanations by segment number, label and system; numbers have four digits, of
    matrices three.
    """
    plain = {
        str(segment): {
            visible(label): {visible(system): explanations_shown(own) for system, own in of_label.items()}
            for label, of_label in of_segment.items()
        }
        for segment, of_segment in found.items()
    }
    return json_part(plain)


def explanations_shown(explanations: Sequence[Explanation]) -> list[dict[str, Any]]:
    """Return explanations as a page gets them."""
    return [
        document(explanation, _OF_MATRICES if isinstance(explanation, MATRICES) else _DIGITS)
        for explanation in explanations
    ]


def _texts_of(corpus: Corpus, systems: Sequence[str], segments: Array) -> Array:
    columns = [corpus.predictions[system].take(segments).values for system in systems]
    columns += [] if corpus.references is None else [corpus.references.take(segments).values]
    columns += [] if corpus.sources is None else [corpus.sources[segments]]
    return np.unique(np.concatenate(columns))


def _blocks(texts: Texts, numbers: Array, lengths: Array) -> Iterator[str]:
    """Yield texts in order, joined into blocks of about a million units; a text is never cut. The lengths
    of the texts are written to `lengths`.
    """
    waiting: list[str] = []
    sizes = lengths[:0]
    for start, stop in blocks(len(numbers)):
        strings = texts.many(numbers[start:stop])
        lengths[numbers[start:stop]] = units = _units(strings)
        waiting, sizes = waiting + strings, np.concatenate([sizes, units])
        ends = np.cumsum(sizes)
        first = 0
        while (last := _last(ends, first)) < len(waiting):
            yield "".join(waiting[first:last])
            first = last
        waiting, sizes = waiting[first:], sizes[first:]
    yield "".join(waiting)


def _last(ends: Array, first: int) -> int:
    """Return the end of the block that begins with the first text: one text, or as many as fit."""
    begin = int(ends[first - 1]) if first else 0
    return max(int(np.searchsorted(ends, begin + _BLOCK, side="right")), first + 1)


def _units(strings: list[str]) -> Array:
    """Return the number of UTF-16 units of each text."""
    if all(map(str.isascii, strings)):
        return text_lengths(strings)
    return np.array([len(text.encode("utf-16-le")) // 2 for text in strings], dtype=np.int64)


def _firsts(predictions: Ragged, empty: int) -> Array:
    """Return the first prediction of each segment; `empty` for a segment without one."""
    values = np.append(predictions.values, empty)
    return np.where(predictions.lengths > 0, values[predictions.offsets[:-1]], empty)
