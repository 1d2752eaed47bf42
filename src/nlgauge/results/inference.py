"""Intervals of scores and tests of differences between systems: all from tables, for every metric at once.

Intervals: percentile bootstrap over segments, or over documents if they are known (all segments of a document
are drawn together). Tests: approximate randomization (swap the two systems' rows of a segment or document) and
the paired bootstrap (differences shifted to mean 0). p = (b + 1) / (B + 1) with b the resamples at least as
extreme, so a system against itself has p = 1, and p of randomization is never below 2 ** (1 - n), the least
that swaps of n segments or documents allow. If all pairs of systems are compared, p is also corrected by max-T:
the swaps (or resamples) are the same for all pairs, and each difference, divided by the spread of its own null,
is compared with the largest of all pairs. Fits are fixed throughout. A pair is compared on the segments that
both systems have (`nlgauge.results.missing`). (Moses and sacreBLEU take the absolute difference before they
shift, so that their p of equal systems stays near .4, while p of randomization is near 1.)

Metrics that are not computed from per-segment statistics: a bootstrap would repeat texts and so bias them.
Their intervals come from random halves drawn without replacement, whose spread about their mean, scaled by
sqrt(m / (n - m)) for m of n units, equals the spread of the full sample about the truth to first order
(delete-d jackknife); their tests swap outputs and recompute.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.features import Features, RunOptions
from nlgauge.metric import Arrays, CorpusMetric, Output
from nlgauge.metric.table import Table, unstacked, with_score
from nlgauge.results.comparison import Compared, gain_interval
from nlgauge.results.labels import bare_name
from nlgauge.results.missing import Gaps, common, gaps_of, part_of
from nlgauge.results.ranks import Ranked, ranked
from nlgauge.results.resampling import Resampling
from nlgauge.stats.corrections import bootstrap_max_t, max_t, two_sided
from nlgauge.stats.intervals import quantiles
from nlgauge.stats.units import resampled_sums

Tables = Mapping[tuple[str, str], Table]
# A system's metric: on all of its segments (partner ""), or on those that its partner in a pair has too.
Key = tuple[str, str, str]
_NOT_TOGETHER = "not computed from per-segment statistics, so pairs cannot be tested together"
_NO_COMMON = "no segment has a score of both systems"
_ONE_COMMON = "only one segment (or document) has scores of both systems: nothing to resample"
# Numbers of statistics that are drawn from at once.
_DRAWN_AT_ONCE = 50_000_000
# Number of arrays of the size of the swapped sums that are in memory at once.
_SWAPPED_TIMES = 4
# The next comparison reuses differences after swaps if they are at most this many numbers (80 MB).
_KEPT_DIFFERENCES = 10_000_000


class Interval(NamedTuple):
    """A score with the bounds of its interval; NaN bounds come with the reason."""

    score: float
    low: float
    high: float
    reason: str = ""


class PairTest(NamedTuple):
    """The interval of a difference, the p-value of no difference, the test that gave it, its number of
    resamples, why something is NaN.
    """

    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    test: str = ""
    resamples: int = 0
    reason: str = ""


@dataclass
class Inference:
    """Intervals and tests of tables on a corpus; resamples of a system or pair are cached for the next
    comparison.
    """

    tables: Tables
    corpus: Corpus
    options: RunOptions
    has_texts: bool
    plan: Resampling
    _drawn: dict[Key, Arrays] = field(default_factory=dict)
    _common: dict[tuple[str, str, str], tuple[Table, Table]] = field(default_factory=dict)
    _shuffled_before: Mapping[Key, Arrays] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._features = Features(self.corpus.texts, self.options)

    def intervals(self) -> dict[tuple[str, str], dict[str, Interval]]:
        """Return the interval of every output of every table."""
        self._draw((system, label, "") for system, label in self.tables)
        return {key: with_score(self._intervals(key, table)) for key, table in self.tables.items()}

    def _intervals(self, key: tuple[str, str], table: Table) -> dict[str, Interval]:
        reason, confidence = self.obstacle(table), self.plan.confidence
        scores = {output.name: table.scores()[output.name] for output in table.outputs()}
        if reason:
            return {name: Interval(score, math.nan, math.nan, reason) for name, score in scores.items()}
        if table.additive:
            drawn = self.bootstrapped(*key)
            return {name: percentile(score, drawn[name], confidence) for name, score in scores.items()}
        drawn, scale = self._on_halves(key[0], table), self.plan.clusters.half_scale
        return {
            name: half_sample_interval(score, drawn[name], confidence, scale)
            for name, score in scores.items()
        }

    def obstacle(self, table: Table) -> str:
        """Return the reason why a table's uncertainty cannot be estimated; "" if it can."""
        if self.plan.clusters.count < 2:
            return "only one segment (or document): nothing to resample"
        if table.stopped:
            return "segments were asked about until the systems differed; only the sequential test is valid"
        if table.additive:
            return ""
        if not isinstance(table.metric, CorpusMetric) or table.saved_segments:
            return "its class is not imported, so it cannot be recomputed"
        if self.plan.weights is not None:
            return "not computed from per-segment statistics, so segment weights have no meaning for it"
        if not table.metric.resamples:
            return "not computed from per-segment statistics, and recomputing it many times costs too much"
        if not self.has_texts:
            return "not computed from per-segment statistics, and the texts to recompute it were not saved"
        return ""

    def bootstrapped(self, system: str, label: str, partner: str = "") -> Arrays:
        """Return every output of every resample of an additive metric; the resamples are the same for all
        systems.
        """
        key = self.key(system, label, partner)
        self._draw([key])
        return self._drawn[key]

    def key(self, system: str, label: str, partner: str = "") -> Key:
        """Return the key of a system's metric, with a partner only if the two have different segments."""
        apart = partner and self.common(system, partner, label)[0].left_out
        return (system, label, partner) if apart else (system, label, "")

    def common(self, first: str, second: str, label: str) -> tuple[Table, Table]:
        """Return the tables of two systems on the segments that both have."""
        ours, theirs = self.tables[first, label], self.tables[second, label]
        if not ours.additive:
            return ours, theirs
        if (first, second, label) not in self._common:
            self._common[first, second, label] = both = common(ours, theirs)
            self._common[second, first, label] = both[1], both[0]
        return self._common[first, second, label]

    def _table(self, key: Key) -> Table:
        system, label, partner = key
        return self.common(system, partner, label)[0] if partner else self.tables[system, label]

    def _draw(self, keys: Iterable[Key]) -> None:
        """Resample the additive metrics that were not resampled yet: many at once, since drawing costs
        more than summing.
        """
        tables = {
            key: table
            for key in dict.fromkeys(keys)
            if key not in self._drawn and (table := self._table(key)).additive
        }
        if self.plan.clusters.count < 2:
            return
        whole = [key for key in tables if not key[2]]
        for part in _batches(whole, lambda key: tables[key].width * self.plan.clusters.count):
            self._drawn |= dict(
                zip(part, bootstrap_scores([tables[key] for key in part], self.plan), strict=True)
            )
        for key, table in tables.items():
            if key[2]:
                # Only units with a common segment are drawn: a resample without one would have no score.
                units = np.any([self._units(left_out) for left_out in table.left_out.values()], axis=0)
                (self._drawn[key],) = bootstrap_scores([table], self.plan, units)

    def _units(self, left_out: Array | None) -> Array:
        """Return which units have a segment that counts: one that is not left out and has a weight."""
        segments = np.ones(len(self.corpus), dtype=bool) if left_out is None else ~left_out
        return self.plan.clusters.units_with(
            segments if self.plan.weights is None else segments & (self.plan.weights > 0)
        )

    def _on_halves(self, system: str, table: Table) -> Arrays:
        metric = table.metric
        assert isinstance(metric, CorpusMetric)
        halves = self.plan.clusters.halves(min(self.plan.resamples, metric.resamples), self.plan.seed)
        # Metrics read only texts; ids, documents and fields of a stored corpus would be read for each half.
        corpus = replace(self.corpus.bare().with_fields(()), ids=range(len(self.corpus)))
        values = [metric.whole(corpus.take(half), system, self._features) for half in halves]
        return {output.name: np.array([value[output.name] for value in values]) for output in table.outputs()}

    def compared(
        self,
        pairs: Sequence[tuple[str, str]],
        test: str,
        together: bool = False,
        labels: Sequence[str] | None = None,
    ) -> list[Compared]:
        """Return the rows of a comparison: for each pair of systems one for the leading output of each part
        of each metric.

        If the pairs are tested `together`, rows have p-values corrected by max-T for all pairs.
        """
        if labels is None:
            labels = list(dict.fromkeys(label for _, label in self.tables))
        self._draw(
            key
            for one, other in pairs
            for label in labels
            for key in (self.key(one, label, other), self.key(other, label, one))
        )
        shuffled = self._shuffled(pairs, labels) if test == "randomization" else {}
        rows = [
            row
            for one, other in pairs
            for label in labels
            for row in self._rows(one, other, label, shuffled, test)
        ]
        return self._corrected(rows, shuffled) if together else rows

    def _corrected(self, rows: Sequence[Compared], shuffled: Mapping[Key, Arrays]) -> list[Compared]:
        """Return the rows with p-values corrected by max-T for all pairs of systems, output by output; p-values
        of metrics that are not computed from per-segment statistics stay NaN.
        """
        families: dict[tuple[str, str], list[int]] = {}
        for place, row in enumerate(rows):
            if not math.isnan(row.p) and self.tables[row.first, row.label].additive:
                families.setdefault((row.label, row.output.name), []).append(place)
        corrected = list(rows)
        for places in families.values():
            family = [rows[place] for place in places]
            gains, units = np.array([row.gain for row in family]), np.array([row.units for row in family])
            if shuffled:
                null = [shuffled[row.first, row.second, row.label][row.output.name] for row in family]
                p_values = max_t(gains, np.stack(null, axis=1), units=units)
            else:
                differences = [
                    self._differences(row.first, row.second, row.label)[row.output.name] for row in family
                ]
                null = [drawn - drawn.mean() for drawn in differences]
                p_values = bootstrap_max_t(gains, np.stack(null, axis=1), units)
            for place, row, p in zip(places, family, p_values.tolist(), strict=True):
                corrected[place] = row._replace(p_max_t=p)
        return corrected

    def _differences(self, first: str, second: str, label: str) -> Arrays:
        """Return the difference of two systems in every resample of the segments that both have."""
        ours, theirs = self.bootstrapped(first, label, second), self.bootstrapped(second, label, first)
        # The difference of two infinite scores is not known.
        with np.errstate(invalid="ignore"):
            return {name: ours[name] - theirs[name] for name in ours}

    def _rows(
        self, one: str, other: str, label: str, shuffled: Mapping[Key, Arrays], test: str
    ) -> Iterator[Compared]:
        """Yield the rows of one pair of systems and one metric."""
        table = self.tables[one, label]
        ours, theirs = self.common(one, other, label)
        scores, others = ours.scores(), theirs.scores()
        reason = self.obstacle(table)
        units_of = {output.name: self._units_of(ours, output.name) for output in table.leading()}
        if reason:
            tests = dict.fromkeys(units_of, PairTest(reason=reason))
        elif table.additive:
            tests = self._tests(one, other, label, shuffled, test, units_of)
        else:
            tests = self._swapped(one, other, label)
        for output in table.leading():
            name = output.name
            gaps, units, tested = self.gaps(one, other, label, output), units_of[name], tests[name]
            if gaps.any and not gaps.used:
                tested = tested._replace(reason=_NO_COMMON)
            if units == 1 and not reason:
                tested = PairTest(reason=_ONE_COMMON)
            low, high = gain_interval(tested.low, tested.high, output)
            tested = tested._replace(low=low, high=high)
            yield Compared(
                label,
                output,
                one,
                other,
                scores[name],
                others[name],
                *tested,
                gaps=gaps,
                units=units,
                metric=bare_name(table.metric),
            )

    def _units_of(self, table: Table, output: str) -> int:
        """Return how many units have a segment that counts for an output of a table."""
        left_out = table.left_out.get(part_of(table, output)) if table.left_out else None
        return int(self._units(left_out).sum())

    def gaps(self, one: str, other: str, label: str, output: Output) -> Gaps:
        """Return the missing scores of a pair of systems on a leading output."""
        ours, theirs = self.tables[one, label], self.tables[other, label]
        if not ours.additive:
            return Gaps(len(self.corpus))
        return gaps_of(ours, theirs, output, (ours.scores()[output.name], theirs.scores()[output.name]))

    def ranked(self, test: str) -> list[Ranked]:
        """Return which systems differ significantly on the leading output of each part of each metric."""
        systems = list(dict.fromkeys(system for system, _ in self.tables))
        first = {label: table for (system, label), table in self.tables.items() if system == systems[0]}
        additive = [label for label, table in first.items() if table.additive]
        pairs = list(combinations(systems, 2))
        rows: dict[tuple[str, str], list[Compared]] = {}
        for row in self.compared(pairs, test, together=True, labels=additive):
            rows.setdefault((row.label, row.output.name), []).append(row)
        ranks = []
        for label, table in first.items():
            reason = self.obstacle(table) or ("" if table.additive else _NOT_TOGETHER)
            for output in table.leading():
                tables = [self.tables[system, label] for system in systems]
                scores = {
                    system: each.scores()[output.name] for system, each in zip(systems, tables, strict=True)
                }
                part = part_of(table, output.name)
                missing = [int(each.missing(part).sum()) if each.additive else 0 for each in tables]
                tested = rows.get((label, output.name), [])
                ranks.append(ranked(label, output, scores, tested, self.plan.confidence, reason, missing))
        return ranks

    def _shuffled(self, pairs: Sequence[tuple[str, str]], labels: Sequence[str]) -> Mapping[Key, Arrays]:
        """Return for each pair of systems and additive metric the differences of the leading outputs after
        swaps, which are the same for all pairs and metrics.
        """
        keys = [
            (one, other, label)
            for one, other in pairs
            for label in labels
            if self.tables[one, label].additive
        ]
        if self.plan.clusters.count < 2:
            return {}
        shuffled = {key: self._shuffled_before[key] for key in keys if key in self._shuffled_before}
        rows = max(self.plan.clusters.count, _SWAPPED_TIMES * self.plan.resamples)
        new = [key for key in keys if key not in shuffled]
        for part in _batches(new, lambda key: self.tables[key[0], key[2]].width * rows):
            first, second = (list(side) for side in zip(*(self.common(*key) for key in part), strict=True))
            swaps = self.plan.clusters.swaps(self.plan.resamples, self.plan.seed)
            for key, differences in zip(part, randomized(first, second, self.plan, swaps), strict=True):
                leading = self.tables[key[0], key[2]].leading()
                shuffled[key] = {output.name: differences[output.name] for output in leading}
        if new and sum(map(len, shuffled.values())) * self.plan.resamples <= _KEPT_DIFFERENCES:
            self._shuffled_before = shuffled
        return shuffled

    def _tests(
        self,
        one: str,
        other: str,
        label: str,
        shuffled: Mapping[Key, Arrays],
        test: str,
        units: Mapping[str, int],
    ) -> dict[str, PairTest]:
        """Return the test of each leading output; `units` has the number of units of each."""
        scores, others = (table.scores() for table in self.common(one, other, label))
        drawn, null = self._differences(one, other, label), shuffled.get((one, other, label))
        tests = {}
        for name, count in units.items():
            # The difference of two infinite scores is not known.
            with np.errstate(invalid="ignore"):
                observed, centered = scores[name] - others[name], drawn[name] - drawn[name].mean()
            interval = percentile(observed, drawn[name], self.plan.confidence)
            p = p_value(observed, centered) if null is None else p_value(observed, null[name], count)
            reason = _unknown(observed) if math.isnan(p) else interval.reason
            tests[name] = PairTest(interval.low, interval.high, p, test, self.plan.resamples, reason)
        return tests

    def _swapped(self, one: str, other: str, label: str) -> dict[str, PairTest]:
        metric = self.tables[one, label].metric
        assert isinstance(metric, CorpusMetric)

        def differences(mask: Array) -> dict[str, float]:
            corpus = self.corpus.swapping(one, other, mask > 0)
            ours, theirs = (metric.whole(corpus, system, self._features) for system in (one, other))
            return {name: ours[name] - theirs[name] for name in ours}

        count = min(self.plan.resamples, metric.resamples)
        observed = differences(np.zeros(len(self.corpus)))
        swaps = map(self.plan.clusters.of_segments, self.plan.clusters.swaps(count, self.plan.seed))
        null = [differences(mask) for block in swaps for mask in block]
        reason = (
            f"tested by approximate randomization with {counted(count, 'recomputation')}, without an interval of the"
            " difference"
        )
        tests = {}
        for name, value in observed.items():
            p = p_value(value, np.array([sample[name] for sample in null]), self.plan.clusters.count)
            why = _unknown(value) if math.isnan(p) else reason
            tests[name] = PairTest(p=p, test="randomization", resamples=count, reason=why)
        return tests


