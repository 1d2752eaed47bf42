"""The meaning of a score in other terms: human agreement, the score of another metric, the human scale.

`convert` returns a table; `agreement_curve`, `quantile_map`, `isotonic_map` and `to_human_scale` return its
parts. Maps are increasing: scores are oriented first, so that a map from BLEU to an error rate falls.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.diagnostics.curves import AgreementCurve, SystemPairs, binned, fitted, system_pairs
from nlgauge.meta.findings import Findings, made
from nlgauge.stats.levels import human_means, system_means
from nlgauge.stats.resampling import folds_of

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

How = Literal["quantile", "isotonic"]


@dataclass(frozen=True, eq=False)
class ScoreMap:
    """An increasing map from one scale to another, linear between its knots and constant beyond them.

    >>> ScoreMap(np.array([0.0, 1.0]), np.array([0.0, 100.0]))([0.25, 2.0]).tolist()
    [25.0, 100.0]
    """

    source: Array
    target: Array

    def __call__(self, scores: Any) -> Array:
        """Return the scores on the other scale; NaN stays NaN."""
        values = np.asarray(scores, dtype=np.float64)
        if not len(self.source):
            return np.full(values.shape, np.nan)
        return np.asarray(np.interp(values, self.source, self.target))


def quantile_map(source: Any, target: Any) -> ScoreMap:
    """Return the map from a score to the target score of the same rank.

    Parameters
    ----------
    source : array_like
        Scores on the first scale.
    target : array_like
        Scores on the second scale; they need not be scores of the same outputs.

    Returns
    -------
    ScoreMap
        Increasing function of scores.
    """
    x, z = (np.sort(_known(values)) for values in (source, target))
    if not len(x) or not len(z):
        return ScoreMap(np.empty(0), np.empty(0))
    knots = np.unique(x)
    # The middle of the ranks of each value: equal scores get one value.
    shares = (
        (np.searchsorted(x, knots, "left") + np.searchsorted(x, knots, "right") - 1) / 2 / max(1, len(x) - 1)
    )
    return ScoreMap(knots, np.quantile(z, shares))


def isotonic_map(source: Any, target: Any) -> ScoreMap:
    """Return the increasing map with the least squared error of the target.

    Parameters
    ----------
    source : array_like of shape (n,)
        Scores on the first scale.
    target : array_like of shape (n,)
        Scores of the same outputs on the second scale. Outputs with a missing score are excluded.

    Returns
    -------
    ScoreMap
        Increasing function of scores.

    Raises
    ------
    InputError
        If the shapes differ.
    """
    from scipy.optimize import isotonic_regression

    x, z = (np.asarray(values, dtype=np.float64).ravel() for values in (source, target))
    if x.shape != z.shape:
        raise InputError(f"an isotonic map needs both scores of the same outputs, got {len(x)} and {len(z)}.")
    known = np.isfinite(x) & np.isfinite(z)
    if not known.any():
        return ScoreMap(np.empty(0), np.empty(0))
    knots, places, counts = np.unique(x[known], return_inverse=True, return_counts=True)
    means = np.bincount(places, z[known]) / counts
    return ScoreMap(knots, np.asarray(isotonic_regression(means, weights=counts).x))


class Calibration(NamedTuple):
    """Calibrated scores on the human scale, each from a map that was fitted without its segment; the reliability
    table; the expected calibration error.

    `skill` is the share of the human variance that the calibrated scores explain; below 0 the mean of the human
    scores is a better prediction.
    """

    scores: Array
    table: Findings
    error: float
    skill: float


def to_human_scale(
    scores: Any, human: Any, *, folds: int = 5, bins: int = 10, seed: int = 12345
) -> Calibration:
    """Map a metric to the human scale by isotonic regression, cross-fitted over segments.

    Parameters
    ----------
    scores : array_like of shape (S, N) or (N,)
        Scores of a metric, higher is better.
    human : array_like of shape (S, N) or (N,)
        Human scores.
    folds : int, default 5
        Number of folds of segments.
    bins : int, default 10
        Number of bins of equal mass.
    seed : int, default 12345
        Seed of the folds.

    Returns
    -------
    Calibration
        Calibrated scores; a table with one row per bin (number of outputs, mean calibrated score, mean human score, gap);
        the mean absolute gap, weighted by outputs, in human points; and the share of human variance explained.

    Raises
    ------
    InputError
        If the shapes differ.
    """
    x, z = np.asarray(scores, dtype=np.float64), np.asarray(human, dtype=np.float64)
    if x.shape != z.shape or x.ndim not in (1, 2):
        raise InputError(
            "calibration needs scores and human scores of one shape, (segments,) or (systems, segments); got"
            f" {x.shape} and {z.shape}."
        )
    found = np.full(x.shape, np.nan)
    for fold in folds_of(x.shape[-1], folds, seed):
        others = np.setdiff1d(np.arange(x.shape[-1]), fold)
        found[..., fold] = isotonic_map(x[..., others], z[..., others])(x[..., fold])
    known = ~np.isnan(found) & ~np.isnan(z)
    predicted, people = found[known], z[known]
    places = binned(predicted, bins)
    rows: list[dict[str, Any]] = []
    for place in np.unique(places).tolist():
        here = places == place
        mean, real = float(predicted[here].mean()), float(people[here].mean())
        rows.append(
            {"bin": place + 1, "n": int(here.sum()), "calibrated": mean, "human": real, "gap": mean - real}
        )
    error = math.fsum(row["n"] * abs(row["gap"]) for row in rows) / len(people) if len(people) else math.nan
    spread = float(((people - people.mean()) ** 2).sum()) if len(people) else 0.0
    skill = 1 - float(((people - predicted) ** 2).sum()) / spread if spread > 0 else math.nan
    how = made(
        rule="isotonic, cross-fitted over segments",
        folds=folds,
        bins=bins,
        seed=seed,
        error=error,
        skill=skill,
        n_undefined=int((~known).sum()),
    )
    return Calibration(found, Findings(rows, how, "Reliability of the calibrated scores"), error, skill)


def agreement_curve(
    judgments: Judgments,
    metric: str,
    human: str | None = None,
    *,
    bins: int = 10,
    resamples: int = 1000,
    seed: int = 12345,
) -> AgreementCurve:
    """Fit the rate at which human scores confirm a metric's preference, by score difference.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    metric : str
        Metric.
    human : str, optional
        Human dimension. Required if there are several.
    bins : int, default 10
        Number of bins of the differences.
    resamples : int, default 1000
        Number of resamples B.
    seed : int, default 12345
        Seed of the resamples.

    Returns
    -------
    AgreementCurve
        Curve over all pairs of systems within groups, with B resamples of systems.
    """
    return fitted(compared_systems(judgments, metric, human, resamples, seed), bins)


def convert(
    judgments: Judgments,
    metric: str,
    to: str = "accuracy",
    *,
    human: str | None = None,
    deltas: Sequence[float] = (1.0,),
    accuracies: Sequence[float] = (0.6, 0.7, 0.8, 0.9, 0.95),
    how: How = "quantile",
    bins: int = 10,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
) -> Findings:
    """Translate the scores of a metric into agreement rates, human scores or another metric.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    metric : str
        Metric.
    to : str, default "accuracy"
        "accuracy" (rate at which human scores confirm a difference of two systems), "human" (the reliability table of
        `to_human_scale`), or another metric (its scores at eleven scores of `metric`).
    human : str, optional
        Human dimension. Required if there are several.
    deltas : sequence of float
        Score differences whose agreement rate is reported, for "accuracy".
    accuracies : sequence of float
        Agreement rates whose score difference is reported, for "accuracy".
    how : {"quantile", "isotonic"}
        Map to another metric.
    bins : int, default 10
        Number of bins.
    resamples : int, default 1000
        Number of resamples B.
    confidence : float, default 0.95
        Confidence of the intervals.
    seed : int, default 12345
        Seed of the resamples.

    Returns
    -------
    Findings
        The table. For "accuracy", `low` and `high` bound the reported quantity.

    Raises
    ------
    ParameterError
        If `how` is unknown.
    InputError
        If both metrics have no scores of the same segments.
    UnknownNameError
        If there is no such metric.
    """
    judgments.check_metric(metric)
    if to == "accuracy":
        return _to_accuracy(
            judgments, metric, human, (deltas, accuracies), (bins, resamples, confidence, seed)
        )
    if to == "human":
        return to_human_scale(judgments.oriented(metric), judgments.human(human), bins=bins, seed=seed).table
    if how not in ("quantile", "isotonic"):
        raise ParameterError(f"how must be 'quantile' or 'isotonic', got {how!r}.")
    source, target = judgments.oriented(metric), judgments.oriented(to)
    mapped = (quantile_map if how == "quantile" else isotonic_map)(source, target)
    known = _known(source)
    if not len(known) or not len(mapped.source):
        raise InputError(f"{metric} and {to} have no scores of the same segments; both are needed.")
    shares = np.linspace(0, 1, 11)
    scores = np.quantile(known, shares)
    rows = [
        {
            "share": float(share),
            metric: judgments.sign(metric) * float(score),
            to: judgments.sign(to) * float(mapped(score)),
        }
        for share, score in zip(shares, scores, strict=True)
    ]
    return Findings(rows, made(rule=how, n=len(known)), f"{metric} as {to}")


def _to_accuracy(
    judgments: Judgments,
    metric: str,
    human: str | None,
    asked: tuple[Sequence[float], Sequence[float]],
    options: tuple[int, int, float, int],
) -> Findings:
    bins, resamples, confidence, seed = options
    pairs = compared_systems(judgments, metric, human, resamples, seed)
    curve = fitted(pairs, bins)
    few = (
        ""
        if not math.isnan(curve.ceiling)
        else (
            "a curve needs three pairs of systems with different scores, there are"
            f" {np.count_nonzero(pairs.delta)}"
        )
    )
    answers: list[tuple[Any, ...]] = [
        ("delta", delta, curve.accuracy(delta), *curve.accuracy_interval(delta, confidence), few)
        for delta in asked[0]
    ]
    for accuracy in asked[1]:
        delta = curve.delta(accuracy)
        reason = few or (f"the ceiling is {curve.ceiling:.3f}" if math.isnan(delta) else "")
        answers.append(("accuracy", delta, accuracy, *curve.delta_interval(accuracy, confidence), reason))
    names = ("asked", "delta", "accuracy", "low", "high", "reason")
    rows = [{"metric": metric, **dict(zip(names, answer, strict=True))} for answer in answers]
    fit = {
        "ceiling": curve.ceiling,
        "slope": curve.slope,
        "n_pairs": len(pairs.delta),
        "n_human_ties": pairs.tied,
    }
    how = made(
        rule="a / (1 + exp(-b d))",
        **fit,
        bins=bins,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        generalizes_to="systems",
    )
    return Findings(rows, how, f"Human agreement with differences of {metric}")


def compared_systems(
    judgments: Judgments, metric: str, human: str | None, resamples: int, seed: int
) -> SystemPairs:
    """Return the pairs of systems within groups that people order, with their metric differences and
    resamples of systems.
    """
    dimension = judgments.dimension(human)
    return system_pairs(
        [_of_systems(part, metric, dimension) for part in judgments.by_group().values()], resamples, seed
    )


def _of_systems(part: Judgments, metric: str, dimension: str) -> tuple[Array, Array]:
    """Return the scores of systems by the metric and by people."""
    whole, people = part.oriented_system_scores(metric), part.human(dimension)
    return (
        system_means(part.oriented(metric), people, part.weights)
        if whole is None
        else (whole, human_means(people, part.weights))
    )


def _known(values: Any) -> Array:
    flat = np.asarray(values, dtype=np.float64).ravel()
    return flat[np.isfinite(flat)]
