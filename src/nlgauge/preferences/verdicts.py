"""Verdicts on pairs of predictions: the two systems, the segment, and the winner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.errors import InputError


@dataclass(frozen=True, eq=False)
class Verdicts:
    """N comparisons of two systems each.

    `first` and `second` are numbers of systems. `outcomes` (N, 3) are the shares of each comparison that the first
    system won, that were tied, and that the second system won; each row adds up to 1. `segments` and `documents`
    are numbers of `segment_names` and of documents, None if the records have none. `lengths` (N, 2) are lengths of
    the two predictions. `missing` counts the records without a verdict. `highest` is the highest grade of verdicts that
    have grades.
    """

    systems: tuple[str, ...]
    first: Array
    second: Array
    outcomes: Array
    segments: Array | None
    segment_names: Sequence[str] = ()
    documents: Array | None = None
    lengths: Array | None = None
    missing: int = 0
    highest: float | None = None

    def __len__(self) -> int:
        return len(self.first)

    @property
    def units(self) -> Array:
        """The number of the document, segment or comparison that is resampled, for each comparison."""
        if self.documents is not None:
            return self.documents
        return np.arange(len(self)) if self.segments is None else self.segments

    @property
    def unit(self) -> str:
        """Noun of the unit of resampling."""
        if self.documents is not None:
            return "document"
        return "comparison" if self.segments is None else "segment"

    @property
    def has_soft(self) -> bool:
        """True if a verdict is a probability."""
        return bool(((self.outcomes > 0) & (self.outcomes < 1)).any())

    @property
    def has_ties(self) -> bool:
        """True if a comparison is a tie."""
        return bool(self.outcomes[:, 1].any())

    def take(self, rows: Array) -> Verdicts:
        """Return some of the comparisons; systems and segments stay."""
        return replace(
            self,
            first=self.first[rows],
            second=self.second[rows],
            outcomes=self.outcomes[rows],
            segments=None if self.segments is None else self.segments[rows],
            documents=None if self.documents is None else self.documents[rows],
            lengths=None if self.lengths is None else self.lengths[rows],
        )

    def win_rates(self) -> Array:
        """Return the share of its comparisons that each system won, a tie as half; NaN without comparisons."""
        wins, count = np.zeros((2, len(self.systems)))
        for side, won in ((self.first, self.outcomes[:, 0]), (self.second, self.outcomes[:, 2])):
            wins += np.bincount(side, won + self.outcomes[:, 1] / 2, len(self.systems))
            count += np.bincount(side, minlength=len(self.systems))
        return np.asarray(wins / np.where(count == 0, np.nan, count))


def numbered(names: Sequence[str]) -> tuple[Array, list[str]]:
    """Return the number of each name among the distinct names, and these names in alphabetical order.

    >>> numbered(["b", "a", "b"])
    (array([1, 0, 1]), ['a', 'b'])
    """
    distinct = sorted(set(names))
    number_of = {name: number for number, name in enumerate(distinct)}
    return np.array([number_of[name] for name in names], dtype=np.int64), distinct


def soft_outcomes(wins: Array) -> Array:
    """Return the outcomes from the probability that the first system wins; exactly one half is a tie."""
    is_tie = wins == 0.5
    return np.column_stack([np.where(is_tie, 0.0, wins), is_tie, np.where(is_tie, 0.0, 1 - wins)])


def check_some(verdicts: Verdicts) -> Verdicts:
    """Return the verdicts; raise InputError if fewer than two systems are compared."""
    if not len(verdicts):
        reason = f": {counted(verdicts.missing, 'record')} without a verdict" if verdicts.missing else ""
        raise InputError(f"a ranking needs verdicts on two systems, got none{reason}.")
    return verdicts
