"""The parameter `precision` of metrics that read an encoder."""

from __future__ import annotations

from dataclasses import dataclass, field

from nlgauge.corpus import Corpus
from nlgauge.metric import AbstractMetric
from nlgauge.metric.domains import require_choice
from nlgauge.metrics._shared.model_means import UsesModel
from nlgauge.models.precision import PRECISIONS


@dataclass(frozen=True)
class EncoderPrecision(AbstractMetric):
    """A metric whose encoder computes its matrix products in float32 or bfloat16; all other numbers are
    float32 or float64.
    """

    precision: str = field(default="float32", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, "precision", PRECISIONS)

    def facts(self, corpus: Corpus) -> dict[str, str]:
        facts = {name: value for name, value in super().facts(corpus).items() if name != "precision"}
        return {**facts, **self.precision_facts()}

    def precision_facts(self) -> dict[str, str]:
        """Return the precision for the signature, unless it is the default."""
        return {} if self.precision == "float32" else {"precision": self.precision}


class UsesEncoder(EncoderPrecision, UsesModel):
    """A metric with the parameters `model`, which is an encoder, and `precision`."""
