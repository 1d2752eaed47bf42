"""Ranks: which systems differ significantly on each output, with every pair of systems tested together.

The test is the test of a comparison of all pairs (`nlgauge.results.inference`): each pair has its own p-value,
and a p-value corrected by max-T for all pairs, which decides. The chance that any pair of equal systems is
called different stays near the level, and a corrected p can be as small as 1 / (B + 1) for any number of pairs,
while Holm's correction of 136 pairs could not go below 136 / (B + 1). With only two systems there is one pair,
and both p-values are the same.

With test="bootstrap" the differences of a pair are divided by their standard error, and the observed difference
is compared with the largest of all pairs in every resample (`nlgauge.stats.corrections.bootstrap_max_t`).

Two systems that lack scores of different segments are compared on the segments that both have, pair by pair:
one system with many missing scores does not take segments from the others. That difference decides which of
the two is better, and letters follow the mean gain over all others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nlgauge._core.frames import as_frame
from nlgauge._core.page import Page
from nlgauge._core.ragged import Array
from nlgauge._core.shown import Exported
from nlgauge.metric import Output
from nlgauge.results.comparison import Compared, gain_of
from nlgauge.results.equal_outputs import EqualOutputs
from nlgauge.results.labels import rows_named
from nlgauge.stats.letters import letters, rank_ranges


@dataclass(frozen=True, eq=False)
class Ranked:
    """One output of all systems: scores, letters, the best and worst rank that each system may have, and for
    all pairs the gain with its interval and the p-values, by row and column.

    `gains` are the advantages of the system of the row over the system of the column, each on the segments that
    both have; `low` and `high` bound them. `p` is the uncorrected p-value of each pair, `p_max_t` the p-value
    corrected for all pairs: two systems share a letter if and only if neither is better with a corrected p of
    at most 1 - confidence; "a" contains the best. An output without a direction has no letters. `missing`
    counts the segments without a score of each system. `reason` is why something is unknown.
    """

    label: str
    output: Output
    systems: tuple[str, ...]
    scores: Array
    gains: Array
    low: Array
    high: Array
    p: Array
    p_max_t: Array
    letters: tuple[str | None, ...]
    ranks: tuple[tuple[int, int] | None, ...]
    missing: tuple[int, ...] = ()
    reason: str = ""
    # Smallest number of segments or documents on which a pair was compared.
    units: int = 0

    def better(self, system: str, other: str, alpha: float) -> bool:
        """Return whether a system is significantly better than another."""
        i, j = self.systems.index(system), self.systems.index(other)
        return self.output.higher_is_better is not None and bool(
            self.gains[i, j] > 0 and self.p_max_t[i, j] <= alpha
        )


@dataclass(frozen=True, repr=False)
class Ranks(Exported):
    """What `Result.ranks` returns: one `Ranked` for the first output of each part of each metric."""

    rows: list[Ranked]
    test: str
    confidence: float
    resamples: int
    seed: int
    # Outputs that repeat another on every segment, by label and name: one column of a table.
    equal: EqualOutputs = field(default_factory=dict)
    _label: Callable[[str], str] = field(default=str, repr=False, compare=False)

    def __iter__(self) -> Any:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: str | tuple[str, str]) -> Ranked:
        """Return the first row of a metric, or the row of metric.output or (metric, output)."""
        return rows_named(key, self.rows, self._label)[0]

    def records(self) -> list[dict[str, Any]]:
        """Return one row per output and system, as plain dictionaries."""
        return [
            {
                "metric": row.label,
                "output": row.output.name,
                "system": system,
                "score": float(row.scores[i]),
                "letters": row.letters[i],
                "best_rank": None if (rank := row.ranks[i]) is None else rank[0],
                "worst_rank": None if rank is None else rank[1],
                "missing": row.missing[i] if row.missing else 0,
                "reason": row.reason,
            }
            for row in self.rows
            for i, system in enumerate(row.systems)
        ]

    def frame(self, frame: str | None = None) -> Any:
        """Return the records as a pandas or polars frame, whichever is installed, else a list of
        dictionaries.
        """
        return as_frame(self.records(), frame)

    def _page(self, decimals: int | None = None) -> Page:
        """Return a table: systems in rows, outputs in columns, each score with its letters."""
        from nlgauge.show.pages.ranks import ranks_page

        rows = [replace(row, output=row.output.with_decimals(decimals)) for row in self.rows]
        return ranks_page(replace(self, rows=rows))

    _short_page = _page
    _csv_records = records


def ranked(
    label: str,
    output: Output,
    scores: dict[str, float],
    rows: Sequence[Compared],
    confidence: float,
    reason: str = "",
    missing: Sequence[int] = (),
) -> Ranked:
    """Return the ranks of systems from their scores and the comparison of every pair of them; without rows
    nothing could be tested.
    """
    systems = tuple(scores)
    values = np.array(list(scores.values()))
    with np.errstate(invalid="ignore"):
        # The gain of the row over the column: the column is the first system of the difference.
        gains = np.vectorize(lambda difference: gain_of(difference, output), otypes=[float])(
            values[None, :] - values[:, None]
        )
    low, high, p, p_max_t = np.full((4, len(systems), len(systems)), np.nan)
    for matrix, itself in ((low, 0.0), (high, 0.0), (p, 1.0), (p_max_t, 1.0)):
        np.fill_diagonal(matrix, np.nan if reason else itself)
    for row in rows:
        i, j = systems.index(row.second), systems.index(row.first)
        gains[i, j], gains[j, i] = row.gain, -row.gain + 0.0
        low[i, j], high[i, j] = row.gain_low, row.gain_high
        low[j, i], high[j, i] = -row.gain_high + 0.0, -row.gain_low + 0.0
        p[i, j] = p[j, i] = row.p
        p_max_t[i, j] = p_max_t[j, i] = row.p_max_t
    units = min((row.units for row in rows), default=0)
    shown: tuple[str | None, ...] = (None,) * len(systems)
    ranks: tuple[tuple[int, int] | None, ...] = (None,) * len(systems)
    if output.higher_is_better is not None and not reason:
        sign, alpha = 1 if output.higher_is_better else -1, 1 - confidence
        standing = _standing(values, gains) if any(row.gaps.any for row in rows) else sign * values
        shown = tuple(letters(standing, p_max_t, alpha, gains))
        ranks = tuple(rank_ranges(standing, p_max_t, alpha, gains))
    reason = reason or next((row.reason for row in rows if math.isnan(row.p)), "")
    return Ranked(
        label,
        output,
        systems,
        values,
        gains,
        low,
        high,
        p,
        p_max_t,
        shown,
        ranks,
        tuple(missing),
        reason,
        units,
    )


def _standing(scores: Array, gains: Array) -> Array:
    """Return each system's mean gain over the systems that it can be compared with: the order of scores if
    no score is missing.
    """
    known = np.isfinite(gains)
    means = np.where(known, gains, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    standing: Array = np.where(np.isnan(scores), np.nan, means)
    return standing
