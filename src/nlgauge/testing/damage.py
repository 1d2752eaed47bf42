"""Stress suites for tests: how much damage a metric notices, as a table, and as an assertion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nlgauge.meta.diagnostics.suites import ALL_KINDS, damage_noticed
from nlgauge.meta.findings import Findings

__all__ = ["check_damage_noticed", "damage_noticed"]


def check_damage_noticed(
    metric: Any,
    least: Mapping[str, float],
    *,
    suite: str = "own",
    segments: int | None = None,
    confidence: float = 0.95,
    seed: int = 12345,
) -> Findings:
    """Raise AssertionError if a metric notices too little damage.

    Parameters
    ----------
    metric : str, metric or mapping
        Metric to check, as `nlgauge.Scorer` takes it.
    least : mapping of str to float
        Least share of each severity ("critical", "major", "minor") or kind of damage ("negation"), from 0 to 1. The check
        fails if the interval of the share is below.
    suite : {"own", "demetr"}
        Name of the suite.
    segments : int, optional
        Number of good texts, drawn at random, with all their damaged versions. Default: all.
    confidence : float, default 0.95
        Confidence of the intervals.
    seed : int, default 12345
        Seed of the perturbations, of the sample and of the run.

    Returns
    -------
    Findings
        Rows of `damage_noticed`.

    Raises
    ------
    AssertionError
        If the share of a severity or kind is too small, or the suite lacks it.

    Examples
    --------
    >>> found = check_damage_noticed("chrf", {"critical": 0.8, "negation": 0.5})
    >>> check_damage_noticed("f1", {"word_order": 0.9})
    Traceback (most recent call last):
        ...
    AssertionError: f1 notices 0.00 [0.00, 0.14] of word_order, less than 0.9 (ties: 1.00, n = 24)
    """
    found = damage_noticed(metric, suite, segments=segments, confidence=confidence, seed=seed)
    shares = {
        (row["severity"] if row["phenomenon"] == ALL_KINDS else row["phenomenon"]): row for row in found
    }
    for name, share in least.items():
        row = shares.get(name)
        if row is None:
            raise AssertionError(f"the suite {suite} has no damage {name!r}; it has {', '.join(shares)}")
        if not row["high"] >= share:
            raise AssertionError(
                f"{row['metric']} notices {row['detected']:.2f} [{row['low']:.2f}, {row['high']:.2f}] of {name}, less"
                f" than {share:g} (ties: {row['tied']:.2f}, n = {row['n']})"
            )
    return found
