"""Token precision: the share of the prediction's tokens that the reference has too, as bags of tokens.

    P = sum over tokens w of min( count of w in the prediction, count of w in the reference ) / tokens of the prediction

The corpus score is the mean over segments. `TokenOverlap` is what precision, recall, F1 and accuracy share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.metric import register
from nlgauge.metrics._shared.token_overlap import TokenOverlap


@register
@dataclass(frozen=True)
class Precision(TokenOverlap):
    """Share of the prediction's tokens that are in the reference, 0 to 1."""

    normalize: str | None = None
    compat: str | None = None

    name: ClassVar[str] = "precision"

    def share(self, overlap: Array, predicted: Array, expected: Array) -> Array:
        return overlap / np.maximum(predicted, 1)
