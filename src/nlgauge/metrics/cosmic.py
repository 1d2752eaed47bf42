"""COSMIC: the mutual information between embeddings of sources T and of a system's summaries S, in nats.

    I(S -> T) = h(T) - h(T | S)      the score: how much the summaries tell about the sources
    I(T -> S) = h(S) - h(S | T)      `reverse`; equal in theory, another number for any estimator
    normalized = 1 - N(T | S) / N(T) = 1 - exp(-2 I / d),  N(X) = exp(2 h(X) / d) the entropy power, I no less than 0

Densities are mixtures of Gaussians (`estimators.knife`) or one Gaussian (`estimators.gaussian`), cross-fitted
over sources for several seeds, so that every pair has a held-out pointwise value and the score is their mean.
Folds and all that is drawn follow from the texts and the seed, not from the order of the segments
(`estimators.mutual_information`). `compat="cosmic"` is the released package: it scores the other direction,
I(T -> S), and fits and values the same pairs (`estimators.knife_released`). The normalized information of the
paper, I / h(T), is not offered: a differential entropy may be negative or 0, and for embeddings of unit
length it is negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.metric import TRUNCATED, Arrays, Fit, Metric, Output, Takes, View, register
from nlgauge.metric.domains import require_choice, require_whole
from nlgauge.metric.mean import share
from nlgauge.metrics._shared.encoder_precision import UsesEncoder
from nlgauge.metrics._shared.mutual_information import OTHER, Estimator, MutualInformation
from nlgauge.metrics._shared.unknown_tokens import UNKNOWN_TOKENS, unknown_share
from nlgauge.models import ModelSpec

_MOST_FULL = 16
# Gaussians whose information is known lost about 1.4 times their shortfall, which counts only to first order
# (benchmarks/cosmic_truth.py).
_LOST_PER_SHORTFALL = 1.5
# A score below this many nats is judged by absolute errors.
_LEAST_INFORMATION = 0.5
_LIKELY_ERROR = (
    "of the score is its likely distance from the true information, because the densities do not fit the"
    " embeddings. Read shortfall, entropy_excess and dispersion, use more pairs or fewer components, and do not"
    " interpret differences of this size"
)


@register
@dataclass(frozen=True)
class Cosmic(UsesEncoder, Metric):
    """COSMIC: how many nats the summaries tell about their sources, in an embedding space."""

    model: ModelSpec = "minilm"
    modes: int | None = None
    folds: int = 5
    components: int | None = None
    seeds: int = 3
    estimator: str = "knife"
    covariance: str = "diagonal"
    reverse: bool = True
    unit: bool = True
    compat: str | None = None

    name: ClassVar[str] = "cosmic"
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True
    reduce: ClassVar[str] = "mean"
    seeded: ClassVar[bool] = True
    revision: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, least in (("folds", 2), ("seeds", 1)):
            require_whole(self, name, least)
        for name in ("components", "modes"):
            require_whole(self, name, optional=True)
        require_choice(self, "estimator", ("knife", "gaussian"))
        require_choice(self, "covariance", ("diagonal", "full"))
        few = self.components is not None and self.components <= _MOST_FULL
        self.require(
            self.covariance == "diagonal" or few,
            "covariance",
            f"'diagonal' unless components is set to at most {_MOST_FULL}",
        )
        self.require(isinstance(self.reverse, bool), "reverse", "True or False")
        self.require(isinstance(self.unit, bool), "unit", "True or False")
        require_choice(self, "compat", (None, "cosmic"))

    def targets(self) -> tuple[str, ...]:
        """Return the sides whose entropies are estimated: first the side of the score's direction."""
        first = "summary" if self.compat else "source"
        return (first, OTHER[first]) if self.reverse else (first,)

    def information(self) -> Estimator:
        """Return the estimator of the information of vectors."""
        kind = "released" if self.compat else self.estimator
        return Estimator(kind, self.modes, self.folds, self.components, self.seeds, self.covariance == "full")

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        nan = "no pair with a text on both sides could be scored by densities fitted on other sources"
        found = [
            Output("cosmic", True, nan=nan),
            Output("seed_deviation", None, 0, nan="one seed has no spread, or no pair could be scored"),
        ]
        found += [Output("normalized", True, 0, 1, nan=nan), Output("reverse", True, nan=nan)][
            : 1 + self.reverse
        ]
        for target in self.targets():
            found += [
                Output(f"{target}_entropy", None, nan=nan),
                Output(f"{target}_entropy_given_{OTHER[target]}", None, nan=nan),
            ]
        unconverged = Output(
            "unconverged",
            None,
            0,
            nan="the released estimator does not watch its training",
            note="pairs were scored by a density whose training had not converged",
        )
        unchecked = "only estimator='knife' checks its densities"
        checks = [Output(name, None, nan=unchecked) for name in ("shortfall", "entropy_excess", "dispersion")]
        checks.append(Output("likely_error", None, 0, nan=unchecked, warn_above=0.1, warning=_LIKELY_ERROR))
        return {
            "cosmic": (
                *found,
                *checks,
                Output("scored_pairs", None, 0),
                TRUNCATED,
                unconverged,
                UNKNOWN_TOKENS,
            )
        }

    def fit(self) -> Fit:
        return MutualInformation(self.model, self.unit, self.targets(), self.information(), self.precision)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        rows = {name: values[view.positions] for name, values in fitted.items() if "_fit_" not in name}
        columns, first = [], self.targets()[0]
        for target in self.targets():
            entropy, conditional = rows[f"{target}_entropy"], rows[f"{target}_conditional"]
            columns += [entropy - conditional, entropy.mean(axis=1), conditional.mean(axis=1)]
        unconverged = np.max([rows[f"{target}_unconverged"] for target in self.targets()], axis=0)
        scored = ~np.isnan(rows[f"{first}_entropy"][:, 0])
        squares = (rows[f"{first}_conditional"] ** 2).mean(axis=1)
        width = np.full(len(view), fitted[f"{first}_fit_width"])
        checks = [np.nan_to_num(rows[f"{first}_{name}"]) for name in ("shortfall", "entropy_excess")]
        statistics = np.column_stack([*columns, *checks, squares, width, unconverged, np.ones(len(view))])
        # An empty text has no information: 0, and undefined entropies.
        statistics[~scored] = 0.0
        return {
            "cosmic": np.column_stack([statistics, np.ones(len(view)), rows["truncated"], rows["tokens"]])
        }

    def score(self, part: str, statistics: Array) -> Arrays:
        *_, shortfall, excess, squares, width, unconverged, scored, count, truncated, _, _ = np.moveaxis(
            statistics, -1, 0
        )
        by_target = [
            statistics[..., i * (self.seeds + 2) : (i + 1) * (self.seeds + 2)]
            for i in range(len(self.targets()))
        ]
        seeds = np.where(
            scored[..., None] > 0, share(by_target[0][..., : self.seeds], count[..., None]), np.nan
        )
        found = {"cosmic": seeds.mean(axis=-1)}
        found["seed_deviation"] = (
            seeds.std(axis=-1, ddof=1) if self.seeds > 1 else np.full_like(found["cosmic"], np.nan)
        )
        components = np.where(width > 0, share(width, scored), 1.0)
        found["normalized"] = -np.expm1(-2 * found["cosmic"].clip(0) / components)
        if self.reverse:
            found["reverse"] = np.where(
                scored > 0, share(by_target[1][..., : self.seeds].mean(axis=-1), count), np.nan
            )
        for target, sums in zip(self.targets(), by_target, strict=True):
            found[f"{target}_entropy"] = share(sums[..., -2], scored)
            found[f"{target}_entropy_given_{OTHER[target]}"] = share(sums[..., -1], scored)
        conditional = share(by_target[0][..., -1], scored)
        variance = share(squares, scored) - conditional**2
        said = checks(found["cosmic"], share(shortfall, scored), share(excess, scored), variance, components)
        checked = self.compat is None and self.estimator == "knife"
        found |= {name: values if checked else np.full_like(values, np.nan) for name, values in said.items()}
        unconverged = np.full_like(unconverged, np.nan) if self.compat else unconverged
        return {
            **found,
            "scored_pairs": scored,
            "truncated": truncated,
            "unconverged": unconverged,
            **unknown_share(statistics),
        }


def checks(score: Array, shortfall: Array, excess: Array, variance: Array, components: Array) -> Arrays:
    """Return the outputs that show how well the densities fit.

    Under a right density of Gaussian shape the variance of -log q(t|s) is half the dimensions. If all
    deviations of a row are scaled by a chance factor, a Gaussian is too high by half of the variance above
    that share, so that (dispersion - 1) / 2 stands for the nats of wrong shape.
    """
    dispersion = variance / (components / 2)
    nats = np.max(
        [_LOST_PER_SHORTFALL * np.abs(shortfall), excess.clip(0), (dispersion - 1).clip(0) / 2], axis=0
    )
    likely = nats / np.abs(score).clip(_LEAST_INFORMATION)
    return {
        "shortfall": shortfall,
        "entropy_excess": excess.clip(0),
        "dispersion": dispersion,
        "likely_error": likely,
    }
