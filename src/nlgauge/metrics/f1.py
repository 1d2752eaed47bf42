"""Token F1: the harmonic mean of token precision and token recall, segment by segment.

F1 = 2 P R / (P + R) = 2 * common tokens / (tokens of the prediction + tokens of the reference)
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
class F1(TokenOverlap):
    """Harmonic mean of token precision and recall, 0 to 1."""

    normalize: str | None = None
    compat: str | None = None

    name: ClassVar[str] = "f1"

    def share(self, overlap: Array, predicted: Array, expected: Array) -> Array:
        harmonic: Array = 2 * overlap / np.maximum(predicted + expected, 1)
        return harmonic
