"""Measures of agreement between a metric and human scores, by name, each with the levels at which it is defined.

A measure has its value at a level, its replicates in resamples of systems and inputs, and its floor: the value
of a constant metric.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.stats.arrays import mean_of_known, paired
from nlgauge.stats.bootstrap import draw_by_draw, replicates
from nlgauge.stats.coefficients import COEFFICIENTS, Coefficient, by_name
from nlgauge.stats.levels import LEVELS, Levelled, Scores, at_level, grouped_by, p_at_level
from nlgauge.stats.resampling import Resamples
from nlgauge.stats.soft import apart_in_pairs, sign_flips
from nlgauge.stats.ties import (
    accuracy_of_groups,
    calibrate,
    darr,
    darr_counts,
    darr_kinds,
    differences,
    right_pairs,
)


@dataclass(frozen=True)
class Measure(ABC):
    """A measure of agreement between a metric and human scores, with the levels at which it is defined.

    `accuracy`: a constant metric has a value, so that 0 is not the floor. `average` and `undefined` select how
    the values of groups are averaged, as for `levels.at_level`; measures with other rules ignore them.
    """

    name: str
    title: str
    levels: tuple[str, ...] = LEVELS
    accuracy: bool = False
    average: str = "macro"
    undefined: str = "drop"

    @property
    def of_means(self) -> bool:
        """True if the value at system level follows from the systems' means."""
        return True

    @property
    def one_scale(self) -> bool:
        """True if it compares differences across groups (inputs), so that relative spreads of groups matter."""
        return False

    @abstractmethod
    def value(self, level: str, scores: Scores) -> Levelled:
        """Return the value of one metric."""

    @abstractmethod
    def replicates(self, level: str, scores: Scores, resamples: Resamples) -> Array:
        """Return (B,) the value in each resample."""

    def floor(self, level: str, scores: Scores) -> float:
        """Return the value of a constant metric with the same missing scores; NaN for correlations, which are
        undefined there.
        """
        if not self.accuracy:
            return math.nan
        # Scores of whole systems stand for some score of every output.
        known = scores.x if scores.whole is None else scores.z
        constant = np.where(np.isnan(known), np.nan, 0.0)
        return self.value(level, Scores(constant, scores.z, scores.weights)).value

    def p(self, level: str, scores: Scores) -> float:
        """Return two-sided p of no association; NaN if the measure has no such test at the level."""
        return math.nan

    def beside(self, level: str, scores: Scores) -> Mapping[str, float]:
        """Return further columns."""
        return {}


@dataclass(frozen=True)
class OfCoefficient(Measure):
    """A coefficient, which is a function of two vectors, at every level.

    `exact`: p of few points is exact; otherwise it is SciPy's approximation.
    """

    coefficient: Coefficient = COEFFICIENTS["pearson"]
    exact: bool = True

    @property
    def one_scale(self) -> bool:
        return self.coefficient.pooled

    def value(self, level: str, scores: Scores) -> Levelled:
        return at_level(self.coefficient, level, scores, self.average, self.undefined)

    def p(self, level: str, scores: Scores) -> float:
        return p_at_level(self.coefficient, level, scores, self.exact)

    def replicates(self, level: str, scores: Scores, resamples: Resamples) -> Array:
        if (self.average, self.undefined) != ("macro", "drop"):
            return draw_by_draw(self.coefficient, level, scores, resamples, self.average, self.undefined)
        return replicates(self.coefficient, level, scores, resamples)


@dataclass(frozen=True)
class Darr(Measure):
    """DARR, over the pairs of systems of each input."""

    threshold: float = 25.0
    ties: str = "discordant"

    def value(self, level: str, scores: Scores) -> Levelled:
        x, z = grouped_by(level, scores.x, scores.z)
        alike, against = darr_counts(x, z, self.threshold, self.ties)
        pairs = alike + against
        value = float(darr(x, z, self.threshold, self.ties))
        return Levelled(value, int(pairs.sum()), int((pairs > 0).sum()), int((pairs == 0).sum()))

    def replicates(self, level: str, scores: Scores, resamples: Resamples) -> Array:
        kinds = darr_kinds(*differences(*grouped_by(level, *scores[:2])), self.threshold, self.ties)
        right, wrong = (
            (resamples.pairs @ kind.T.astype(np.float32) * resamples.inputs).sum(axis=1) for kind in kinds
        )
        return np.asarray((right - wrong) / np.where(right + wrong == 0, np.nan, right + wrong))


