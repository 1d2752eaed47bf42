"""BLEURT: how well a prediction expresses the meaning of a reference, as rated by a BERT that was trained on
human judgments.

    BLEURT(h, r) = w . tanh(P e) + b        e: the state at [CLS] of  [CLS] r [SEP] h [SEP],  P: the model's pooler

The score is not bounded; BLEURT-20 is mostly between 0 and 1. A pair that is longer than the model reads is
cut by BERT's rule. Google's program computes GELU by its tanh form in every released graph that could be
read, so a converted checkpoint does the same; the PyTorch port computes it exactly
(`compat="bleurt-pytorch"`), which moves numbers by about 6e-4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Ragged
from nlgauge.errors import ModelError
from nlgauge.features.encoders.pair_logits import PairLogits
from nlgauge.metric import Output, View, register
from nlgauge.metric.domains import require_choice, require_whole
from nlgauge.metrics._shared.model_means import empty_rows
from nlgauge.metrics._shared.pair_scores import NOTHING, PairScores, PairValues
from nlgauge.metrics._shared.unknown_tokens import read_pairs, readable, visible
from nlgauge.models import ModelSpec, model_name


@register
@dataclass(frozen=True)
class Bleurt(PairScores):
    """BLEURT (the score): the rating of a prediction given a reference by a regression model."""

    model: ModelSpec = "bleurt-20"
    max_length: int | None = None
    compat: str | None = None

    name: ClassVar[str] = "bleurt"
    shows_empty: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole(self, "max_length", 5, optional=True)
        require_choice(self, "compat", (None, "bleurt-pytorch"))

    def measures(self) -> tuple[Output, ...]:
        return (Output("bleurt", True, nan=NOTHING),)

    def findings(self, view: View) -> PairValues:
        read = read_pairs(view.features, self.model, "pair", visible(view, view.predictions), view.reference)
        scored = readable(view, read.second)
        feature = PairLogits(self.model, "bert", self.max_length, activation="gelu" if self.compat else "")
        answers, places = view.get(
            feature, Ragged.of(np.column_stack([read.second.ids, read.first.ids])[scored].tolist())
        )
        logits = answers.logits.values[places]
        if logits.size and logits.shape[1] != 1:
            raise ModelError(
                f"bleurt needs a model with one output per pair, but {model_name(self.model)} has"
                f" {logits.shape[1]}; choose a regression model."
            )
        values, cut = np.full((len(view), 1), np.nan), np.zeros(len(view))
        values[scored], cut[scored] = logits, answers.truncated.values[places]
        return PairValues(values, cut, empty_rows(view, read.first, read.second), read.counts, [])
