"""Costs: the seconds that a run spent, by metric and by feature."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from nlgauge.features import Features


@dataclass
class Costs:
    """Seconds spent, by metric label and by feature; what a metric takes of features is booked on those alone."""

    metrics: dict[str, float] = field(default_factory=dict)
    features: dict[str, float] = field(default_factory=dict)

    def spend(self, label: str, seconds: float) -> None:
        """Adds to what a metric has cost."""
        self.metrics[label] = self.metrics.get(label, 0.0) + seconds

    @contextmanager
    def features_of(self, features: Features) -> Iterator[None]:
        """Adds what features cost meanwhile."""
        before = dict(features.seconds)
        yield
        self.add(Costs({}, {name: seconds - before.get(name, 0.0) for name, seconds in features.seconds.items()}))

    def add(self, other: Costs) -> None:
        """Adds what something else has cost."""
        for ours, theirs in ((self.metrics, other.metrics), (self.features, other.features)):
            for key, seconds in theirs.items():
                ours[key] = ours.get(key, 0.0) + seconds
