"""Compression: how many tokens of the source one token of the summary stands for, |A| / |S|, as in
Newsroom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.features.tokens.text import TEXT_TOKENIZERS, Tokens
from nlgauge.metric import Output, Takes, View, register
from nlgauge.metric.domains import require_choice
from nlgauge.metric.mean import MeanMetric, share


@register
@dataclass(frozen=True)
class Compression(MeanMetric):
    """Tokens of the source for each token of the summary, with both lengths."""

    tokenizer: str = "punctuated"

    name: ClassVar[str] = "compression"
    missing_reason: ClassVar[str] = "empty"
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_choice(self, "tokenizer", TEXT_TOKENIZERS)

    def measures(self) -> tuple[Output, ...]:
        lengths = [Output(name, None, 0) for name in ("source_length", "summary_length")]
        return (Output("compression", None, 0, nan="the summary has no token"), *lengths)

    def values(self, view: View) -> Array:
        tokens, summaries, sources = view.get(Tokens(self.tokenizer), view.predictions, view.source)
        source, summary = tokens.lengths[sources], tokens.lengths[summaries]
        return np.column_stack([share(source, summary), source, summary])
