"""Imported scores: a metric whose rows come from another program or from people, not from texts.

A segment may have several scores of one system: answers that were drawn again (repeats), and several scores of one
answer (judge runs). Its value is the mean over repeats of the mean over judge runs, so every segment has the same
weight. A segment without a score has a reason: the answer is empty, an error, an unreadable reply, or (by default) the
score is absent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import MetricError
from nlgauge.metric import Arrays, Metric, Output, Takes, View, register
from nlgauge.metric.domains import require_choice
from nlgauge.metric.mean import means_of_defined, share

DIRECTIONS: dict[str, bool | None] = {"higher": True, "lower": False, "neither": None}
KINDS = ("number", "binary", "levels")
# The reasons for missing scores that are counted; any other score is absent.
REASONS = {
    "empty": "segments have an empty answer and no score; they count as the worst score if the scale has a bound",
    "error": "segments have no score, because of an error",
    "unreadable": "segments have no score, because the reply could not be read",
}
ABSENT = "absent"
_REPEATS, _DEVIATION = "repeats", "sd_repeats"
RESERVED = (_REPEATS, _DEVIATION, *REASONS)


class ScoreValues(NamedTuple):
    """The scores of one system: every score with the number of its answer, and every answer with its segment."""

    segments: int
    values: Array
    answers: Array
    owners: Array
    # The reason for a missing score, by segment; a segment without a score and without a reason is absent.
    reasons: Mapping[int, str] = {}

    @classmethod
    def single(cls, values: Array, reasons: Mapping[int, str] | None = None) -> ScoreValues:
        """Return a column with at most one score per segment; NaN if the score is missing."""
        owners = np.flatnonzero(~np.isnan(values))
        return cls(len(values), values[owners], np.arange(len(owners)), owners, reasons or {})

    @property
    def is_repeated(self) -> bool:
        """True if some segment has several scores."""
        return len(np.unique(self.owners[self.answers])) < len(self.values)

    def lists(self) -> list[list[list[float]]]:
        """Return the scores of each segment: for each answer, its scores."""
        by_answer: list[list[float]] = [[] for _ in self.owners]
        for answer, value in zip(self.answers.tolist(), self.values.tolist(), strict=True):
            by_answer[answer].append(value)
        segments: list[list[list[float]]] = [[] for _ in range(self.segments)]
        for owner, values in zip(self.owners.tolist(), by_answer, strict=True):
            segments[owner].append(values)
        return segments


@register
@dataclass(frozen=True)
class Imported(Metric):
    """The mean of scores that were imported; `column` is the name of the score and its label in a result.

    `origin` names the program and the file of the scores. Scores of two origins are the same metric.
    """

    column: str = "score"
    better: str = "higher"
    low: float = -math.inf
    high: float = math.inf
    kind: str = "number"
    levels: tuple[str, ...] = ()
    origin: str = field(default="", compare=False)

    name: ClassVar[str] = "imported"
    takes: ClassVar[Takes] = "alone"
    listed: ClassVar[bool] = False

    def __post_init__(self) -> None:
        require_choice(self, "better", tuple(DIRECTIONS))
        require_choice(self, "kind", KINDS)
        self.require(
            bool(self.column.strip()) and self.column not in RESERVED, "column", "the name of a score"
        )
        self.require(self.low < self.high, "low", f"below high ({self.high:g})")
        if self.kind == "levels":
            self.require(
                len(self.levels) > 1 and len(set(self.levels)) == len(self.levels),
                "levels",
                "two or more different categories, the worst first",
            )

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        score = Output(self.column, DIRECTIONS[self.better], self.low, self.high, nan="no score")
        deviation = Output(_DEVIATION, None, 0, nan="no segment has several scores")
        counts = (Output(reason, None, 0, note=note, missing=reason) for reason, note in REASONS.items())
        return {self.column: (score, Output(_REPEATS, None, 0, nan=score.nan), deviation, *counts)}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        raise MetricError(
            f"{self.column} was imported, not computed",
            python="pass its scores for the new texts with Result.with_scores",
            cli="add its scores for the new texts with --scores",
        )

    def score(self, part: str, statistics: Array) -> Arrays:
        scores = means_of_defined(statistics[..., :2], [self.column])
        scores[_REPEATS] = share(statistics[..., 2], statistics[..., 1])
        scores[_DEVIATION] = np.sqrt(share(statistics[..., 3], statistics[..., 4]))
        return scores | {reason: statistics[..., 5 + i] for i, reason in enumerate(REASONS)}

    def missing(self, part: str, statistics: Array) -> Array:
        undefined: Array = statistics[..., 1] == 0
        return undefined

    def is_mean(self, output: Output) -> bool:
        return output.name == self.column

    def may_leave(self) -> bool:
        return False

    def facts(self, corpus: Corpus) -> dict[str, str]:
        facts = {"metric": self.name, "column": self.column, "better": self.better}
        if math.isfinite(self.low) or math.isfinite(self.high):
            facts["bounds"] = f"{self.low:g}..{self.high:g}"
        if self.levels:
            facts["levels"] = "/".join(self.levels)
        return facts | ({"origin": self.origin} if self.origin else {})

    def __str__(self) -> str:
        return self.column

    def rows(self, scores: ScoreValues) -> Array:
        """Return the statistics of segments.

        Parameters
        ----------
        scores : ScoreValues
            Scores of one system on N segments.

        Returns
        -------
        ndarray of shape (N, 8)
            Mean, 1 if it is defined, number of scores, squared deviations of the repeats and their degrees of
            freedom, and a count for each of `REASONS`.
        """
        answers = len(scores.owners)
        runs = np.bincount(scores.answers, minlength=answers)
        scored = runs > 0
        means = np.bincount(scores.answers, scores.values, answers)[scored] / runs[scored]
        owners = scores.owners[scored]
        repeats = np.bincount(owners, minlength=scores.segments)
        defined = repeats > 0
        statistics = np.zeros((scores.segments, 5 + len(REASONS)))
        statistics[defined, 0] = np.bincount(owners, means, scores.segments)[defined] / repeats[defined]
        statistics[:, 1] = defined
        statistics[:, 2] = np.bincount(owners, runs[scored], scores.segments)
        deviations = (means - statistics[owners, 0]) ** 2
        statistics[:, 3] = np.bincount(owners, deviations, scores.segments)
        statistics[:, 4] = np.maximum(repeats - 1, 0)
        for column, reason in enumerate(REASONS, 5):
            numbers = [number for number, given in scores.reasons.items() if given == reason]
            statistics[numbers, column] = 1.0 if reason == "empty" else ~defined[numbers]
        return statistics
