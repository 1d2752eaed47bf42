"""Quality of decisions that are made with a metric: which outputs to keep, which of several outputs to choose,
which of two systems to prefer.

Thresholds are tuned on other segments than the segments they are judged on. Each number has an interval over
segments (fixed thresholds, segments drawn with replacement) and the value that chance would reach.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.diagnostics.covariates import group_columns
from nlgauge.meta.findings import Findings, made
from nlgauge.meta.judgments import Judgments
from nlgauge.stats.intervals import percentile
from nlgauge.stats.resampling import bootstrap, folds_of


def detect(
    judgments: Judgments,
    good: float | None = None,
    *,
    human: str | None = None,
    beta: float = 1.0,
    folds: int = 2,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
) -> Findings:
    """Measure how well thresholds on metrics select good outputs: precision, recall and F.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    good : float, optional
        Human score from which an output is good. Default: the highest human score (error-free outputs).
    human : str, optional
        Human dimension. Required if there are several.
    beta : float, default 1.0
        Weight of recall in F.
    folds : int, default 2
        Number of folds of segments. The threshold of each fold has the best F on the other folds.
    resamples : int, default 1000
        Number of resamples B.
    confidence : float, default 0.95
        Confidence of the intervals.
    seed : int, default 12345
        Seed of the resamples.

    Returns
    -------
    Findings
        One row per metric: `f` with its interval over segments, `precision`, `recall`, `thresholds`, and `floor`, the F of
        selecting all outputs.

    Raises
    ------
    ParameterError
        If `beta` is not positive.
    InputError
        If there are no human scores.
    """
    if not beta > 0:
        raise ParameterError(f"beta must be above 0, got {beta!r}.")
    dimension = judgments.dimension(human)
    people = judgments.humans[dimension]
    if np.isnan(people).all():
        raise InputError(f"the human dimension {dimension!r} has no scores; choose another dimension.")
    cut = float(np.nanmax(people)) if good is None else float(good)
    parts = folds_of(people.shape[1], folds, seed)
    weights = bootstrap(people.shape[0], people.shape[1], "inputs", resamples, seed).inputs
    rows = []
    for label, scores, known in _each(judgments, people):
        wanted = known & (people >= cut)
        kept, thresholds = np.zeros(people.shape, dtype=bool), []
        for part in parts:
            others = np.setdiff1d(np.arange(people.shape[1]), part)
            thresholds.append(
                best_threshold(scores[:, others][known[:, others]], wanted[:, others][known[:, others]], beta)
            )
            with np.errstate(invalid="ignore"):
                kept[:, part] = known[:, part] & (scores[:, part] >= thresholds[-1])
        counts = np.stack([(kept & wanted).sum(axis=0), kept.sum(axis=0), wanted.sum(axis=0)]).astype(
            np.float64
        )
        precision, recall, f = _rates(counts.sum(axis=1), beta)
        low, high = percentile(_rates(counts @ weights.T, beta)[2], confidence)[:2]
        floor = _rates(np.array([wanted.sum(), known.sum(), wanted.sum()], dtype=np.float64), beta)[2]
        row: dict[str, Any] = {
            "metric": label,
            "human": dimension,
            "f": float(f),
            "low": low,
            "high": high,
            "floor": float(floor),
        }
        sign = judgments.sign(label)
        row |= {
            "precision": float(precision),
            "recall": float(recall),
            "thresholds": [sign * float(one) for one in thresholds],
        }
        rows.append(
            {**row, "n": int(known.sum()), "n_good": int(wanted.sum()), "n_undefined": int((~known).sum())}
        )
    how = made(
        good=cut,
        beta=beta,
        folds=folds,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        generalizes_to="inputs",
    )
    return Findings(rows, how, "Keeping good outputs by a metric")


def best_threshold(scores: Array, wanted: Array, beta: float = 1.0) -> float:
    """Return the lowest score of outputs to keep for the best F; the highest of equally good thresholds, NaN
    without good outputs.

    >>> best_threshold(np.array([1.0, 2.0, 3.0]), np.array([False, True, True]))
    2.0
    """
    if not wanted.any():
        return math.nan
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last = np.append(ordered[1:] != ordered[:-1], True)
    right = np.cumsum(wanted[order])[last].astype(np.float64)
    kept = np.flatnonzero(last) + 1.0
    f = _rates(np.stack([right, kept, np.full(len(kept), float(wanted.sum()))]), beta)[2]
    return float(ordered[last][int(np.nanargmax(f))])


def rerank(
    judgments: Judgments,
    *,
    human: str | None = None,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
) -> Findings:
    """Measure how often the best output of a segment by a metric is best by human scores.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    human : str, optional
        Human dimension. Required if there are several.
    resamples : int, default 1000
        Number of resamples B.
    confidence : float, default 0.95
        Confidence of the intervals.
    seed : int, default 12345
        Seed of the resamples.

    Returns
    -------
    Findings
        One row per metric: `value` with its interval over segments; `floor`, the rate of a random output; and `gained`, the
        share of the difference between the mean and the best human score that the choice achieves.

    Notes
    -----
    If a metric ties several outputs as best, the share of these that is best by human scores counts.
    """
    dimension = judgments.dimension(human)
    people = judgments.humans[dimension]
    weights = bootstrap(people.shape[0], people.shape[1], "inputs", resamples, seed).inputs
    rows = []
    for label, scores, known in _each(judgments, people):
        usable = known.sum(axis=0) >= 2
        ours, best = (_best(np.where(known, values, -np.inf)) & known for values in (scores, people))
        with np.errstate(invalid="ignore", divide="ignore"):
            hits = np.where(usable, (ours & best).sum(axis=0) / ours.sum(axis=0), 0.0)
            chance = np.where(usable, best.sum(axis=0) / known.sum(axis=0), 0.0)
            filled = np.where(known, people, 0.0)
            chosen, mean, top = (
                np.where(usable, (of * filled).sum(axis=0) / of.sum(axis=0), 0.0)
                for of in (ours, known, best)
            )
            resampled = (weights @ hits) / (weights @ usable)
        n = int(usable.sum())
        low, high = percentile(resampled, confidence)[:2]
        room = float(top.sum() - mean.sum())
        row: dict[str, Any] = {
            "metric": label,
            "human": dimension,
            "value": _over(hits.sum(), n),
            "low": low,
            "high": high,
            "floor": _over(chance.sum(), n),
        }
        row["gained"] = float(chosen.sum() - mean.sum()) / room if room > 0 else math.nan
        rows.append({**row, "n": n, "n_undefined": int((~usable).sum())})
    return Findings(
        rows,
        made(resamples=resamples, confidence=confidence, seed=seed, generalizes_to="inputs"),
        "Taking the best of several outputs by a metric",
    )


class _Sure(NamedTuple):
    """Masks of ordered pairs of systems: the first is significantly better, or worse, in resamples."""

    better: Array
    worse: Array

    @property
    def undecided(self) -> Array:
        return ~(self.better | self.worse)


def three_way(
    judgments: Judgments,
    *,
    human: str | None = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> Findings:
    """Compare verdicts of metrics and human scores on pairs of systems: better, worse or undecided.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    human : str, optional
        Human dimension. Required if there are several.
    confidence : float, default 0.95
        A system is better than another if its mean is higher in more than this share of the resamples.
    resamples : int, default 1000
        Number of resamples B.
    seed : int, default 12345
        Seed of the resamples.

    Returns
    -------
    Findings
        One row per metric: `f`, `floor` (the F of always choosing the most frequent human verdict), and the shares
        `agreed`, `reversed`, `missed` and `overclaimed`.

    Raises
    ------
    ParameterError
        If `confidence` is not between 0.5 and 1.

    Notes
    -----
    This is the third experiment of REALSumm. Segments are resampled, with the same resamples for metrics and human scores. F
    is the mean over the three verdicts, weighted by their human frequencies, over ordered pairs, so the order of the systems
    does not matter. Systems are compared within groups (language pairs), and all pairs are counted.
    """
    if not 0.5 < confidence < 1:
        raise ParameterError(f"confidence must be between 0.5 and 1, got {confidence!r}.")
    dimension = judgments.dimension(human)
    people = judgments.humans[dimension]
    weights = bootstrap(people.shape[0], people.shape[1], "inputs", resamples, seed).inputs
    rows = []
    for label, scores, known in _each(judgments, people):
        found = [
            _verdict_counts(scores[:, here], people[:, here], known[:, here], weights[:, here], confidence)
            for here in group_columns(judgments)
        ]
        counts = np.sum(found, axis=0)
        pairs = int(counts.sum())
        row: dict[str, Any] = {
            "metric": label,
            "human": dimension,
            "f": weighted_f(counts),
            "floor": _commonest_f(counts.sum(axis=1)),
        }
        row |= {
            "agreed": _over(float(np.trace(counts)), pairs),
            "reversed": _over(float(counts[0, 1] + counts[1, 0]), pairs),
            "missed": _over(float(counts[:2, 2].sum()), pairs),
            "overclaimed": _over(float(counts[2, :2].sum()), pairs),
        }
        rows.append({**row, "n_pairs": pairs // 2, "n_undefined": int((~known.any(axis=1)).sum())})
    return Findings(
        rows,
        made(confidence=confidence, resamples=resamples, seed=seed, generalizes_to="inputs"),
        "Verdicts on pairs of systems",
    )


def _verdict_counts(scores: Array, people: Array, known: Array, weights: Array, confidence: float) -> Array:
    """Return the numbers of ordered pairs of systems with each verdict (better, worse, cannot say) of human
    scores (rows) and of the metric (columns).
    """
    judged = known.any(axis=1)
    ours, theirs = (
        _verdicts(np.where(known, values, np.nan)[judged], weights, confidence) for values in (scores, people)
    )
    pairs = ~np.eye(len(ours.better), dtype=bool)
    verdicts = [[side.better & pairs, side.worse & pairs, side.undecided & pairs] for side in (ours, theirs)]
    return np.array([[float((one & other).sum()) for other in verdicts[0]] for one in verdicts[1]])


def weighted_f(counts: Array) -> float:
    """Return the mean F1 of classes, weighted by their true sizes, of a table of true (rows) and given
    (columns) classes; NaN for an empty one.
    """
    true, predicted, right = counts.sum(axis=1), counts.sum(axis=0), np.diag(counts)
    total = true + predicted
    f = np.where(total > 0, 2 * right / np.where(total > 0, total, 1), 0.0)
    return float((f * true).sum() / true.sum()) if true.sum() > 0 else math.nan


def _commonest_f(true: Array) -> float:
    counts = np.zeros((len(true), len(true)))
    counts[:, int(np.argmax(true))] = true
    return weighted_f(counts)


def _verdicts(values: Array, weights: Array, confidence: float) -> _Sure:
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (np.where(known, values, 0.0) @ weights.T) / (known @ weights.T)
    # Sums of the same numbers in another order are not better.
    slack = 1e-9 * np.nanmax(np.abs(means), initial=0.0)
    with np.errstate(invalid="ignore"):
        above = (
            np.stack([(one - means > slack).mean(axis=1) for one in means])
            if len(means)
            else np.zeros((0, 0))
        )
    better = above > confidence
    return _Sure(better, better.T)


def _each(judgments: Judgments, people: Array) -> Iterator[tuple[str, Array, Array]]:
    """Yield every metric with its oriented scores, and the mask of cells with both these and human scores."""
    for label in judgments.metrics:
        scores = judgments.oriented(label)
        yield label, scores, ~np.isnan(scores) & ~np.isnan(people)


def _best(values: Array) -> Array:
    best: Array = values == values.max(axis=0, keepdims=True)
    return best


def _rates(counts: Array, beta: float) -> tuple[Array, Array, Array]:
    """Return precision, recall and F from (right, kept, wanted) counts; F is 0 if nothing is right, NaN
    without good outputs.
    """
    right, kept, wanted = counts
    with np.errstate(invalid="ignore", divide="ignore"):
        f = np.where(wanted > 0, (1 + beta**2) * right / (kept + beta**2 * wanted), np.nan)
        return np.where(kept > 0, right / kept, np.nan), np.where(wanted > 0, right / wanted, np.nan), f


def _over(above: float, below: int) -> float:
    return float(above) / below if below else math.nan
