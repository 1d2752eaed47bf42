"""Comparison: what `Result.compare` found."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from nlgauge._core.numbers import bounds, number, p_value
from nlgauge._core.page import Page
from nlgauge._core.shown import Exported
from nlgauge.errors import ParameterError
from nlgauge.metric import Output
from nlgauge.results.equal_outputs import EqualOutputs
from nlgauge.results.frames import as_frame
from nlgauge.results.labels import output_name, rows_named
from nlgauge.results.missing import Gaps


class Compared(NamedTuple):
    """One output of two systems: scores, the difference (first minus second) with its interval, p-values, raw
    and corrected, and the test.

    `gain` is the difference in the other order and by direction: plus where the second system is better. Both
    scores are those on the segments that both systems have; `gaps` counts the missing ones and bounds what
    they could change. `units` is how many segments or documents were compared.
    """

    label: str
    output: Output
    first: str
    second: str
    first_score: float
    second_score: float
    low: float
    high: float
    p: float
    test: str = ""
    resamples: int = 0
    reason: str = ""
    p_holm: float = math.nan
    gaps: Gaps = Gaps(0)
    units: int = 0

    def __repr__(self) -> str:
        found = (
            f"{number(self.difference, self.output)} {bounds(self.low, self.high, self.output)}, p"
            f" {p_value(self.p)}"
        )
        return (
            f"Compared({self.name}, {self.first} - {self.second}:"
            f" {found}{f', {self.reason}' if self.reason else ''})"
        )

    @property
    def name(self) -> str:
        """The metric's label, and after a dot the output if it has another name."""
        return output_name(self.label, self.output.name)

    @property
    def difference(self) -> float:
        """First minus second."""
        return self.first_score - self.second_score

    @property
    def gain(self) -> float:
        """How much better the second system is than the first: minus where it is worse; second minus
        first where there is neither.
        """
        return self._gained(self.difference)

    @property
    def gain_low(self) -> float:
        """The lower bound of the gain's interval."""
        return min(self._gained(self.low), self._gained(self.high))

    @property
    def gain_high(self) -> float:
        """The upper bound of the gain's interval."""
        return max(self._gained(self.low), self._gained(self.high))

    def _gained(self, difference: float) -> float:
        # 0.0 is added, because minus nothing would be shown as -0.0.
        return (difference if self.output.higher_is_better is False else -difference) + 0.0

    @property
    def bound_low(self) -> float:
        """The least gain over all scores that the missing ones could be; NaN if the output has no bounds."""
        return (
            min(self._gained(self.gaps.low), self._gained(self.gaps.high))
            if self.gaps.can_change
            else self.gain
        )

    @property
    def bound_high(self) -> float:
        """The greatest gain over all scores that the missing ones could be; NaN if the output has no
        bounds.
        """
        return (
            max(self._gained(self.gaps.low), self._gained(self.gaps.high))
            if self.gaps.can_change
            else self.gain
        )

    @property
    def robust(self) -> bool:
        """Whether the gain has the same sign whatever the missing scores are."""
        return not self.gaps.can_change or self.bound_low > 0 or self.bound_high < 0

    @property
    def better(self) -> str | None:
        """The system with the better score; None where they are equal, unknown, or the output has no
        direction.
        """
        if self.output.higher_is_better is None or not self.difference or math.isnan(self.difference):
            return None
        return self.first if (self.difference > 0) == self.output.higher_is_better else self.second


@dataclass(frozen=True, repr=False)
class Comparison(Exported):
    """Rows for every pair of systems and metric, and how they were tested; Holm's correction counts all of
    them.

    `test` and `resamples` are what was asked for; each row says which test ran and with how many resamples.
    """

    rows: list[Compared]
    test: str
    confidence: float
    resamples: int
    # What to know of the tests: that there are too few segments for them, for instance.
    caution: str = ""
    seed: int | None = None
    # Outputs that repeat another on every segment, by label and name: one test together, and one row of a
    # table.
    equal: EqualOutputs = field(default_factory=dict)
    _label: Callable[[str], str] = field(default=str, repr=False, compare=False)

    def __iter__(self) -> Iterator[Compared]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: str | tuple[str, str]) -> Compared:
        """Return the row of a metric, of metric.output or of (metric, output), if one pair was compared."""
        found = rows_named(key, self.rows, self._label)
        if len({(row.first, row.second) for row in found}) > 1:
            raise ParameterError(f"{key!r} was compared for several pairs of systems; go through the rows.")
        return found[0]

    def records(self) -> list[dict[str, Any]]:
        """The rows as plain dictionaries, for frames and files; low and high belong to the difference,
        first minus second.
        """
        return [
            {
                "metric": row.label,
                "output": row.output.name,
                "first": row.first,
                "second": row.second,
                "first_score": row.first_score,
                "second_score": row.second_score,
                "difference": row.difference,
                "low": row.low,
                "high": row.high,
                "gain": row.gain,
                "gain_low": row.gain_low,
                "gain_high": row.gain_high,
                "p": row.p,
                "p_holm": row.p_holm,
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
        """The rows as a pandas or polars frame, whichever is installed, else a list of dictionaries."""
        return as_frame(self.records(), frame)

    def page(self, decimals: int | None = None) -> Page:
        """A table for each pair of systems: both scores, how much better the second is, p-values."""
        from nlgauge.show.pages.comparison import comparison_page

        rows = [row._replace(output=row.output.with_decimals(decimals)) for row in self.rows]
        return comparison_page(replace(self, rows=rows))

    _short_page = page
    _csv_records = records
