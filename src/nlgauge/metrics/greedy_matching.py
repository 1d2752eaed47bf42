"""Greedy matching: each word of one text is matched with the nearest word of the other, by word vectors.

    G(x, y) = mean over the words i of x of  max_j cos(v(x_i), v(y_j)),    score = (G(prediction, reference) + G(reference, prediction)) / 2

over the words that have a vector, in lower case. compat="nlg-eval" takes NLTK's tokens with their case and
the mean of all vectors for a word without one, as nlg-eval does, which stops at an empty text. Here a text
without known words scores 0, and 1 if both texts have no words at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.explanations import Alignment, Explanation
from nlgauge.metric import Arrays, View, register
from nlgauge.metrics._shared.known_words import WordPairs, units
from nlgauge.metrics._shared.word_vector_similarity import WordVectorSimilarity


@register
@dataclass(frozen=True)
class GreedyMatching(WordVectorSimilarity):
    """The mean cosine of each word with the nearest of the other text, from -1 to 1, and the share of
    words without a vector.
    """

    vectors: str = "glove"
    tokenizer: str = "unicode"
    compat: str | None = None

    name: ClassVar[str] = "greedy_matching"

    def similarity(self, pairs: WordPairs, prediction: int, reference: int) -> float:
        cosines = self._cosines(pairs, prediction, reference)
        return float(cosines.max(axis=0).mean() + cosines.max(axis=1).mean()) / 2

    def _cosines(self, pairs: WordPairs, prediction: int, reference: int) -> Array:
        """Return the cosine of every pair of words."""
        one, other = (units(pairs.table.take(pairs.rows[text])) for text in (prediction, reference))
        found: Array = np.clip(one @ other.T, -1, 1)
        return found

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        pairs = self.pairs(view)
        words = [*pairs.table.words, "(mean)"]
        for i, row in enumerate(self.statistics(view, fitted)[self.name]):
            prediction, reference = int(pairs.predictions[i]), int(pairs.references[i])
            sides = [[words[word] for word in pairs.rows[text]] for text in (prediction, reference)]
            title = f"greedy_matching {self.score(self.name, row)[self.name]:.4f}"
            weights = [np.ones(len(side)) for side in sides]
            yield Alignment(
                title,
                {self.name: row},
                sides[0],
                sides[1],
                self._cosines(pairs, prediction, reference),
                weights[0],
                weights[1],
            )
