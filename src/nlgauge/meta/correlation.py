"""correlate: how well metrics agree with people, with intervals, floors and ceilings, one row per metric,
human dimension, level and coefficient.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nlgauge._core.numbers import part_of
from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.ceiling import ceiling, disattenuated, reliability
from nlgauge.meta.findings import Findings, listed, made
from nlgauge.meta.ready_pairs import columns, ordered, replicates
from nlgauge.stats.agreement import why_unknown
from nlgauge.stats.intervals import Bounds, bca, check_confidence, fisher, percentile
from nlgauge.stats.levels import Levelled, check_level
from nlgauge.stats.measures import Darr, Measure, measure
from nlgauge.stats.resampling import (
    OVER,
    Resamples,
    bootstrap,
    check_resampling,
    leave_one_out,
    too_few_systems,
)

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

AVERAGE = "average"
_UNKNOWN = Bounds(math.nan, math.nan)


def correlate(
    judgments: Judgments,
    level: str | Sequence[str] = ("system", "input", "global"),
    coefficient: str | Measure | Sequence[str | Measure] = ("pearson", "spearman", "kendall"),
    human: str | Sequence[str] | None = None,
    metrics: str | Sequence[str] | None = None,
    interval: str | None = "both",
    method: str = "percentile",
    resamples: int = 1000,
    seed: int = 12345,
    confidence: float = 0.95,
    complete: bool = False,
    absolute: bool = False,
    average: str = "macro",
    undefined: str = "drop",
) -> Findings:
    """Correlate metrics with human scores.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    level : str or sequence of str
        Scores to correlate: S system means ("system"), S scores per segment, averaged over segments ("input"), all
        S * N scores ("global"), or N scores per system, averaged over systems ("by_system").
    coefficient : str, Measure or sequence of these
        Names in `nlgauge.stats.measures.MEASURES`, or Measure objects. A coefficient is skipped at levels at which it is
        not defined.
    human : str or sequence of str, optional
        Human dimensions. Default: all.
    metrics : str or sequence of str, optional
        Metrics. Default: all.
    interval : {"both", "systems", "inputs", "fisher", None}
        Unit that the bootstrap resamples: systems, segments ("inputs") or both; "fisher" uses Fisher's formula, None
        computes no interval. An interval over inputs does not generalize to other systems.
    method : {"percentile", "bca"}
        Type of the bootstrap interval.
    resamples : int, default 1000
        Number of resamples B.
    seed : int, default 12345
        Seed of the resamples.
    confidence : float, default 0.95
        Confidence of the intervals.
    complete : bool, default False
        Use only outputs that all metrics and all human dimensions scored.
    absolute : bool, default False
        Return absolute values, as WMT did before 2021.
    average : {"macro", "pairs"}
        Weights of averaged correlations: equal, or by the number of pairs.
    undefined : {"drop", "zero"}
        Treatment of segments (or systems) whose correlation is undefined: excluded from averages, or counted as 0 as
        mt-metrics-eval can do, except segments with fewer than two human scores. `darr`, `acc_eq_calibrated` and `spa` have
        separate rules for both options.

    Returns
    -------
    Findings
        One row per metric, human dimension, level and coefficient. With groups, one row per group and one for their
        average. Columns: `value`, `low`, `high`; `p` (no association, two-sided, exact up to 10 points, only for single
        correlations; at the global level it assumes independent outputs); `n` points; `n_groups` averaged correlations;
        `n_undefined` correlations excluded from the average; `floor` (a constant metric, for accuracies); `ceiling` (one
        annotator against the mean of the others) and `ceiling_reason` (why it is NaN); `disattenuated` (correlation with
        noise-free human scores, for Pearson and Spearman); `over` (resampled unit); `undefined_resamples`; and `reason`
        (why a value is NaN or needs care).

    Raises
    ------
    InputError
        If there are no metrics or no human scores.
    ParameterError
        If an option is invalid, or no coefficient is defined at the levels.

    Notes
    -----
    Metrics are multiplied by their direction, so a negative value means disagreement.
    """
    plan = _Plan(interval, method, resamples, seed, check_confidence(confidence), absolute)
    wanted = [
        replace(measure(name), average=average, undefined=undefined) if isinstance(name, str) else name
        for name in ([coefficient] if isinstance(coefficient, str | Measure) else coefficient)
    ]
    chosen = [check_level(name) for name in listed(level)]
    judged = judgments.only(metrics=metrics, human=human)
    if not judged.labels:
        raise InputError("no metrics to correlate with human scores; pass scores of at least one metric.")
    judged = judged.complete() if complete else judged
    steps = [(name, one) for name in chosen for one in wanted if name in one.levels]
    if not steps:
        raise ParameterError(
            f"{', '.join(one.name for one in wanted)} cannot be computed at level {', '.join(chosen)}; choose another"
            " coefficient or level."
        )
    parts = judged.by_group()
    if judged.humans:
        _warn_of_different_inputs(parts, chosen)
        # Sums of scores near the largest float overflow; the rows report them as undefined.
        with np.errstate(over="ignore", invalid="ignore"):
            found = [row for name in judged.humans for row in _rows(parts, name, steps, plan)]
    elif judged.pairs is not None:
        found = list(_pair_rows(parts, wanted, plan))
    else:
        raise InputError("no human scores to correlate metrics with; pass at least one human dimension.")
    how = made(
        analysis="correlate",
        interval=interval,
        method=method if interval in OVER else None,
        confidence=confidence if interval else None,
        resamples=resamples if interval in OVER else None,
        seed=seed if interval in OVER else None,
        complete=complete or None,
        absolute=absolute or None,
        average=average if average != "macro" else None,
        undefined=undefined if undefined != "drop" else None,
        self_pairs="a system drawn twice is not paired with itself" if interval in OVER else None,
    )
    undirected = [
        label
        for label in judged.labels
        if label in judged.higher_is_better and judged.higher_is_better[label] is None
    ]
    notes = [f"Metrics without a direction, not oriented: {', '.join(undirected)}."] if undirected else []
    return Findings(found, how, "Agreement with people", notes, drawn_as="forest")


@dataclass(frozen=True)
class _Plan:
    """Options of intervals."""

    over: str | None
    method: str
    resamples: int
    seed: int
    confidence: float
    absolute: bool
    _kept: dict[Any, Resamples] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.over not in (*OVER, "fisher", None):
            raise ParameterError(
                f"interval must be 'systems', 'inputs', 'both', 'fisher' or None, got {self.over!r:.60}."
            )
        if self.method not in ("percentile", "bca"):
            raise ParameterError(f"method must be 'percentile' or 'bca', got {self.method!r:.60}.")
        check_resampling(self.resamples, self.seed)

    def drawn(self, part: int, shape: tuple[int, int], over: str) -> Resamples:
        """Return the resamples of one group, which all metrics, levels and coefficients share."""
        key = part, over
        if key not in self._kept:
            self._kept[key] = bootstrap(*shape, over, self.resamples, self.seed + part)
        return self._kept[key]

    def sign(self, values: Any) -> Any:
        """Return the values, or their absolute values if `absolute`."""
        return np.abs(values) if self.absolute else values


@dataclass(frozen=True)
class _One:
    """One metric against one dimension in one group: its value and replicates."""

    found: Levelled
    replicates: Array | None
    bounds: Bounds
    floor: float
    over: str
    reason: str
    extra: dict[str, float]
    p: float = math.nan


def _rows(
    parts: dict[Any, Judgments], dimension: str, steps: list[tuple[str, Measure]], plan: _Plan
) -> Iterator[dict[str, Any]]:
    labels = next(iter(parts.values())).labels
    for level, one in steps:
        tops = {group: _tops(part, dimension, level, one) for group, part in parts.items()}
        for label in labels:
            by_group = {
                group: _one(part, number, label, dimension, level, one, plan)
                for number, (group, part) in enumerate(parts.items())
            }
            names = {"metric": label, "human": dimension, "level": level, "coefficient": one.name}
            yield from _rows_of_groups(names, by_group, tops, one, plan)


def _rows_of_groups(
    names: dict[str, Any], by_group: dict[Any, _One], tops: dict[Any, _Top], one: Measure, plan: _Plan
) -> Iterator[dict[str, Any]]:
    """Yield the row of each group of one metric, and with several groups their average."""
    for group, found in by_group.items():
        yield _row({**names, **({} if group is None else {"group": group})}, found, tops[group], one)
    if None not in by_group:
        yield _row({**names, "group": AVERAGE}, *_together(by_group, tops, one, plan), one)


def _pair_rows(
    parts: dict[Any, Judgments], wanted: Sequence[Measure], plan: _Plan
) -> Iterator[dict[str, Any]]:
    """Yield the rows of judgments with pairs and no scores: only DARR.

    `n` is the number of pairs that the metric scores, `n_groups` the number of their segments, `n_undefined`
    the number of pairs without scores.
    """
    measures = [one for one in wanted if isinstance(one, Darr)]
    if not measures:
        raise InputError(
            "these judgments are better/worse pairs without scores, for which only DARR is defined",
            python="use coefficient='darr' and level='input'",
            cli="use --coefficient darr and --level input",
        )
    tops = dict.fromkeys(parts, _Top(math.nan, math.nan, "pairs have no scores"))
    for one in measures:
        by_label = {group: _of_pairs(part, at, one, plan) for at, (group, part) in enumerate(parts.items())}
        for label in next(iter(by_label.values())):
            names = {"metric": label, "human": "pairs", "level": "input", "coefficient": "darr"}
            by_group = {group: found[label] for group, found in by_label.items()}
            yield from _rows_of_groups(names, by_group, tops, one, plan)


def _of_pairs(part: Judgments, number: int, one: Darr, plan: _Plan) -> dict[str, _One]:
    """Return DARR of every metric on the pairs of one group."""
    assert part.pairs is not None
    compared = [ordered(part, label, one.ties) for label in part.labels]
    shape = len(part.systems), len(part.segments)
    drawn = (
        replicates(part, *columns(compared), plan.drawn(number, shape, str(plan.over)))
        if plan.over in OVER
        else None
    )
    found = {}
    for column, (label, (alike, against)) in enumerate(zip(part.labels, compared, strict=True)):
        total = int(alike.sum() + against.sum())
        value = float(alike.sum() - against.sum()) / total if total else math.nan
        segments = len(np.unique(part.pairs[alike | against, 0]))
        resampled = drawn[:, column] if drawn is not None and total else None
        found[label] = _One(
            Levelled(value, total, segments, len(part.pairs) - total),
            resampled,
            _UNKNOWN if resampled is None else percentile(resampled, plan.confidence),
            math.nan,
            plan.over or "",
            "" if total else "the metric scores no pair",
            {},
        )
    return found


class _Top(NamedTuple):
    """The ceiling, the reliability of the human scores, and why the ceiling is NaN."""

    ceiling: float
    reliability: float
    reason: str


def _tops(part: Judgments, dimension: str, level: str, one: Measure) -> _Top:
    ratings = part.ratings.get(dimension)
    if ratings is None or dimension not in part.humans:
        return _Top(math.nan, math.nan, "only one rating per output")
    top = ceiling(one, level, ratings, part.weights)
    return _Top(
        top,
        reliability(level, ratings, weights=part.weights),
        why_unknown(ratings) if math.isnan(top) else "",
    )


def _one(
    part: Judgments, number: int, label: str, dimension: str, level: str, one: Measure, plan: _Plan
) -> _One:
    scores = part.scores(label, dimension)
    if level != "system" or not one.of_means:
        scores = scores._replace(whole=None)
    x, z, _, whole = scores
    found = one.value(level, scores)
    found = found._replace(value=float(plan.sign(found.value)))
    floor = one.floor(level, scores)
    reason = "" if not math.isnan(found.value) else _why(found, x, z, whole)
    extra = dict(one.beside(level, scores))
    over, replicates, bounds = plan.over or "", None, _UNKNOWN
    systems = int(
        (~np.isnan(z) & (~np.isnan(x) if whole is None else ~np.isnan(whole)[:, None])).any(axis=1).sum()
    )
    if found.n == 2 and level in ("system", "global") and not one.accuracy:
        reason = reason or "two points always lie on a line, so the value is 1 or -1"
    few = too_few_systems(plan.over, systems)
    if few and not math.isnan(found.value):
        reason = "; ".join(filter(None, [reason, few]))
    elif plan.over == "fisher":
        if level in ("system", "global") and one.name in ("pearson", "spearman", "kendall"):
            bounds = fisher(found.value, found.n, one.name, plan.confidence)
            if math.isnan(bounds.low):
                reason = reason or "Fisher's interval needs more points, and a correlation between -1 and 1"
        else:
            reason = (
                reason
                or "Fisher's interval needs a Pearson, Spearman or Kendall correlation at system or global level"
            )
    elif plan.over is not None and not math.isnan(found.value):
        if whole is not None and plan.over == "both":
            over = "systems"
        if whole is not None and plan.over == "inputs":
            reason = "scores of whole systems cannot be resampled by input"
        else:
            drawn = plan.drawn(number, z.shape, over)
            replicates = np.asarray(plan.sign(one.replicates(level, scores, drawn)))
            bounds = percentile(replicates, plan.confidence)
            if plan.method == "bca":
                left = plan.sign(one.replicates(level, scores, leave_one_out(z.shape[0], z.shape[1], over)))
                bounds = bca(replicates, found.value, np.asarray(left), plan.confidence)
            if over != "inputs" and bounds.low == bounds.high:
                bounds = bounds._replace(low=math.nan, high=math.nan)
                reason = "all resamples have the same value, so the width of the interval is unknown"
    return _One(found, replicates, bounds, floor, over, reason, extra, one.p(level, scores))


def _together(
    by_group: dict[Any, _One], tops: dict[Any, _Top], one: Measure, plan: _Plan
) -> tuple[_One, _Top]:
    """Return the average over groups; for pairwise accuracy, over all pairs of all groups."""
    groups = list(by_group)
    pooled = one.name == "pairwise_accuracy"
    weights = np.array(
        [by_group[group].found.n * (by_group[group].found.n - 1) / 2 if pooled else 1.0 for group in groups]
    )

    def average(values: Sequence[float] | Array) -> Array:
        stacked = np.asarray(values, dtype=np.float64)
        own = weights.reshape(-1, *(1,) * (stacked.ndim - 1)) * ~np.isnan(stacked)
        total = own.sum(axis=0)
        return np.asarray((own * np.nan_to_num(stacked)).sum(axis=0) / np.where(total == 0, np.nan, total))

    found = [by_group[group].found for group in groups]
    value = float(average([one.value for one in found]))
    undefined = sum(math.isnan(one.value) for one in found)
    drawn = [by_group[group].replicates for group in groups if by_group[group].replicates is not None]
    whole = len(drawn) == len(groups) - undefined and bool(drawn)
    replicates = (
        average(_filled([by_group[group].replicates for group in groups], plan.resamples)) if whole else None
    )
    bounds = percentile(replicates, plan.confidence) if replicates is not None else _UNKNOWN
    reason = "" if not undefined else part_of(undefined, len(groups), "group", "have no value")
    extra = {
        name: float(average([by_group[group].extra[name] for group in groups]))
        for name in by_group[groups[0]].extra
    }
    levelled = Levelled(value, sum(one.n for one in found), len(groups) - undefined, undefined)
    floor = float(average([by_group[group].floor for group in groups]))
    combined = _One(levelled, replicates, bounds, floor, by_group[groups[0]].over, reason, extra)
    top, reliable = (
        float(average(values))
        for values in (
            [tops[group].ceiling for group in groups],
            [tops[group].reliability for group in groups],
        )
    )
    why = "; ".join(dict.fromkeys(tops[group].reason for group in groups)) if math.isnan(top) else ""
    return combined, _Top(top, reliable, why)


def _filled(replicates: Sequence[Array | None], resamples: int) -> Array:
    return np.stack([np.full(resamples, np.nan) if one is None else one for one in replicates])


def _row(names: dict[str, Any], one: _One, top: _Top, by: Measure) -> dict[str, Any]:
    found, bounds = one.found, one.bounds
    without_noise = disattenuated(found.value, by.name, top.reliability)
    reason = one.reason
    if abs(without_noise) > 1:
        reason = "; ".join(filter(None, [reason, f"disattenuated value {without_noise:.3f} capped"]))
        without_noise = math.copysign(1.0, without_noise)
    counts = {"n": found.n, "n_groups": found.n_groups, "n_undefined": found.n_undefined}
    beside = {
        "floor": one.floor,
        "ceiling": top.ceiling,
        "ceiling_reason": top.reason,
        "disattenuated": without_noise,
        **one.extra,
    }
    interval = {"over": one.over, "undefined_resamples": bounds.n_undefined, "reason": reason}
    return {
        **names,
        "value": found.value,
        "low": bounds.low,
        "high": bounds.high,
        "p": one.p,
        **counts,
        **beside,
        **interval,
    }


def _why(found: Levelled, x: Array, z: Array, whole: Array | None) -> str:
    """Return the reason why a value is undefined."""
    if np.isnan(x).all() and (whole is None or np.isnan(whole).all()):
        return "the metric has no scores here"
    if np.isnan(z).all():
        return "there are no human scores here"
    if whole is None and (np.isnan(x) | np.isnan(z)).all():
        return "no output has both a metric and a human score"
    return "fewer than two points" if found.n < 2 else "all scores are equal, or no pair can be ordered"


def _warn_of_different_inputs(parts: dict[Any, Judgments], levels: Sequence[str]) -> None:
    if "system" not in levels:
        return
    for part in parts.values():
        for z in part.humans.values():
            known = ~np.isnan(z)
            judged = known[known.any(axis=1)]
            if (judged != judged[:1]).any():
                message = (
                    "systems were judged on different inputs, so their means are not over the same texts; use"
                    " another level than system, or in Python Judgments.complete()."
                )
                warnings.warn(message, stacklevel=4)
                return
