"""ARI, automated readability index: the US school grade of an English text, from letters, words and
sentences.

    ARI = 4.71 L/W + 0.5 W/S - 21.43        L letters and digits, W words, S sentences, pooled over the corpus

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
class AutomatedReadability(ReadabilityIndex):
    """The automated readability index with its counts; higher is harder."""

    name: ClassVar[str] = "ari"
    aliases: ClassVar[dict[str, Any]] = {"automated_readability_index": {}}
    uses: ClassVar[tuple[str, ...]] = ("letters",)
    # The least: sentences of one word of one letter.
    bounds: ClassVar[tuple[float, float]] = (-16.22, math.inf)

    def index(self, counts: Arrays) -> Array:
        sentence_length = counts["words"] / counts["sentences"]
        word_length: Array = counts["letters"] / counts["words"]
        return 4.71 * word_length + 0.5 * sentence_length - 21.43
