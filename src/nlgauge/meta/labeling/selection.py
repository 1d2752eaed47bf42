"""Segments to label next: strata of the predicted score, more labels in strata with less certain predictions, and
the probabilities that follow.

Segments are cut into strata by their metric scores, never by labels. Labels go to the stratum in which the next
label lowers the variance of the mean most, N_h^2 S_h^2 / (n_h (n_h + 1)), with N_h segments, n_h labels and the
deviation S_h of human scores from predictions: Neyman's allocation in whole numbers (Wright 2012). Within a
stratum segments are drawn at random. Labels that were drawn before count in their stratum, so that old and new
labels together are a random sample of n_h of its N_h segments, each with probability n_h / N_h.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.findings import Findings, made
from nlgauge.meta.labeling.cross_fitting import standardized
from nlgauge.meta.labeling.estimate import Of, predicted
from nlgauge.meta.labeling.labels import LabeledSample, labels, scores_of

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

# A stratum's own deviation weighs as much as the deviation of all strata once it has this many labels.
_PRIOR = 5
_FEWEST_IN_STRATUM = 2


def segments_to_label(
    judgments: Judgments | Any,
    count: int,
    metrics: Any = None,
    *,
    human: str | None = None,
    of: Of = "means",
    segments: Sequence[Any] | None = None,
    pending: Any = None,
    strata: int = 5,
    folds: int = 5,
    seed: int = 12345,
) -> Findings:
    """Propose segments for the next human labels.

    Parameters
    ----------
    judgments : Judgments or array_like of shape (S, N)
        Judgments of one group without weights, or human scores; NaN if an output has no human label. All may be NaN.
        Existing labels must cover whole segments that were drawn with equal probabilities, or by this function with the same
        number of strata.
    count : int
        Number of segments to propose.
    metrics : str, sequence of str, array_like or mapping, optional
        Metrics of the judgments (default: all). For arrays: one array of shape (S, N), several, or a mapping from names to
        arrays.
    human : str, optional
        Human dimension. Required if there are several.
    of : {"means", "differences"}
        Strata: by predicted score, or by predicted difference of the systems.
    segments : sequence, optional
        Names of the segments, for arrays.
    pending : array_like of bool, optional
        Segments that are being labeled: they count as labeled, but have no human scores yet. Default: none.
    strata : int, default 5
        Number of strata.
    folds : int, default 5
        Number of folds. The prediction of a segment uses labels of the other folds.
    seed : int, default 12345
        Seed of the folds and of the draw.

    Returns
    -------
    Findings
        N rows: `proposed`, and `probability`, the probability that the segment is labeled after this draw.

    Notes
    -----
    After the proposed segments are labeled, with all their systems, pass the column `probability` to `estimate` as
    `probabilities`.

    Examples
    --------
    >>> found = segments_to_label(np.full((2, 100), np.nan), 20, np.random.default_rng(0).normal(size=(2, 100)))
    >>> sum(found.column("proposed")), found[0]["probability"]
    (20, 0.2)
    """
    scores_given, metric_scores, systems, known = scores_of(judgments, metrics, human)
    given = labels(scores_given, metric_scores, systems, "segments", None, None)
    segments = known if segments is None else segments
    labeled = np.asarray((~np.isnan(given.human)).any(axis=0))
    if pending is not None:
        if np.shape(pending) != labeled.shape:
            raise InputError(
                f"pending has shape {np.shape(pending)}; pass one truth value per segment {labeled.shape}."
            )
        labeled = labeled | np.asarray(pending, bool)
    _check(given, labeled, count, of, segments, strata)
    candidates = np.asarray(given.outputs.any(axis=0))
    scores = _segment_scores(given, of)
    number = max(1, min(strata, (int(labeled.sum()) + count) // (2 * _FEWEST_IN_STRATUM)))
    stratum = _stratum(scores, candidates, number)
    sizes = np.bincount(stratum[candidates], minlength=number)
    old = np.bincount(stratum[labeled], minlength=number)
    total = allocation(
        sizes, _deviations(given, predicted(given, of, folds, seed), of, stratum, number), old, count
    )
    rng = np.random.default_rng(seed)
    proposed = np.zeros(len(scores), dtype=bool)
    for h in range(number):
        free = np.flatnonzero((stratum == h) & candidates & ~labeled)
        proposed[rng.choice(free, total[h] - old[h], replace=False)] = True
    names = list(segments) if segments is not None else list(range(len(scores)))
    rows = [
        {
            "segment": name,
            "proposed": bool(proposed[i]),
            "labeled": bool(labeled[i]),
            "stratum": int(stratum[i]) + 1 if candidates[i] else None,
            "predicted": float(scores[i]) if candidates[i] else np.nan,
            "probability": float(total[stratum[i]] / sizes[stratum[i]]) if candidates[i] else np.nan,
        }
        for i, name in enumerate(names)
    ]
    how = made(
        of=of,
        labels_before=int(labeled.sum()),
        labels_proposed=count,
        strata=number,
        folds=folds,
        seed=seed,
        metrics=given.metric_names,
    )
    note = (
        "The probabilities are valid if the segments labeled before were drawn at random, and if all proposed"
        " segments are labeled for all systems."
    )
    return Findings(rows, how, "Segments to label next", (note,))


def allocation(sizes: Array, deviations: Array, before: Array, count: int) -> Array:
    """Return labels per stratum after `count` further ones, earlier labels included: each goes to the stratum
    in which it lowers the variance of the mean most.

    >>> allocation(np.array([50, 50]), np.array([3.0, 1.0]), np.array([0, 0]), 20).tolist()
    [15, 5]
    """
    total = before.copy()
    for _ in range(count):
        gain = np.where(
            total < _FEWEST_IN_STRATUM,
            np.inf,
            np.square(sizes * np.maximum(deviations, 1e-12)) / np.maximum(total * (total + 1), 1),
        )
        # If two strata gain as much, the stratum with fewer labels for its size is first.
        gain = np.where(total < sizes, gain, -1.0)
        best = np.flatnonzero(gain >= gain.max() * (1 - 1e-12))
        total[best[np.argmin(total[best] / sizes[best])]] += 1
    return total


def strata_of(metrics: Any, strata: int) -> Array:
    """Return the number of the stratum of each segment (-1 without a metric score), as `segments_to_label` cuts them
    for means if at least 4 labels per stratum are drawn.
    """
    shape = np.shape(next(iter(metrics.values())))
    given = labels(np.full(shape, np.nan), metrics, None, "segments", None, None)
    candidates = np.asarray(given.outputs.any(axis=0))
    return np.where(candidates, _stratum(_segment_scores(given, "means"), candidates, strata), -1)


def _stratum(scores: Array, candidates: Array, number: int) -> Array:
    order = np.lexsort((np.arange(len(scores)), scores))
    order = order[candidates[order]]
    stratum = np.zeros(len(scores), dtype=int)
    stratum[order] = np.arange(len(order)) * number // len(order)
    return stratum


def _segment_scores(given: LabeledSample, of: str) -> Array:
    """Return the values that segments are sorted by: the metrics' first principal component, its mean over the
    systems or its spread between them.

    Labels are not used: a stratum that followed from the labels of its own segments would not be a random
    sample of itself.
    """
    cells = standardized(np.where(given.outputs, given.metrics, np.nan))
    axis = np.linalg.svd(cells.reshape(len(cells), -1), full_matrices=False)[0][:, 0]
    component = np.tensordot(axis * np.sign(axis[np.argmax(np.abs(axis))]), cells, axes=1)
    outputs = np.maximum(given.outputs.sum(axis=0), 1)
    mean = component.sum(axis=0) / outputs
    if of == "means":
        return np.asarray(mean)
    return np.asarray(
        np.sqrt(np.square(np.where(given.outputs, component - mean, 0.0)).sum(axis=0) / outputs)
    )


def _deviations(given: LabeledSample, predictions: Array, of: str, stratum: Array, number: int) -> Array:
    """Return the deviation of human scores from predictions in each stratum, shrunk to the deviation of all; 1
    for all strata if few segments are labeled.
    """
    labeled = ~np.isnan(given.human)
    if labeled.any(axis=0).sum() <= _PRIOR:
        return np.ones(number)
    rest = np.where(labeled, given.human - predictions, 0.0)
    for axis in (0, 1) if of == "differences" else (1,):
        rest = np.where(
            labeled,
            rest - rest.sum(axis=axis, keepdims=True) / np.maximum(labeled.sum(axis=axis, keepdims=True), 1),
            0.0,
        )
    counts = np.bincount(stratum, labeled.any(axis=0), number)
    squares = np.square(rest).sum(axis=0) / np.maximum(labeled.sum(axis=0), 1)
    pooled = squares.sum() / counts.sum()
    return np.asarray(np.sqrt((np.bincount(stratum, squares, number) + _PRIOR * pooled) / (counts + _PRIOR)))


def _check(
    given: LabeledSample, labeled: Array, count: int, of: str, segments: Sequence[Any] | None, strata: int
) -> None:
    free = int((given.outputs.any(axis=0) & ~labeled).sum())
    if not free:
        raise InputError("all segments have labels already; no segment is left to label.")
    if not (isinstance(count, int) and 1 <= count <= free):
        raise ParameterError(
            f"the number of segments to label must be a whole number from 1 to {free}, the number without"
            f" labels, got {count!r}."
        )
    if not (isinstance(strata, int) and strata >= 1):
        raise ParameterError(f"strata must be a whole number of at least 1, got {strata!r}.")
    if of not in {"means", "differences"}:
        raise ParameterError(f"of must be 'means' or 'differences', got {of!r}.")
    if of == "differences" and len(given.systems) < 2:
        raise ParameterError(
            "differences need at least 2 systems, got 1",
            python="use of='means'",
            cli="leave out --differences",
        )
    if segments is not None and len(segments) != len(labeled):
        raise InputError(
            f"segments has {len(segments)} names for {len(labeled)} columns of human; pass one per column."
        )
    if not len(given.metrics):
        raise InputError(
            "the selection of segments needs at least one metric with segment scores, got none",
            python="pass metrics, or draw segments with equal probabilities",
            cli="name one with -m, or draw segments with equal probabilities",
        )
    has_labels = (~np.isnan(given.human)).any(axis=0)
    partly = int((np.isnan(given.human) & given.outputs & has_labels).any(axis=0).sum())
    if partly:
        raise InputError(
            f"{counted(partly, 'segment has', 'segments have')} labels for only some systems; label all systems of"
            " a segment, or none."
        )
