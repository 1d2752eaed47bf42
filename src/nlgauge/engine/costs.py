"""Costs of a run: seconds by metric and by feature, memory, energy, and amounts in other units."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nlgauge.features import Features

if TYPE_CHECKING:
    from nlgauge.engine.electricity import Carbon


@dataclass
class Costs:
    """Seconds spent, by metric label and by feature.

    The seconds of a metric do not include the computation of its features, which is counted for the features.
    `used` has amounts in other units: requests to judges, their tokens, their price. `reads` names the
    features that each metric read. `memory` is the peak resident memory in bytes of the process and its
    workers together; `memory_note` explains a NaN, or marks an upper bound. `carbon` is None unless the run
    tracked its energy.
    """

    metrics: dict[str, float] = field(default_factory=dict)
    features: dict[str, float] = field(default_factory=dict)
    used: dict[str, float] = field(default_factory=dict)
    reads: dict[str, list[str]] = field(default_factory=dict)
    memory: float = 0.0
    memory_note: str = ""
    carbon: Carbon | None = None

    def alone(self, label: str) -> float:
        """Return the seconds of a metric and of all features that it read, shared features included."""
        return self.metrics.get(label, 0.0) + sum(
            self.features.get(feature, 0.0) for feature in self.reads.get(label, ())
        )

    def read(self, label: str, features: Iterable[str]) -> None:
        """Add features to the features that a metric read."""
        self.reads[label] = sorted({*self.reads.get(label, ()), *features})

    def spend(self, label: str, seconds: float) -> None:
        """Add seconds to the cost of a metric."""
        self.metrics[label] = self.metrics.get(label, 0.0) + seconds

    @contextmanager
    def features_of(self, features: Features) -> Iterator[None]:
        """Add the seconds and amounts that features use inside the block."""
        before, used = dict(features.seconds), dict(features.used)
        yield
        spent = {name: seconds - before.get(name, 0.0) for name, seconds in features.seconds.items()}
        self.add(
            Costs(
                {},
                spent,
                {
                    name: more
                    for name, amount in features.used.items()
                    if (more := amount - used.get(name, 0.0))
                },
            )
        )

    def add(self, other: Costs) -> None:
        """Add the costs of an earlier or later step: amounts are summed, the higher memory remains."""
        for label, features in other.reads.items():
            self.read(label, features)
        for ours, theirs in (
            (self.metrics, other.metrics),
            (self.features, other.features),
            (self.used, other.used),
        ):
            for key, amount in theirs.items():
                ours[key] = ours.get(key, 0.0) + amount
        # The result is NaN if either memory is NaN. If both are equal, an exact value replaces a bound.
        if (
            not math.isnan(self.memory)
            and not other.memory < self.memory
            and (other.memory != self.memory or not other.memory_note)
        ):
            self.memory, self.memory_note = other.memory, other.memory_note
        self.carbon = other.carbon if self.carbon is None else self.carbon.plus(other.carbon)
