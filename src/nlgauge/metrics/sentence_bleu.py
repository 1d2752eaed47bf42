"""Sentence BLEU with the smoothing of ORANGE: BLEU of each segment, averaged over segments.

    BLEU_s = BP * exp( (1/N) sum_{n<=N} log p_n ),   p_1 = m_1 / t_1,   p_n = (m_n + 1) / (t_n + 1) for n > 1

m_n are the segment's clipped matches, t_n its predicted n-grams, BP is BLEU's. A text too short for an order
has p_n = 1 there; without a matching word the score is 0. Lin and Och add one for n > 1 only; others who cite
them add it for n = 1 too, or not to t_n.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.features.tokens.text import SACREBLEU_TOKENIZERS
from nlgauge.metric import Arrays, Metric, Output, Takes, View, register
from nlgauge.metric.domains import require_choice, require_order
from nlgauge.metrics._shared.language_tokenizer import LanguageTokenizer
from nlgauge.metrics.bleu import Bleu

if TYPE_CHECKING:
    from nlgauge.explanations import Explanation


@register
@dataclass(frozen=True)
class SentenceBleu(LanguageTokenizer, Metric):
    """The mean of the segments' smoothed BLEU, 0 to 100."""

    max_order: int = 4
    tokenizer: str | None = None
    lowercase: bool = False

    name: ClassVar[str] = "sentence_bleu"
    aliases: ClassVar[dict[str, Any]] = {"sentbleu": {}, "orange": {}}
    takes: ClassVar[Takes] = "joint"

    def __post_init__(self) -> None:
        require_order(self)
        require_choice(self, "tokenizer", (None, *SACREBLEU_TOKENIZERS))

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"sentence_bleu": (Output("sentence_bleu", True, 0, 100),)}

    @property
    def _bleu(self) -> Bleu:
        return Bleu(self.max_order, self.tokenizer, self.lowercase, smooth_method="add-k", smooth_value=1.0)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        scores = self._bleu.score("bleu", self._bleu.statistics(view, fitted)["bleu"])["bleu"]
        return {"sentence_bleu": np.column_stack([scores, np.ones(len(scores))])}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"sentence_bleu": statistics[..., 0] / statistics[..., 1]}

    def explain(self, view: View, fitted: Arrays) -> list[Explanation]:
        rows = self.statistics(view, fitted)["sentence_bleu"]
        explained = zip(rows, self._bleu.explain(view, fitted), strict=True)
        return [
            replace(found, title=f"sentence_{found.title}", statistics={"sentence_bleu": row})
            for row, found in explained
        ]
