"""Human scores of systems from few labels: estimates and intervals that use metric scores of all outputs and
human scores of a sample.

The mathematics is in `control_variates`, the predictions from several metrics in `cross_fitting`, what to
label next in `labeling`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError
from nlgauge.meta.findings import Findings, made
from nlgauge.meta.labeling.control_variates import Controlled, Summed, best_power, controlled, summed
from nlgauge.meta.labeling.cross_fitting import out_of_fold
from nlgauge.meta.labeling.labels import LabeledSample, labels, scores_of
from nlgauge.stats.intervals import check_confidence

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

Of = Literal["means", "differences"]

_MEANT = {
    "inputs": "new inputs like these",
    "none": "only the segments at hand, as if all of them had been labeled",
}


class _Part(NamedTuple):
    """The estimate of one system or pair of systems, with the metrics and from only the labels."""

    found: Controlled
    alone: Controlled


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(Findings):
    """Mean human scores from few human labels: one row per system, or per pair of systems.

    Parameters
    ----------
    rows : sequence of mapping
        One dictionary per system or pair of systems.
    made : mapping, optional
        Settings of the analysis: seed, resamples, rule, versions.
    title : str, optional
        Title of the table.
    notes : sequence of str, optional
        Notes below the table.
    p_values : sequence of str
        Columns with p-values.
    drawn_as : str, optional
        Name of the plot in `nlgauge.plots`.
    parts : mapping
        Estimates and variances behind each row.
    """

    parts: Mapping[tuple[str, ...], _Part] = field(default_factory=dict)

    def labels_needed(self, width: float) -> Findings:
        """Compute the number of human labels per system that an interval of a width needs.

        Parameters
        ----------
        width : float
            Width of the interval.

        Returns
        -------
        Findings
            One row per system or pair: labels with the metrics (`needed`) and without (`needed_classical`); None with a reason
            if labels for all outputs are not enough.

        Raises
        ------
        ParameterError
            If `width` is not positive.

        Notes
        -----
        The numbers are extrapolated from the present labels. Further labels are assumed to be drawn with equal probabilities.
        Widths are the widths of t intervals, also if the labels are skewed.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> metric = rng.normal(size=500)
        >>> human = np.where(np.arange(500) < 50, metric + 0.5 * rng.normal(size=500), np.nan)
        >>> row = estimate(human, metric, generalize_to="none").labels_needed(0.3)[0]
        >>> row["needed"] < row["needed_classical"]
        True
        """
        if not width > 0:
            raise ParameterError(f"width must be above 0, got {width!r}.")
        rows = [
            _needed_row(row, self.parts[_names(row)], width, self.made["confidence"]) for row in self.rows
        ]
        return Findings(
            rows, {**self.made, "width": width}, f"Labels needed for intervals of width {width:g}", self.notes
        )


def estimate(
    judgments: Judgments | Any,
    metrics: Any = None,
    *,
    human: str | None = None,
    of: Of = "means",
    systems: Sequence[str] | None = None,
    drawn: str | None = None,
    probabilities: Any = None,
    documents: Sequence[Any] | None = None,
    generalize_to: str = "inputs",
    power: float | None = None,
    folds: int = 5,
    confidence: float = 0.95,
    seed: int = 12345,
) -> Estimates:
    """Estimate mean human scores of systems from few human labels and metrics of all outputs.

    Parameters
    ----------
    judgments : Judgments or array_like of shape (S, N)
        Judgments of one group without weights, or human scores; NaN if an output has no human label.
    metrics : str, sequence of str, array_like or mapping, optional
        Metrics of the judgments (default: all). For arrays: one array of shape (S, N), several, or a mapping from names to
        arrays. If a metric is NaN for an output, the mean of its system is used; an output without any metric is excluded.
    human : str, optional
        Human dimension. Required if there are several.
    of : {"means", "differences"}
        Estimate the means of systems or the differences between systems.
    systems : sequence of str, optional
        Names of the systems, for arrays.
    drawn : {"segments", "cells", "documents"}, optional
        Sampling unit of the human labels: segments with all their systems, single outputs, or documents. Default: segments if
        every labeled segment has labels of all its outputs, otherwise cells.
    probabilities : array_like, optional
        Sampling probability of each segment (or cell). Default: equal.
    documents : sequence, optional
        Document of each of the N segments. With `drawn="segments"`, segments of a document may be alike.
    generalize_to : {"inputs", "none"}
        Population of the estimate: new inputs like these, or only these N segments, which has narrower intervals.
    power : float, optional
        Weight of the predictions, from 0 (only labels) to 1. Default: the weight with the smallest variances.
    folds : int, default 5
        Number of folds. The prediction of a segment uses labels of the other folds.
    confidence : float, default 0.95
        Confidence of the intervals.
    seed : int, default 12345
        Seed of the folds.

    Returns
    -------
    Estimates
        One row per system or pair of systems: estimate with its interval, the same from the labels only (`classical`), and
        numbers of labels.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> metric = rng.normal(size=(2, 200))
    >>> human = metric + [[0.0], [1.0]] + 0.5 * rng.normal(size=(2, 200))
    >>> human[:, 40:] = np.nan
    >>> row = estimate(human, metric, of="differences")[0]
    >>> row["labels"], row["effective_labels"] > 60, row["high"] - row["low"] < row["classical_high"] - row["classical_low"]
    (40, True, True)
    """
    scores, metric_scores, names, _ = scores_of(judgments, metrics, human)
    given = labels(
        scores, metric_scores, names if systems is None else systems, drawn, probabilities, documents
    )
    _check(given, of, generalize_to, power, folds, confidence)
    summed_up = _summed_up(given, predicted(given, of, folds, seed), of, generalize_to == "inputs")
    tuned = best_power(summed_up.values()) if power is None else power
    price = 1 / max(len(given.systems) - (of == "differences"), 1) if power is None else 0.0
    numbers = range(len(given.systems))
    rows, parts = [], {}
    for which in combinations(numbers, 2) if of == "differences" else ((number,) for number in numbers):
        part = _Part(
            *(_estimated(given, summed_up, which, *weight) for weight in ((tuned, price), (0.0, 0.0)))
        )
        rows.append(_row(given, which, part, confidence))
        parts[_names(rows[-1])] = part
    how = made(
        of=of,
        drawn=given.drawn,
        generalizes_to=_MEANT[generalize_to],
        confidence=confidence,
        power="tuned" if power is None else power,
        folds=folds,
        seed=seed,
        metrics=given.metric_names,
        metric_scores_missing=given.missing_scores or None,
    )
    return Estimates(
        rows, how, f"Human scores from few labels: {of}", (assumptions(given, generalize_to),), parts=parts
    )


def predicted(given: LabeledSample, of: Of, folds: int, seed: int) -> Array:
    """Return the predictions of all cells, each from labels of other segments."""
    together = given.clusters if given.drawn == "documents" else np.arange(given.human.shape[1])
    return out_of_fold(
        given.human, given.metrics, together, folds, seed, of == "differences" and given.drawn != "cells"
    )


def assumptions(given: LabeledSample, generalize_to: str) -> str:
    """Return the assumptions of the intervals, and what violates them."""
    with_chance = "with the specified probabilities" if given.unequal else "with equal probabilities"
    return (
        f"Assumes that the labeled {given.drawn} were drawn at random {with_chance}, whatever their"
        f" content; the intervals are for {_MEANT[generalize_to]}. They are not valid if only the first, the easiest"
        " or the most interesting outputs were labeled, if annotators skipped outputs, or if metrics were trained"
        " or chosen on these labels. Poor metrics do not make them invalid."
    )


def _summed_up(
    given: LabeledSample, predictions: Array, of: Of, new_inputs: bool
) -> dict[tuple[int, ...], Summed]:
    """Return the sums of each system, or of each pair of systems with labels on the same segments."""
    numbers = range(len(given.systems))
    found: dict[tuple[int, ...], Summed] = {}
    for which in (
        combinations(numbers, 2)
        if of == "differences" and given.drawn != "cells"
        else ((number,) for number in numbers)
    ):
        population = given.population(which)
        first, *others = ((given.human[s][population], predictions[s][population]) for s in which)
        values, predicted_values = (
            (mine - other for mine, other in zip(first, others[0], strict=True)) if others else first
        )
        found[which] = summed(values, predicted_values, given.sample(which), new_inputs)
    return found


def _estimated(
    given: LabeledSample,
    parts: Mapping[tuple[int, ...], Summed],
    which: tuple[int, ...],
    power: float,
    price: float,
) -> Controlled:
    if which in parts:
        return controlled(parts[which], power, price)
    first, second = (controlled(parts[(s,)], power, price) for s in which)
    return _apart(first, second, _shared(given, which) if first.inputs > 0 else 0.0)


def _apart(first: Controlled, second: Controlled, shared: float) -> Controlled:
    """Return the difference of two estimates whose labels were drawn independently; degrees of freedom as
    Welch's.
    """
    variances = np.array([first.drawing, second.drawing])
    degrees = np.array([first.degrees, second.degrees])
    total = float(variances.sum())
    welch = total**2 / float((variances**2 / degrees).sum()) if total > 0 else float(degrees.min())
    inputs = max(first.inputs + second.inputs - 2 * shared, 0.0)
    reason = first.reason or second.reason
    cubes = first.skewness * first.variance**1.5 - second.skewness * second.variance**1.5
    skewness = cubes / (total + inputs) ** 1.5 if cubes else 0.0
    return Controlled(first.estimate - second.estimate, total, inputs, welch, first.power, reason, skewness)


def _shared(given: LabeledSample, which: tuple[int, ...]) -> float:
    """Return the covariance of two systems' means over all inputs, from segments with both labels; 0, which is
    conservative, if there are few.
    """
    a, b = (given.human[s] for s in which)
    both = ~np.isnan(a + b)
    if both.sum() < 10:
        return 0.0
    return max(float(np.cov(a[both], b[both])[0, 1]), 0.0) / float(given.population(which).sum())


def _names(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(row[name] for name in ("system", "other") if name in row)


def _row(given: LabeledSample, which: tuple[int, ...], part: _Part, confidence: float) -> dict[str, Any]:
    found, alone = part
    n, everything = given.count(which), int(given.population(which).sum())
    share = found.drawing / alone.drawing if alone.drawing > 0 else np.nan
    # (1/n_eff - 1/N) : (1/n - 1/N) is as the variance with the metrics to that without.
    effective = (
        float(n)
        if found.drawing == alone.drawing
        else 1 / (share / n + (1 - share) / everything)
        if n
        else np.nan
    )
    low, high = found.interval(confidence)
    classical_low, classical_high = alone.interval(confidence)
    return {
        **{name: given.systems[s] for name, s in zip(("system", "other"), which, strict=False)},
        "estimate": found.estimate,
        "low": low,
        "high": high,
        "classical": alone.estimate,
        "classical_low": classical_low,
        "classical_high": classical_high,
        "labels": n,
        "of": everything,
        "effective_labels": effective,
        "labels_saved": effective - n,
        "variance_ratio": alone.variance / found.variance if found.variance > 0 else np.nan,
        "power": found.power,
        "reason": found.reason,
    }


def _needed_row(row: Mapping[str, Any], part: _Part, width: float, confidence: float) -> dict[str, Any]:
    n, everything = row["labels"], row["of"]
    smallest = _width(part.found.inputs, max(everything - 2, 1), confidence)
    reason = (
        f"even all {everything} labels give {smallest:.4g}; more segments are needed"
        if smallest > width
        else row["reason"]
    )
    needed, alone = (_needed(found, n, everything, width, confidence) for found in (part.found, part.alone))
    names = {name: row[name] for name in ("system", "other") if name in row}
    return {
        **names,
        "labels": n,
        "of": everything,
        "needed": needed,
        "needed_classical": alone,
        "reason": reason,
    }


def _width(variance: float, degrees: float, confidence: float) -> float:
    from scipy.special import stdtrit

    return (
        2 * float(stdtrit(degrees, (1 + confidence) / 2)) * float(np.sqrt(variance))
        if variance > 0
        else float(variance)
    )


def _needed(found: Controlled, n: int, everything: int, width: float, confidence: float) -> int | None:
    """Return the smallest number of labels with an interval of at most this width; None if all labels are too
    few, or the variance is unknown.
    """
    gap = 1 / n - 1 / everything if n else 0.0
    scale = found.drawing / gap if gap > 0 else 0.0
    for count in range(3, everything + 1):
        if _width(scale * (1 / count - 1 / everything) + found.inputs, count - 2, confidence) <= width:
            return count
    return None


def _check(
    given: LabeledSample, of: str, generalize_to: str, power: float | None, folds: int, confidence: float
) -> None:
    if of not in {"means", "differences"}:
        raise ParameterError(f"of must be 'means' or 'differences', got {of!r}.")
    if of == "differences" and len(given.systems) < 2:
        raise ParameterError(
            "differences need at least 2 systems, got 1",
            python="use of='means'",
            cli="leave out --differences",
        )
    if generalize_to not in _MEANT:
        raise ParameterError(
            "generalize_to must be 'inputs' (new inputs like these) or 'none' (only the segments at hand),"
            f" got {generalize_to!r}."
        )
    if power is not None and not 0 <= power <= 1:
        raise ParameterError(f"power must be from 0 (only labels) to 1, or None to choose it, got {power!r}.")
    if not (isinstance(folds, int) and folds >= 2):
        raise ParameterError(f"folds must be a whole number of at least 2, got {folds!r}.")
    check_confidence(confidence)
