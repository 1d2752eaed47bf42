"""CER: character error rate, (S + D + I) / N over code points, spaces included, white space around the text
not; and the normalized rate, (S + D + I) / (S + D + I + H), which is at most 1.

The numbers are jiwer 4's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge._core.ragged import Array
from nlgauge.metric import Arrays, Output, register
from nlgauge.metrics._shared.error_rate import ErrorRate, share_of_errors


@register
@dataclass(frozen=True)
class Cer(ErrorRate):
    """Character error rate; 0 is perfect, above 1 if many characters were added."""

    lowercase: bool = False

    name: ClassVar[str] = "cer"
    tokenizer: ClassVar[str] = "stripped-characters"

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        rate, *counts = super().outputs()[self.name]
        return {self.name: (rate, Output("normalized_cer", False, 0, 1), *counts)}

    def score(self, part: str, statistics: Array) -> Arrays:
        rates = super().score(part, statistics)
        rate, *counts = rates.values()
        return {self.name: rate, "normalized_cer": share_of_errors(*counts), **rates}
