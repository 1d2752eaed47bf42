"""The base of metrics on word vectors: pairs of texts as words of a table, facts of the signature, and the
share of words without a vector.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus import Corpus
from nlgauge.estimators.movers import DistinctPoints
from nlgauge.features.lexical.word_vectors import WordVectors
from nlgauge.features.tokens.text import TEXT_TOKENIZERS
from nlgauge.metric import Output, View
from nlgauge.metric.domains import require_choice
from nlgauge.metric.mean import MeanMetric, Measured
from nlgauge.models.weights import store
from nlgauge.models.weights.vectors import WordTable

UNKNOWN = Output(
    "unknown",
    None,
    0,
    1,
    warn_above=0.3,
    warning="of the words have no vector, which makes the score unreliable; choose vectors for this language"
    " and kind of text",
)
NO_KNOWN_WORD = "one of the texts has no word with a vector"


class WordPairs(NamedTuple):
    """The words of texts in a table, which of the texts are predictions and references, their words without a
    vector and all words, and both of these for each pair together."""

    table: WordTable
    rows: Ragged
    predictions: Array
    references: Array
    counts: Array

    @property
    def blank(self) -> Array:
        """True for pairs in which neither text has a word."""
        found: Array = self.counts[:, 1] == 0
        return found

    @property
    def lost(self) -> Array:
        """True for pairs in which a text has no word with a vector."""
        found: Array = (
            np.minimum(self.rows.lengths[self.predictions], self.rows.lengths[self.references]) == 0
        )
        return found


def bag(table: WordTable, rows: Array) -> DistinctPoints:
    """Return the different words of a text, in order of first appearance."""
    words, first, counts = np.unique(rows, return_index=True, return_counts=True)
    order = np.argsort(first)
    return DistinctPoints(words[order], counts[order], table.take(words[order]))


def units(vectors: Array) -> Array:
    """Return the vectors with length 1; vectors of length 0 stay."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    found: Array = vectors / np.where(norms > 0, norms, 1)
    return found


class WordVectorMetric(MeanMetric):
    """A metric of word vectors: means over pairs of texts, and the share of words without a vector."""

    vectors: str
    tokenizer: str

    revision: ClassVar[int] = 2

    def check(self) -> None:
        """Raise ParameterError if a common parameter is outside its domain."""
        self.require(
            isinstance(self.vectors, str) and bool(self.vectors),
            "vectors",
            "a name of `nlgauge models list` or a directory",
        )
        require_choice(self, "tokenizer", TEXT_TOKENIZERS)

    def words_used(self) -> WordVectors:
        """Return the feature with the words."""
        return WordVectors(self.vectors, self.tokenizer)

    def facts(self, corpus: Corpus) -> dict[str, str]:
        place = store.require(self.vectors)
        return {**super().facts(corpus), "weights": store.weights_hash(place)[:12]}

    def pairs(self, view: View) -> WordPairs:
        """Return the words of predictions and references."""
        feature = self.words_used()
        found, predictions, references = view.get(feature, view.predictions, view.reference)
        counts = found.counts.values[predictions] + found.counts.values[references]
        return WordPairs(feature.table, found.rows, predictions, references, counts)

    def values_of(self, view: View, pairs: WordPairs) -> Array:
        """Return (rows, measures) values, NaN if undefined."""
        raise NotImplementedError

    def counted(self) -> tuple[Output, ...]:
        return (UNKNOWN,)

    def measured(self, view: View) -> Measured:
        pairs = self.pairs(view)
        no_prediction = (pairs.rows.lengths[pairs.predictions] == 0) & (
            pairs.rows.lengths[pairs.references] > 0
        )
        return Measured(self.values_of(view, pairs), no_prediction, [pairs.counts])
