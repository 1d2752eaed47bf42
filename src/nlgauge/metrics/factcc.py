"""FactCC: whether the sentences of a summary are true to the document, by a BERT that was trained on
artificial errors.

    FactCC = mean over the summary's sentences s of  P(CORRECT | [CLS] document [SEP] s [SEP])

A pair that is longer than the model reads is cut by BERT's rule, at 512 tokens: of a long document the end is
not seen. The authors' program labels single sentences; `correct` is the share of sentences that it would
label CORRECT. An empty summary has the worst score; an empty document is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.features.encoders.entailment import CORRECTNESS, label_order, probabilities
from nlgauge.features.encoders.pair_logits import PairLogits
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.metric import Output, Takes, View, register
from nlgauge.metric.domains import require_whole
from nlgauge.metrics._shared.model_means import empty_rows
from nlgauge.metrics._shared.pair_scores import NOTHING, PairValues, SentencePairScores, every_pair, texts_of
from nlgauge.metrics._shared.unknown_tokens import read_pairs, readable
from nlgauge.models import ModelSpec


@register
@dataclass(frozen=True)
class FactCC(SentencePairScores):
    """The mean probability that a sentence of the summary is correct (the score), and the share of
    sentences that are more likely so than not.
    """

    model: ModelSpec = "factcc"
    labels: tuple[str, ...] | None = None
    splitter: str = "sentencex"
    max_length: int = 512

    name: ClassVar[str] = "factcc"
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_labels(CORRECTNESS)
        require_whole(self, "max_length", 5)

    def measures(self) -> tuple[Output, ...]:
        return Output("factcc", True, 0, 1, nan=NOTHING), Output("correct", True, 0, 1, nan=NOTHING)

    def findings(self, view: View) -> PairValues:
        read = read_pairs(view.features, self.model, "pair", view.predictions, view.source)
        scored = readable(view, read.first, read.second)
        sentences, rows = view.get(Sentences(view.lang or "en", self.splitter), read.first.ids)
        claims = [
            sentences[row] if known else sentences[row][:0] for row, known in zip(rows, scored, strict=True)
        ]
        documents = [np.array([document]) for document in read.second.ids]
        order = label_order(self.model, self.labels, CORRECTNESS, view.features.options.device)
        matrices, cut = every_pair(
            view, PairLogits(self.model, "bert", self.max_length), len(order), documents, claims
        )
        values, shown = np.full((len(view), 2), np.nan), []
        for i, logits in enumerate(matrices):
            found = {name: probabilities(logits)[..., order.index(name)] for name in ("correct", "incorrect")}
            if len(claims[i]):
                values[i] = found["correct"].mean(), (found["correct"] > 0.5).mean()
            shown.append((found, texts_of(view, documents[i]), texts_of(view, claims[i])))
        return PairValues(values, cut, empty_rows(view, read.first, read.second), read.counts, shown)
