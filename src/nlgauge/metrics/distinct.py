"""distinct-n: the share of different n-grams among all n-grams of a system's output; higher means more varied.

It is not a sum over segments: a text's n-grams may occur in another text too. The more text, the lower it gets, so only
outputs of about equal length can be compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from nlgauge.corpus import Corpus
from nlgauge.features import Features
from nlgauge.features.text import Tokens, token_libraries
from nlgauge.metric import CorpusMetric, Output, register
from nlgauge.metric.domains import require_order


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
        self.require(self.tokenizer in ("unicode", "whitespace", "13a"), "tokenizer", "'unicode', 'whitespace' or '13a'")

    def libraries(self) -> tuple[str, ...]:
        return token_libraries(self.tokenizer)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        nan = "no text is long enough to have such an n-gram"
        return {"distinct": tuple(Output(f"distinct{n}", True, 0, 1, nan) for n in range(1, self.max_order + 1))}

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        tokens, rows = features.get(Tokens(self.tokenizer), corpus.predictions[system].values)
        texts = tokens.take(rows).lists()
        found = {f"distinct{n}": math.nan for n in range(1, self.max_order + 1)}
        for n in range(1, min(self.max_order, max(map(len, texts), default=0)) + 1):
            different: set[tuple[int, ...]] = set()
            for text in texts:
                different.update(zip(*(text[k:] for k in range(n)), strict=False))
            found[f"distinct{n}"] = len(different) / sum(max(len(text) - n + 1, 0) for text in texts)
        return found
