"""CometKiwi: quality estimation without references; a network trained on human judgments reads translation
and source together.

    CometKiwi = FF(mixed state of <s>)   of   <s> prediction </s></s> source </s>

Each text is cut to 510 pieces, the whole to 512. A checkpoint that was trained to label words too marks the
errors. An empty prediction is shown to the network; an empty source leaves the row without a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge.metric import Output, Takes, View, register
from nlgauge.metrics._shared.comet_family import NAN, JointMetric, NetworkRows
from nlgauge.models import ModelSpec
from nlgauge.models.networks.comet import Form


@register
@dataclass(frozen=True)
class CometKiwi(JointMetric):
    """CometKiwi: how good a translation is, judged by its source."""

    model: ModelSpec = "wmt22-cometkiwi-da"

    name: ClassVar[str] = "cometkiwi"
    aliases: ClassVar[dict[str, dict[str, object]]] = {"comet_kiwi": {}}
    takes: ClassVar[Takes] = "alone"

    def forms(self) -> tuple[Form, ...]:
        return ("unified",)

    def measures(self) -> tuple[Output, ...]:
        return (Output("cometkiwi", True, nan=NAN),)

    def judged(self, view: View) -> NetworkRows:
        passes = self.passes(view)
        return NetworkRows(passes.scores, passes.truncated, passes.empty)
