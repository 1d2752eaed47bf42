"""The tests of all pairs of metrics on one set of systems and inputs, with the resamples that they came from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.stats.arrays import snapped
from nlgauge.stats.corrections import adjusted, as_extreme, max_t, sequential, two_sided
from nlgauge.stats.intervals import percentile, zou
from nlgauge.stats.levels import Scores, human_means, system_means
from nlgauge.stats.measures import Measure, OfCoefficient
from nlgauge.stats.permutation.linear import null_differences
from nlgauge.stats.permutation.swaps import drawn_swaps
from nlgauge.stats.resampling import bootstrap, too_few_systems
from nlgauge.stats.williams import williams

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

MAX_T = ("maxT", "maxT-raw")
_FIRST_DRAWS = 100


@dataclass(frozen=True)
class Plan:
    """The options of a comparison; `swap` is None for tests that swap nothing, `stop` if every draw is made.

    `against` names the metrics that all others are compared with; none of them means all pairs.
    """

    level: str
    measure: Measure
    test: str
    generalize_to: str
    swap: str | None
    adjust: str
    resamples: int
    seed: int
    confidence: float
    alpha: float
    stop: int | None = None
    against: tuple[str, ...] = ()

    def family(self, labels: Sequence[str]) -> Array:
        """Return (P,) True for tested pairs of these metrics, in the order of `np.triu_indices(M, 1)`."""
        asked = np.array([label in self.against for label in labels], bool)
        k, m = np.triu_indices(len(labels), 1)
        return np.asarray(asked[k] | asked[m]) if self.against else np.ones(len(k), bool)

    def corrected(self, p: Array, delta: Array, null: Array, units: float) -> Array:
        """Return the p-values of all pairs, with the correction of the plan."""
        if self.adjust in MAX_T:
            return max_t(delta, null, self.adjust == "maxT", units)
        return adjusted(p, self.adjust)


class ComparedScores(NamedTuple):
    """The scores of a comparison: x (M, S, N), z (S, N), NaN if any is missing; `whole` (S,) or None for each
    metric.
    """

    labels: tuple[str, ...]
    x: Array
    z: Array
    weights: Array | None
    whole: tuple[Array | None, ...]

    def by_metric(self) -> list[Scores]:
        """Return the scores of each metric with the human scores."""
        return [Scores(x, self.z, self.weights, whole) for x, whole in zip(self.x, self.whole, strict=True)]

    def means(self) -> tuple[Array, Array]:
        """Return the metrics' scores of systems (M, S) and the human scores of systems (S,)."""
        rows = [
            system_means(one, self.z, self.weights)[0] if whole is None else whole
            for one, whole in zip(self.x, self.whole, strict=True)
        ]
        return np.array(rows), human_means(self.z, self.weights)

    def units(self, swap: str | None) -> float:
        """Return how many units are swapped independently; without swaps, no number bounds a p-value."""
        known = np.isfinite(self.z)
        systems, inputs = int(known.any(axis=1).sum()), int(known.any(axis=0).sum())
        # To swap all systems and all inputs is to swap nothing.
        counts = {"systems": systems, "inputs": inputs, "rows-xor-cols": systems + inputs - 1}
        return math.inf if swap is None else counts.get(swap, int(known.sum()))


