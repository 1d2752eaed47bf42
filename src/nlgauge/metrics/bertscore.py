"""BERTScore: each token of one text is matched with the most similar token of the other, by contextual
vectors.

    P = sum_i w_i max_j cos(h_i, r_j) / sum_i w_i     over the prediction's tokens h,   R likewise over the reference's
    F = 2 P R / (P + R)                               (0 unless both are above 0)

w is 1, or with `idf` log((N + 1) / (df + 1)) from the N references; start and end marks weigh 0 but may be
matched. bert-score multiplies padding by 0, so a token whose cosines are all negative depends there on its
batch; here it keeps its true maximum. With several references the best is taken for P, R and F each, as
bert-score does. A text without tokens, or without one that the model knows, scores 0. If every weight of a
text is 0, the weights are equal instead. With a `baseline` b each of P, R and F becomes (x - b) / (1 - b);
`rescale` takes bert-score's for the language and model, and raises an error if bert-score has none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.language import code
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.estimators import idf
from nlgauge.features.encoders.encoder_layers import Hidden
from nlgauge.metric import TRUNCATED, UNIFORM_WEIGHTS, Arrays, Fit, Output, register
from nlgauge.metrics._shared.bertscore_baselines import baseline_of
from nlgauge.metrics._shared.token_matching import PARTS, InverseDocumentFrequency, TokenMatching
from nlgauge.metrics._shared.unknown_tokens import UNKNOWN_TOKENS
from nlgauge.models import ModelSpec, model_facts

_LANGUAGE_MODELS = {"zh": "bert-base-chinese"}


@register
@dataclass(frozen=True)
class BertScore(TokenMatching):
    """BERTScore: f1 (the score), precision and recall; rescaled if `baseline` or `rescale` is set."""

    model: ModelSpec | None = None
    layer: int | None = None
    idf: bool = False
    baseline: tuple[float, ...] | None = None
    rescale: bool = False

    name: ClassVar[str] = "bertscore"
    aliases: ClassVar[dict[str, dict[str, object]]] = {"bert_score": {}}
    revision: ClassVar[int] = 2

    def __post_init__(self) -> None:
        self.check()
        self.require(
            self.baseline is None or _is_baseline(self.baseline),
            "baseline",
            "None or three numbers from -1 to below 1, for P, R and F",
        )
        self.require(isinstance(self.rescale, bool), "rescale", "True or False")

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        notes = (TRUNCATED, UNIFORM_WEIGHTS, UNKNOWN_TOKENS)
        return {
            "f1": (Output("f1", True, self.shown("f1", 0), 1), *notes),
            "precision": (Output("precision", True, self.shown("precision", -1), 1),),
            "recall": (Output("recall", True, self.shown("recall", -1), 1),),
        }

    def shown(self, part: str, value: Any) -> Any:
        if self.baseline_used is None:
            return value
        base = self.baseline_used[PARTS.index(part)]
        return (value - base) / (1 - base)

    def for_language(self, lang: str | None) -> BertScore:
        found = self
        if self.model is None and code(lang) not in ("", "en"):
            found = replace(self, model=_LANGUAGE_MODELS.get(code(lang), "bert-base-multilingual-cased"))
        # The baseline depends on the language, which only the run knows.
        return (
            replace(found, baseline=baseline_of(code(lang) or "en", found.model_used, found.layer_used))
            if self._looked_up
            else found
        )

    @property
    def _looked_up(self) -> bool:
        return self.rescale and self.baseline is None

    @property
    def baseline_used(self) -> tuple[float, ...] | None:
        """The baseline of P, R and F: the parameter, otherwise bert-score's for English."""
        return baseline_of("en", self.model_used, self.layer_used) if self._looked_up else self.baseline

    @property
    def model_used(self) -> ModelSpec:
        return "roberta-large" if self.model is None else self.model

    def facts(self, corpus: Corpus) -> dict[str, str]:
        rescaled = {} if self.baseline_used is None else {"baseline": ",".join(map(str, self.baseline_used))}
        return {
            "metric": self.name,
            "layer": str(self.layer_used),
            "idf": "yes" if self.idf else "no",
            **rescaled,
            **self.precision_facts(),
            **model_facts(self.model_used),
        }

    def fit(self) -> Fit | None:
        return InverseDocumentFrequency(self.model_used) if self.idf else None

    def weights(self, hidden: Hidden, text: int, fitted: Arrays) -> tuple[Array, bool]:
        plain = (~hidden.special[text]).astype(np.float64)
        if not self.idf:
            return plain, False
        weights = plain * idf.weights(fitted, hidden.ids[text])
        return (weights, False) if weights.any() else (plain, bool(plain.any()))

    def f_of(self, precision: float, recall: float) -> float:
        return 2 * precision * recall / (precision + recall)


def _is_baseline(value: object) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == len(PARTS)
        and all(type(base) in (int, float) and -1 <= base < 1 for base in value)
    )
