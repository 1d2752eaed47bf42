"""Token recall: the share of the reference's tokens that the prediction has too, as bags of tokens.

R = sum over tokens w of min( count of w in the prediction, count of w in the reference ) / tokens of the
reference
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
class Recall(TokenOverlap):
    """Share of the reference's tokens that are in the prediction, 0 to 1."""

    normalize: str | None = None
    compat: str | None = None

    name: ClassVar[str] = "recall"

    def share(self, overlap: Array, predicted: Array, expected: Array) -> Array:
        return overlap / np.maximum(expected, 1)
