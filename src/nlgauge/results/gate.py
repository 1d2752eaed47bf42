"""A gate: conditions that the systems of a result must meet, against a baseline or a limit, and the verdict
on each of them.

A condition "bleu drops" **fails** if the score is significantly worse than the baseline's: its p-value, by a
paired test and with Holm's correction for all conditions that are tested, is below `alpha`. With a margin m
it **passes** if the interval of the gain at 1 - alpha lies above -m, and without a margin if it does not
fail. Everything else is **inconclusive**: a test that could not have failed, because there are too few
segments or resamples to reach alpha; an interval that reaches from below -m to above it; missing scores that
could turn the verdict.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.numbers import counted
from nlgauge.errors import ParameterError
from nlgauge.metric import Output
from nlgauge.results.comparison import Compared, Comparison
from nlgauge.results.equal_outputs import equal_outputs
from nlgauge.results.labels import output_named
from nlgauge.results.missing import filled, missing_share, range_of
from nlgauge.stats.corrections import holm
from nlgauge.stats.intervals import few_units_factor
from nlgauge.stats.units import Clusters

if TYPE_CHECKING:
    from nlgauge.results.result import Result

ANY = "any"
_CHANGE = re.compile(r"\s*(.+?)\s+(drops|rises|worsens)(?:\s+by\s+(\d*\.?\d+))?\s*", re.DOTALL)
_MARGIN = re.compile(r"\s*(?:(.+?)\s*=\s*)?(\d*\.?\d+(?:e-?\d+)?)\s*(%)?\s*", re.DOTALL | re.IGNORECASE)
# An interval of constant differences is not wider than rounding.
_CONSTANT = 1e-12
# The chance with which a drop is to be found.
_POWER = 0.8
_LIMIT = re.compile(r"\s*(.+?)\s*=\s*(-?\d*\.?\d+(?:e-?\d+)?)\s*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Change:
    """A metric is significantly worse than the baseline's, by `least` or more."""

    metric: str
    word: str
    least: float = 0.0

    @classmethod
    def read(cls, text: str) -> Change:
        """Return the condition that a text such as "bleu drops", "wer rises by 0.01" or "any worsens"
        describes.
        """
        match = _CHANGE.fullmatch(text)
        if match is None:
            raise ParameterError(
                f"cannot read the condition {text!r:.60}; write METRIC drops, rises or worsens, for example:"
                " bleu drops by 0.5"
            )
        return cls(match[1], match[2], float(match[3] or 0))

    def check_direction(self, output: Output) -> None:
        """Raise if the condition fails when the metric becomes better, or if the metric has no direction."""
        better = output.higher_is_better
        if better is None and self.word == "worsens":
            raise ParameterError(
                f"{output.name} has no direction, so it cannot worsen; write drops or rises instead of worsens."
            )
        if better is not None and self.word == ("rises" if better else "drops"):
            right = "drops" if better else "rises"
            raise ParameterError(
                f"{'higher' if better else 'lower'} {output.name} is better, so {str(self)!r} is an improvement;"
                f" write: {replace(self, word=right)}"
            )

    def gain(self, row: Compared) -> tuple[float, float, float]:
        """Return the gain with its interval, positive if the condition is not met: an output without a
        direction must not move in the direction of the word.
        """
        gains = row.gain, row.gain_low, row.gain_high
        if row.output.higher_is_better is None and self.word == "rises":
            return -gains[0], -gains[2], -gains[1]
        return gains

    def holds(self, row: Compared) -> bool:
        """Return whether the second system of a row is so much worse than the first, whatever the reason."""
        worse = -self.gain(row)[0]
        return worse > 0 and worse >= self.least

    def __str__(self) -> str:
        return f"{self.metric} {self.word}" + (f" by {self.least:g}" if self.least else "")


