"""UniTE: one network trained on human judgments reads the translation with its source, with its reference,
and with both.

    src, ref, unified = FF(mixed state of <s>)   of the prediction with the source, with the reference, with both
    UniTE             = (src + ref + unified) / 3

Texts are joined as <s> prediction </s></s> source </s></s> reference </s>, each cut to 510 pieces, the whole
to 512. Without references UniTE is src. An empty prediction is shown to the network; an empty reference or
source leaves the row without a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.metric import Output, View, register
from nlgauge.metrics._shared.comet_family import NAN, JointMetric, NetworkRows
from nlgauge.models import ModelSpec
from nlgauge.models.networks.comet import Form


@register
@dataclass(frozen=True)
class Unite(JointMetric):
    """UniTE: the mean of three scores, and each of them."""

    model: ModelSpec = "unite-mup"
    references: bool = True

    name: ClassVar[str] = "unite"

    def forms(self) -> tuple[Form, ...]:
        return ("unified",)

    def measures(self) -> tuple[Output, ...]:
        names = ("unite", "src", "ref", "unified") if self.references else ("unite",)
        return tuple(Output(name, True, nan=NAN) for name in names)

    def judged(self, view: View) -> NetworkRows:
        passes = self.passes(view)
        mean = passes.scores.mean(axis=1)
        values = np.column_stack([mean, passes.scores]) if self.references else mean[:, None]
        return NetworkRows(values, passes.truncated, passes.empty)
