"""Accuracy: the share of segments whose prediction is the reference, token by token.

    accuracy = segments with the same tokens in the same order / segments

NLG-Metricverse calls another number accuracy, the common tokens over the longer side's tokens;
`compat="nlg-metricverse"` gives that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.features.equality import SameTokens
from nlgauge.metric import View, register
from nlgauge.metrics._shared.token_overlap import TokenOverlap


@register
@dataclass(frozen=True)
class Accuracy(TokenOverlap):
    """1 if prediction and reference have the same tokens in the same order, else 0; the corpus score is the
    mean.
    """

    normalize: str | None = None
    compat: str | None = None

    name: ClassVar[str] = "accuracy"

    def share(self, overlap: Array, predicted: Array, expected: Array) -> Array:
        return overlap / np.maximum(np.maximum(predicted, expected), 1)

    def values(self, view: View) -> Array:
        return super().values(view) if self.compat else view.rows(SameTokens(self._tokens))[:, None]
