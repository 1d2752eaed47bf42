"""Vector extrema: the cosine of the most extreme values in the word vectors of prediction and reference.

    cos(e(h), e(r)),    e(x)_k = the largest v(x_i)_k where that is above all -v(x_i)_k, else the smallest

for each dimension k, over the words x_i that have a vector, in lower case.

compat="nlg-eval" takes NLTK's tokens with their case and the mean of all vectors for a word without one, as
nlg-eval does, which stops at an empty text. Here a text without known words scores 0, and 1 if both texts
have no words at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.metric import register
from nlgauge.metrics._shared.word_vector_similarity import PooledSimilarity


@register
@dataclass(frozen=True)
class VectorExtrema(PooledSimilarity):
    """Cosine of the extrema of word vectors, from -1 to 1, and the share of words without a vector."""

    vectors: str = "glove"
    tokenizer: str = "unicode"
    compat: str | None = None

    name: ClassVar[str] = "vector_extrema"

    def pooled(self, vectors: Array) -> Array:
        highest, lowest = vectors.max(axis=0), vectors.min(axis=0)
        found: Array = np.where(highest > -lowest, highest, lowest)
        return found
