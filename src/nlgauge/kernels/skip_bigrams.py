"""Skip-bigrams: pairs of tokens in their order, with at most so many tokens between them."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np

from nlgauge.corpus.columns import Array, Ragged


def skip_bigram_matches(column: Ragged, predictions: Array, references: Array, distance: int | None, unigrams: bool, last: bool) -> Array:
    """(rows,) matches, clipped at the smaller count; `distance` None: any number of tokens may stand between.

    With `unigrams` single tokens count too, the `last` one of a text only if asked for.
    """
    rows = column.lists()

    @cache
    def counts(row: int) -> Counter[tuple[int, ...]]:
        tokens = rows[row]
        widest = len(tokens) - 1 if distance is None else min(distance + 1, len(tokens) - 1)
        found: Counter[tuple[int, ...]] = Counter()
        for gap in range(1, widest + 1):
            found.update(zip(tokens, tokens[gap:], strict=False))
        if unigrams:
            found.update((token,) for token in (tokens if last else tokens[:-1]))
        return found

    pairs = zip(predictions.tolist(), references.tolist(), strict=True)
    return np.array([(counts(prediction) & counts(reference)).total() for prediction, reference in pairs], dtype=np.float64)


def skip_bigram_totals(lengths: Array, distance: int | None, unigrams: bool, last: bool) -> Array:
    """(rows,) numbers of what `skip_bigram_matches` counts in texts of these lengths."""
    others = np.maximum(lengths - 1, 0)
    widest = others if distance is None else np.minimum(distance + 1, others)
    pairs = widest * lengths - widest * (widest + 1) // 2
    return np.asarray(pairs + unigrams * (lengths if last else others), dtype=np.float64)
