"""Coleman-Liau index: the US school grade of an English text, from only letters and sentences.

    CLI = 0.0588 L - 0.296 S - 15.8        L letters and S sentences for each 100 words, pooled over the corpus

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
class ColemanLiau(ReadabilityIndex):
    """The Coleman-Liau index with its counts; higher is harder."""

    name: ClassVar[str] = "coleman_liau"
    uses: ClassVar[tuple[str, ...]] = ("letters",)
    # The least: sentences of one word of one letter.
    bounds: ClassVar[tuple[float, float]] = (-39.52, math.inf)

    def index(self, counts: Arrays) -> Array:
        letters: Array = 100 * counts["letters"] / counts["words"]
        return 0.0588 * letters - 0.296 * (100 * counts["sentences"] / counts["words"]) - 15.8