@dataclass(frozen=True, eq=False)
class AllPairs:
    """All pairs of metrics (in the order of `np.triu_indices(M, 1)`): differences, intervals, p; null (B, P)
    if there are resamples, how many of them each p is from, how many units were swapped, and why the systems are too few
    for a bootstrap."""

    plan: Plan
    labels: tuple[str, ...]
    values: Array
    low: Array
    high: Array
    p: Array
    p_adjusted: Array
    null: Array | None
    drawn: Array | None = None
    units: float = math.inf
    few: str = ""

    @property
    def deltas(self) -> Array:
        """The difference of each pair, (P,)."""
        k, m = np.triu_indices(len(self.values), 1)
        differences: Array = self.values[k] - self.values[m]
        return differences

    def among(self, labels: tuple[str, ...]) -> AllPairs:
        """Return the same comparison with further metrics, whose values are unknown."""
        place = {label: at for at, label in enumerate(self.labels)}
        k, m = np.triu_indices(len(labels), 1)
        pairs = {pair: at for at, pair in enumerate(combinations(range(len(self.labels)), 2))}
        # `widened` adds a last column of NaN, for pairs that are not known.
        where = [
            pairs.get((place.get(labels[i], -1), place.get(labels[j], -1)), -1)
            for i, j in zip(k, m, strict=True)
        ]

        def widened(values: Array) -> Array:
            return np.concatenate([values, np.full((*values.shape[:-1], 1), np.nan)], axis=-1)[..., where]

        values = np.array([self.values[place[label]] if label in place else np.nan for label in labels])
        by_pair = {name: getattr(self, name) for name in ("low", "high", "p", "p_adjusted", "null", "drawn")}
        wide: Any = {name: None if of is None else widened(of) for name, of in by_pair.items()}
        return replace(self, labels=labels, values=values, **wide)

    def rows(self, human: str, group: Any) -> Iterator[dict[str, Any]]:
        """Yield one row per pair of metrics."""
        gone = np.zeros(len(self.p), int) if self.null is None else np.isnan(self.null).sum(axis=0)
        tested = self.plan.family(self.labels)
        for at, pair in enumerate(combinations(range(len(self.values)), 2)):
            if not tested[at]:
                continue
            p, p_adjusted, delta = float(self.p[at]), float(self.p_adjusted[at]), float(self.deltas[at])
            (k, m), low, high = pair, float(self.low[at]), float(self.high[at])
            if self.labels[k] in self.plan.against and self.labels[m] not in self.plan.against:
                # The metric that others are compared with is second.
                k, m, delta, low, high = m, k, 0.0 - delta, 0.0 - high, 0.0 - low
            yield {
                "human": human,
                "group": group,
                "metric": self.labels[k],
                "other": self.labels[m],
                "value": float(self.values[k]),
                "other_value": float(self.values[m]),
                "delta": delta,
                "low": low,
                "high": high,
                "p": p,
                "p_error": (
                    math.nan
                    if self.drawn is None
                    else math.sqrt(p * (1 - p) / max(1.0, float(self.drawn[at])))
                ),
                "p_adjusted": p_adjusted,
                "better": (
                    (self.labels[k] if delta > 0 else self.labels[m])
                    if p_adjusted <= self.plan.alpha and delta != 0
                    else ""
                ),
                "test": (
                    self.plan.test
                    if self.plan.swap in {None, "systems", "inputs"}
                    else f"{self.plan.test} ({self.plan.swap})"
                ),
                "generalizes_to": self.plan.generalize_to,
                "n_undefined": int(gone[at]),
                **(
                    {}
                    if self.plan.stop is None or self.drawn is None
                    else {"resamples": int(np.nan_to_num(self.drawn[at]))}
                ),
                "reason": self._reason(k, m, p),
            }

    def _reason(self, k: int, m: int, p: float) -> str:
        unknown = [self.labels[i] for i in (k, m) if math.isnan(self.values[i])]
        if unknown:
            return (
                f"{self.plan.measure.name} of {' and '.join(unknown)} is undefined (constant scores, or fewer"
                " than two points)"
            )
        if self.few or not math.isnan(p):
            return self.few
        return "too few systems" if self.plan.test == "williams" else "undefined in every resample"


def all_pairs(judgments: Judgments, dimension: str, plan: Plan, intervals: bool = True) -> AllPairs:
    """Return the tests of one human dimension; `judgments` are of one group.

    Metrics without any score in it are undefined, and cost the others nothing.
    """
    judged = np.isfinite(judgments.human(dimension))
    present = [
        label
        for label in judgments.labels
        if label in judgments.system_scores or (judged & np.isfinite(judgments.metrics[label])).any()
    ]
    if not present:
        nothing = np.empty(0)
        return AllPairs(plan, (), nothing, nothing, nothing, nothing, nothing, None).among(judgments.labels)
    found = _all_pairs(_scores(judgments.only(metrics=present), dimension, plan), plan, intervals)
    return found if len(present) == len(judgments.labels) else found.among(judgments.labels)


def _all_pairs(scores: ComparedScores, plan: Plan, intervals: bool) -> AllPairs:
    if plan.test == "williams":
        return _by_williams(scores, plan)
    values = np.array([plan.measure.value(plan.level, one).value for one in scores.by_metric()])
    k, m = np.triu_indices(len(values), 1)
    delta = np.where(plan.family(scores.labels), values[k] - values[m], np.nan)
    drawn = _bootstrapped(scores, plan) if intervals or plan.swap is None else np.full((1, len(k)), np.nan)
    few = too_few_systems(plan.generalize_to, int(np.isfinite(scores.z).any(axis=1).sum()))
    if few:
        drawn = np.full_like(drawn, np.nan)
    bounds = [percentile(column, plan.confidence) for column in drawn.T]
    null = drawn - _column_means(drawn) if plan.swap is None else _permuted(scores, plan, delta)
    null = np.where(np.isnan(delta), np.nan, null)
    units = scores.units(plan.swap)
    p, used = (
        (two_sided(delta, null, units), np.full(len(delta), len(null)))
        if plan.stop is None
        else sequential(delta, null, plan.stop, units)
    )
    corrected = plan.corrected(p, delta, null, units)
    low, high = (np.where(np.isnan(delta), np.nan, [bound[side] for bound in bounds]) for side in (0, 1))
    return AllPairs(plan, scores.labels, values, low, high, p, corrected, null, used, units, few)


