"""WIL: word information lost, 1 - (H / N) (H / P) with N words in the reference and P in the prediction: 1 -
WIP.

The numbers are jiwer 4's. Two texts without words: 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge._core.ragged import Array
from nlgauge.metric import register
from nlgauge.metrics._shared.error_rate import ErrorRate
from nlgauge.metrics.wip import preserved


@register
@dataclass(frozen=True)
class Wil(ErrorRate):
    """Word information lost; 0 is perfect, 1 if no word was hit."""

    lowercase: bool = False

    name: ClassVar[str] = "wil"
    high: ClassVar[float] = 1.0

    def rate(self, substitutions: Array, deletions: Array, insertions: Array, hits: Array) -> Array:
        return 1.0 - preserved(substitutions, deletions, insertions, hits)
