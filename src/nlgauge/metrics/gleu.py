"""GLEU (Google BLEU): the smaller of n-gram precision and recall, over n-grams of all orders together.

    GLEU = matched / max(predicted, expected)

Matched n-grams (n = M ... N, clipped at the smaller of both counts) and the n-grams of prediction and
reference are summed over all orders, and for the corpus over all segments. With several references each
segment takes the reference with the best GLEU. The grammar correction metric of the same name is different.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.explanations import Explanation, NgramMatches, Order
from nlgauge.features.pairs import ClippedMatches, Matched
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.ngrams import longest_matched
from nlgauge.metric import SPELLINGS, Arrays, Metric, Output, View, register
from nlgauge.metric.domains import require_choice, require_order

_TOKENIZERS = ("unicode", "13a", "whitespace")


@register
@dataclass(frozen=True)
class Gleu(Metric):
    """GLEU, 0 to 1."""

    max_order: int = 4
    tokenizer: str = "unicode"
    min_order: int = 1

    name: ClassVar[str] = "gleu"
    aliases: ClassVar[dict[str, Any]] = {"google_bleu": {}}
    spellings: ClassVar[Mapping[str, str]] = {**SPELLINGS, "max_len": "max_order", "min_len": "min_order"}

    def __post_init__(self) -> None:
        require_order(self)
        self.require(
            type(self.min_order) is int and 1 <= self.min_order <= self.max_order,
            "min_order",
            "a whole number from 1 to max_order",
        )
        require_choice(self, "tokenizer", _TOKENIZERS)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"gleu": (Output("gleu", True, 0, 1),)}

    @property
    def _tokens(self) -> Tokens:
        return Tokens(self.tokenizer)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        matched, predicted, expected = (
            counts[:, self.min_order - 1 :].sum(axis=1) for counts in self._counts(view)
        )
        return {"gleu": np.column_stack([matched, np.maximum(predicted, expected)])}

    def _counts(self, view: View) -> Matched:
        found: Matched = view.rows(ClippedMatches(self._tokens, self.max_order))
        return found

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"gleu": statistics[..., 0] / np.where(statistics[..., 1] > 0, statistics[..., 1], 1.0)}

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        rows, counts = self.statistics(view, fitted)["gleu"], np.stack(self._counts(view), axis=-1)
        for i, (prediction, reference) in enumerate(zip(view.predictions, view.reference, strict=True)):
            tokens, spans = self._tokens.located(view.text(prediction))
            longest = longest_matched(tokens, [self._tokens.of(view.text(reference))], self.max_order)
            orders = [
                Order(f"{n + 1}-grams", *counts[i, n].tolist())
                for n in range(self.min_order - 1, self.max_order)
            ]
            title = (
                f"gleu {self.score('gleu', rows[i])['gleu']:.4f} ({rows[i, 0]:.0f} of"
                f" {counted(rows[i, 1], 'n-gram', spec='.0f')})"
            )
            yield NgramMatches(title, {"gleu": rows[i]}, tokens, longest, orders, spans={"prediction": spans})
