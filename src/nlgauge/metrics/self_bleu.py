"""Self-BLEU: how much each text of a system resembles its other texts; lower means more varied.

    Self-BLEU = mean over texts i of BLEU(text i, references: all other texts)

BLEU is the sentence BLEU of `bleu`, with its tokenizers and smoothings. An n-gram's greatest count in the
other texts is its greatest count in the corpus, or the second greatest if the text itself has the greatest:
so the cost is linear in the corpus, and nothing is approximated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.features import Features
from nlgauge.kernels.leave_one_out import closest_other_lengths, matches_with_the_others
from nlgauge.kernels.ngrams import ngram_totals
from nlgauge.metric import CorpusMetric, Output, register
from nlgauge.metric.domains import require_whole
from nlgauge.metrics._shared.language_tokenizer import LanguageTokenizer
from nlgauge.metrics.bleu import Bleu, require_bleu


@register
@dataclass(frozen=True)
class SelfBleu(LanguageTokenizer, CorpusMetric):
    """Mean BLEU of each text against all others, 0 to 100."""

    max_order: int = 4
    tokenizer: str | None = None
    lowercase: bool = False
    smooth_method: str = "exp"
    smooth_value: float | None = None
    sample: int | None = None

    name: ClassVar[str] = "self_bleu"
    resamples: ClassVar[int] = 200

    def __post_init__(self) -> None:
        require_bleu(self)
        require_whole(self, "sample", 2, optional=True)

    @property
    def _bleu(self) -> Bleu:
        return Bleu(
            self.max_order,
            self.tokenizer,
            self.lowercase,
            self.smooth_method,
            self.smooth_value,
            effective_order=True,
        )

    @property
    def seeded(self) -> bool:  # type: ignore[override]
        return self.sample is not None

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"self_bleu": (Output("self_bleu", False, 0, 100, "fewer than two texts have a token"),)}

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        tokens, texts = features.get(self._tokens, corpus.predictions[system].values)
        texts = texts[tokens.lengths[texts] > 0]
        if self.sample is not None and len(texts) > self.sample:
            texts = texts[
                np.sort(
                    np.random.default_rng(features.options.seed).choice(
                        len(texts), self.sample, replace=False
                    )
                )
            ]
        if len(texts) < 2:
            return {"self_bleu": math.nan}
        lengths = tokens.lengths[texts]
        matches, totals = (
            matches_with_the_others(tokens, texts, self.max_order),
            ngram_totals(lengths, self.max_order),
        )
        rows = np.column_stack([lengths, closest_other_lengths(lengths), matches, totals])
        return {"self_bleu": float(self._bleu.score("bleu", rows)["bleu"].mean())}
