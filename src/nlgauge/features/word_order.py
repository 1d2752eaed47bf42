"""The order of words of a prediction in its reference, for RIBES."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from nlgauge._core.ragged import Array, Ragged
from nlgauge.features import RowFeature, RowKernel
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.word_order import ascending_pairs, word_places


class Ordered(NamedTuple):
    """(rows,) aligned words, pairs of them in the same order, and the words of prediction and reference.

    The compiled kernel returns no `places`: the place in the reference of every word of the prediction, -1 if it is unknown.
    """

    aligned: Array
    ascending: Array
    predicted: Array
    expected: Array
    places: Ragged | None = None


@dataclass(frozen=True)
class WordOrder(RowFeature):
    """The words of each prediction that are aligned with its one reference, and how many pairs keep their order."""

    tokens: Tokens
    # Follow the rules of NLTK.
    nltk: bool = False

    def compute(self, view: Any) -> Ordered:
        tokens, predictions, references = view.get(self.tokens, view.predictions, view.reference)
        places = word_places(tokens, predictions, references, self.nltk)
        aligned, ascending = ascending_pairs(places).T
        return Ordered(aligned, ascending, tokens.lengths[predictions], tokens.lengths[references], places)

    def kernel(self) -> RowKernel:
        return RowKernel(
            "word_order",
            self.tokens,
            4,
            lambda columns: Ordered(*(columns[:, k] for k in range(4))),
            int(self.nltk),
        )