@dataclass(frozen=True)
class Limit:
    """A metric is below (or above) a number."""

    metric: str
    value: float
    above: bool = False

    @classmethod
    def read(cls, text: str, above: bool) -> Limit:
        """Return the limit that a text such as "bleu=30" describes."""
        match = _LIMIT.fullmatch(text)
        if match is None:
            raise ParameterError(
                f"cannot read the limit {text!r:.60}; write METRIC=NUMBER, for example: bleu=30"
            )
        return cls(match[1], float(match[2]), above)

    def check_direction(self, output: Output) -> None:
        """Raise if the limit would fail a system for being good."""
        if output.higher_is_better is self.above:
            right = "--fail-under" if self.above else "--fail-over"
            raise ParameterError(
                f"{'higher' if self.above else 'lower'} {output.name} is better, so the limit {str(self)!r} would fail"
                " good systems",
                python=f"use Limit({self.metric!r}, {self.value:g}, above={not self.above})",
                cli=f"use {right} {self.metric}={self.value:g}",
            )

    def holds(self, score: float) -> bool:
        """Return True if a score is beyond the limit."""
        return score > self.value if self.above else score < self.value

    def __str__(self) -> str:
        return f"{self.metric} {'above' if self.above else 'below'} {self.value:g}"


@dataclass(frozen=True)
class Margin:
    """By how much a metric may be worse than the baseline's: in its own unit, or as a share of the
    baseline's score.
    """

    value: float
    metric: str | None = None
    relative: bool = False

    @classmethod
    def read(cls, text: str) -> Margin:
        """Return the margin that a text such as "0.5", "1%" or "chrf=0.5" describes."""
        match = _MARGIN.fullmatch(text)
        if match is None:
            raise ParameterError(
                f"cannot read the margin {text!r:.60}; write NUMBER, PERCENT% or METRIC=NUMBER, for example:"
                " chrf=0.5 or 1%"
            )
        return cls(float(match[2]) / (100 if match[3] else 1), match[1], bool(match[3]))

    def of(self, row: Compared) -> float:
        """Return the margin in the unit of a row."""
        return self.value * abs(row.first_score) if self.relative else self.value


@dataclass(frozen=True)
class Rule:
    """Settings of verdicts: the level, the margins, and the share of missing scores that may be ignored."""

    alpha: float = 0.05
    margins: tuple[Margin, ...] = ()
    max_missing: float = 0.05

    def margin(self, result: Result, row: Compared) -> float | None:
        """Return the margin of a row: the margin of its metric, else the margin of all metrics, else None."""
        for margin in self.margins:
            if margin.metric is not None and output_named(result, margin.metric) == (row.label, row.output):
                return margin.of(row)
        return next((margin.of(row) for margin in self.margins if margin.metric is None), None)


