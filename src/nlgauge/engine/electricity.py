"""Electricity of a run, and its CO2 equivalents."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Carbon:
    """Electricity of the whole machine during a run, and its CO2 equivalents.

    `energy` is in kilowatt-hours and `co2` in kilograms, for the electricity of `country`. `method` states
    for each part of the machine whether its energy was measured or estimated, and from what. `reason`
    explains a NaN.
    """

    country: str
    energy: float = math.nan
    co2: float = math.nan
    method: str = ""
    reason: str = ""

    def plus(self, other: Carbon | None) -> Carbon:
        """Return the sum of both; the texts list every distinct country, method and reason."""
        if other is None:
            return self
        texts = [_each(first, second) for first, second in zip(self._words(), other._words(), strict=True)]
        return Carbon(texts[0], self.energy + other.energy, self.co2 + other.co2, *texts[1:])

    def _words(self) -> tuple[str, str, str]:
        return self.country, self.method, self.reason


def _each(first: str, second: str) -> str:
    """Join two texts; omit an empty text, and write equal texts once."""
    return "; ".join(dict.fromkeys(filter(None, (first, second))))
