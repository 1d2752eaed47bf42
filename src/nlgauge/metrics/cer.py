"""CER: character error rate, (S + D + I) / N over code points, spaces included, white space around the text
not.

The numbers are jiwer 4's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge.metric import register
from nlgauge.metrics._shared.error_rate import ErrorRate


@register
@dataclass(frozen=True)
class Cer(ErrorRate):
    """Character error rate; 0 is perfect, above 1 if many characters were added."""

    lowercase: bool = False

    name: ClassVar[str] = "cer"
    tokenizer: ClassVar[str] = "stripped-characters"
