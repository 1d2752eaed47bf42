"""A gate: conditions that the systems of a result must meet, against a baseline or a limit, and what became of each of them.

A condition "bleu drops" is met where the score is worse than the baseline's and chance is a poor explanation: its p-value, by a paired test and
with Holm's correction for all conditions that are tested, is below `alpha`. A worse score with a larger p-value is noise, and passes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nlgauge.errors import ParameterError
from nlgauge.export.model import Cell, Page, Sheet, column
from nlgauge.export.numbers import bounds, counted, number, p_value
from nlgauge.export.tested import how_tested
from nlgauge.metric import Output
from nlgauge.results.comparison import Compared, Comparison
from nlgauge.results.inference import holm
from nlgauge.results.segments import output_named

if TYPE_CHECKING:
    from nlgauge.results.result import Result

ANY = "any"
_CHANGE = re.compile(r"\s*(.+?)\s+(drops|rises|worsens)(?:\s+by\s+(\d*\.?\d+))?\s*", re.DOTALL)
_LIMIT = re.compile(r"\s*(.+?)\s*=\s*(-?\d*\.?\d+(?:e-?\d+)?)\s*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Change:
    """A metric is worse than the baseline's, by `least` or more, beyond chance."""

    metric: str
    word: str
    least: float = 0.0

    @classmethod
    def read(cls, text: str) -> Change:
        """The condition that a text such as "bleu drops", "wer rises by 0.01" or "any worsens" describes."""
        found = _CHANGE.fullmatch(text)
        if found is None:
            raise ParameterError(f"cannot read the condition {text!r:.60}; write METRIC drops, rises or worsens, for example: bleu drops by 0.5")
        return cls(found[1], found[2], float(found[3] or 0))

    def check_direction(self, output: Output) -> None:
        """Raises where the word says that the metric becomes better."""
        better = output.higher_is_better
        if better is None and self.word == "worsens":
            raise ParameterError(f"{output.name} is neither better high nor low; say whether it drops or rises.")
        if better is not None and self.word == ("rises" if better else "drops"):
            right = "drops" if better else "rises"
            raise ParameterError(
                f"{'higher' if better else 'lower'} {output.name} is better, so that {self.metric!r} cannot fail because it {self.word}; "
                f"write: {self.metric} {right}"
            )

    def holds(self, row: Compared) -> bool:
        """Whether the second system of a row is so much worse than the first, whatever the reason."""
        difference = row.second_score - row.first_score
        worse = -difference if row.output.higher_is_better or self.word == "drops" else difference
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
        """The limit that a text such as "bleu=30" describes."""
        found = _LIMIT.fullmatch(text)
        if found is None:
            raise ParameterError(f"cannot read the limit {text!r:.60}; write METRIC=NUMBER, for example: bleu=30")
        return cls(found[1], float(found[2]), above)

    def check_direction(self, output: Output) -> None:
        """Raises where the limit would fail a system for being good."""
        if output.higher_is_better is self.above:
            right = "--fail-under" if self.above else "--fail-over"
            raise ParameterError(f"{'higher' if self.above else 'lower'} {output.name} is better; write {right} {self.metric}={self.value:g}")

    def holds(self, score: float) -> bool:
        """Whether a score is beyond the limit."""
        return score > self.value if self.above else score < self.value

    def __str__(self) -> str:
        return f"{self.metric} {'above' if self.above else 'below'} {self.value:g}"


@dataclass(frozen=True)
class Verdict:
    """What became of a condition for one system: `failed` is None where that cannot be known, for the reason given."""

    condition: str
    system: str
    output: Output
    score: float
    failed: bool | None
    why: str
    row: Compared | None = None

    def record(self) -> dict[str, Any]:
        """The verdict as plain data."""
        row = self.row
        tested = {} if row is None else {"baseline": row.first_score, "gain": row.gain, "low": row.gain_low, "high": row.gain_high}
        p_values = {} if row is None else {"p": row.p, "p_holm": row.p_holm}
        return {
            "condition": self.condition,
            "system": self.system,
            "output": self.output.name,
            "score": self.score,
            **tested,
            **p_values,
            "failed": self.failed,
            "why": self.why,
        }


