"""The benchmarks, in the directory NLGAUGE_BENCHMARKS, by segment and system."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np

from nlgauge.meta.benchmarks import load
from nlgauge.meta.benchmarks.rows import BenchmarkRow


def segments(name: str, count: int | None = None) -> dict[str, dict[str, BenchmarkRow]]:
    """Segment -> system -> row that a machine wrote, in an order drawn once, so that the first ones are a
    fair sample.
    """
    found: dict[str, dict[str, BenchmarkRow]] = defaultdict(dict)
    for row in load(name).machines().rows:
        found[row.segment][row.system] = row
    ids = sorted(found)
    random.Random(1).shuffle(ids)
    return {segment: found[segment] for segment in ids[:count]}


def human(study: dict[str, dict[str, BenchmarkRow]], dimension: str) -> np.ndarray:
    """(systems, segments) judgments; NaN where one is missing."""
    systems = sorted({system for by_system in study.values() for system in by_system})
    return np.array(
        [
            [
                by_system[system].human.get(dimension, np.nan) if system in by_system else np.nan
                for by_system in study.values()
            ]
            for system in systems
        ],
        dtype=float,
    )
