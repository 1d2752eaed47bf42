"""distinct-n: the share of different n-grams among all n-grams of a system's output; higher means more
varied.

It is not a sum over segments: a text's n-grams may occur in another text too. The more text, the lower it
gets, so only outputs of about equal length can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from nlgauge.corpus import Corpus
from nlgauge.features import Features
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.ngram_sets import different_ngrams
from nlgauge.kernels.ngrams import ngram_totals
from nlgauge.metric import CorpusMetric, Output, register
from nlgauge.metric.domains import require_choice, require_order
from nlgauge.metric.mean import share


@register
@dataclass(frozen=True)
class Distinct(CorpusMetric):
    """distinct1 ... distinctN, 0 to 1."""

    max_order: int = 2
    tokenizer: str = "unicode"

    name: ClassVar[str] = "distinct"
    aliases: ClassVar[dict[str, Any]] = {"distinct_n": {}}

    def __post_init__(self) -> None:
        require_order(self)
        require_choice(self, "tokenizer", ("unicode", "whitespace", "13a"))

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        nan = "no text is long enough to have such an n-gram"
        return {
            "distinct": tuple(Output(f"distinct{n}", True, 0, 1, nan) for n in range(1, self.max_order + 1))
        }

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        tokens, rows = features.get(Tokens(self.tokenizer), corpus.predictions[system].values)
        different, totals = (
            different_ngrams(tokens, rows, self.max_order),
            ngram_totals(tokens.lengths[rows], self.max_order).sum(axis=0),
        )
        return {f"distinct{n}": float(ratio) for n, ratio in enumerate(share(different, totals), 1)}
