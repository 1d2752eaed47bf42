"""Flesch reading ease: how easily an English text is read.

    FRE = 206.835 - 1.015 W/S - 84.6 Y/W        W words, S sentences, Y syllables, pooled over the corpus

How they are counted, and what happens in other languages, is in `features.readability`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from nlgauge._core.ragged import Array
from nlgauge.metric import Arrays, register
from nlgauge.metrics._shared.readability_index import ReadabilityIndex


@register
@dataclass(frozen=True)
class FleschReadingEase(ReadabilityIndex):
    """Flesch reading ease with its counts; higher is easier."""

    name: ClassVar[str] = "flesch_reading_ease"
    higher_is_better: ClassVar[bool | None] = True
    uses: ClassVar[tuple[str, ...]] = ("syllables",)
    # The most: sentences of one word of one syllable.
    bounds: ClassVar[tuple[float, float]] = (-math.inf, 121.22)

    def index(self, counts: Arrays) -> Array:
        sentence_length = counts["words"] / counts["sentences"]
        word_length: Array = counts["syllables"] / counts["words"]
        return 206.835 - 1.015 * sentence_length - 84.6 * word_length
