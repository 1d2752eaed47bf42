"""The base of token precision, recall, F1 and accuracy: bags of tokens and the number of common tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.features.pairs import ClippedMatches
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.ngrams import longest_matched
from nlgauge.metric import Arrays, Output, View
from nlgauge.metric.domains import require_choice
from nlgauge.metric.mean import MeanMetric

if TYPE_CHECKING:
    from nlgauge.explanations import Explanation


class TokenOverlap(MeanMetric):
    """The base of the measures of overlapping tokens: everything except the share itself."""

    normalize: str | None
    compat: str | None

    def __post_init__(self) -> None:
        require_choice(self, "normalize", (None, "squad"))
        require_choice(self, "compat", (None, "nlg-metricverse"))
        self.require(
            self.compat is None or self.normalize is None,
            "normalize",
            "None if compat chooses the normalization",
        )

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), "tok": self._tokens.tokenizer}

    def measures(self) -> tuple[Output, ...]:
        return (Output(self.name, True, 0, 1),)

    def words(self, lang: str | None) -> Tokens:
        return self._tokens

    @property
    def _tokens(self) -> Tokens:
        return Tokens(self.compat or self.normalize or "unicode")

    def share(self, overlap: Array, predicted: Array, expected: Array) -> Array:
        """Return the measure from the common tokens and the tokens of both sides, at least one of them not
        empty.
        """
        raise NotImplementedError

    def values(self, view: View) -> Array:
        overlap, predicted, expected = self._counts(view)
        # Both texts are empty.
        value = np.where(predicted + expected > 0, self.share(overlap, predicted, expected), 1.0)
        return value[:, None]

    def _counts(self, view: View) -> tuple[Array, Array, Array]:
        overlap, predicted, expected = view.rows(ClippedMatches(self._tokens, 1))
        return overlap[:, 0], predicted[:, 0], expected[:, 0]

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        from nlgauge.explanations import NgramMatches, Order

        rows = self.statistics(view, fitted)[self.name]
        for row, prediction, reference, *counts in zip(
            rows, view.predictions, view.reference, *self._counts(view), strict=True
        ):
            tokens, spans = self._tokens.located(view.text(prediction))
            longest = longest_matched(tokens, [self._tokens.of(view.text(reference))], 1)
            orders = [Order("tokens", *(float(count) for count in counts))]
            yield NgramMatches(
                f"{self.name} {row[0]:.4f}",
                {self.name: row},
                tokens,
                longest,
                orders,
                spans={"prediction": spans},
            )
