"""Values that metrics share for a row (a prediction with its reference or references, or with its source):
alignments and overlaps, computed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from nlgauge._core.ragged import Array, Ragged
from nlgauge.features import RowFeature
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.edits.distances import edit_counts
from nlgauge.kernels.fragments import fragment_column
from nlgauge.kernels.ngram_sets import repeated_ngrams
from nlgauge.kernels.ngrams import ngram_matches, ngram_totals


@dataclass(frozen=True)
class EditCounts(RowFeature):
    """(rows, 4) substitutions, deletions, insertions and hits between each prediction and its one
    reference.
    """

    tokens: Tokens

    def compute(self, view: Any) -> Array:
        return edit_counts(*view.get(self.tokens, view.predictions, view.reference))


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


@dataclass(frozen=True)
class Fragments(RowFeature):
    """The fragments of its source that each prediction is put together from: a column of (start, place in
    the source, length).
    """

    tokens: Tokens
    exhaustive: bool

    def compute(self, view: Any) -> Ragged:
        tokens, summaries, sources = view.get(self.tokens, view.predictions, view.source)
        return fragment_column(tokens, summaries, sources, self.exhaustive)


@dataclass(frozen=True)
class RepeatedNgrams(RowFeature):
    """(rows, orders, 3) repeated, different and all n-grams of each prediction."""

    tokens: Tokens
    orders: int

    def compute(self, view: Any) -> Array:
        tokens, texts = view.get(self.tokens, view.predictions)
        return repeated_ngrams(tokens, texts, self.orders)


@dataclass(frozen=True)
class Findings(RowFeature):
    """The return value of `findings(view)` of a metric, once for its statistics and for its explanations."""

    metric: Any

    def __str__(self) -> str:
        return f"findings of {self.metric}"

    def compute(self, view: Any) -> Any:
        return self.metric.findings(view)
