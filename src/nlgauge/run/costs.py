"""Costs: the seconds that a run spent, by metric and by feature, and what else it used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from nlgauge.features import Features


@dataclass
class Costs:
    """Seconds spent, by metric label and by feature; what a metric takes of features is booked on those alone.

    `used` is what is counted in other units: requests to judges, their tokens, their price. `reads` names the features that each metric read, so that
    `alone` can say what it would have cost without the others.
    """

    metrics: dict[str, float] = field(default_factory=dict)
    features: dict[str, float] = field(default_factory=dict)
    used: dict[str, float] = field(default_factory=dict)
    reads: dict[str, list[str]] = field(default_factory=dict)

    def alone(self, label: str) -> float:
        """The seconds of a metric with all features that it read, whoever else read them."""
        return self.metrics.get(label, 0.0) + sum(self.features.get(feature, 0.0) for feature in self.reads.get(label, ()))

    def read(self, label: str, features: Iterable[str]) -> None:
        """Adds features to those that a metric read."""
        self.reads[label] = sorted({*self.reads.get(label, ()), *features})

    def spend(self, label: str, seconds: float) -> None:
        """Adds to what a metric has cost."""
        self.metrics[label] = self.metrics.get(label, 0.0) + seconds

    @contextmanager
    def features_of(self, features: Features) -> Iterator[None]:
        """Adds what features cost meanwhile."""
        before, used = dict(features.seconds), dict(features.used)
        yield
        spent = {name: seconds - before.get(name, 0.0) for name, seconds in features.seconds.items()}
        self.add(Costs({}, spent, {name: more for name, amount in features.used.items() if (more := amount - used.get(name, 0.0))}))

    def add(self, other: Costs) -> None:
        """Adds what something else has cost."""
        for label, features in other.reads.items():
            self.read(label, features)
        for ours, theirs in ((self.metrics, other.metrics), (self.features, other.features), (self.used, other.used)):
            for key, amount in theirs.items():
                ours[key] = ours.get(key, 0.0) + amount
