"""Skip-bigrams: pairs of tokens in their order, with a limited number of tokens between them."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged

# A text with more pairs than this is counted by the first token of a pair: the pairs of a long text would
# fill the memory.
MOST_PAIRS = 1_000_000


@compiled
def skip_bigram_matches(
    column: Ragged, predictions: Array, references: Array, distance: int | None, unigrams: bool, last: bool
) -> Array:
    """Return (rows,) matches, clipped at the smaller count; `distance` None: any number of tokens may be
    between.

    With `unigrams` single tokens count too; the last token of a text does so only with `last`.
    """
    rows = column.lists()

    @cache
    def counts(row: int) -> Counter[tuple[int, ...]]:
        tokens = rows[row]
        found: Counter[tuple[int, ...]] = Counter()
        for gap in range(1, _widest(tokens, distance) + 1):
            found.update(zip(tokens, tokens[gap:], strict=False))
        return found

    @cache
    def singles(row: int) -> Counter[int]:
        return Counter(rows[row] if last else rows[row][:-1])

    matches = np.zeros(len(predictions))
    for i, pair in enumerate(zip(predictions.tolist(), references.tolist(), strict=True)):
        sides = [rows[row] for row in pair]
        if max(_widest(tokens, distance) * len(tokens) for tokens in sides) > MOST_PAIRS:
            matches[i] = _matches_by_first(sides[0], sides[1], distance)
        else:
            matches[i] = (counts(pair[0]) & counts(pair[1])).total()
        if unigrams:
            matches[i] += (singles(pair[0]) & singles(pair[1])).total()
    return matches


def _widest(tokens: list[int], distance: int | None) -> int:
    """Return the greatest distance between the tokens of a pair."""
    return len(tokens) - 1 if distance is None else min(distance + 1, len(tokens) - 1)


def _matches_by_first(prediction: list[int], reference: list[int], distance: int | None) -> int:
    """Return the number of matching pairs, counted one first token after the other."""
    common = np.intersect1d(prediction, reference)
    sides = []
    for tokens in (np.array(prediction), np.array(reference)):
        ids = np.searchsorted(common, tokens).clip(0, max(len(common) - 1, 0))
        sides.append(np.where(common[ids] == tokens, ids, len(common)) if len(common) else ids)
    return int(
        sum(
            np.minimum(*(_seconds(ids, first, len(common), distance) for ids in sides)).sum()
            for first in range(len(common))
        )
    )


def _seconds(ids: Array, first: int, size: int, distance: int | None) -> Array:
    """Return (size,) how often each token is the second of a pair with this first one."""
    seen = np.concatenate([[0], np.cumsum(ids == first)])
    before = seen[:-1].copy()
    if distance is not None and distance + 1 < len(ids):
        before[distance + 1 :] -= seen[: -distance - 2]
    return np.bincount(ids, before, size + 1)[:size]


def skip_bigram_totals(lengths: Array, distance: int | None, unigrams: bool, last: bool) -> Array:
    """Return (rows,) numbers of what `skip_bigram_matches` counts in texts of these lengths."""
    others = np.maximum(lengths - 1, 0)
    widest = others if distance is None else np.minimum(distance + 1, others)
    pairs = widest * lengths - widest * (widest + 1) // 2
    return np.asarray(pairs + unigrams * (lengths if last else others), dtype=np.float64)
