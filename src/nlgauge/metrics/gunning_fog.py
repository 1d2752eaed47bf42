"""Gunning's fog index: years of school needed to follow an English text at first reading.

    Fog = 0.4 (W/S + 100 C/W)        W words, S sentences, C complex words, pooled over the corpus

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
class GunningFog(ReadabilityIndex):
    """The fog index with its counts; higher is harder."""

    name: ClassVar[str] = "gunning_fog"
    uses: ClassVar[tuple[str, ...]] = ("syllables", "complex_words")
    # The least: sentences of one easy word.
    bounds: ClassVar[tuple[float, float]] = (0.4, math.inf)

    def index(self, counts: Arrays) -> Array:
        sentence_length = counts["words"] / counts["sentences"]
        hard: Array = 100 * counts["complex_words"] / counts["words"]
        return 0.4 * (sentence_length + hard)
