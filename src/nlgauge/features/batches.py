"""Batches of about equal lengths: little padding, bounded memory, and the original order is the caller's
to restore by index.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nlgauge._core.progress import report
from nlgauge._core.ragged import Array

# A batch of this many tokens is as fast per token as a larger one, so that beyond it padding is pure loss.
_ENOUGH_TOKENS = 192
_LEAST_FILLED = 0.9


def by_length(
    lengths: Sequence[int] | Array, batch_size: int | None, tokens: int, what: str
) -> Iterator[Array]:
    """Yield indices of rows, longest first, with at most `batch_size` rows and about `tokens` padded tokens
    per batch.

    A row that would be much shorter than the batch's longest opens a new batch, once the batch has enough
    tokens to be worth its start.
    """
    order = np.argsort(-np.asarray(lengths), kind="stable")
    sizes = np.maximum(np.asarray(lengths)[order], 1)
    start = 0
    while start < len(order):
        longest = int(sizes[start])
        rows = max(1, tokens // longest)
        alike = int(np.searchsorted(-sizes, -_LEAST_FILLED * longest, side="right")) - start
        rows = min(rows, max(alike, -(-_ENOUGH_TOKENS // longest)))
        end = min(len(order), start + (rows if batch_size is None else min(rows, batch_size)))
        report(what, start, len(order))
        yield order[start:end]
        start = end
    report(what, len(order), len(order))
