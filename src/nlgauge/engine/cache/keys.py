"""Keys of rows: 16 bytes, from the identity of the metric and the digests of the row's texts."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.features import Feature, Work
from nlgauge.metric import View

_SIZE = 16


@dataclass(frozen=True)
class TextDigest(Feature):
    """Digest of a text in 16 bytes, computed once per chunk for all metrics."""

    def compute(self, keys: list[str], work: Work) -> Ragged:
        digests = b"".join([blake2b(text.encode(), digest_size=_SIZE).digest() for text in keys])
        return Ragged.single(np.frombuffer(digests, dtype=np.uint8).reshape(-1, _SIZE))


def row_keys(view: View, identity: bytes) -> Array:
    """Return the keys of rows as an array of shape (rows, 2): two 64-bit integers per key.

    The references come last, because rows of one metric may have several references. The number of the other
    texts of a row is part of the hash.
    """
    columns = [view.predictions, *([] if view.sources is None else [view.sources])]
    references = np.empty(0, dtype=np.int64) if view.references is None else view.references.values
    digests, *places = view.get(TextDigest(), *columns, references)
    *before, of_references = (digests.values[place] for place in places)
    start = blake2b(identity + bytes([len(columns), view.references is None]), digest_size=_SIZE).digest()
    heads = np.concatenate(
        [
            np.broadcast_to(np.frombuffer(start, dtype=np.uint8), (len(view), _SIZE)),
            *before,
            *(_of_field(view, name) for name in view.fields),
        ],
        axis=1,
    )
    rows = _joined(heads, of_references, view.references)
    return np.frombuffer(
        b"".join([blake2b(row, digest_size=_SIZE).digest() for row in rows]), dtype="<i8"
    ).reshape(-1, 2)


def _of_field(view: View, name: str) -> Array:
    """Return a digest of the texts of a field for each row."""
    texts = view.fields[name]
    column, places = view.get(TextDigest(), texts.values)
    digests = Ragged(column.values[places], texts.offsets)
    rows = [blake2b(name.encode() + b"\0" + row.tobytes(), digest_size=_SIZE).digest() for row in digests]
    return np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(-1, _SIZE)


def _joined(heads: Array, of_references: Array, references: Ragged | None) -> list[bytes]:
    """Return the bytes of each row: its head, then its references in order."""
    if references is not None and references.is_single:
        heads = np.concatenate([heads, of_references], axis=1)
    data, width = heads.tobytes(), heads.shape[1]
    rows = [data[start : start + width] for start in range(0, len(data), width)]
    if references is None or references.is_single:
        return rows
    tails, bounds = of_references.tobytes(), (_SIZE * references.offsets).tolist()
    return [row + tails[start:end] for row, (start, end) in zip(rows, pairwise(bounds), strict=True)]
