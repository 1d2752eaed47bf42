"""Values that metrics share for a row, a prediction with its references: overlaps, and findings of a metric."""

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

    def compute(self, view: Any) -> Matched:
        tokens, predictions, references = view.get(self.tokens, view.predictions, view.reference)
        matched = ngram_matches(tokens, predictions, Ragged(references, view.references.offsets), self.orders)
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


@dataclass(frozen=True)
class Findings(RowFeature):
    """The return value of `findings(view)` of a metric, once for its statistics and for its explanations."""

    metric: Any

    def __str__(self) -> str:
        return f"findings of {self.metric}"

    def compute(self, view: Any) -> Any:
        return self.metric.findings(view)