def _batches(keys: list[Any], size: Callable[[Any], int]) -> Iterator[list[Any]]:
    """Yield the keys in batches whose total size is at most the limit of one draw."""
    batch: list[Any] = []
    room = _DRAWN_AT_ONCE
    for key in keys:
        room -= size(key)
        if batch and room < 0:
            yield batch
            batch, room = [], _DRAWN_AT_ONCE - size(key)
        batch.append(key)
    if batch:
        yield batch


def bootstrap_scores(tables: list[Table], plan: Resampling, units: Array | None = None) -> list[Arrays]:
    """Return for each table every output of every resample, of all units or of some; the resamples are the
    same for all tables.
    """
    totals = plan.totals(tables) if units is None else plan.totals(tables)[units]
    if not len(totals):
        totals = np.zeros((1, totals.shape[1]))
    counts = plan.clusters.bootstrap(plan.resamples, plan.seed, len(totals))
    return unstacked(tables, resampled_sums(counts, totals))


def percentile(score: float, samples: Array, confidence: float) -> Interval:
    """Return the percentile interval of bootstrap samples."""
    tail = (1 - confidence) / 2
    low, high = quantiles(samples, tail, 1 - tail)
    return Interval(score, low, high, "" if not math.isnan(low) else "undefined in some resamples")