def verdicts(
    result: Result, baseline: str | None, systems: Sequence[str], changes: Sequence[Change], limits: Sequence[Limit], alpha: float, **options: Any
) -> tuple[list[Verdict], Comparison | None]:
    """What became of every condition for every system, and the comparison that was made for those of change; options are those of `compare`."""
    found = [_limited(result, system, limit) for limit in limits for system in systems]
    if not changes:
        return found, None
    assert baseline is not None
    wanted = [(change, *outputs) for change in changes for outputs in _outputs(result, change)]
    asked = []
    comparison = None
    for system in systems:
        comparison = result.compare(baseline, system, **options)
        rows = {(row.label, row.output.name): row for row in comparison}
        for change, label, output in wanted:
            if (label, output.name) not in rows:
                raise ParameterError(f"{output.name} of {label} is not tested, since it is not the first output of a part; name another.")
            asked.append((change, rows[label, output.name]))
    # One row may be asked for by several conditions; it is one test.
    tested = list(dict.fromkeys(row for _, row in asked))
    corrected = dict(zip(tested, holm([row.p for row in tested]), strict=True))
    found = [_changed(change, row._replace(p_holm=corrected[row]), alpha) for change, row in asked] + found
    return found, comparison


def _outputs(result: Result, change: Change) -> list[tuple[str, Output]]:
    if change.metric != ANY:
        found = [output_named(result, change.metric)]
        change.check_direction(found[0][1])
        return found
    first = result.systems[0]
    every = [(label, output) for label in result.labels for output in result.tables[first, label].leading()]
    return [(label, output) for label, output in every if output.higher_is_better is not None]


def _limited(result: Result, system: str, limit: Limit) -> Verdict:
    label, output = output_named(result, limit.metric)
    limit.check_direction(output)
    score = float(result.tables[system, label].scores()[output.name])
    if math.isnan(score):
        return Verdict(str(limit), system, output, score, None, f"unknown: {output.nan}")
    failed = limit.holds(score)
    return Verdict(str(limit), system, output, score, failed, f"{'above' if limit.above else 'below'} {limit.value:g}" if failed else "kept")


def _changed(change: Change, row: Compared, alpha: float) -> Verdict:
    name = str(change) if change.metric != ANY else f"{row.label if row.output.name == 'score' else _named(row)} {change.word}"
    if math.isnan(row.p):
        return Verdict(name, row.second, row.output, row.second_score, None, f"unknown: {row.reason}", row)
    holds, sure = change.holds(row), row.p_holm < alpha
    if holds and sure:
        why = "worse beyond chance"
    elif row.second_score == row.first_score:
        why = "equal"
    elif row.better == row.first or (row.better is None and holds):
        why = "worse beyond chance, but by less" if sure else "worse, but within chance"
    else:
        why = "better beyond chance" if sure else "better, but within chance"
    return Verdict(name, row.second, row.output, row.second_score, holds and sure, why, row)


def _named(row: Compared) -> str:
    return row.label if row.output.name == row.label.partition("(")[0] else f"{row.label} {row.output.name}"


def gate_page(found: Sequence[Verdict], comparison: Comparison | None, alpha: float, whole: bool = True) -> Page:
    """One row per condition and system, and below how it was tested; the baseline's score and raw p-values only if `whole`, where there is room."""
    tests = len({verdict.row for verdict in found if verdict.row is not None})
    tested = comparison is not None
    names = [
        *(["baseline"] if tested and whole else []),
        "score",
        *(["gain", f"{100 * comparison.confidence:g} % interval"] if comparison is not None else []),
        *(["p"] if tested and whole else []),
        *(["Holm"] if tested else []),
    ]
    heads = [column("fails if"), *([column("system")] if whole else [])]
    rows = []
    for verdict in found:
        numbers = _numbers(verdict)
        word = {True: "FAILED", False: "passed", None: "UNKNOWN"}[verdict.failed]
        cells = [Cell(numbers.get(name.split(" ")[-1], "")) for name in names]
        if whole:
            rows.append([Cell(verdict.condition), Cell(verdict.system), *cells, Cell(f"{word}: {verdict.why}")])
        else:
            rows.append(
                [Cell(verdict.condition, below=verdict.system), *cells, Cell(word, "" if verdict.failed is False else "worst", below=verdict.why)]
            )
    notes = []
    if comparison is not None:
        corrected = f"Holm-corrected for {counted(tests, 'test')}"
        notes.append(f"Baseline: {comparison.rows[0].first}. A change is beyond chance where p, {corrected}, is below {alpha:g}.")
        notes.append(f"p: {how_tested(comparison)}. gain: plus where the system is better than the baseline.")
        notes += [f"Caution: {comparison.caution}."] if comparison.caution else []
    columns = [*heads, *(column(name, "number") for name in names), column("verdict", "words")]
    return Page([Sheet(columns, rows)], notes=notes)


def _numbers(verdict: Verdict) -> dict[str, str]:
    """The numbers of a verdict by the headings under which they stand."""
    row, output = verdict.row, verdict.output
    found = {"score": number(verdict.score, output)}
    if row is not None:
        found |= {"baseline": number(row.first_score, output), "gain": number(row.gain, output, sign=True)}
        found |= {"interval": bounds(row.gain_low, row.gain_high, output, sign=True), "p": p_value(row.p), "Holm": p_value(row.p_holm)}
    return found
