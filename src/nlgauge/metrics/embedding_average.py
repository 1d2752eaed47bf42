"""Embedding average: the cosine of the sums of the word vectors of prediction and reference.

    cos(sum_i v(h_i), sum_j v(r_j))

over the words that have a vector, in lower case. compat="nlg-eval" takes NLTK's tokens with their case and
the mean of all vectors for a word without one, as nlg-eval does, which stops at an empty text. Here a text
without known words scores 0, and 1 if both texts have no words at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge._core.ragged import Array
from nlgauge.metric import register
from nlgauge.metrics._shared.word_vector_similarity import PooledSimilarity


@register
@dataclass(frozen=True)
class EmbeddingAverage(PooledSimilarity):
    """Cosine of summed word vectors, from -1 to 1, and the share of words without a vector."""

    vectors: str = "glove"
    tokenizer: str = "unicode"
    compat: str | None = None

    name: ClassVar[str] = "embedding_average"

    def pooled(self, vectors: Array) -> Array:
        found: Array = vectors.sum(axis=0)
        return found
