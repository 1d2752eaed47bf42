"""Parts of the pairs of a benchmark, which have a share of their own in its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.meta.benchmarks import Benchmark


def certitude(benchmark: Benchmark) -> dict[str, Array]:
    """Return the pairs by the share of votes for the majority, as the paper on HATS does."""
    meta = {(row.segment, row.system): row.meta for row in benchmark.rows}
    votes = np.array([meta[pair.segment, pair.better]["votes"] for pair in benchmark.pairs])
    share = votes.max(axis=1) / votes.sum(axis=1)
    return {
        "all agree": share >= 1,
        "at least 70%": share >= 0.7,
        "all pairs": share >= 0,
    }


def severity(benchmark: Benchmark) -> dict[str, Array]:
    """Return the pairs by the severity of the damage, and apart the kind that changes nothing but blanks."""
    meta = {(row.segment, row.system): row.meta for row in benchmark.rows}
    found = np.array([meta[pair.segment, pair.worse]["severity"] for pair in benchmark.pairs])
    blanks = np.array(["tokenized" in pair.worse for pair in benchmark.pairs])
    parts = {name: found == name for name in ("critical", "major", "minor", "base")}
    return {**parts, "minor, only blanks": blanks, "minor, others": (found == "minor") & ~blanks}


PARTS: Mapping[str, Callable[[Benchmark], dict[str, Array]]] = {"certitude": certitude, "severity": severity}
