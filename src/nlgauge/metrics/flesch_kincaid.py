"""Flesch-Kincaid grade level: the US school grade whose pupils can read an English text.

    FKGL = 0.39 W/S + 11.8 Y/W - 15.59        W words, S sentences, Y syllables, pooled over the corpus

How they are counted, and what happens in other languages, is in `features.readability`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from nlgauge._core.ragged import Array
from nlgauge.metric import Arrays, register
from nlgauge.metrics._shared.readability_index import ReadabilityIndex


@register
@dataclass(frozen=True)
class FleschKincaid(ReadabilityIndex):
    """The Flesch-Kincaid grade with its counts; higher is harder."""

    name: ClassVar[str] = "flesch_kincaid"
    aliases: ClassVar[dict[str, Any]] = {"flesch_kincaid_grade": {}}
    uses: ClassVar[tuple[str, ...]] = ("syllables",)
    # The least: sentences of one word of one syllable.
    bounds: ClassVar[tuple[float, float]] = (-3.4, math.inf)

    def index(self, counts: Arrays) -> Array:
        sentence_length = counts["words"] / counts["sentences"]
        word_length: Array = counts["syllables"] / counts["words"]
        return 0.39 * sentence_length + 11.8 * word_length - 15.59