def half_sample_interval(score: float, samples: Array, confidence: float, scale: float = 1.0) -> Interval:
    """Return the interval of a metric that is not computed from per-segment statistics, from its values on
    random halves.
    """
    # An infinite value has no distance from a mean: the interval is not known.
    with np.errstate(invalid="ignore"):
        spread = percentile(score, scale * (samples - samples.mean()), confidence)
    return Interval(score, score + spread.low, score + spread.high, spread.reason)


def _unknown(observed: float) -> str:
    """Return the reason why the p-value of a difference is NaN."""
    return (
        "undefined in some resamples"
        if math.isfinite(observed)
        else "a score is undefined or infinite, so its difference is not known"
    )


def randomized(
    first: list[Table], second: list[Table], plan: Resampling, swaps: Iterable[Array]
) -> list[Arrays]:
    """Return for each pair of tables the differences of all outputs after each of the swaps, which come in
    blocks (resamples, units).
    """
    a, b = plan.totals(first), plan.totals(second)
    moved = resampled_sums(swaps, b - a)
    ours, theirs = unstacked(first, a.sum(axis=0) + moved), unstacked(second, b.sum(axis=0) - moved)
    with np.errstate(invalid="ignore"):
        return [{name: x[name] - y[name] for name in x} for x, y in zip(ours, theirs, strict=True)]


def p_value(observed: float, null: Array, units: float = math.inf) -> float:
    """Return (b + 1) / (B + 1), b the resamples at least as extreme, and at least the smallest p that swaps of
    `units` units allow; NaN if the difference is unknown.
    """
    if not math.isfinite(observed) or not np.isfinite(null).all():
        return math.nan
    largest = max(abs(observed), float(np.abs(null).max(initial=0.0))) or 1.0
    return float(two_sided(np.array([observed / largest]), null[:, None] / largest, units)[0])
