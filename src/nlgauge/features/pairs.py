"""Values that metrics share for a row, a prediction with its references: overlaps, and findings of a metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

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


@dataclass(frozen=True)
class SameTokens(RowFeature):
    """1 if a prediction has the tokens of its reference in the same order, else 0; for each of several references."""

    tokens: Tokens

    def compute(self, view: Any) -> Array:
        tokens, predictions, references = view.get(self.tokens, view.predictions, view.reference)
        predictions = predictions[view.references.owners]
        same: Array = (tokens.lengths[predictions] == tokens.lengths[references]).astype(np.float64)
        for row in np.flatnonzero((same > 0) & (predictions != references)).tolist():
            same[row] = np.array_equal(tokens[predictions[row]], tokens[references[row]])
        return same

    def kernel(self) -> RowKernel:
        return RowKernel("equal", self.tokens, 1, lambda columns: columns[:, 0])


@dataclass(frozen=True)
class SameTexts(RowFeature):
    """1 if a prediction is its one reference, character by character, else 0."""

    lowercase: bool = False
    # Characters that do not count.
    ignored: str = ""

    def compute(self, view: Any) -> Array:
        same: Array = (view.predictions == view.reference).astype(np.float64)
        if self.ignored or self.lowercase:
            table = str.maketrans("", "", self.ignored)
            for row in np.flatnonzero(same == 0).tolist():
                texts = (view.text(side[row]) for side in (view.predictions, view.reference))
                first, second = (
                    (text.lower() if self.lowercase else text).translate(table) for text in texts
                )
                same[row] = first == second
        return same

    def kernel(self) -> RowKernel | None:
        return None if self.ignored else SameTokens(Tokens("characters", self.lowercase)).kernel()


@dataclass(frozen=True)
class Findings(RowFeature):
    """The return value of `findings(view)` of a metric, once for its statistics and for its explanations."""

    metric: Any

    def __str__(self) -> str:
        return f"findings of {self.metric}"

    def compute(self, view: Any) -> Any:
        return self.metric.findings(view)
