"""RIBES: how far the words of the prediction follow the order of the reference, with little weight on their
number.

    RIBES = NKT * P^alpha * BP^beta
    NKT   = pairs of aligned words in the same order / pairs of aligned words      (normalized Kendall's tau)
    P     = aligned words / words of the prediction,      BP = min(1, exp(1 - |reference| / |prediction|))

A word is aligned if it occurs once in either text, or else by the shortest n-gram that it begins or ends and
that does; see `kernels.word_order` for ties. Fewer than two aligned words give 0, but one word for a
reference of one word gives NKT = 1. These are the rules of RIBES 1.03.1; NLTK's differ and are there as
`compat="nltk"`. The corpus score is the mean over segments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.explanations import Explanation, WordAlignment
from nlgauge.features.tokens.text import Tokens
from nlgauge.features.word_order import WordOrder
from nlgauge.kernels.alignment import chunk_numbers
from nlgauge.metric import Arrays, Output, View, register
from nlgauge.metric.domains import require_choice, require_number
from nlgauge.metric.mean import MeanMetric


@register
@dataclass(frozen=True)
class Ribes(MeanMetric):
    """Rank correlation of word order, 0 to 1."""

    alpha: float = 0.25
    beta: float = 0.1
    tokenizer: str = "unicode"
    compat: str | None = None

    name: ClassVar[str] = "ribes"

    def __post_init__(self) -> None:
        for parameter in ("alpha", "beta"):
            require_number(self, parameter)
        require_choice(self, "tokenizer", ("unicode", "whitespace", "13a"))
        require_choice(self, "compat", (None, "nltk"))

    def measures(self) -> tuple[Output, ...]:
        return tuple(Output(name, True, 0, 1) for name in ("ribes", "order", "precision", "brevity_penalty"))

    @property
    def _order(self) -> WordOrder:
        return WordOrder(Tokens(self.tokenizer), self.compat == "nltk")

    def values(self, view: View) -> Array:
        aligned, ascending, size, expected, _ = view.rows(self._order)
        pairs = aligned * (aligned - 1) / 2
        order = ascending / np.where(pairs > 0, pairs, 1.0)
        if self.compat is None:
            order = np.where((aligned == 1) & (expected == 1), 1.0, order)
        precision = aligned / np.maximum(size, 1)
        # With an empty prediction nothing is aligned, so its penalty must only be finite.
        brevity = np.where(size > 0, np.exp(np.minimum(1 - expected / np.maximum(size, 1), 0)), 0.0)
        score = order * precision**self.alpha * brevity**self.beta
        return np.column_stack([score, order, precision, brevity])

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        rows = self.statistics(view, fitted)["ribes"]
        for row, places, *texts in zip(
            rows, view.rows(self._order).places.lists(), view.predictions, view.reference, strict=True
        ):
            (prediction, ours), (reference, theirs) = (
                Tokens(self.tokenizer).located(view.text(text)) for text in texts
            )
            aligned = [(i, place, 0) for i, place in enumerate(places) if place >= 0]
            matches = [(i, place, "exact") for i, place, _ in aligned]
            title = (
                f"ribes {row[0]:.4f} (order {row[1]:.4f}, precision {row[2]:.4f}, brevity penalty"
                f" {row[3]:.4f})"
            )
            yield WordAlignment(
                title,
                {"ribes": row},
                prediction,
                reference,
                matches,
                chunk_numbers(aligned),
                factors=dict(zip(("order", "precision", "brevity penalty"), row[1:4].tolist(), strict=True)),
                spans={"prediction": ours, "reference": theirs},
            )
