"""Values of a metric's own that its statistics and its explanations read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nlgauge.features import RowFeature


@dataclass(frozen=True)
class Findings(RowFeature):
    """The return value of `findings(view)` of a metric, once for its statistics and for its explanations."""

    metric: Any

    def __str__(self) -> str:
        return f"findings of {self.metric}"

    def compute(self, view: Any) -> Any:
        return self.metric.findings(view)
