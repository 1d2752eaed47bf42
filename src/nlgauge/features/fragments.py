"""Fragments that a prediction copies from its source, and its repeated n-grams, which metrics share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nlgauge._core.ragged import Array, Ragged
from nlgauge.features import RowFeature
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.fragments import fragment_column
from nlgauge.kernels.ngram_sets import repeated_ngrams


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
