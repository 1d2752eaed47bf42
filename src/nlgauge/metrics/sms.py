"""Sentence Mover's Similarity: how little the sentences of one text must travel, between means of word
vectors, to become those of the other.

    similarity = exp(- min over plans T of sum_ij T_ij |x_i - y_j|)

mode      points                                       mass, which sums to 1 for each text
"wms"     the different words of the text              how often the word is there
"sms"     the mean vector of each sentence             how many words the sentence has
"s+wms"   both                                         both

Words are runs of letters in lower case that are not English stop words and have a vector. The authors'
program also moves words without a vector, as zero vectors, and stops at a text without words; here the first
are dropped; a prediction without words scores 0, a reference without words is NaN, and two equal texts or two
texts without words score 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.estimators.movers import DistinctPoints, Moved, moved
from nlgauge.estimators.transport import transport_module
from nlgauge.explanations import Explanation, Transport
from nlgauge.features.lexical.word_vectors import WordVectors
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.metric import Arrays, Output, View, register
from nlgauge.metric.domains import require_choice
from nlgauge.metrics._shared.known_words import NO_KNOWN_WORD, WordPairs, WordVectorMetric, bag

_MODES = ("wms", "sms", "s+wms")


@register
@dataclass(frozen=True)
class Sms(WordVectorMetric):
    """Sentence Mover's Similarity, from above 0 to 1, and the share of words without a vector."""

    mode: str = "sms"
    vectors: str = "glove"
    tokenizer: str = "unicode"

    name: ClassVar[str] = "sms"
    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "wms": {"mode": "wms"},
        "s+wms": {"mode": "s+wms"},
        "sentence_movers_similarity": {},
    }
    languages: ClassVar[tuple[str, ...] | None] = ("en",)

    def __post_init__(self) -> None:
        self.check()
        require_choice(self, "mode", _MODES)

    def measures(self) -> tuple[Output, ...]:
        return (Output("sms", True, 0, 1, nan=NO_KNOWN_WORD),)

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), "sentences": "sentencex-en"}

    def words_used(self) -> WordVectors:
        return WordVectors(self.vectors, self.tokenizer, "english")

    def values_of(self, view: View, pairs: WordPairs) -> Array:
        transport_module()
        points: dict[int, DistinctPoints] = {}
        found = np.where(pairs.blank | (view.predictions == view.reference), 1.0, np.nan)
        for i in np.flatnonzero(np.isnan(found) & ~pairs.lost):
            found[i] = math.exp(-self._moved(view, pairs, points, int(i)).distance)
        return found[:, None]

    def _moved(self, view: View, pairs: WordPairs, known: dict[int, DistinctPoints], i: int) -> Moved:
        sides = (view.predictions[i], pairs.predictions[i]), (view.reference[i], pairs.references[i])
        for text, row in sides:
            if text not in known:
                found = []
                if "s" in self.mode.replace("wms", ""):
                    found.append(self._sentences(view, pairs, int(text)))
                if "w" in self.mode:
                    found.append(bag(pairs.table, pairs.rows[row]))
                known[text] = DistinctPoints(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
        return moved(known[sides[0][0]], known[sides[1][0]])

    def _sentences(self, view: View, pairs: WordPairs, text: int) -> DistinctPoints:
        """Return the means of a text's sentences that have words; keys are below 0, so that no sentence is
        taken for a word.
        """
        sentences, (row,) = view.get(Sentences("en"), np.array([text]))
        words, places = view.get(self.words_used(), sentences[row])
        kept = [
            (sentence, words.rows[place])
            for sentence, place in zip(sentences[row], places, strict=True)
            if len(words.rows[place])
        ]
        means = np.array([pairs.table.take(rows).mean(axis=0) for _, rows in kept])
        keys, first, places = np.unique(
            [-1 - int(sentence) for sentence, _ in kept], return_index=True, return_inverse=True
        )
        counts = np.bincount(places, [len(rows) for _, rows in kept]).astype(np.int64)
        order = np.argsort(first)
        return DistinctPoints(keys[order], counts[order], means[first[order]])

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        pairs = self.pairs(view)
        for i, row in enumerate(self.statistics(view, fitted)["sms"]):
            if pairs.lost[i]:
                continue  # nothing moves
            known: dict[int, DistinctPoints] = {}
            found = self._moved(view, pairs, known, i)
            texts = (view.predictions[i], view.reference[i])
            points = [
                [view.text(int(-1 - key)) if key < 0 else pairs.table.words[key] for key in known[text].keys]
                for text in texts
            ]
            title = f"sms {self.score('sms', row)['sms']:.4f} = exp(-{found.distance:.4f}), mode {self.mode}"
            yield Transport(title, {"sms": row}, points[0], points[1], found.plan, found.cost)
