"""Costs: the seconds that a run spent, by metric and by feature."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Costs:
    """Seconds spent, by metric label and by feature."""

    metrics: dict[str, float] = field(default_factory=dict)
    features: dict[str, float] = field(default_factory=dict)

    def spend(self, label: str, seconds: float) -> None:
        """Adds to what a metric has cost."""
        self.metrics[label] = self.metrics.get(label, 0.0) + seconds

    def add(self, other: Costs) -> None:
        for ours, theirs in ((self.metrics, other.metrics), (self.features, other.features)):
            for key, seconds in theirs.items():
                ours[key] = ours.get(key, 0.0) + seconds
