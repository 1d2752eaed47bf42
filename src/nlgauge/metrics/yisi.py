"""YiSi-1: each token of one text is matched with the most similar one of the other; rare tokens weigh more,
and recall may count more than precision.

    P = sum_i w_i max_j cos(h_i, r_j) / sum_i w_i     over the prediction's tokens h,   R likewise over the reference's; cosines below 0 are 0
    F = P R / (alpha P + (1 - alpha) R)               w = log2(1 + (N + 1) / (df + 1)) from the N references

Start and end marks weigh 0 but may be matched. The author's program has alpha 0.5 by default; submissions to
WMT reportedly use 0.8. With `n_gram` n above 1 runs of n tokens are matched, as in the program's example configuration (3):
the similarity of two runs is the weighted mean of the cosines of their tokens in order, and start and end marks are
left out. If a text is shorter than n, n is its length. A text without tokens, or without one that the model knows,
scores 0. The forms with semantic role labels are not implemented.
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
from nlgauge.metric.domains import require_number, require_whole
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
    n_gram: int = 1

    name: ClassVar[str] = "yisi"
    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {"yisi1": {}, "yisi-1": {}}

    def __post_init__(self) -> None:
        self.check()
        require_number(self, "alpha", 0, 1)
        require_whole(self, "n_gram")

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
            **({"n_gram": str(self.n_gram)} if self.n_gram > 1 else {}),
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

    def _match(
        self, hidden: Hidden, prediction: int, reference: int, fitted: Arrays
    ) -> tuple[float, float, float, float, float]:
        plain = super()._match(hidden, prediction, reference, fitted)
        if self.n_gram == 1 or not plain[0]:
            return plain
        inside = [~hidden.special[text].astype(bool) for text in (prediction, reference)]
        weights = [
            self.weights(hidden, text, fitted)[0][kept]
            for text, kept in zip((prediction, reference), inside, strict=True)
        ]
        cosines = self.cosines(hidden, prediction, reference)[np.ix_(*inside)].astype(np.float64)
        precision, recall = (
            _of_runs(similarity, weight, min(self.n_gram, *cosines.shape))
            for similarity, weight in zip((cosines, cosines.T), weights, strict=True)
        )
        f = self.f_of(precision, recall) if precision > 0 and recall > 0 else 0.0
        return f, precision, recall, *plain[3:]


def _of_runs(cosines: Array, weights: Array, n: int) -> float:
    """Return the weighted mean over the runs of n rows of the best similarity to a run of n columns.

    >>> _of_runs(np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]]), np.array([1.0, 3.0]), 2)
    1.0
    """
    rows, columns = (size - n + 1 for size in cosines.shape)
    sums = sum(weights[k : k + rows, None] * cosines[k : k + rows, k : k + columns] for k in range(n))
    masses = sum(weights[k : k + rows] for k in range(n))
    return float(np.max(sums, axis=1).sum() / np.sum(masses))
