"""Letters, ranks and clusters: the order of systems or metrics that follows from a matrix of p-values.

Systems or metrics are 0 to M - 1 in any order; `p[i, j]` is the p-value of the difference of i and j (of i being
better, for one-sided tests), read if i has the higher score. A NaN p-value is not a claim. An entry without a
score has no rank: None.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from nlgauge._core.ragged import Array

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def wins(scores: Array, p: Array, alpha: float = 0.05, differences: Array | None = None) -> Array:
    """Return wins[i, j]: i has the higher score and p[i, j] <= alpha; `differences` (row minus column) decide
    if pairs were not compared by the scores.
    """
    with np.errstate(invalid="ignore"):
        higher = scores[:, None] > scores[None, :] if differences is None else differences > 0
        beats: Array = higher & (p <= alpha)
    return beats


def letters(
    scores: Array, p: Array, alpha: float = 0.05, differences: Array | None = None
) -> list[str | None]:
    """Return the compact letter display: two entries share a letter if and only if neither beats the other.

    "a" contains the best. Sets are split at every claim and absorbed by larger sets (Piepho 2004); a set whose
    pairs are all in other sets is left out.
    """
    beats = wins(scores, p, alpha, differences)
    order = best_first(scores)
    groups = [frozenset(order)] if order else []
    for i, j in combinations(order, 2):
        if beats[i, j] or beats[j, i]:
            split = [
                part
                for group in groups
                for part in ((group - {i}, group - {j}) if {i, j} <= group else (group,))
            ]
            groups = [one for one in dict.fromkeys(split) if not any(one < other for other in split)]
    place = {metric: at for at, metric in enumerate(order)}
    groups = sorted(_needed(groups), key=lambda group: sorted(place[metric] for metric in group))
    shown: list[str | None] = [None] * len(scores)
    for metric in order:
        shown[metric] = "".join(_letter(at) for at, group in enumerate(groups) if metric in group)
    return shown


def _needed(groups: list[frozenset[int]]) -> list[frozenset[int]]:
    """Return the sets, without sets whose members and pairs are all in other sets; the smallest are removed
    first.
    """
    remaining = list(groups)
    for group in sorted(groups, key=len):
        others = [other for other in remaining if other != group]
        if all(any({i, j} <= other for other in others) for i in group for j in group):
            remaining = others
    return remaining


def _letter(at: int) -> str:
    return LETTERS[at] if at < len(LETTERS) else f"({at + 1})"


def rank_ranges(
    scores: Array, p: Array, alpha: float = 0.05, differences: Array | None = None
) -> list[tuple[int, int] | None]:
    """Return the best and the worst rank that each entry may have: after the entries that beat it, before the
    entries that it beats.
    """
    beats = wins(scores, p, alpha, differences)
    known = int((~np.isnan(scores)).sum())
    return [
        None if np.isnan(scores[i]) else (1 + int(beats[:, i].sum()), known - int(beats[i].sum()))
        for i in range(len(scores))
    ]


def best_first(scores: Array) -> list[int]:
    """Return the entries with a score, the highest first; equal entries in their order."""
    return [int(metric) for metric in np.argsort(-scores, kind="stable") if not np.isnan(scores[metric])]


def cluster_ranks(scores: Array, p: Array, alpha: float = 0.05) -> list[int | None]:
    """Return the significance cluster of each metric, 1 the best.

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
    """Return True for each metric with a score that no other metric beats."""
    beats = wins(scores, p, alpha)
    return [not bool(beats[:, i].any()) and not bool(np.isnan(scores[i])) for i in range(len(scores))]
