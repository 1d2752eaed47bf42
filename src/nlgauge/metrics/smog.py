"""SMOG: the US school grade needed to understand an English text fully, from its long words.

    SMOG = 3.1291 + 1.0430 sqrt(30 P / S)        P words of three syllables or more, S sentences, pooled over the corpus

How they are counted, and what happens in other languages, is in `features.readability`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.metric import Arrays, register
from nlgauge.metrics._shared.readability_index import ReadabilityIndex


@register
@dataclass(frozen=True)
class Smog(ReadabilityIndex):
    """The SMOG grade with its counts; higher is harder."""

    name: ClassVar[str] = "smog"
    uses: ClassVar[tuple[str, ...]] = ("syllables", "polysyllables")
    # The least: no word of three syllables.
    bounds: ClassVar[tuple[float, float]] = (3.1291, math.inf)

    def index(self, counts: Arrays) -> Array:
        found: Array = 3.1291 + 1.0430 * np.sqrt(30 * counts["polysyllables"] / counts["sentences"])
        return found
