"""The base of embedding average, vector extrema and greedy matching: cosines of word vectors, with nlg-eval's
way to read texts.
"""

from __future__ import annotations

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.features.lexical.word_vectors import WordVectors
from nlgauge.metric import Output, View
from nlgauge.metric.domains import require_choice
from nlgauge.metrics._shared.known_words import WordPairs, WordVectorMetric, units


class WordVectorSimilarity(WordVectorMetric):
    """A cosine for each pair; 0 if a text has no known word, 1 if neither has a word."""

    compat: str | None

    def __post_init__(self) -> None:
        self.check()
        require_choice(self, "compat", (None, "nlg-eval"))

    def measures(self) -> tuple[Output, ...]:
        return (Output(self.name, True, -1, 1),)

    def words_used(self) -> WordVectors:
        return (
            WordVectors(self.vectors, self.tokenizer)
            if self.compat is None
            else WordVectors(self.vectors, "treebank", unknown="mean")
        )

    def libraries(self) -> tuple[str, ...]:
        return () if self.compat is None else ("nltk", "sentencex")

    def values_of(self, view: View, pairs: WordPairs) -> Array:
        found = np.where(pairs.blank, 1.0, 0.0)
        for i in np.flatnonzero(~pairs.lost):
            found[i] = self.similarity(pairs, int(pairs.predictions[i]), int(pairs.references[i]))
        return found.clip(-1, 1)[:, None]

    def similarity(self, pairs: WordPairs, prediction: int, reference: int) -> float:
        """Return the similarity of two texts that have known words."""
        raise NotImplementedError


class PooledSimilarity(WordVectorSimilarity):
    """The cosine of one vector for each text."""

    def pooled(self, vectors: Array) -> Array:
        """Return the vector of a text, of (words, d)."""
        raise NotImplementedError

    def similarity(self, pairs: WordPairs, prediction: int, reference: int) -> float:
        one, other = (
            units(self.pooled(pairs.table.take(pairs.rows[text]))) for text in (prediction, reference)
        )
        return float(one @ other)
