"""WIP: word information preserved, (H / N) (H / P) with N words in the reference and P in the prediction,
pooled over the corpus.

    N = H + S + D,   P = H + S + I

It approximates the share of information that gets through, as mutual information over the entropy of the
words. The numbers are jiwer 4's; rapidfuzz's alignment decides between alignments with as many edits but
different hits. Two texts without words: 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.metric import register
from nlgauge.metrics._shared.error_rate import ErrorRate


@register
@dataclass(frozen=True)
class Wip(ErrorRate):
    """Word information preserved; 1 is perfect, 0 if no word was hit."""

    lowercase: bool = False

    name: ClassVar[str] = "wip"
    higher_is_better: ClassVar[bool] = True
    high: ClassVar[float] = 1.0

    def rate(self, substitutions: Array, deletions: Array, insertions: Array, hits: Array) -> Array:
        return preserved(substitutions, deletions, insertions, hits)


def preserved(substitutions: Array, deletions: Array, insertions: Array, hits: Array) -> Array:
    """Return word information preserved, from the counts of an alignment."""
    expected, predicted = hits + substitutions + deletions, hits + substitutions + insertions
    shares = hits / np.where(expected > 0, expected, 1.0), hits / np.where(predicted > 0, predicted, 1.0)
    return np.where(expected + predicted > 0, shares[0] * shares[1], 1.0)
