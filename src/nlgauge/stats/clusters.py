"""What a matrix of p-values says about the order of metrics: clusters, letters, the best that nobody beats.

Metrics are 0 to M - 1 in any order; `p[i, j]` is the p-value of the difference of i and j (of i being better,
where a test has a side), read where i has the higher score. A NaN p-value is not a claim. A metric without a
score has no place: None.
"""

from __future__ import annotations

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.stats.letters import best_first, letters, wins

__all__ = ["cluster_ranks", "letters", "not_beaten", "wins"]


def cluster_ranks(scores: Array, p: Array, alpha: float = 0.05) -> list[int | None]:
    """The significance cluster of each metric, 1 the best.

    Down the list of scores, a new cluster begins with the first metric that some member of the current
    cluster beats (the rule of the WMT metrics tasks). It hides that "not different" is not transitive:
    `letters` does not.
    """
    beats = wins(scores, p, alpha)
    ranks: list[int | None] = [None] * len(scores)
    rank, members = 1, list[int]()
    for metric in best_first(scores):
        if any(beats[member, metric] for member in members):
            rank, members = rank + 1, []
        members.append(metric)
        ranks[metric] = rank
    return ranks


def not_beaten(scores: Array, p: Array, alpha: float = 0.05) -> list[bool]:
    """Which metrics no other one beats."""
    beats = wins(scores, p, alpha)
    return [not bool(beats[:, i].any()) and not bool(np.isnan(scores[i])) for i in range(len(scores))]
