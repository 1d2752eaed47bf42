"""Word Mover's Distance: how far the words of one text must travel, between word vectors, to become those of
the other.

    WMD = min over plans T >= 0 of  sum_ij T_ij |v_i - v_j|,    sum_j T_ij = share of the word i in the prediction,
                                                                sum_i T_ij = share of the word j in the reference

over the words that have a vector. The paper leaves stop words out (`stop="english"`), most programs do not;
it uses vectors unchanged, gensim scales them to length 1 (`unit=True`). gensim gives infinity if a text has
no known word, here it is undefined (NaN); two equal texts, or two without words, are 0 apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.estimators.movers import DistinctPoints, Moved, moved
from nlgauge.estimators.transport import transport_module
from nlgauge.explanations import Explanation, Transport
from nlgauge.features.lexical.word_vectors import WordVectors
from nlgauge.metric import Arrays, Output, View, register
from nlgauge.metric.domains import require_choice
from nlgauge.metrics._shared.known_words import NO_KNOWN_WORD, WordPairs, WordVectorMetric, bag, units


@register
@dataclass(frozen=True)
class Wmd(WordVectorMetric):
    """Word Mover's Distance (the score, lower is better), and the share of words without a vector."""

    vectors: str = "glove"
    tokenizer: str = "unicode"
    stop: str = "none"
    unit: bool = False

    name: ClassVar[str] = "wmd"
    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {"word_movers_distance": {}}

    def __post_init__(self) -> None:
        self.check()
        require_choice(self, "stop", ("none", "english"))

    def measures(self) -> tuple[Output, ...]:
        return (Output("wmd", False, 0, nan=NO_KNOWN_WORD),)

    def words_used(self) -> WordVectors:
        return WordVectors(self.vectors, self.tokenizer, self.stop)

    def values_of(self, view: View, pairs: WordPairs) -> Array:
        transport_module()
        points: dict[int, DistinctPoints] = {}
        found = np.where(pairs.blank | (view.predictions == view.reference), 0.0, np.nan)
        for i in np.flatnonzero(np.isnan(found) & ~pairs.lost):
            found[i] = self._moved(pairs, points, int(i)).distance
        return found[:, None]

    def _moved(self, pairs: WordPairs, known: dict[int, DistinctPoints], i: int) -> Moved:
        for text in (pairs.predictions[i], pairs.references[i]):
            if text not in known:
                known[text] = bag(pairs.table, pairs.rows[text])
                if self.unit:
                    known[text] = known[text]._replace(places=units(known[text].places))
        return moved(known[pairs.predictions[i]], known[pairs.references[i]])

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        pairs = self.pairs(view)
        for i, row in enumerate(self.statistics(view, fitted)["wmd"]):
            if pairs.lost[i]:
                continue  # nothing moves
            known: dict[int, DistinctPoints] = {}
            found = self._moved(pairs, known, i)
            words = [
                [pairs.table.words[row] for row in known[text].keys]
                for text in (pairs.predictions[i], pairs.references[i])
            ]
            title = f"wmd {self.score('wmd', row)['wmd']:.4f}"
            yield Transport(title, {"wmd": row}, words[0], words[1], found.plan, found.cost)
