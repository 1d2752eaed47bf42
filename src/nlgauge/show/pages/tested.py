"""The names of tests in pages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nlgauge._core.numbers import counted

if TYPE_CHECKING:
    from nlgauge.results.comparison import Compared, Comparison

_LEVEL = 0.05
TESTS = {"randomization": "approximate randomization", "bootstrap": "paired bootstrap"}


def any_tested(comparison: Comparison) -> bool:
    """Return True if a p-value exists."""
    return any(not math.isnan(row.p) for row in comparison)


def how_tested(comparison: Comparison) -> str:
    """Return the test of a comparison and its number of resamples."""
    return f"{TESTS[comparison.test]} with {counted(comparison.resamples, 'resample')}"


def gain_note(comparison: Comparison) -> str:
    """Return what a gain is the improvement over."""
    if comparison.baseline is None:
        return "gain: how much better the second system of a pair is than the first; negative if it is worse."
    return "gain: improvement over the baseline; negative if a system is worse."


def tested_otherwise(row: Compared, comparison: Comparison) -> str:
    """Return a remark if a metric was tested differently from the others, otherwise ""."""
    if math.isnan(row.p) or (row.test, row.resamples) == (comparison.test, comparison.resamples):
        return ""
    return f"p by {TESTS[row.test]} with {counted(row.resamples, 'resample')}"


def p_note(comparison: Comparison) -> str:
    """Return how the p-values of a table were made, and what the correction counts."""
    against = "" if comparison.baseline is None else f"against {comparison.baseline}, "
    note = f"p: {against}{how_tested(comparison)}"
    if not any_tested(comparison):
        return f"{note}."
    pairs = len({(row.first, row.second) for row in comparison})
    counts = (
        f"the {counted(_tests(comparison), 'test')} shown"
        if comparison.correction == "holm"
        else f"{counted(pairs, 'pair')} of systems, metric by metric"
    )
    return f"{note}; {comparison.corrected_name}: corrected for {counts}."


def too_few_resamples(comparison: Comparison) -> list[str]:
    """Return a warning if no corrected p-value can be significant, however large a difference is."""
    tests = _tests(comparison) if comparison.correction == "holm" else 1
    least = tests / (comparison.resamples + 1)
    if not tests or least <= _LEVEL:
        return []
    needed = 1000 * math.ceil(5 * tests / _LEVEL / 1000)
    resamples = counted(comparison.resamples, "resample")
    too_few = (
        f"{resamples} {'is' if comparison.resamples == 1 else 'are'} too few for {counted(tests, 'test')}"
    )
    return [f"Caution: {too_few}: no corrected p can be below {least:.2g}; use {needed} or more."]


def _tests(comparison: Comparison) -> int:
    """Return how many tests are corrected together."""
    return sum(
        not math.isnan(row.p) for row in comparison if (row.label, row.output.name) not in comparison.equal
    )
