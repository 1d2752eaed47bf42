"""The base of metrics with one model."""

from __future__ import annotations

from nlgauge.corpus import Corpus
from nlgauge.metric import AbstractMetric
from nlgauge.metric.domains import require_model
from nlgauge.models import ModelSpec, model_facts


class UsesModel(AbstractMetric):
    """A metric with the parameter `model`: it is checked, and the signature says which weights it has."""

    model: ModelSpec

    def __post_init__(self) -> None:
        super().__post_init__()
        require_model(self)

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), **model_facts(self.model)}