@dataclass(frozen=True)
class CalibratedAccuracy(Measure):
    """acc_eq at the epsilon that is best on these very data; its resamples keep that epsilon."""

    splits: int = 10
    seed: int = 12345

    @property
    def one_scale(self) -> bool:
        return True

    def value(self, level: str, scores: Scores) -> Levelled:
        groups = grouped_by(level, *scores[:3])
        points = (~np.isnan(groups[0])).sum(axis=-1)
        calibration = calibrate(*groups, 0, self.seed)
        return Levelled(
            calibration.accuracy,
            int(points.max(initial=0)),
            calibration.n_groups,
            len(points) - calibration.n_groups,
        )

    def beside(self, level: str, scores: Scores) -> Mapping[str, float]:
        calibration = calibrate(*grouped_by(level, *scores[:3]), self.splits, self.seed)
        return {
            "epsilon": calibration.epsilon,
            "skill": calibration.skill,
            "held_out": calibration.held_out,
            "held_out_floor": calibration.held_out_floor,
        }

    def replicates(self, level: str, scores: Scores, resamples: Resamples) -> Array:
        x, z, weights, _ = scores
        epsilon = calibrate(*grouped_by(level, x, z, weights), 0, self.seed).epsilon
        if math.isnan(epsilon):
            return np.full(len(resamples), np.nan)
        if level != "input":

            def of_vectors(x: Array, z: Array) -> Array:
                return np.asarray(accuracy_of_groups(x[..., None, :], z[..., None, :], epsilon)[..., 0])

            fixed = Coefficient(self.name, of_vectors, "", True, self.title)
            return draw_by_draw(fixed, level, Scores(*paired(x, z), weights), resamples)
        kinds = right_pairs(*differences(*grouped_by(level, x, z)), epsilon)
        counts, total = (resamples.pairs @ kind.T.astype(np.float32) for kind in kinds)
        with np.errstate(invalid="ignore"):
            shares = counts.astype(np.float64) / np.where(total == 0, np.nan, total)
        inputs = resamples.inputs if weights is None else resamples.inputs * weights
        defined = np.where(np.isnan(shares), 0.0, inputs)
        return np.asarray(
            (defined * np.nan_to_num(shares)).sum(axis=1)
            / np.where(defined.sum(axis=1) == 0, np.nan, defined.sum(axis=1))
        )


@dataclass(frozen=True)
class Soft(Measure):
    """Soft pairwise accuracy of systems, from their segments."""

    resamples: int = 1000
    seed: int = 12345
    rule: str = "mid"

    @property
    def of_means(self) -> bool:
        return False

    @property
    def one_scale(self) -> bool:
        return True

    def value(self, level: str, scores: Scores) -> Levelled:
        x, z = scores[:2]
        apart = apart_in_pairs(x, z, sign_flips(x.shape[1], self.resamples, self.seed), self.rule)
        known = int((~np.isnan(apart)).sum())
        systems = int((~(np.isnan(x) | np.isnan(z))).any(axis=1).sum())
        return Levelled(1 - float(mean_of_known(apart)), systems, known, len(apart) - known)

    def replicates(self, level: str, scores: Scores, resamples: Resamples) -> Array:
        x, z = scores[:2]
        signs = sign_flips(x.shape[1], self.resamples, self.seed)
        if resamples.over == "systems":
            apart = np.broadcast_to(apart_in_pairs(x, z, signs, self.rule), resamples.pairs.shape)
        else:
            columns = [
                np.repeat(np.arange(x.shape[1]), counts) for counts in resamples.inputs.astype(np.int64)
            ]
            apart = np.stack(
                [
                    apart_in_pairs(x[:, chosen], z[:, chosen], signs[:, : len(chosen)], self.rule)
                    for chosen in columns
                ]
            )
        counted = np.where(np.isnan(apart), 0.0, resamples.pairs)
        total = counted.sum(axis=1)
        return np.asarray(
            1 - (counted * np.nan_to_num(apart)).sum(axis=1) / np.where(total == 0, np.nan, total)
        )


SPA = Soft("spa", "soft pairwise accuracy", ("system",), accuracy=True)
MEASURES: dict[str, Measure] = {
    **{
        name: OfCoefficient(name, of.title, accuracy=of.accuracy, coefficient=of)
        for name, of in COEFFICIENTS.items()
    },
    "pairwise_accuracy": OfCoefficient(
        "pairwise_accuracy",
        "pairwise accuracy of systems",
        ("system",),
        accuracy=True,
        coefficient=COEFFICIENTS["acc_eq"],
    ),
    # The sign of a score says something only if scores are differences.
    "same_sign": OfCoefficient(
        "same_sign",
        COEFFICIENTS["same_sign"].title,
        ("global",),
        accuracy=True,
        coefficient=COEFFICIENTS["same_sign"],
    ),
    "acc_eq_calibrated": CalibratedAccuracy("acc_eq_calibrated", "acc_eq at its best epsilon", accuracy=True),
    "darr": Darr("darr", "DARR", ("input",)),
    "spa": SPA,
}


def measure(name: str | Measure) -> Measure:
    """Return the measure of this name; `dataclasses.replace(measure("darr"), threshold=10)` changes its
    options.

    >>> measure("darr").levels
    ('input',)
    """
    return name if isinstance(name, Measure) else by_name(name, MEASURES)