def _scores(judgments: Judgments, dimension: str, plan: Plan) -> ComparedScores:
    """Return the cells that all metrics and the human scores have; scores of whole systems are used at system
    level if the measure allows it.
    """
    labels = judgments.labels
    at_systems = plan.level == "system" and plan.measure.of_means
    alone = [label for label in labels if label not in judgments.metrics]
    if alone and not at_systems:
        raise InputError(
            f"{alone[0]} has scores of whole systems only, and {plan.measure.name} at {plan.level} level needs"
            " scores of segments",
            python="leave the metric out with metrics=[...]",
            cli="leave the metric out: name the others with -m",
        )
    whole = tuple(judgments.oriented_system_scores(label) if at_systems else None for label in labels)
    if plan.generalize_to != "systems" and any(one is not None for one in whole):
        named = next(label for label, one in zip(labels, whole, strict=True) if one is not None)
        raise InputError(
            f"{named} has scores of whole systems, which cannot be resampled by inputs",
            python="use generalize_to='systems', or judgments without system_scores",
            cli="use --generalize-to systems",
        )
    if (
        judgments.weights is not None
        and plan.swap is not None
        and not (at_systems and plan.swap == "systems")
    ):
        raise InputError(
            "a randomization test supports segment weights only if systems are swapped at system level",
            python="use test='bootstrap'",
            cli="use --test bootstrap",
        )
    z = judgments.human(dimension)
    known = np.isfinite(z)
    for label in judgments.metrics:
        known &= np.isfinite(judgments.metrics[label])
    x = np.where(known, judgments.stacked(labels), np.nan)
    for at, one in enumerate(whole):
        if one is not None:
            # Whoever reads cells of such a metric finds where the others and people have some.
            x[at] = np.where(known, one[:, None], np.nan)
    return ComparedScores(labels, x, np.where(known, z, np.nan), judgments.weights, whole)


def _bootstrapped(scores: ComparedScores, plan: Plan) -> Array:
    """Return the differences of all pairs in resamples of the units that the claims generalize to, (B, P)."""
    resamples = bootstrap(len(scores.z), scores.z.shape[1], plan.generalize_to, plan.resamples, plan.seed)
    replicates = np.stack([plan.measure.replicates(plan.level, one, resamples) for one in scores.by_metric()])
    k, m = np.triu_indices(len(replicates), 1)
    differences: Array = (replicates[k] - replicates[m]).T
    return differences


def _permuted(scores: ComparedScores, plan: Plan, delta: Array) -> Array:
    assert plan.swap is not None
    x, z = scores.x, scores.z
    if plan.level == "system" and plan.swap == "systems" and plan.measure.of_means:
        means, human = scores.means()
        x, z = means[:, :, None], human[:, None]
    swaps = drawn_swaps(plan.swap, len(z), z.shape[1], plan.resamples, plan.seed)
    if plan.stop is None:
        return null_differences(x, z, plan.level, plan.measure, swaps)
    null = np.empty((0, len(delta)))
    while len(null) < len(swaps) and (len(null) == 0 or not _ended(delta, null, plan.stop)):
        # Twice as many each time, because every part has a fixed cost.
        further = null_differences(
            x, z, plan.level, plan.measure, swaps.part(len(null), max(_FIRST_DRAWS, 2 * len(null)))
        )
        null = np.concatenate([null, further])
    return null


def _ended(delta: Array, null: Array, stop: int) -> bool:
    """Return True if every difference has `stop` resamples that are as large."""
    return bool((as_extreme(delta, null).sum(axis=0) >= stop)[~np.isnan(delta)].all())


def _by_williams(scores: ComparedScores, plan: Plan) -> AllPairs:
    x, z = (
        scores.means() if plan.level == "system" else (scores.x.reshape(len(scores.x), -1), scores.z.ravel())
    )
    known = np.isfinite(z) & np.isfinite(x).all(axis=0)
    x, z = x[:, known], z[known]
    assert isinstance(plan.measure, OfCoefficient)
    if plan.level == "system" and plan.measure.coefficient.by_rank:
        x, z = snapped(x), snapped(z)
    n = len(z)
    k, m = np.triu_indices(len(x), 1)
    values = np.asarray(plan.measure.coefficient(x, z), float)
    among = np.asarray(plan.measure.coefficient(x[k], x[m]), float)
    p = np.where(plan.family(scores.labels), williams(values[k], values[m], among, n).p, np.nan)
    bounds = [
        zou(float(one), float(other), float(r), n, plan.confidence)
        for one, other, r in zip(values[k], values[m], among, strict=True)
    ]
    low, high = (np.array([bound[side] for bound in bounds]) for side in (0, 1))
    return AllPairs(plan, scores.labels, values, low, high, p, adjusted(p, plan.adjust), None)


def _column_means(drawn: Array) -> Array:
    known = ~np.isnan(drawn)
    return np.asarray(np.where(known, drawn, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1))
