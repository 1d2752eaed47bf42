"""YiSi-1: each token of one text is matched with the most similar one of the other; rare tokens weigh more,
and recall may count more than precision.

    P = sum_i w_i max_j cos(h_i, r_j) / sum_i w_i     over the prediction's tokens h,   R likewise over the reference's; cosines below 0 are 0
    F = P R / (alpha P + (1 - alpha) R)               w = log2(1 + (N + 1) / (df + 1)) from the N references

Start and end marks weigh 0 but may be matched. The author's program has alpha 0.5 by default; submissions to
WMT reportedly use 0.8. A text without tokens, or without one that the model knows, scores 0. The forms with
semantic role labels are not implemented.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.language import code
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.estimators import idf
from nlgauge.features.encoders.encoder_layers import Hidden
from nlgauge.metric import TRUNCATED, Arrays, Fit, Output, register
from nlgauge.metric.domains import require_number
from nlgauge.metrics._shared.token_matching import InverseDocumentFrequency, TokenMatching
from nlgauge.metrics._shared.unknown_tokens import UNKNOWN_TOKENS
from nlgauge.models import ModelSpec, model_facts


@register
@dataclass(frozen=True)
class Yisi(TokenMatching):
    """YiSi-1: F with alpha (the score), precision and recall, 0 to 1."""

    model: ModelSpec | None = None
    layer: int | None = None
    alpha: float = 0.5

    name: ClassVar[str] = "yisi"
    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {"yisi1": {}, "yisi-1": {}}

    def __post_init__(self) -> None:
        self.check()
        require_number(self, "alpha", 0, 1)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        parts = {part: Output(part, True, 0, 1) for part in ("yisi", "precision", "recall")}
        return {
            part: (output, TRUNCATED, UNKNOWN_TOKENS) if part == "yisi" else (output,)
            for part, output in parts.items()
        }

    def for_language(self, lang: str | None) -> Yisi:
        if self.model is not None or code(lang) in ("", "en"):
            return self
        return replace(self, model="bert-base-multilingual-cased")

    @property
    def model_used(self) -> ModelSpec:
        return "bert-base-uncased" if self.model is None else self.model

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {
            "metric": self.name,
            "layer": str(self.layer_used),
            "alpha": str(self.alpha),
            **self.precision_facts(),
            **model_facts(self.model_used),
        }

    def fit(self) -> Fit:
        return InverseDocumentFrequency(self.model_used)

    def weights(self, hidden: Hidden, text: int, fitted: Arrays) -> tuple[Array, bool]:
        # The fit contains log((N + 1) / (df + 1)).
        weights = np.log2(1 + np.exp(idf.weights(fitted, hidden.ids[text])))
        return np.where(hidden.special[text], 0.0, weights), False

    def f_of(self, precision: float, recall: float) -> float:
        return precision * recall / (self.alpha * precision + (1 - self.alpha) * recall)

    def cosines(self, hidden: Hidden, prediction: int, reference: int) -> Array:
        return np.maximum(super().cosines(hidden, prediction, reference), 0)
