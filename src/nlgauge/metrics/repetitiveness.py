"""Repetitiveness-n: the share of a text's different n-grams that occur in it more than once, as in SummEval.

    repetitiveness-n = |{g in G_n : count(g) > 1}| / |G_n|        G_n the set of the text's n-grams

It speaks of repetition alone: a text of different words has 0, however long it is. The corpus score is the mean over texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from nlgauge.columns import Array
from nlgauge.explain import Explanation, TokenScores
from nlgauge.features.text import TEXT_TOKENIZERS, Tokens
from nlgauge.kernels.ngram_sets import ngram_counts, repeated_ngrams
from nlgauge.mean import MeanMetric, share
from nlgauge.metric import Arrays, Output, Takes, View, register


class WithinText(MeanMetric):
    """What repetitiveness and the unique n-gram ratio share: the counts of a text's n-grams, and how they are shown."""

    max_order: int
    tokenizer: str

    takes: ClassVar[Takes] = "alone"

    def __post_init__(self) -> None:
        self.require(isinstance(self.max_order, int) and self.max_order >= 1, "max_order", "a whole number from 1")
        self.require(self.tokenizer in TEXT_TOKENIZERS, "tokenizer", f"one of {', '.join(TEXT_TOKENIZERS)}")

    def counts(self, view: View) -> Array:
        """(rows, orders, 3) repeated, different and all n-grams."""
        tokens, texts = view.get(Tokens(self.tokenizer), view.predictions)
        return repeated_ngrams(tokens, texts, self.max_order)

    def explain(self, view: View, fitted: Arrays) -> list[Explanation]:
        """How often the n-gram that begins at each token occurs in the text; 0 where none begins."""
        found: list[Explanation] = []
        for row, text_id in zip(self.statistics(view, fitted)[self.name], view.predictions, strict=True):
            tokens = Tokens(self.tokenizer).of(view.text(text_id))
            occurrences: dict[str, list[float]] = {}
            for n in range(1, self.max_order + 1):
                counts = ngram_counts(tokens, n)
                occurrences[f"{n}-gram"] = [counts[tuple(tokens[i : i + n])] if i + n <= len(tokens) else 0 for i in range(len(tokens))]
            title = f"{self.name}: " + ", ".join(f"{name} {value:.4f}" for name, value in self.score(self.name, row).items())
            found.append(TokenScores(title, {self.name: row}, tokens, occurrences))
        return found


@register
@dataclass(frozen=True)
class Repetitiveness(WithinText):
    """repetitiveness1 ... repetitivenessN, 0 to 1."""

    max_order: int = 3
    tokenizer: str = "punctuated"

    name: ClassVar[str] = "repetitiveness"
    aliases: ClassVar[dict[str, Any]] = {"repetition": {}}

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        nan = "the text is too short to have such an n-gram"
        return {"repetitiveness": tuple(Output(f"repetitiveness{n}", False, 0, 1, nan) for n in range(1, self.max_order + 1))}

    def values(self, view: View) -> Array:
        counts = self.counts(view)
        return share(counts[..., 0], counts[..., 1])
