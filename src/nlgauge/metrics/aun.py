"""AUN, average unique n-gram ratio: how little a text repeats itself.

    unr_n = different n-grams / n-grams                AUN = mean of unr_n over n = 1..N, within one text

Orders that the text is too short for are left out of its mean. The corpus score is the mean over texts, not
the ratio of pooled counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.metric import Output, View, register
from nlgauge.metric.mean import share
from nlgauge.metrics._shared.within_text import WithinText


@register
@dataclass(frozen=True)
class AverageUniqueNgramRatio(WithinText):
    """The mean unique n-gram ratio and that of each order, 0 to 1."""

    max_order: int = 3
    tokenizer: str = "punctuated"

    name: ClassVar[str] = "aun"
    aliases: ClassVar[dict[str, Any]] = {"unr": {}, "unique_ngram_ratio": {}}

    def measures(self) -> tuple[Output, ...]:
        orders = [
            Output(f"unr{n}", True, 0, 1, "the text is too short to have such an n-gram")
            for n in range(1, self.max_order + 1)
        ]
        return (Output("aun", True, 0, 1, "the text has no token"), *orders)

    def values(self, view: View) -> Array:
        counts = self.counts(view)
        ratios = share(counts[..., 1], counts[..., 2])
        return np.column_stack([share(np.nansum(ratios, axis=1), (~np.isnan(ratios)).sum(axis=1)), ratios])
