"""replicate: do the claims of a test hold on systems and inputs that it has not seen?"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.all_pairs import Plan, all_pairs
from nlgauge.meta.comparison import planned
from nlgauge.meta.findings import Findings, made
from nlgauge.stats.measures import Measure

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments


def replicate(
    judgments: Judgments,
    level: str = "system",
    coefficient: str | Measure = "pearson",
    test: str | None = None,
    generalize_to: str | None = None,
    resamples: int = 500,
    seed: int = 12345,
    human: str | None = None,
    metrics: Sequence[str] | None = None,
    swap: str | None = None,
    alpha: float = 0.05,
    splits: int = 50,
) -> Findings:
    """Check claims of a test on held-out systems and segments.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension, of one group; at least four systems.
    level : {"system", "input", "global", "by_system"}
        Scores to correlate: S system means ("system"), S scores per segment, averaged over segments ("input"), all
        S * N scores ("global"), or N scores per system, averaged over systems ("by_system").
    coefficient : str or Measure
        Name in `nlgauge.stats.measures.MEASURES`, or a Measure.
    test : {"randomization", "bootstrap", "williams"}, optional
        Test. "randomization" swaps the scores of two metrics, and is the default. "bootstrap" is the default for
        `generalize_to="both"`, which randomization does not support. "williams" tests new systems at the system level and
        new independent outputs at the global level.
    generalize_to : {"systems", "inputs", "both"}, optional
        Population of the claim: new systems (default), new inputs of the same systems, or both.
    resamples : int, default 500
        Number of resamples B.
    seed : int, default 12345
        Seed of the resamples.
    human : str, optional
        Human dimension. Required if there are several.
    metrics : sequence of str, optional
        Metrics. Default: all.
    swap : {"systems", "inputs", "cells", "rows-xor-cols"}, optional
        Unit that randomization swaps. Default: derived from `generalize_to`.
    alpha : float, default 0.05
        Significance level.
    splits : int, default 50
        Number of random splits into halves.

    Returns
    -------
    Findings
        One row per pair of metrics and a last row for all pairs: the number of splits with a comparison (`compared`) and
        with a claim (`claimed`), claims with the same sign (`kept`) and the opposite sign (`reversed`) on the held-out half,
        and both as shares (of the claims, and of all comparisons).

    Raises
    ------
    InputError
        If there are groups, fewer than two metrics or fewer than four systems.
    ParameterError
        If an option is invalid.

    Notes
    -----
    A claim is an uncorrected p <= alpha on a random half of the systems and segments. Halves of a finite set are negatively
    dependent, so all shares are somewhat pessimistic. With scores of whole systems, only systems are split.
    """
    plan = planned(level, coefficient, test, generalize_to, "none", resamples, seed, swap, 0.95, alpha)
    chosen = judgments if metrics is None else judgments.only(metrics=metrics)
    if chosen.groups is not None:
        raise InputError("replicate needs judgments of one group; pass each part of judgments.by_group().")
    if len(chosen.labels) < 2 or len(chosen.systems) < 4:
        raise InputError(
            f"replicate needs two metrics and four systems, got {len(chosen.labels)} and"
            f" {len(chosen.systems)}."
        )
    if not isinstance(splits, int) or splits < 1:
        raise ParameterError(f"splits must be a whole number from 1, got {splits!r:.60}.")
    dimension = chosen.dimension(human)
    counts = np.zeros((4, len(chosen.labels) * (len(chosen.labels) - 1) // 2), int)
    rng = np.random.default_rng(seed)
    for _ in range(splits):
        counts += _of_split(chosen, dimension, plan, rng)
    k, m = np.triu_indices(len(chosen.labels), 1)
    rows = [
        _row(chosen.labels[i], chosen.labels[j], column) for i, j, column in zip(k, m, counts.T, strict=True)
    ]
    how = {
        name: value
        for name, value in vars(plan).items()
        if name not in {"measure", "adjust", "confidence", "against"}
    }
    return Findings(
        [*rows, _row("all", "all", counts.sum(axis=1))],
        made(coefficient=plan.measure.name, splits=splits, human=dimension, **how),
        "Held-out check",
    )


def _of_split(judgments: Judgments, dimension: str, plan: Plan, rng: np.random.Generator) -> Array:
    """Return for each pair whether it was compared, claimed, kept and reversed."""
    halves = []
    systems, inputs = rng.permutation(len(judgments.systems)), rng.permutation(len(judgments.segments))
    for part in (0, 1):
        half = judgments.taken(systems=np.sort(systems[part::2]))
        halves.append(half if judgments.system_scores else half.taken(segments=np.sort(inputs[part::2])))
    shown = all_pairs(halves[0], dimension, plan, intervals=False)
    held_out = all_pairs(halves[1], dimension, dataclasses.replace(plan, resamples=1), intervals=False)
    known = ~np.isnan(shown.p) & ~np.isnan(held_out.deltas)
    claimed = known & (shown.p <= plan.alpha) & (shown.deltas != 0)
    alike = np.sign(shown.deltas) * np.sign(held_out.deltas)
    return np.stack([known, claimed, claimed & (alike > 0), claimed & (alike < 0)]).astype(int)


def _row(metric: str, other: str, counts: Array) -> dict[str, Any]:
    compared, claimed, kept, reversed_ = (int(count) for count in counts)
    return {
        "metric": metric,
        "other": other,
        "compared": compared,
        "claimed": claimed,
        "kept": kept,
        "reversed": reversed_,
        "kept_share": kept / claimed if claimed else float("nan"),
        "reversed_share": reversed_ / compared if compared else float("nan"),
    }
