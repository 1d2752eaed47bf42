"""AlignScore: how well a source supports the sentences of a text, by an encoder trained on seven
tasks of information alignment.

    nli_sp = mean over the text's sentences j of  max over chunks i of the source of  P_ij(aligned)

The source is cut into chunks of whole sentences with some 350 words each. The encoder has three heads: `nli`
(aligned, neutral, contradicting), `bin` (not aligned, aligned) and `reg` (a number); without `_sp` source and
text are read whole. A chunk that is too long is cut (rule only_first; if a single sentence is too long,
longest_first). The authors' program fails on a text without sentences, which has the worst score here, and
joins an empty source to every sentence, as a chunk without words; here an empty source is NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.features.encoders.entailment import probabilities
from nlgauge.features.encoders.pair_logits import PairLogits
from nlgauge.features.passages import WordChunks
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.metric import Output, Takes, View, register
from nlgauge.metric.domains import require_choice, require_whole
from nlgauge.metrics._shared.model_means import empty_rows
from nlgauge.metrics._shared.pair_scores import NOTHING, PairValues, SentencePairScores, every_pair, texts_of
from nlgauge.metrics._shared.unknown_tokens import read_pairs, readable
from nlgauge.models import ModelSpec
from nlgauge.models.networks.align_layout import HEADS

_MODES = ("nli_sp", "bin_sp", "reg_sp", "nli", "bin", "reg")


@register
@dataclass(frozen=True)
class AlignScore(SentencePairScores):
    """AlignScore (the score): the mean over sentences of how well the best chunk of the source bears each
    out.
    """

    model: ModelSpec = "alignscore-large"
    mode: str = "nli_sp"
    splitter: str = "sentencex"
    max_length: int = 512

    name: ClassVar[str] = "alignscore"
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, "mode", _MODES)
        require_whole(self, "max_length", 5)

    def measures(self) -> tuple[Output, ...]:
        low, high = (-math.inf, math.inf) if self.mode.startswith("reg") else (0, 1)
        return (Output("alignscore", True, low, high, nan=NOTHING),)

    def findings(self, view: View) -> PairValues:
        read = read_pairs(view.features, self.model, "align", view.predictions, view.source)
        scored = readable(view, read.first, read.second)
        sentences = Sentences(view.lang or "en", self.splitter)
        if self.mode.endswith("_sp"):
            found = [
                view.get(feature, side.ids)
                for feature, side in ((WordChunks(sentences), read.second), (sentences, read.first))
            ]
            chunks, claims = ([column[row] for row in rows] for column, rows in found)
        else:
            chunks, claims = ([np.array([text]) for text in side.ids] for side in (read.second, read.first))
        claims = [claim if known else claim[:0] for claim, known in zip(claims, scored, strict=True)]
        matrices, cut = every_pair(
            view,
            PairLogits(self.model, "only_first", self.max_length, tuple(HEADS)),
            sum(HEADS.values()),
            chunks,
            claims,
        )
        values, shown = np.full((len(view), 1), np.nan), []
        for i, logits in enumerate(matrices):
            judged = self._judged(logits)
            if logits.size:
                values[i] = next(iter(judged.values())).max(axis=0).mean()
            shown.append((judged, texts_of(view, chunks[i]), texts_of(view, claims[i])))
        return PairValues(values, cut, empty_rows(view, read.first, read.second), read.counts, shown)

    def _judged(self, logits: Array) -> dict[str, Array]:
        """Return the matrices of the selected head, the decisive matrix first."""
        three, two, number = logits[..., :3], logits[..., 3:5], logits[..., 5]
        if self.mode.startswith("nli"):
            found = probabilities(three)
            return {"entail": found[..., 0], "neutral": found[..., 1], "contradict": found[..., 2]}
        return {"aligned": probabilities(two)[..., 1]} if self.mode.startswith("bin") else {"aligned": number}

    def called(self) -> str:
        return f"alignscore {self.mode}"
