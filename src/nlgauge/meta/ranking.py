"""rank: metrics over a suite of tasks, with clusters of the average.

A task is one coefficient at one level for one human dimension and one group (language pair). A suite is a
list of tasks, declared as data; the presets derive it from the judgments. Values are brought to [0, 1]
((r + 1) / 2 for correlations) and averaged with the weights of a tree: split evenly by the first
attribute, then within each of its values by the next, and by `share` at the leaves. The null of the average
is the weighted sum of the tasks' resamples; tasks of one group share theirs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError, did_you_mean
from nlgauge.meta.all_pairs import AllPairs, all_pairs
from nlgauge.meta.comparison import planned
from nlgauge.meta.findings import Findings, made
from nlgauge.stats.corrections import two_sided
from nlgauge.stats.letters import cluster_ranks, letters, not_beaten
from nlgauge.stats.measures import SPA, Measure

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

# Measures that lie in [0, 1]; all others lie in [-1, 1].
_SHARES = {"acc_eq", "acc_eq_calibrated", "pairwise_accuracy", "spa"}


@dataclass(frozen=True)
class RankingTask:
    """A task of a ranking: a coefficient at a level, for a human dimension and a group.

    Parameters
    ----------
    coefficient : str or Measure
        Name in `nlgauge.stats.measures.MEASURES`, or a Measure.
    level : {"system", "input", "global", "by_system"}
        Scores to correlate: S system means ("system"), S scores per segment, averaged over segments ("input"), all
        S * N scores ("global"), or N scores per system, averaged over systems ("by_system").
    human : str, optional
        Human dimension. Required if there are several.
    group : optional
        Group of the judgments. Default: every group, or all segments if there are no groups.
    share : float, default 1.0
        Weight of the task among tasks of the same branch.
    """

    coefficient: str | Measure
    level: str
    human: str | None = None
    group: Any = None
    share: float = 1.0

    @property
    def name(self) -> str:
        """Name of the task in tables."""
        coefficient = self.coefficient if isinstance(self.coefficient, str) else self.coefficient.name
        return " ".join(
            str(part) for part in (self.group, self.human, self.level, coefficient) if part is not None
        )


@dataclass(frozen=True)
class Preset:
    """Tasks for every group (and every human dimension, if `every_human`), and the tree of weights.

    `pooled` coefficients count every group by its number of pairs of systems, so that their average is the
    value of all pairs.
    """

    tasks: tuple[RankingTask, ...]
    by: tuple[str, ...]
    about: str
    every_human: bool = False
    pooled: tuple[str, ...] = ()


PRESETS: Mapping[str, Preset] = {
    "wmt17": Preset(
        (RankingTask("pearson", "system"), RankingTask("pearson", "global")),
        ("level", "group"),
        "system and segment Pearson of direct assessments",
    ),
    "wmt18": Preset(
        (RankingTask("pearson", "system"), RankingTask("darr", "input")),
        ("level", "group"),
        "system Pearson, segment DARR",
    ),
    "wmt19": Preset(
        (RankingTask("pearson", "system"), RankingTask("darr", "input")),
        ("level", "group"),
        "system Pearson, segment DARR",
    ),
    "wmt20": Preset(
        (RankingTask("pearson", "system"), RankingTask("darr", "input")),
        ("level", "group"),
        "as wmt19; see also `without_outliers`",
    ),
    "wmt21": Preset(
        (RankingTask("pairwise_accuracy", "system"), RankingTask("kendall", "global")),
        ("level", "group"),
        "system pairwise accuracy, segment Kendall of MQM",
        pooled=("pairwise_accuracy",),
    ),
    "wmt22": Preset(
        (
            RankingTask("pairwise_accuracy", "system"),
            RankingTask("kendall", "global"),
            RankingTask("kendall", "input"),
            RankingTask("kendall", "by_system"),
        ),
        ("level", "group"),
        "system pairwise accuracy, segment Kendall with three ways of grouping",
        pooled=("pairwise_accuracy",),
    ),
    "wmt23": Preset(
        (
            RankingTask("pairwise_accuracy", "system"),
            RankingTask("pearson", "system"),
            RankingTask("pearson", "global"),
            RankingTask("acc_eq_calibrated", "input"),
        ),
        ("level", "coefficient", "group"),
        "system pairwise accuracy and Pearson, segment Pearson, calibrated acc_eq by input",
        pooled=("pairwise_accuracy",),
    ),
    "wmt24": Preset(
        # As mt-metrics-eval has it, which counts resamples that equal the observed difference fully.
        (RankingTask(replace(SPA, rule=">="), "system"), RankingTask("acc_eq_calibrated", "input")),
        ("level", "group"),
        "soft pairwise accuracy, calibrated acc_eq by input",
    ),
    "summeval": Preset(
        (RankingTask("kendall", "system"),),
        ("human",),
        "system Kendall of every human dimension",
        every_human=True,
    ),
}


def rank(
    judgments: Judgments,
    tasks: Sequence[RankingTask] | None = None,
    preset: str | None = None,
    by: Sequence[str] | None = None,
    test: str | None = None,
    generalize_to: str | None = None,
    adjust: str = "maxT",
    resamples: int = 1000,
    seed: int = 12345,
    metrics: Sequence[str] | None = None,
    swap: str | None = None,
    alpha: float = 0.05,
) -> Findings:
    """Rank metrics by their average over tasks, with significance clusters.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    tasks : sequence of RankingTask, optional
        Tasks. Default: the tasks of the preset.
    preset : str, optional
        Name in `nlgauge.meta.PRESETS`: "wmt17" to "wmt24" or "summeval".
    by : sequence of str, optional
        Attributes of the tree of weights: "group", "human", "level", "coefficient".
    test : {"randomization", "bootstrap"}, optional
        Test. "randomization" swaps the scores of two metrics, and is the default. "bootstrap" is the default for
        `generalize_to="both"`, which randomization does not support.
    generalize_to : {"systems", "inputs", "both"}, optional
        Population of the claim: new systems (default), new inputs of the same systems, or both.
    adjust : {"maxT", "maxT-raw", "holm", "bonferroni", "bh", "by", "none"}
        Correction for all pairs of metrics.
    resamples : int, default 1000
        Number of resamples B.
    seed : int, default 12345
        Seed of the resamples.
    metrics : sequence of str, optional
        Metrics. Default: all.
    swap : {"systems", "inputs", "cells", "rows-xor-cols"}, optional
        Unit that randomization swaps. Default: derived from `generalize_to`.
    alpha : float, default 0.05
        Significance level.

    Returns
    -------
    Findings
        One row per metric, best first: weighted average over tasks, its cluster and letters, the average cluster in the
        tasks, and the value of each task. A metric that is undefined in a task has no average. `made["tasks"]` has the tasks
        with their weights.

    Raises
    ------
    InputError
        If there is no task or fewer than two metrics.
    ParameterError
        If the preset is unknown, or the test is "williams", which has no resamples to add.
    """
    chosen = judgments if metrics is None else judgments.only(metrics=metrics)
    suite, tree = (list(tasks), tuple(by or ())) if tasks is not None else _of_preset(chosen, preset, by)
    suite = [one for task in suite for one in _expanded(task, chosen)]
    if not suite or len(chosen.labels) < 2:
        raise InputError(
            f"a ranking needs a task and two metrics, got {len(suite)} and {len(chosen.labels)}."
        )
    if test == "williams":
        raise ParameterError(
            "Williams' test has no resamples, which the test of an average needs; use 'randomization' or"
            " 'bootstrap'."
        )
    weights = tree_weights(suite, tree)
    parts = chosen.by_group()
    results = []
    for task in suite:
        part, drawn = parts[task.group], seed + list(parts).index(task.group)
        plan = planned(
            task.level, task.coefficient, test, generalize_to, adjust, resamples, drawn, swap, 0.95, alpha
        )
        results.append(all_pairs(part, part.dimension(task.human), plan, intervals=False))
    rows = _ranked(chosen.labels, suite, weights, results)
    named = "; ".join(f"{task.name} {weight:.4g}" for task, weight in zip(suite, weights, strict=True))
    how = {
        name: value
        for name, value in vars(results[0].plan).items()
        if name not in {"measure", "level", "seed", "confidence", "against"}
    }
    return Findings(
        rows, made(preset=preset, tasks=named, by=list(tree), seed=seed, **how), "Metrics over all tasks"
    )


def _ranked(
    labels: Sequence[str], suite: Sequence[RankingTask], weights: Sequence[float], results: Sequence[AllPairs]
) -> list[dict[str, Any]]:
    plan = results[0].plan
    shares = [result.plan.measure.name in _SHARES for result in results]
    values = sum(
        w * (of.values if share else (of.values + 1) / 2)
        for w, of, share in zip(weights, results, shares, strict=True)
    )
    null = sum(
        w * of.null / (1 if share else 2)
        for w, of, share in zip(weights, results, shares, strict=True)
        if of.null is not None
    )
    k, m = np.triu_indices(len(labels), 1)
    scores, delta, drawn = np.asarray(values), np.asarray(values)[k] - np.asarray(values)[m], np.asarray(null)
    units = _units(suite, results)
    corrected = plan.corrected(two_sided(delta, drawn, units), delta, drawn, units)
    p = _square(corrected, len(labels))
    ranks, shown, best = (of(scores, p, plan.alpha) for of in (cluster_ranks, letters, not_beaten))
    within = [cluster_ranks(of.values, _square(of.p, len(labels)), plan.alpha) for of in results]
    rows = []
    for i in np.argsort(-scores, kind="stable"):
        places = [ranked[i] for ranked in within]
        known = [(w, place) for w, place in zip(weights, places, strict=True) if place is not None]
        missing = [task.name for task, of in zip(suite, results, strict=True) if math.isnan(of.values[i])]
        rows.append(
            {
                "metric": labels[i],
                "average": float(scores[i]),
                "cluster": ranks[i],
                "letters": shown[i],
                "not_beaten": best[i],
                "average_cluster": (
                    sum(w * place for w, place in known) if len(known) == len(places) else math.nan
                ),
                **{task.name: float(of.values[i]) for task, of in zip(suite, results, strict=True)},
                "reason": f"undefined in {', '.join(missing)}" if missing else "",
            }
        )
    return rows


def _units(suite: Sequence[RankingTask], results: Sequence[AllPairs]) -> float:
    """Return how many units are swapped independently: tasks of one group share their swaps."""
    by_group: dict[Any, float] = {}
    for task, result in zip(suite, results, strict=True):
        by_group[task.group] = max(by_group.get(task.group, 0), result.units)
    return sum(by_group.values())


def _square(p: Array, count: int) -> Array:
    matrix = np.full((count, count), np.nan)
    k, m = np.triu_indices(count, 1)
    matrix[k, m] = matrix[m, k] = p
    return matrix


def tree_weights(tasks: Sequence[RankingTask], by: Sequence[str] = ()) -> list[float]:
    """Return the weights of tasks, which sum to 1.

    Parameters
    ----------
    tasks : sequence of RankingTask
        Tasks.
    by : sequence of str
        Attributes: the weight is split evenly by the values of the first, within each by the next, and by `share` at the
        leaves.

    Returns
    -------
    list of float
        Weight of each task.

    Raises
    ------
    ParameterError
        If an attribute is unknown.

    Examples
    --------
    >>> pearson, kendall = RankingTask("pearson", "system"), RankingTask("kendall", "input")
    >>> tree_weights([pearson, RankingTask("pearson", "input"), kendall], by=["level"])
    [0.5, 0.25, 0.25]
    """
    known = ("group", "human", "level", "coefficient")
    if any(name not in known for name in by):
        raise ParameterError(f"by must name some of {', '.join(known)}, got {', '.join(map(repr, by))}.")
    if not by:
        total = sum(task.share for task in tasks)
        return [task.share / total for task in tasks]
    values = [getattr(task, by[0]) for task in tasks]
    distinct = list(dict.fromkeys(values))
    found = [0.0] * len(tasks)
    for value in distinct:
        places = [at for at, own in enumerate(values) if own == value]
        for at, weight in zip(places, tree_weights([tasks[at] for at in places], by[1:]), strict=True):
            found[at] = weight / len(distinct)
    return found


def _of_preset(
    judgments: Judgments, preset: str | None, by: Sequence[str] | None
) -> tuple[list[RankingTask], tuple[str, ...]]:
    if preset is None or preset not in PRESETS:
        raise ParameterError(
            f"a ranking needs tasks or a preset ({', '.join(PRESETS)}), got preset"
            f" {preset!r:.60}{did_you_mean(str(preset), PRESETS)}."
        )
    chosen = PRESETS[preset]
    humans: list[str | None] = [*judgments.humans] if chosen.every_human else [None]
    found = []
    for task in chosen.tasks:
        for human in humans:
            for group, part in judgments.by_group().items():
                systems = len(part.systems)
                share = systems * (systems - 1) / 2 if task.coefficient in chosen.pooled else 1.0
                found.append(replace(task, human=human, group=group, share=share))
    # Groups of a pooled coefficient must not be split evenly: their shares are their weights.
    tree = chosen.by if not chosen.pooled else tuple(name for name in chosen.by if name != "group")
    return found, tuple(by) if by is not None else tree


def _expanded(task: RankingTask, judgments: Judgments) -> list[RankingTask]:
    groups = list(judgments.by_group())
    if task.group is None and judgments.groups is not None:
        return [replace(task, group=group, share=task.share / len(groups)) for group in groups]
    if task.group not in groups:
        raise InputError(f"unknown group {task.group!r:.60}; the groups are {', '.join(map(str, groups))}.")
    return [task]


def without_outliers(judgments: Judgments, human: str | None = None, threshold: float = 2.5) -> Judgments:
    """Remove systems whose mean human score is far from the others.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    human : str, optional
        Human dimension. Required if there are several.
    threshold : float, default 2.5
        A system is removed if `|h - median| / (1.483 MAD)` exceeds this number in any group, where h is its mean human
        score (the rule of WMT 2020).

    Returns
    -------
    Judgments
        Judgments without these systems.
    """
    gone = set()
    for part in judgments.by_group().values():
        known = part.human(human)
        means = np.array([np.nan if np.isnan(row).all() else np.nanmean(row) for row in known])
        far = np.abs(means - np.nanmedian(means))
        spread = 1.483 * np.nanmedian(far)
        gone |= {
            system
            for system, distance in zip(part.systems, far, strict=True)
            if spread > 0 and distance / spread > threshold
        }
    return judgments.only(systems=[system for system in judgments.systems if system not in gone])
