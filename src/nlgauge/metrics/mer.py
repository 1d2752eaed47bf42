"""MER: match error rate, (S + D + I) / (H + S + D + I), the share of all alignment steps that are errors,
pooled over the corpus.

The numbers are jiwer 4's; rapidfuzz's alignment decides between alignments with as many edits but different
hits. Two texts without words have rate 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge._core.ragged import Array
from nlgauge.metric import register
from nlgauge.metrics._shared.error_rate import ErrorRate, share_of_errors


@register
@dataclass(frozen=True)
class Mer(ErrorRate):
    """Match error rate; 0 is perfect, 1 if no word was hit."""

    lowercase: bool = False

    name: ClassVar[str] = "mer"
    high: ClassVar[float] = 1.0

    def rate(self, substitutions: Array, deletions: Array, insertions: Array, hits: Array) -> Array:
        return share_of_errors(substitutions, deletions, insertions, hits)
