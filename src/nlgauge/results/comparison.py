"""Comparison: what `Result.compare` returns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from nlgauge._core.frames import as_frame
from nlgauge._core.numbers import bounds, number, p_value
from nlgauge._core.page import Page
from nlgauge._core.shown import Exported
from nlgauge.errors import ParameterError
from nlgauge.metric import Output
from nlgauge.results.equal_outputs import EqualOutputs
from nlgauge.results.labels import output_name, rows_named
from nlgauge.results.missing import Gaps

# Corrections of p-values for several tests, by the name of the field with the corrected p-values.
CORRECTIONS = {"holm": "Holm", "max_t": "max-T"}


class Compared(NamedTuple):
    """One output of two systems: both scores, the gain of the second system over the first (its baseline) with
    its interval, p-values and the test.

    The gain is positive if the second system is better, whatever the direction of the output; for an output
    without a direction it is the second score minus the first. `p` is the uncorrected p-value of this test,
    `p_holm` and `p_max_t` are corrected: a comparison with a baseline has the first, a comparison of all pairs
    the second. Both scores are computed on the segments that both systems have; `gaps` counts the missing
    scores and bounds their effect. `units` is the number of segments or documents that were compared.
    """

    label: str
    output: Output
    first: str
    second: str
    first_score: float
    second_score: float
    gain_low: float
    gain_high: float
    p: float
    test: str = ""
    resamples: int = 0
    reason: str = ""
    p_holm: float = math.nan
    p_max_t: float = math.nan
    gaps: Gaps = Gaps(0)
    units: int = 0
    # The registered name of the metric, which the label need not contain.
    metric: str = ""

    def __repr__(self) -> str:
        gain = number(self.gain, self.output, sign=True)
        interval = bounds(self.gain_low, self.gain_high, self.output, sign=True)
        reason = f", {self.reason}" if self.reason else ""
        return (
            f"Compared({self.name}, {self.second} against {self.first}: {gain} {interval}, p"
            f" {p_value(self.p)}{reason})"
        )

    @property
    def name(self) -> str:
        """The metric's label, and after a dot the output if it has another name."""
        return output_name(self.label, self.output.name, self.metric)

    @property
    def gain(self) -> float:
        """Advantage of the second system over the first; negative if it is worse."""
        return gain_of(self.first_score - self.second_score, self.output)

    @property
    def bound_low(self) -> float:
        """The least gain over all scores that the missing ones could be; NaN if the output has no bounds."""
        return self._bounds()[0]

    @property
    def bound_high(self) -> float:
        """The greatest gain over all scores that the missing ones could be; NaN if the output has no
        bounds.
        """
        return self._bounds()[1]

    def _bounds(self) -> tuple[float, float]:
        if not self.gaps.can_change:
            return self.gain, self.gain
        return gain_interval(self.gaps.low, self.gaps.high, self.output)

    @property
    def robust(self) -> bool:
        """True if the gain has the same sign whatever the missing scores are."""
        return not self.gaps.can_change or self.bound_low > 0 or self.bound_high < 0

    @property
    def better(self) -> str | None:
        """The system with the better score; None if they are equal, unknown, or the output has no
        direction.
        """
        if self.output.higher_is_better is None or not self.gain or math.isnan(self.gain):
            return None
        return self.second if self.gain > 0 else self.first


def gain_of(difference: float, output: Output) -> float:
    """Return the gain of the second system from the difference, first minus second."""
    # 0.0 is added, because minus nothing would be shown as -0.0.
    return (difference if output.higher_is_better is False else -difference) + 0.0


def gain_interval(low: float, high: float, output: Output) -> tuple[float, float]:
    """Return the bounds of the second system's gain from the bounds of the difference, first minus second."""
    ends = gain_of(low, output), gain_of(high, output)
    return min(ends), max(ends)


@dataclass(frozen=True, repr=False)
class Comparison(Exported):
    """Rows for every pair of systems and metric, and how they were tested.

    `correction` names the corrected p-values: "holm" if systems are compared with a baseline, for all rows
    together, or "max_t" if all pairs are compared, for all pairs of systems on each output. `test` and
    `resamples` are the requested ones; each row has the test that ran and its number of resamples.
    """

    rows: list[Compared]
    test: str
    confidence: float
    resamples: int
    # A caution about the tests, for example that they have too few segments.
    caution: str = ""
    seed: int | None = None
    # Outputs that repeat another on every segment, by label and name: one test together, and one row of a
    # table.
    equal: EqualOutputs = field(default_factory=dict)
    correction: str = "holm"
    _label: Callable[[str], str] = field(default=str, repr=False, compare=False)

    def __iter__(self) -> Iterator[Compared]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: str | tuple[str, str]) -> Compared:
        """Return the row of a metric, of metric.output or of (metric, output), if one pair was compared."""
        rows = rows_named(key, self.rows, self._label)
        if len({(row.first, row.second) for row in rows}) > 1:
            raise ParameterError(
                f"{key!r} has a row for each of several pairs of systems; iterate over the comparison."
            )
        return rows[0]

    @property
    def baseline(self) -> str | None:
        """The system that the others are compared with; None if all pairs are compared."""
        return self.rows[0].first if self.correction == "holm" and self.rows else None

    @property
    def corrected_name(self) -> str:
        """The heading of corrected p-values, which names the correction."""
        return f"p ({CORRECTIONS[self.correction]})"

    def corrected(self, row: Compared) -> float:
        """Return the corrected p-value of a row."""
        return row.p_holm if self.correction == "holm" else row.p_max_t

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as plain dictionaries, for frames and files."""
        return [
            {
                "metric": row.label,
                "output": row.output.name,
                "first": row.first,
                "second": row.second,
                "first_score": row.first_score,
                "second_score": row.second_score,
                "gain": row.gain,
                "gain_low": row.gain_low,
                "gain_high": row.gain_high,
                "p": row.p,
                f"p_{self.correction}": self.corrected(row),
                "better": row.better,
                "test": row.test,
                "resamples": row.resamples,
                "reason": row.reason,
                "n": row.gaps.used,
                "missing_first": row.gaps.first + row.gaps.both,
                "missing_second": row.gaps.second + row.gaps.both,
                "bound_low": row.bound_low,
                "bound_high": row.bound_high,
            }
            for row in self.rows
        ]

    def frame(self, frame: str | None = None) -> Any:
        """Return the rows as a pandas or polars frame, whichever is installed, else a list of dictionaries."""
        return as_frame(self.records(), frame)

    def _page(self, decimals: int | None = None) -> Page:
        """Return a table for each pair of systems: both scores, the gain of the second over the first,
        p-values.
        """
        from nlgauge.show.pages.comparison import comparison_page

        rows = [row._replace(output=row.output.with_decimals(decimals)) for row in self.rows]
        return comparison_page(replace(self, rows=rows))

    _short_page = _page
    _csv_records = records
