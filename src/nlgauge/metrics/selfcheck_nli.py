"""SelfCheck-NLI: how much a text contradicts other samples of the same model, which a text that was made up
does more than one that is known.

    SelfCheck = mean over the text's sentences s, and over the samples t, of  P(contradiction | (s, t)) among entailment and contradiction

The references are the samples. The sentence is first and the sample second, the reverse of the usual order,
as in the authors' program. Whole samples are read; a pair that is longer than the model reads is cut by the
rule longest_first. Samples without text are left out; an empty text has the worst score, a text without
samples is NaN. Lower is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from nlgauge.features.encoders.entailment import NLI, label_order, probabilities
from nlgauge.features.encoders.pair_logits import PairLogits
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.metric import Output, Takes, View, register
from nlgauge.metric.domains import require_whole
from nlgauge.metrics._shared.pair_scores import (
    LABELS,
    NOTHING,
    PairValues,
    SentencePairScores,
    every_pair,
    require_nli,
    texts_of,
)
from nlgauge.metrics._shared.unknown_tokens import read_texts, readable
from nlgauge.models import ModelSpec


@register
@dataclass(frozen=True)
class SelfCheckNli(SentencePairScores):
    """SelfCheck-NLI (the score, lower is better): the mean probability that a sample contradicts a
    sentence; and that of the worst sentence.
    """

    model: ModelSpec = "deberta-selfcheck"
    labels: tuple[str, ...] | None = None
    splitter: str = "sentencex"
    max_length: int | None = None

    name: ClassVar[str] = "selfcheck_nli"
    takes: ClassVar[Takes] = "joint"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_labels(NLI)
        require_whole(self, "max_length", 5, optional=True)

    def measures(self) -> tuple[Output, ...]:
        return Output("selfcheck_nli", False, 0, 1, nan=NOTHING), Output(
            "worst_sentence", False, 0, 1, nan=NOTHING
        )

    def findings(self, view: View) -> PairValues:
        read, samples = (
            read_texts(view.features, self.model, "pair", ids) for ids in (view.predictions, view.reference)
        )
        ends = view.reference_groups.offsets
        column, rows = view.get(Sentences(view.lang or "en", self.splitter), read.ids)
        sentences = [
            column[row] if said else column[row][:0]
            for row, said in zip(rows, readable(view, read), strict=True)
        ]
        usable = readable(view, samples)
        known = [samples.ids[start:end][usable[start:end]] for start, end in pairwise(ends)]
        order = require_nli(
            label_order(self.model, self.labels, NLI, view.features.options.device), "ec", self.model
        )
        matrices, cut = every_pair(
            view, PairLogits(self.model, "longest_first", self.max_length), len(order), sentences, known
        )
        values, shown = np.full((len(view), 2), np.nan), []
        for i, logits in enumerate(matrices):
            # Softmax over only two labels ignores the third.
            contradicted, entailed = np.moveaxis(
                probabilities(logits[..., [order.index(label) for label in "ce"]]), -1, 0
            )
            if contradicted.size:
                means = contradicted.mean(axis=1)
                values[i] = means.mean(), means.max()
            shown.append(
                (
                    {LABELS["c"]: contradicted.T, LABELS["e"]: entailed.T},
                    texts_of(view, known[i]),
                    texts_of(view, sentences[i]),
                )
            )
        # Each sample counts once, however often it was drawn.
        distinct = [
            start + np.unique(samples.ids[start:end], return_index=True)[1] for start, end in pairwise(ends)
        ]
        counts = read.counts + np.array([samples.counts[rows].sum(axis=0) for rows in distinct]).reshape(
            -1, 2
        )
        empty = ~readable(view, read) & np.array([len(ids) > 0 for ids in known], dtype=bool)
        return PairValues(values, cut, empty, counts, shown)
