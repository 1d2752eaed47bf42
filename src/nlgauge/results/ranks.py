"""Ranks: which systems can be told apart on each output, with every pair of systems tested together.

One bootstrap serves all pairs. The differences of a pair are divided by their standard error, and what is
observed is held against the largest of all pairs in every resample (max-T): the chance that any pair of equal
systems is called different stays near the level, and p can be as small as 1 / (B + 1) however many pairs
there are, where Holm's correction of 136 pairs could not go below 136 / (B + 1).

Resamples of few segments spread too little: what is observed is first taken from Student's to the normal
distribution. (Two, six and 17 equal systems on 20 to 200 segments: some pair is called different in 5 to 7 %
of 1,000 runs at a level of 5 %, and without this in up to 9 %.) With very few segments the largest of the
resamples is bounded, so no p-value is below what swapping them could reach.

Two systems that lack scores of different segments are compared on the segments that both have, pair by pair:
one system with many missing scores does not take segments from the others. That difference decides which of
the two is better, and letters follow the mean difference from all others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.page import Page
from nlgauge._core.ragged import Array
from nlgauge._core.shown import Exported
from nlgauge.metric import Output
from nlgauge.results.equal_outputs import EqualOutputs
from nlgauge.results.frames import as_frame
from nlgauge.results.labels import rows_named
from nlgauge.stats.letters import letters, rank_ranges


class CommonPair(NamedTuple):
    """Two systems on the segments that both have: the difference, that of every resample, and how many
    units have such a segment.
    """

    difference: float
    drawn: Array
    units: int


@dataclass(frozen=True, eq=False)
class Ranked:
    """One output of all systems: scores, letters, the best and worst rank that each system may have, and of
    all pairs the corrected p-values and the interval of the difference (row minus column), which is not
    corrected.

    Two systems share a letter exactly if neither is significantly better; "a" is with the best. An output
    without a direction has p-values alone. `differences` are those of the pairs, each on the segments that
    both systems have; `missing` counts the segments without a score of each system. If something is not known
    `reason` says why.
    """

    label: str
    output: Output
    systems: tuple[str, ...]
    scores: Array
    p: Array
    low: Array
    high: Array
    letters: tuple[str | None, ...]
    ranks: tuple[tuple[int, int] | None, ...]
    differences: Array
    missing: tuple[int, ...] = ()
    reason: str = ""
    # How many segments or documents the pair with the fewest was compared on.
    units: int = 0

    def better(self, one: str, other: str, alpha: float) -> bool:
        """Return whether one system is significantly better than another."""
        i, j = self.systems.index(one), self.systems.index(other)
        difference = self.differences[i, j] if self.output.higher_is_better else -self.differences[i, j]
        return self.output.higher_is_better is not None and bool(difference > 0 and self.p[i, j] <= alpha)


@dataclass(frozen=True, repr=False)
class Ranks(Exported):
    """What `Result.ranks` found: one `Ranked` for the first output of each part of each metric."""

    rows: list[Ranked]
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
        """One row per output and system, as plain dictionaries."""
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
        """The records as a pandas or polars frame, whichever is installed, else a list of dictionaries."""
        return as_frame(self.records(), frame)

    def page(self, decimals: int | None = None) -> Page:
        """A table: systems in rows, outputs in columns, each score with its letters."""
        from nlgauge.show.pages.ranks import ranks_page

        rows = [replace(row, output=row.output.with_decimals(decimals)) for row in self.rows]
        return ranks_page(replace(self, rows=rows))

    _short_page = page
    _csv_records = records


def ranked(
    label: str,
    output: Output,
    scores: dict[str, float],
    drawn: dict[str, Array] | None,
    units: int,
    confidence: float,
    reason: str,
    common: Mapping[tuple[int, int], CommonPair] | None = None,
    missing: Sequence[int] = (),
) -> Ranked:
    """Return the ranks of systems from their scores and, for each, the scores of the same resamples of so
    many units; None: nothing could be drawn.

    `common` has the pairs (i < j) that are compared on the segments that both have, because one lacks a score
    that the other has.
    """
    systems, common = tuple(scores), common or {}
    values = np.array(list(scores.values()))
    unknown = np.full((len(systems), len(systems)), np.nan)
    nothing = (None,) * len(systems)
    differences = _differences(values, common)
    counts, least = tuple(missing), min([units, *(pair.units for pair in common.values())])
    if drawn is None:
        return Ranked(
            label,
            output,
            systems,
            values,
            unknown,
            unknown,
            unknown,
            nothing,
            nothing,
            differences,
            counts,
            reason,
            least,
        )
    samples = np.stack([drawn[system] for system in systems])
    p = all_pairs(values, samples, units, common)
    low, high = _bounds(samples, confidence, common)
    if not reason and np.isnan(p).any():
        reason = "a score is undefined or infinite, or undefined in some resamples"
    if output.higher_is_better is None:
        return Ranked(
            label, output, systems, values, p, low, high, nothing, nothing, differences, counts, reason, least
        )
    sign, alpha = 1 if output.higher_is_better else -1, 1 - confidence
    turned = sign * (_standing(values, differences) if common else values)
    signed = sign * differences if common else None
    shown, ranks = tuple(letters(turned, p, alpha, signed)), tuple(rank_ranges(turned, p, alpha, signed))
    return Ranked(
        label, output, systems, values, p, low, high, shown, ranks, differences, counts, reason, least
    )


def _differences(scores: Array, common: Mapping[tuple[int, int], CommonPair]) -> Array:
    """Return (systems, systems) differences, row minus column, each on the segments that both have."""
    with np.errstate(invalid="ignore"):
        differences: Array = scores[:, None] - scores[None, :]
    for (i, j), pair in common.items():
        differences[i, j], differences[j, i] = pair.difference, -pair.difference
    return differences


def _standing(scores: Array, differences: Array) -> Array:
    """Return each system's mean difference from the systems that it can be compared with: the order of
    scores if no score is missing.
    """
    known = np.isfinite(differences)
    means = np.where(known, differences, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    standing: Array = np.where(np.isnan(scores), np.nan, means)
    return standing


def _bounds(
    samples: Array, confidence: float, common: Mapping[tuple[int, int], CommonPair]
) -> tuple[Array, Array]:
    """Return (systems, systems) bounds of the percentile interval of each difference."""
    tail = (1 - confidence) / 2
    low, high = np.zeros((2, len(samples), len(samples)))
    with np.errstate(invalid="ignore"):
        for i, j in combinations(range(len(samples)), 2):
            drawn = common[i, j].drawn if (i, j) in common else samples[i] - samples[j]
            low[i, j], high[i, j] = np.quantile(drawn, [tail, 1 - tail])
            low[j, i], high[j, i] = -high[i, j], -low[i, j]
    return low, high


def all_pairs(
    scores: Array, drawn: Array, units: int, common: Mapping[tuple[int, int], CommonPair] | None = None
) -> Array:
    """Return (systems, systems) p-values corrected by max-T over all pairs; `drawn` is (systems, resamples).
    NaN if a difference is not known.

    `units` is how many segments or documents were resampled; `common` has the pairs (i < j) that are compared
    on the segments that both have.
    """
    from scipy.special import ndtri, stdtr

    count, resamples = drawn.shape
    p = np.full((count, count), np.nan)
    np.fill_diagonal(p, 1.0)
    restricted = common or {}
    pairs = list(combinations(range(count), 2))
    largest = np.zeros(resamples)
    spreads, observed, sizes = np.empty(len(pairs)), np.empty(len(pairs)), np.full(len(pairs), units)
    with np.errstate(invalid="ignore", divide="ignore"):
        for pair, (i, j) in enumerate(pairs):
            if (i, j) in restricted:
                observed[pair], moved, sizes[pair] = restricted[i, j]
                moved = moved - moved.mean()
            else:
                observed[pair] = scores[i] - scores[j]
                moved = drawn[i] - drawn[j]
                moved -= moved.mean()
            spreads[pair] = moved.std()
            # Rounding alone is not a spread: systems that differ by the same amount on every segment.
            if np.isfinite(spreads[pair]) and spreads[pair] > 1e-12 * max(1.0, abs(observed[pair])):
                np.maximum(largest, np.abs(moved) / spreads[pair], out=largest)
            elif np.isfinite(spreads[pair]):
                spreads[pair] = 0.0
        for (i, j), difference, spread, size in zip(pairs, observed, spreads, sizes, strict=True):
            if np.isfinite(difference) and np.isfinite(spread) and size > 1:
                ratio = abs(difference) / spread if spread else (0.0 if difference == 0 else np.inf)
                # The value of the normal distribution that is as rare as this one of Student's.
                ratio = -ndtri(stdtr(size - 1, -ratio * np.sqrt((size - 1) / size)))
                # No test of so few units can be surer than that of their sign flips, corrected for all pairs.
                least = min(1.0, len(pairs) * 2.0 ** (1 - size))
                p[i, j] = p[j, i] = max(
                    least, (1 + int((largest >= ratio * (1 - 1e-9)).sum())) / (resamples + 1)
                )
    return p
