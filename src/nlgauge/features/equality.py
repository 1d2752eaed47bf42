"""Equality of a prediction and a reference, by tokens or by characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.features import RowFeature, RowKernel
from nlgauge.features.tokens.text import Tokens


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
