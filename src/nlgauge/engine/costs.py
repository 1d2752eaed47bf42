"""Costs: the seconds that a run spent, by metric and by feature, its memory, its energy and what else it
used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from nlgauge.features import Features


@dataclass(frozen=True)
class Carbon:
    """The electricity of a whole machine during a run, in kilowatt-hours, and the kilograms of
    CO2-equivalents that it stands for in a country.

    `method` says of each part of the machine whether its energy was measured or estimated, and from what;
    `reason` why a number is NaN.
    """

    country: str
    energy: float = math.nan
    co2: float = math.nan
    method: str = ""
    reason: str = ""

    def plus(self, other: Carbon | None) -> Carbon:
        """What both took; countries and methods that differ are all named."""
        if other is None:
            return self
        named = [_each(one, further) for one, further in zip(self._words(), other._words(), strict=True)]
        return Carbon(named[0], self.energy + other.energy, self.co2 + other.co2, *named[1:])

    def _words(self) -> tuple[str, str, str]:
        return self.country, self.method, self.reason


@dataclass
class Costs:
    """Seconds spent, by metric label and by feature; what a metric takes of features is booked on those
    alone.

    `used` is what is counted in other units: requests to judges, their tokens, their price. `reads` names the
    features that each metric read, so that `alone` can say what it would have cost without the others.
    `memory` is the resident memory at its highest, in bytes, of the process and its workers together;
    `memory_note` says why it is NaN, or that it is an upper bound. `carbon` is there where it was asked for.
    """

    metrics: dict[str, float] = field(default_factory=dict)
    features: dict[str, float] = field(default_factory=dict)
    used: dict[str, float] = field(default_factory=dict)
    reads: dict[str, list[str]] = field(default_factory=dict)
    memory: float = 0.0
    memory_note: str = ""
    carbon: Carbon | None = None

    def alone(self, label: str) -> float:
        """The seconds of a metric with all features that it read, whoever else read them."""
        return self.metrics.get(label, 0.0) + sum(
            self.features.get(feature, 0.0) for feature in self.reads.get(label, ())
        )

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
        """Adds what something else has cost, before or after: seconds are added, of memory the higher one
        stays.
        """
        for label, features in other.reads.items():
            self.read(label, features)
        for ours, theirs in (
            (self.metrics, other.metrics),
            (self.features, other.features),
            (self.used, other.used),
        ):
            for key, amount in theirs.items():
                ours[key] = ours.get(key, 0.0) + amount
        # What is not known of one is not known of both; of two equal ones that which is exact says more than
        # the bound.
        if (
            not math.isnan(self.memory)
            and not other.memory < self.memory
            and (other.memory != self.memory or not other.memory_note)
        ):
            self.memory, self.memory_note = other.memory, other.memory_note
        self.carbon = other.carbon if self.carbon is None else self.carbon.plus(other.carbon)


def _each(one: str, other: str) -> str:
    """Two texts, each once."""
    return "; ".join(dict.fromkeys(filter(None, (one, other))))
