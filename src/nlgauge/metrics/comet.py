"""COMET: a network that was trained on human judgments of translations reads the source, the translation and
the reference.

    m, s, r  = vectors of prediction, source and reference: states of all layers of the encoder, mixed with learned weights, then pooled
    COMET    = FF([m, r, m*r, |m-r|, m*s, |m-s|])
    COMET-QE = FF([m, s, m*s, |m-s|])                                   without references

FF is a feed-forward network. Scores are not clipped. The mean over segments is the score of a system.
unbabel-comet takes one reference; here several are averaged unless the call sets another rule. An empty
prediction is shown to the network; an empty reference or source leaves the row without a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from nlgauge.metric import Output, View, register
from nlgauge.metrics._shared.comet_family import NAN, VectorMetric
from nlgauge.models import ModelSpec
from nlgauge.models.networks.comet import Form


@register
@dataclass(frozen=True)
class Comet(VectorMetric):
    """COMET with references, or with `references=False` and a referenceless model the quality estimation
    COMET-QE.
    """

    model: ModelSpec = "wmt22-comet-da"
    references: bool = True

    name: ClassVar[str] = "comet"
    aliases: ClassVar[dict[str, dict[str, object]]] = {
        "comet_qe": {"model": "wmt20-comet-qe-da", "references": False}
    }

    def forms(self) -> tuple[Form, ...]:
        return ("regression",) if self.references else ("referenceless",)

    def measures(self) -> tuple[Output, ...]:
        return (Output("comet", True, nan=NAN),)

    def read(self, view: View, m: Any, s: Any, r: Any) -> list[Any]:
        if not self.references:
            return [m, s, m * s, abs(m - s)]
        return [m, r, m * r, abs(m - r), m * s, abs(m - s)]
