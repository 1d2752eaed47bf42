"""Batches of about equal lengths: little padding, bounded memory, and the original order is the caller's to restore by index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nlgauge.columns import Array
from nlgauge.progress import report


def by_length(lengths: Sequence[int] | Array, batch_size: int | None, tokens: int, what: str) -> Iterator[Array]:
    """Indices of rows, longest first, with at most `batch_size` rows and about `tokens` padded tokens a batch."""
    order = np.argsort(-np.asarray(lengths), kind="stable")
    sizes = np.asarray(lengths)[order]
    start = 0
    while start < len(order):
        rows = max(1, tokens // max(1, int(sizes[start])))
        end = min(len(order), start + (rows if batch_size is None else min(rows, batch_size)))
        report(what, start, len(order))
        yield order[start:end]
        start = end
    report(what, len(order), len(order))
