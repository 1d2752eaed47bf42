"""Bounds of strengths: a likelihood has a maximum only if no direction raises it forever.

Bradley-Terry: the graph "beat or tied" must be strongly connected (Ford 1957). Davidson: it must be, with ties in
both directions, and there must be no order of the systems in which all decided comparisons go down by at least 2 and
ties connect systems at most 2 apart; along such an order the strengths and nu grow together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nlgauge._core.numbers import counted, listed
from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.preferences.design import Design


def square(design: Design, counts: Array) -> tuple[Array, Array]:
    """Return the wins of rows over columns (B, S, S), and the ties, from counts (B, 3 C)."""
    first, second = design.pairs
    wins, ties, losses = (design.by_pair(part) for part in np.split(counts, 3, axis=1))
    beats, tied = np.zeros((2, len(counts), design.systems, design.systems))
    beats[:, first, second], beats[:, second, first] = wins, losses
    tied[:, first, second] = tied[:, second, first] = ties
    return beats, tied


def unbounded(design: Design, counts: Array) -> Array:
    """Return which of B samples have no finite maximum, from counts (B, 3 C)."""
    beats, tied = square(design, counts)
    separated: Array = ~np.asarray(reachable((beats + tied) > 0).all(axis=(1, 2)))
    if design.has_ties:
        both_ways = ((beats > 0) & (beats.transpose(0, 2, 1) > 0)).any(axis=(1, 2))
        for sample in np.flatnonzero(~both_ways & ~separated):
            separated[sample] = _has_order(beats[sample] > 0, tied[sample] > 0)
    return separated


def reachable(edges: Array) -> Array:
    """Return the transitive closure of graphs (B, S, S); every node reaches itself."""
    reach = (edges | np.eye(edges.shape[-1], dtype=bool)).astype(np.float32)
    for _ in range(max(1, math.ceil(math.log2(max(2, edges.shape[-1]))))):
        reach = (reach @ reach > 0).astype(np.float32)
    return reach > 0


def _has_order(beats: Array, tied: Array) -> bool:
    """Return whether strengths exist with differences of at least 2 in decided pairs and at most 2 in ties."""
    distance = np.where(beats, -2.0, np.where(tied, 2.0, np.inf))
    np.fill_diagonal(distance, 0.0)
    for middle in range(len(distance)):
        distance = np.minimum(distance, distance[:, middle, None] + distance[None, middle])
    return bool((np.diagonal(distance) >= 0).all())


def why_unbounded(design: Design, counts: Array, systems: Sequence[str]) -> str:
    """Return why the strengths have no finite maximum, with the names of the systems; "" if they have one."""
    if not unbounded(design, counts[None])[0]:
        return ""
    beats, tied = (matrix[0] for matrix in square(design, counts[None]))
    return "; ".join(_reasons(beats, tied, systems))


def check_bounded(design: Design, counts: Array, systems: Sequence[str]) -> None:
    """Raise InputError if the strengths have no finite maximum; name the systems and the reason."""
    if not (why := why_unbounded(design, counts, systems)):
        return
    raise InputError(
        why,
        python="pass prior=0.5 to add half a win and half a loss to each system",
        cli="add --prior 0.5 to add half a win and half a loss to each system",
    )


def _reasons(beats: Array, tied: Array, systems: Sequence[str]) -> list[str]:
    edges = (beats + tied) > 0
    groups = _groups(reachable((edges | edges.T)[None])[0])
    if len(groups) > 1:
        names = " | ".join(_names(group, systems) for group in groups)
        return [
            f"no comparison connects these {len(groups)} groups of systems, so their strengths cannot be compared:"
            f" {names}"
        ]
    reach = reachable(edges[None])[0]
    strong = _groups(reach & reach.T)
    if len(strong) == 1:
        if not beats.any():
            return [f"all {counted(round(tied.sum() / 2), 'comparison')} are ties, so no system is better"]
        return ["no comparison contradicts the order of the systems, so the strengths have no bounds"]
    reasons = []
    for group in strong:
        others = [number for number in range(len(systems)) if number not in group]
        won, lost = (edges[np.ix_(*places)].any() for places in ((group, others), (others, group)))
        if won and lost:
            continue
        verb, side = ("won", "upper") if won else ("lost", "lower")
        count = round(float((beats + tied)[np.ix_(group, others)].sum() + beats[np.ix_(others, group)].sum()))
        whose = "its" if len(group) == 1 else "their"
        against = "" if len(group) == 1 else " against the others"
        reasons.append(
            f"{_names(group, systems)} {verb} all of {whose} {counted(count, 'comparison')}{against}: {whose}"
            f" strength has no {side} bound"
        )
    return reasons


def _groups(same: Array) -> list[list[int]]:
    """Return the classes of an equivalence relation, as lists of numbers."""
    return [np.flatnonzero(row).tolist() for number, row in enumerate(same) if number == np.argmax(row)]


def _names(group: Sequence[int], systems: Sequence[str]) -> str:
    return listed([systems[number] for number in group])
