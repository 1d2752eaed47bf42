"""The base of repetitiveness and the unique n-gram ratio: the counts of the n-grams of a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nlgauge._core.ragged import Array
from nlgauge.explanations import Explanation, TokenScores
from nlgauge.features.fragments import RepeatedNgrams
from nlgauge.features.tokens.text import TEXT_TOKENIZERS, Tokens
from nlgauge.kernels.ngram_sets import ngram_counts
from nlgauge.metric import Arrays, Takes, View
from nlgauge.metric.domains import require_choice, require_order
from nlgauge.metric.mean import MeanMetric, Measured, measured_alone


class WithinText(MeanMetric):
    """The base of repetitiveness and the unique n-gram ratio: the counts of the n-grams of a text, and their
    display.
    """

    max_order: int
    tokenizer: str

    takes: ClassVar[Takes] = "alone"
    revision: ClassVar[int] = 2

    def __post_init__(self) -> None:
        require_order(self)
        require_choice(self, "tokenizer", TEXT_TOKENIZERS)

    def counts(self, view: View) -> Array:
        """Return (rows, orders, 3) repeated, different and all n-grams."""
        found: Array = view.rows(RepeatedNgrams(Tokens(self.tokenizer), self.max_order))
        return found

    def measured(self, view: View) -> Measured:
        return measured_alone(self.values(view))

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        """Return the count in the text of the n-gram that begins at each token; 0 if none begins there."""
        for row, text_id in zip(self.statistics(view, fitted)[self.name], view.predictions, strict=True):
            tokens, spans = Tokens(self.tokenizer).located(view.text(text_id))
            occurrences: dict[str, list[float]] = {}
            for n in range(1, self.max_order + 1):
                counts = ngram_counts(tokens, n)
                occurrences[f"{n}-gram"] = [
                    counts[tuple(tokens[i : i + n])] if i + n <= len(tokens) else 0
                    for i in range(len(tokens))
                ]
            title = f"{self.name}: " + ", ".join(
                f"{name} {value:.4f}" for name, value in self.score(self.name, row).items()
            )
            yield TokenScores(title, {self.name: row}, tokens, occurrences, spans={"prediction": spans})
