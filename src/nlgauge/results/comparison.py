"""Comparison: what `Result.compare` found."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from nlgauge.errors import ParameterError, UnknownNameError
from nlgauge.metric import Output
from nlgauge.results.frames import as_frame


class Compared(NamedTuple):
    """One output of two systems: scores, the difference with its interval, p-values, raw and corrected, and the test that gave them."""

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

    @property
    def difference(self) -> float:
        """First minus second."""
        return self.first_score - self.second_score

    @property
    def better(self) -> str | None:
        """The system with the better score; None where they are equal, unknown, or the output has no direction."""
        if self.output.higher_is_better is None or not self.difference or math.isnan(self.difference):
            return None
        return self.first if (self.difference > 0) == self.output.higher_is_better else self.second


@dataclass(frozen=True)
class Comparison:
    """Rows for every pair of systems and metric, and how they were tested; Holm's correction counts all of them.

    `test` and `resamples` are what was asked for; each row says which test ran and with how many resamples.
    """

    rows: list[Compared]
    test: str
    confidence: float
    resamples: int
    # What to know of the tests: that there are too few segments for them, for instance.
    caution: str = ""
    _label: Callable[[str], str] = field(default=str, repr=False, compare=False)

    def __iter__(self) -> Iterator[Compared]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: str | tuple[str, str]) -> Compared:
        """The row of a label (or what else stands for it), of label.output or of (label, output), where just one pair was compared."""
        found = [row for row in self.rows if key in (row.label, f"{row.label}.{row.output.name}", (row.label, row.output.name))]
        if not found:
            label, output = key if isinstance(key, tuple) else (key, None)
            try:
                wanted = self._label(label)
            except UnknownNameError:
                wanted = label
            found = [row for row in self.rows if row.label == wanted and output in (None, row.output.name)]
        if not found:
            names = dict.fromkeys(row.label for row in self.rows)
            raise UnknownNameError(f"no metric {key!r} was compared; there are {', '.join(names)}.")
        if len({(row.first, row.second) for row in found}) > 1:
            raise ParameterError(f"{key!r} was compared for several pairs of systems; go through the rows.")
        return found[0]

    def records(self) -> list[dict[str, Any]]:
        """The rows as plain dictionaries, for frames and files."""
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
                "p": row.p,
                "p_holm": row.p_holm,
                "better": row.better,
                "test": row.test,
                "resamples": row.resamples,
                "reason": row.reason,
            }
            for row in self.rows
        ]

    def frame(self, frame: str | None = None) -> Any:
        """The rows as a pandas or polars frame, whichever is installed, else a list of dictionaries."""
        return as_frame(self.records(), frame)

    def __rich__(self) -> Any:
        from nlgauge.terminal.tables import comparison_table

        return comparison_table(self)
