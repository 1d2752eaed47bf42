"""WER: word error rate, (S + D + I) / N with N the words of the reference, pooled over the corpus.

The numbers are jiwer 4's, also without reference words: with N = 0 the rate is the number of inserted words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge.metric import register
from nlgauge.metrics._shared.error_rate import ErrorRate


@register
@dataclass(frozen=True)
class Wer(ErrorRate):
    """Word error rate; 0 is perfect, above 1 if many words were added."""

    lowercase: bool = False

    name: ClassVar[str] = "wer"
