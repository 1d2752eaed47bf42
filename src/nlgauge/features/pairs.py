"""The n-grams that a prediction shares with its references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from nlgauge._core.ragged import Array, Ragged
from nlgauge.features import RowFeature, RowKernel
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.ngrams import ngram_matches, ngram_totals


class Matched(NamedTuple):
    """(rows, orders) clipped n-gram matches, and (rows, orders) n-grams of the predictions; (references,
    orders) n-grams of all references.
    """

    matched: Array
    predicted: Array
    expected: Array


@dataclass(frozen=True)
class ClippedMatches(RowFeature):
    """The n-grams of each prediction, those that match its references, and those of the references."""

    tokens: Tokens
    orders: int
    # Compare a prediction with each of its references by itself, in one row for each.
    each: bool = False

    def compute(self, view: Any) -> Matched:
        tokens, predictions, references = view.get(self.tokens, view.predictions, view.reference)
        groups = Ragged(references, view.references.offsets)
        if self.each:
            predictions, groups = predictions[view.references.owners], Ragged.single(references)
        matched = ngram_matches(tokens, predictions, groups, self.orders)
        return Matched(
            matched, *(ngram_totals(tokens.lengths[side], self.orders) for side in (predictions, references))
        )

    def kernel(self) -> RowKernel:
        n = self.orders
        return RowKernel(
            "clipped_matches",
            self.tokens,
            3 * n,
            lambda columns: Matched(columns[:, :n], columns[:, n : 2 * n], columns[:, 2 * n :]),
            n,
        )
