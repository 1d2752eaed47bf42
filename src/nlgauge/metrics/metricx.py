"""MetricX: an mT5 that was trained to predict the error points of human ratings of a translation.

    MetricX = min(25, max(0, z))        z: the logit of <extra_id_10> (250089) at the decoder's first step

It is asked "source: S candidate: H reference: R" (version 24; without references "source: S candidate: H"),
or "candidate: H reference: R" (version 23; "candidate: H source: S" with the models for that). A longer
prompt than 1536 tokens (23: 1024) loses its end. The end mark is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.metric import Output, register
from nlgauge.metric.domains import require_model
from nlgauge.metrics._shared.answers import AnswerMetric, Question
from nlgauge.metrics._shared.model_means import NO_TEXT
from nlgauge.models import ModelSpec

_TEMPLATES = {
    (24, False): "source: {source} candidate: {prediction} reference: {reference}",
    (24, True): "source: {source} candidate: {prediction}",
    (23, False): "candidate: {prediction} reference: {reference}",
    (23, True): "candidate: {prediction} source: {source}",
}
_MODELS = {
    (24, False): "metricx-24-hybrid-large-v2p6",
    (24, True): "metricx-24-hybrid-large-v2p6",
    (23, False): "metricx-23-large-v2p0",
    (23, True): "metricx-23-qe-large-v2p0",
}
_LENGTHS = {24: 1536, 23: 1024}
_WORST = 25


@register
@dataclass(frozen=True)
class MetricX(AnswerMetric):
    """Predicted error points of a translation, 0 to 25, with or without references (`qe`)."""

    model: ModelSpec | None = None
    version: int = 24
    qe: bool = False

    name: ClassVar[str] = "metricx"
    shows_empty: ClassVar[bool] = True
    source: ClassVar[bool] = True
    aliases: ClassVar[dict[str, dict[str, object]]] = {"metricx_qe": {"qe": True}}
    tokens: ClassVar[tuple[str | int, ...]] = (250089,)
    drop_eos: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_model(self, optional=True)
        self.require(self.version in _LENGTHS and not isinstance(self.version, bool), "version", "24 or 23")
        self.require(isinstance(self.qe, bool), "qe", "True or False")
        self.take_sides(self.sides())

    def prompts(self) -> Mapping[str, Question]:
        return {"metricx": Question(_TEMPLATES[self.version, self.qe])}

    def model_of(self, question: str) -> ModelSpec:
        return _MODELS[self.version, self.qe] if self.model is None else self.model

    def max_tokens(self) -> int:
        return _LENGTHS[self.version]

    def measures(self) -> tuple[Output, ...]:
        return (Output("metricx", False, 0, _WORST, nan=NO_TEXT),)

    def answer(self, logits: Array) -> Array:
        found: Array = np.clip(logits[:, 0], 0, _WORST)
        return found