@dataclass(frozen=True)
class CheckOutcome:
    """The verdict on a condition for one system: `failed` is None if it is inconclusive, for the reason
    that `why` states.
    """

    condition: str
    system: str
    output: Output
    score: float
    failed: bool | None
    why: str
    row: Compared | None = None
    # Number of further segments (or documents) that a conclusive verdict is likely to need; None if unknown.
    more: int | None = None
    # The drop that the test finds with a chance of 80%.
    detectable: float = math.nan

    @property
    def word(self) -> str:
        """The verdict in one word."""
        return {True: "failed", False: "passed", None: "inconclusive"}[self.failed]

    def record(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        row = self.row
        tested: dict[str, Any] = {}
        if row is not None:
            tested = {name: getattr(row, name) for name in ("gain", "gain_low", "gain_high", "p", "p_holm")}
            tested = {"baseline_score": row.first_score, **tested, "n": row.gaps.used}
            tested |= {"more": self.more, "detectable": self.detectable}
        return {
            "condition": self.condition,
            "system": self.system,
            "output": self.output.name,
            "score": self.score,
            **tested,
            "failed": self.failed,
            "verdict": self.word,
            "why": self.why,
        }


def verdicts(
    result: Result,
    baseline: str | None,
    systems: Sequence[str],
    changes: Sequence[Change],
    limits: Sequence[Limit],
    rule: Rule,
    **options: Any,
) -> tuple[list[CheckOutcome], Comparison | None]:
    """Return the verdict on every condition for every system, and the comparison that verdicts on changes use.

    options: the options of `compare`.
    """
    limited = [_limited(result, system, limit, rule) for limit in limits for system in systems]
    if not changes:
        return limited, None
    assert baseline is not None
    wanted = [(change, *outputs) for change in changes for outputs in outputs_of_change(result, change)]
    asked: list[tuple[Change, Compared, Compared]] = []
    comparison = None
    for system in systems:
        comparison = result.compare(baseline, system, **options)
        # The interval that decides belongs to the level of the test, whatever interval is shown.
        deciding = result.compare(baseline, system, **{**options, "confidence": 1 - rule.alpha})
        rows = {
            (row.label, row.output.name): (row, decides)
            for row, decides in zip(comparison, deciding, strict=True)
        }
        for change, label, output in wanted:
            if (label, output.name) not in rows:
                outputs = ", ".join(name for of, name in rows if of == label)
                raise ParameterError(
                    f"the output {output.name} of {label} is not tested; its tested outputs are {outputs}."
                )
            asked.append((change, *rows[label, output.name]))
    # Several conditions may need the same row, which is one test.
    tested = list(dict.fromkeys(row for _, row, _ in asked))
    corrected = dict(zip(tested, holm([row.p for row in tested]), strict=True))
    gate = _Gate(result, rule, tested, options)
    changed = [
        gate.verdict(change, row._replace(p_holm=corrected[row]), decides) for change, row, decides in asked
    ]
    return changed + limited, comparison


@dataclass(frozen=True)
class _Gate:
    """The tests of a gate, from which each verdict is reached."""

    result: Result
    rule: Rule
    tested: Sequence[Compared]
    options: Mapping[str, Any]

    def verdict(self, change: Change, row: Compared, deciding: Compared) -> CheckOutcome:
        """Return the verdict on one condition."""
        name = str(change) if change.metric != ANY else f"{row.name} {change.word}"
        margin = self.rule.margin(self.result, row)
        gain, low, high = change.gain(deciding)
        detectable = self._detectable(low, high, row.units)
        known = CheckOutcome(
            name, row.second, row.output, row.second_score, None, "", row, detectable=detectable
        )
        if math.isnan(row.p):
            return replace(known, why=row.reason)
        needed = units_needed(self.rule.alpha, len(self.tested))
        if row.units < needed:
            units = counted(row.units, "segment (or document)", "segments (or documents)")
            why = f"{units} cannot reach p < {self.rule.alpha:g}; {needed} or more are needed"
            return replace(
                known, why=why, more=max(needed - row.units, _more(row.units, gain, margin, detectable) or 0)
            )
        if len(self.tested) / (row.resamples + 1) >= self.rule.alpha:
            tests = counted(len(self.tested), "test")
            return replace(
                known,
                why=f"{counted(row.resamples, 'resample')} cannot reach p < {self.rule.alpha:g} in {tests}; use more",
            )
        failed, why = self._decide(change, row, deciding, margin)
        if failed is not None and not self._robust(change, row, failed, margin):
            return replace(
                known,
                why=(
                    f"missing scores can change the verdict: {100 * row.gaps.share():.3g}% of the segments have"
                    f" none ({why} without them)"
                ),
            )
        more = _more(row.units, gain, margin, detectable) if failed is None else None
        return replace(known, failed=failed, why=why, more=more)

    @lazy
    def _equal_units(self) -> float:
        """The number of equally large units whose sums would vary as much, as a share of the number of units."""
        corpus = self.result.corpus
        clusters = Clusters(corpus.documents, len(corpus))
        weights = np.ones(len(corpus)) if corpus.weights is None else np.asarray(corpus.weights, float)
        sizes = clusters.totals([weights[:, None]], 1)[:, 0]
        return float(sizes.sum() ** 2 / (sizes**2).sum() / (sizes > 0).sum())

    def _detectable(self, low: float, high: float, units: int) -> float:
        """Return the drop that is detected with a probability of 80%, from the interval of the gain; NaN if the
        systems do not differ at all.

        The quantiles are from Student's distribution, the level is divided by the number of tests, and the
        spread is corrected for few resampled units.
        """
        if units < 2 or not high - low > _CONSTANT * max(1.0, abs(low), abs(high)):
            return math.nan
        from scipy.stats import norm, t

        error = (high - low) / (2 * norm.ppf(1 - self.rule.alpha / 2)) * math.sqrt(units / (units - 1))
        return float(
            error
            * (t.ppf(1 - self.rule.alpha / (2 * len(self.tested)), units - 1) + t.ppf(_POWER, units - 1))
        )

    def _decide(
        self, change: Change, row: Compared, deciding: Compared, margin: float | None
    ) -> tuple[bool | None, str]:
        """Return whether a condition failed, None if that is open, and why."""
        gain, low, high = change.gain(deciding)
        # Percentiles of few units are too narrow for the level.
        low = gain + few_units_factor(1 - self.rule.alpha, self._equal_units * row.units) * (low - gain)
        if gain == low == high == 0:
            return False, "equal"
        significant, holds = row.p_holm < self.rule.alpha, change.holds(row)
        if margin is not None and math.isnan(low):
            return None, f"no interval to compare with the margin: {row.reason}"
        within = margin is not None and low > -margin
        if holds and significant and not within:
            return True, "significantly worse"
        if margin is not None and not within:
            return None, f"the gain may lie below {-margin:g}"
        if gain == 0:
            return False, "equal"
        if gain < 0:
            less = (
                f"significantly worse, but by less than {change.least:g}"
                if significant
                else "not significantly worse"
            )
            return False, "worse within the margin" if within else less
        return False, "significantly better" if significant else "not significantly better"

    def _robust(self, change: Change, row: Compared, failed: bool, margin: float | None) -> bool:
        """Return whether the verdict is the same for all scores that the missing ones could be, or too
        few are missing to ask.
        """
        if not row.gaps.can_change or row.gaps.share() <= self.rule.max_missing:
            return True
        others = [other.p for other in self.tested if other != row._replace(p_holm=other.p_holm)]
        for extreme in self._extremes(row):
            p_holm = math.nan if extreme is None else holm([extreme.p, *others])[0]
            if (
                extreme is None
                or self._decide(change, extreme._replace(p_holm=p_holm), extreme, margin)[0] != failed
            ):
                return False
        return True

    def _extremes(self, row: Compared) -> list[Compared | None]:
        """Return the comparison with the best and with the worst values for the missing scores; None if
        the output is no mean with bounds.
        """
        output, keys = row.output, ((row.first, row.label), (row.second, row.label))
        extremes: list[Compared | None] = []
        for values in ((output.low, output.high), (output.high, output.low)):
            tables = filled(self.result._tables[keys[0]], self.result._tables[keys[1]], output, *values)
            if tables is not None:
                both = replace(self.result, _tables=dict(zip(keys, tables, strict=True)), _last=[])
                rows = both.compare(
                    row.first, row.second, **{**self.options, "confidence": 1 - self.rule.alpha}
                )
            extremes.append(None if tables is None else rows.rows[0])
        return extremes


def units_needed(alpha: float, tests: int) -> int:
    """Return how many segments or documents a swap test needs to reach alpha with Holm's correction: 2 ** (1
    - n) * tests < alpha.

    >>> units_needed(0.05, 1), units_needed(0.05, 9)
    (6, 9)
    """
    return math.floor(1 + math.log2(tests / alpha)) + 1


def _more(units: int, gain: float, margin: float | None, detectable: float) -> int | None:
    """Return how many more segments show a true gain as large as the observed one with a chance of 80%;
    None if no number does.
    """
    limit = margin or 0.0
    distance = limit + gain if gain > -limit else abs(gain)
    if not distance or not math.isfinite(detectable / distance):
        return None
    return max(0, math.ceil(units * (detectable / distance) ** 2) - units)


def outputs_of_change(result: Result, change: Change) -> list[tuple[str, Output]]:
    """Return the labels and outputs that a condition tests."""
    if change.metric != ANY:
        found = [output_named(result, change.metric)]
        change.check_direction(found[0][1])
        return found
    first, repeated = result.systems[0], equal_outputs(result._tables)
    every = [(label, output) for label in result.labels for output in result._tables[first, label].leading()]
    return [
        (label, output)
        for label, output in every
        if output.higher_is_better is not None and (label, output.name) not in repeated
    ]


def _settled(limit: Limit, ends: tuple[float, float], failed: bool) -> bool:
    """Return whether a limit is passed or failed whatever the missing scores are; without bounds that is
    open.
    """
    return all(not math.isnan(end) and limit.holds(end) == failed for end in ends)


def _limited(result: Result, system: str, limit: Limit, rule: Rule) -> CheckOutcome:
    label, output = output_named(result, limit.metric)
    limit.check_direction(output)
    score = float(result._tables[system, label].scores()[output.name])
    if math.isnan(score):
        return CheckOutcome(str(limit), system, output, score, None, output.nan)
    failed = limit.holds(score)
    table = result._tables[system, label]
    share = missing_share(table, output) if table.additive else 0.0
    if share > rule.max_missing and not _settled(limit, range_of(table, output), failed):
        why = f"missing scores can change the verdict: {100 * share:.3g}% of the segments have none"
        return CheckOutcome(str(limit), system, output, score, None, why)
    why = f"{'' if failed else 'not '}{'above' if limit.above else 'below'} {limit.value:g}"
    return CheckOutcome(str(limit), system, output, score, failed, why)
