"""Bias: correlation of a metric with covariates such as length, and its agreement with human scores without them.

Correlations are Spearman's. A partial correlation is the correlation of the residuals of two sides' ranks after
their regression on the covariates' ranks. A metric that correlates with length more than human scores do rewards
length; if its partial correlation with human scores is much lower than the plain correlation, it agreed with
them through the covariate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError
from nlgauge.meta.diagnostics.covariates import aligned, group_columns
from nlgauge.meta.findings import Findings, made
from nlgauge.results.result import Result
from nlgauge.stats.agreement import known_mean
from nlgauge.stats.arrays import mid_ranks
from nlgauge.stats.coefficients import spearman
from nlgauge.stats.intervals import fisher
from nlgauge.stats.levels import grouped_by

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

# Name of the row of all covariates together.
ALL = "all of these"


def partial(x: Any, z: Any, covariates: Any) -> Array:
    """Return the partial rank correlation of two variables, given covariates.

    Parameters
    ----------
    x : array_like of shape (..., n)
        First variable.
    z : array_like of shape (..., n)
        Second variable.
    covariates : array_like of shape (..., k, n) or (n,)
        Covariates.

    Returns
    -------
    ndarray of shape (...)
        Correlation of the residuals of the ranks; NaN if x or z is constant or fully explained by the covariates.

    Raises
    ------
    InputError
        If the shapes do not match.

    Notes
    -----
    Points with a NaN in any variable are excluded. Constant covariates have no effect.

    Examples
    --------
    >>> round(float(partial([1, 2, 3, 4, 5], [2, 1, 4, 3, 5], [5, 1, 4, 2, 3])), 4)
    0.978
    """
    sides = [np.asarray(values, dtype=np.float64) for values in (x, z, covariates)]
    given = sides[2][..., None, :] if sides[2].ndim == 1 else sides[2]
    try:
        stacked = np.concatenate(
            [
                *(
                    np.broadcast_to(side[..., None, :], (*given.shape[:-2], 1, given.shape[-1]))
                    for side in sides[:2]
                ),
                given,
            ],
            axis=-2,
        )
    except ValueError:
        shapes = ", ".join(str(side.shape) for side in sides)
        raise InputError(f"x and z must be (..., n) and covariates (..., k, n); got {shapes}.") from None
    ranks = mid_ranks(np.where(np.isnan(stacked).any(axis=-2, keepdims=True), np.nan, stacked))
    known = ~np.isnan(ranks)
    n = np.maximum(known.sum(axis=-1, keepdims=True), 1)
    centered = np.where(known, ranks - np.where(known, ranks, 0.0).sum(axis=-1, keepdims=True) / n, 0.0)
    squares = (centered**2).sum(axis=-1, keepdims=True)
    unit = centered / np.sqrt(np.where(squares > 0, squares, 1.0))
    correlations = unit @ np.swapaxes(unit, -1, -2)
    among, across = correlations[..., 2:, 2:], correlations[..., 2:, :2]
    left = (
        correlations[..., :2, :2]
        - np.swapaxes(across, -1, -2) @ np.linalg.pinv(among, rcond=1e-9, hermitian=True) @ across
    )
    variances = left[..., 0, 0] * left[..., 1, 1]
    # If the covariates explain a side completely, its residuals are rounding.
    defined = (left[..., 0, 0] > 1e-9) & (left[..., 1, 1] > 1e-9)
    return np.where(
        defined, np.clip(left[..., 0, 1] / np.sqrt(np.where(defined, variances, 1.0)), -1, 1), np.nan
    )


def bias(
    judgments: Judgments,
    covariates: Corpus | Result | Mapping[str, Any],
    *,
    human: str | Sequence[str] | None = None,
    level: str = "global",
) -> Findings:
    """Correlate metrics and human scores with properties of the texts, such as length.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    covariates : Corpus, Result or mapping of str to array_like
        Corpus or result with the texts, or arrays of shape (S, N) by name.
    human : str or sequence of str, optional
        Human dimensions. Default: all.
    level : {"system", "input", "global", "by_system"}
        Scores to correlate: S system means ("system"), S scores per segment, averaged over segments ("input"), all
        S * N scores ("global"), or N scores per system, averaged over systems ("by_system").

    Returns
    -------
    Findings
        One row per human dimension, metric and covariate, and one for all covariates together. Columns:
        `metric_covariate`, `human_covariate`, `metric_human` and `partial` (metric and human scores, given the covariate),
        each the mean over the groups of the level in which it is defined; `low` and `high`, the 95% interval of `partial` if
        there is one group.

    Raises
    ------
    InputError
        If there are no covariates.

    Notes
    -----
    The coefficient is Spearman's. Groups of the judgments (language pairs) are analyzed separately and averaged.
    """
    given = aligned(judgments, covariates)
    if not given:
        raise InputError("bias needs at least one covariate, got none; pass a corpus, a result or arrays.")
    dimensions = judgments.only(human=human).humans
    groups = group_columns(judgments)
    rows = []
    for dimension in dimensions:
        people = judgments.humans[dimension]
        for label in judgments.metrics:
            scores = judgments.oriented(label)
            for name, values in [
                *given.items(),
                *([(ALL, np.stack(list(given.values())))] if len(given) > 1 else []),
            ]:
                several = values.reshape(-1, *people.shape)
                weights = np.ones(people.shape[1]) if judgments.weights is None else judgments.weights
                found = [
                    _of_level(level, scores[:, here], people[:, here], several[..., here], weights[here])
                    for here in groups
                ]
                rows.append({"human": dimension, "metric": label, "covariate": name, **_together(found)})
    how = made(level=level, coefficient="spearman", partial="residuals of ranks")
    return Findings(rows, how, "Correlation of metrics and human scores with covariates")


def _together(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return means over groups of judgments and sums of counts; bounds only if there is one group."""
    if len(found) == 1:
        return found[0]
    means = {
        name: known_mean(of[name] for of in found)
        for name in ("metric_covariate", "human_covariate", "metric_human", "partial")
    }
    counts = {name: sum(of[name] for of in found) for name in ("n_groups", "n_undefined")}
    return {**means, "low": np.nan, "high": np.nan, "n": max(of["n"] for of in found), **counts}


def _of_level(level: str, scores: Array, people: Array, covariates: Array, weights: Array) -> dict[str, Any]:
    unknown = np.isnan(np.concatenate([scores[None], people[None], covariates])).any(axis=0)
    x, z, *others = (np.where(unknown, np.nan, side) for side in (scores, people, *covariates))
    x, z = grouped_by(level, x, z, weights, by_rank=True)
    c = np.stack([grouped_by(level, one, one, weights, by_rank=True)[0] for one in others], axis=-2)
    points = (~np.isnan(x)).sum(axis=-1)
    left = partial(x, z, c)
    alone = c[..., 0, :] if c.shape[-2] == 1 else None
    n = int(points.max(initial=0))
    # Each covariate costs a point; of a mean over groups the interval is not known.
    low, high = (
        fisher(float(left[0]), n - c.shape[-2], "spearman")[:2] if len(left) == 1 else (np.nan, np.nan)
    )
    return {
        "metric_covariate": np.nan if alone is None else known_mean(spearman(x, alone)),
        "human_covariate": np.nan if alone is None else known_mean(spearman(z, alone)),
        "metric_human": known_mean(spearman(x, z)),
        "partial": known_mean(left),
        "low": low,
        "high": high,
        "n": n,
        "n_groups": int((~np.isnan(left)).sum()),
        "n_undefined": int(np.isnan(left).sum()),
    }
