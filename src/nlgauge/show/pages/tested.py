"""How tests are named where they are shown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nlgauge._core.numbers import counted

if TYPE_CHECKING:
    from nlgauge.results.comparison import Compared, Comparison

_LEVEL = 0.05
_NAMES = {"randomization": "approximate randomization", "bootstrap": "paired bootstrap"}


def any_tested(comparison: Comparison) -> bool:
    """Whether there is a p-value to speak of."""
    return any(not math.isnan(row.p) for row in comparison)


def how_tested(comparison: Comparison) -> str:
    """The test of a comparison and its number of resamples."""
    return f"{_NAMES[comparison.test]} with {comparison.resamples} resamples"


def tested_otherwise(row: Compared, comparison: Comparison) -> str:
    """A remark where a metric was tested otherwise than the rest, else ""."""
    if math.isnan(row.p) or (row.test, row.resamples) == (comparison.test, comparison.resamples):
        return ""
    return f"p by {_NAMES[row.test]} with {row.resamples} resamples"


def corrected(comparison: Comparison) -> str:
    """What Holm's correction counted."""
    return f"corrected for the {counted(_tests(comparison), 'test')} shown"


def too_few_resamples(comparison: Comparison) -> list[str]:
    """Return a warning if no corrected p-value can be significant, however large a difference is."""
    tests = _tests(comparison)
    least = tests / (comparison.resamples + 1)
    if not tests or least <= _LEVEL:
        return []
    needed = 1000 * math.ceil(5 * tests / _LEVEL / 1000)
    resamples = f"{comparison.resamples} resamples are too few for {tests} tests"
    return [f"Caution: {resamples}: no corrected p can be below {least:.2g}; use {needed} or more."]


def _tests(comparison: Comparison) -> int:
    """Return how many tests are corrected together."""
    return sum(
        not math.isnan(row.p) for row in comparison if (row.label, row.output.name) not in comparison.equal
    )
