"""Downstream agreement: does a metric prefer the systems whose outputs a task treats as it treats their
sources? (The COSMIC paper.)

    P_e = share of inputs whose output gets another label than the source

`nlgauge.meta.papers.tasks` labels texts, and `nlgauge.meta.papers.cosmic` estimates information; this module
compares metrics with labels, or with any agreement of output and source such as the cosine of embeddings.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.correlation import AVERAGE
from nlgauge.meta.diagnostics.covariates import aligned
from nlgauge.meta.findings import Findings, listed, made
from nlgauge.meta.judgments import Judgments
from nlgauge.results.result import Result
from nlgauge.stats.agreement import known_mean
from nlgauge.stats.arrays import mean_of_known, snapped
from nlgauge.stats.coefficients import Coefficient
from nlgauge.stats.coefficients import coefficient as coefficient_of
from nlgauge.stats.intervals import percentile
from nlgauge.stats.levels import Scores
from nlgauge.stats.resampling import Resamples, bootstrap

if TYPE_CHECKING:
    from nlgauge.meta.papers.cosmic import InformationGraph

MEAN = "mean"
_COVARIATE = "held constant"


def label_agreement(source_labels: Sequence[Hashable], output_labels: Sequence[Sequence[Hashable]]) -> Array:
    """Compare the labels of outputs with the labels of their sources.

    Parameters
    ----------
    source_labels : sequence
        N labels of the sources.
    output_labels : sequence of sequences
        S sequences of N labels of the outputs.

    Returns
    -------
    ndarray of shape (S, N)
        1 if both labels are equal, 0 if they differ, NaN if either is None.

    Raises
    ------
    InputError
        If a system does not have N labels.

    Examples
    --------
    >>> label_agreement(["news", "sport"], [["news", "news"], ["news", None]]).tolist()
    [[1.0, 0.0], [1.0, nan]]
    """
    sources = list(source_labels)
    rows = [list(row) for row in output_labels]
    for number, row in enumerate(rows):
        if len(row) != len(sources):
            raise InputError(
                f"system {number} has {len(row)} labels for {len(sources)} sources; pass one label per source."
            )
    return np.array(
        [
            [math.nan if a is None or b is None else float(a == b) for a, b in zip(sources, row, strict=True)]
            for row in rows
        ]
    )


def error_probability(agreement: Any) -> Array:
    """Return P_e of each system: 1 - the mean agreement over the segments with a known value; NaN without one.

    >>> error_probability([[1.0, 0.0], [1.0, float("nan")]]).tolist()
    [0.5, 0.0]
    """
    errors: Array = 1 - mean_of_known(np.asarray(agreement, dtype=np.float64))
    return errors


def downstream(
    judgments: Judgments,
    agreement: Any,
    *,
    coefficient: str | Sequence[str] = ("pearson", "spearman", "kendall"),
    partial: str | Any | None = None,
    texts: Corpus | Result | None = None,
    interval: str | None = "both",
    resamples: int = 1000,
    seed: int = 12345,
) -> Findings:
    """Correlate metrics with the accuracy of a downstream task (1 - P_e) over systems.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics.
    agreement : array_like of shape (S, N)
        Result of `label_agreement`, or other numbers that are higher if an output is closer to its source.
    coefficient : str or sequence of str
        Names in `nlgauge.stats.coefficients`.
    partial : {"words"} or array_like of shape (S, N), optional
        Covariate that is held constant: the length of the outputs in words, or any number of each output.
    texts : Corpus or Result, optional
        Texts, required for `partial="words"`.
    interval : {"both", "systems", "inputs", None}
        Unit that the bootstrap resamples; None computes no interval.
    resamples : int, default 1000
        Number of resamples B.
    seed : int, default 12345
        Seed of the resamples.

    Returns
    -------
    Findings
        One row per metric, coefficient and dataset (group of the judgments), and one for the mean of the datasets. Columns:
        `value` with `low` and `high`; with `partial` also `covariate` (correlation of the covariate with the accuracy) and
        `partial`, `partial_low`, `partial_high` (correlation of metric and accuracy, given the covariate).

    Raises
    ------
    InputError
        If `partial="words"` and there are no texts.

    Notes
    -----
    The partial correlation of x and z given w is (r_xz - r_xw r_zw) / sqrt((1 - r_xw^2)(1 - r_zw^2)), for Kendall's tau as
    for the others.
    """
    judged = replace(judgments, humans={"agreement": agreement}, ratings={}, pairs=None)
    draws = None if interval is None else (interval, resamples, seed)
    parts: Mapping[Any, Judgments] = {}
    if partial is not None:
        given = {_COVARIATE: _covariate(judged, partial, texts)}
        parts = replace(judged, metrics={**judged.metrics, **given}).by_group()
    rows: list[dict[str, Any]] = []
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "systems were judged on different inputs")
        found = judged.correlate(
            "system", listed(coefficient), interval=interval, resamples=resamples, seed=seed
        )
    for row in found:
        group = MEAN if row.get("group", AVERAGE) == AVERAGE else row["group"]
        n = row["n_groups"] if group == MEAN else row["n"]
        rows.append(
            {
                "metric": row["metric"],
                "coefficient": row["coefficient"],
                "group": group,
                "value": row["value"],
                "low": row["low"],
                "high": row["high"],
                **(_partial(parts, row["metric"], row["coefficient"], group, draws) if parts else {}),
                "n": n,
                "reason": row["reason"],
            }
        )
    return Findings(
        rows,
        made(
            level="system",
            rule="1 - P_e, by group, then the mean",
            interval=interval,
            resamples=resamples,
            seed=seed,
        ),
        "Agreement with a downstream task",
    )


def _covariate(judged: Judgments, partial: Any, texts: Corpus | Result | None) -> Array:
    if isinstance(partial, str):
        if partial != "words":
            raise ParameterError(
                f"partial must be 'words' or an array (systems, segments), got {partial!r:.40}."
            )
        if texts is None:
            raise InputError("partial='words' needs the texts; pass texts=, a corpus or a result.")
        return aligned(judged, texts, only_lengths=True)["length"]
    return aligned(judged, {"partial": partial})["partial"]


def _partial(
    parts: Mapping[Any, Judgments], label: str, name: str, group: Any, draws: tuple[str, int, int] | None
) -> dict[str, float]:
    """Return the partial correlation of a metric and the agreement over systems in a group, or its mean over all
    groups, with the interval.
    """
    of = coefficient_of(name)
    values, covariate, replicates = [], [], []
    for number, (own, part) in enumerate(parts.items()):
        if group not in (MEAN, own):
            continue
        scores, given = part.scores(label), part.metrics[_COVARIATE]
        value, beside = _given_covariate(of, scores, given, None)
        values.append(float(value))
        covariate.append(float(beside))
        if draws is not None:
            over, resamples, seed = draws
            systems, inputs = scores.z.shape
            drawn = bootstrap(systems, inputs, over, resamples, seed + number)
            replicates.append(_given_covariate(of, scores, given, drawn)[0])
    bounds = percentile(mean_of_known(np.stack(replicates, axis=-1))) if replicates else None
    return {
        "covariate": known_mean(covariate),
        "partial": known_mean(values),
        "partial_low": math.nan if bounds is None else bounds.low,
        "partial_high": math.nan if bounds is None else bounds.high,
    }


def _given_covariate(
    of: Coefficient, scores: Scores, given: Array, drawn: Resamples | None
) -> tuple[Array, Array]:
    """Return the partial correlations of system means, and the correlations of the covariate with people."""
    unknown = np.isnan(scores.x) | np.isnan(scores.z) | np.isnan(given)
    x, z, w = (np.where(unknown, np.nan, side) for side in (scores.x, scores.z, given))
    weights = np.ones(x.shape[1]) if scores.weights is None else scores.weights
    counts = weights if drawn is None else weights * drawn.inputs
    known = counts @ (~unknown).T.astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = [
            snapped(counts @ np.nan_to_num(side).T / np.where(known > 0, known, np.nan)) for side in (x, z, w)
        ]
    if scores.whole is not None:
        means[0] = np.broadcast_to(scores.whole, means[0].shape)
    if drawn is not None:
        # Each resample as the numbers of its systems.
        places = np.stack([np.repeat(np.arange(x.shape[0]), row.astype(int)) for row in drawn.systems])
        means = [np.take_along_axis(np.asarray(side), places, axis=-1) for side in means]
    xz, xw, zw = of(means[0], means[1]), of(means[0], means[2]), of(means[1], means[2])
    left = (1 - xw**2) * (1 - zw**2)
    # If the covariate explains a side completely, nothing is left but rounding.
    defined = left > 1e-9
    return np.where(defined, (xz - xw * zw) / np.sqrt(np.where(defined, left, 1.0)), np.nan).clip(-1, 1), zw


def hierarchy(graph: InformationGraph, quantile: float = 0.5) -> Findings:
    """Return the strongest edges of an information graph of systems, strongest first.

    Parameters
    ----------
    graph : InformationGraph
        Result of `nlgauge.meta.papers.cosmic.information_graph`.
    quantile : float, default 0.5
        Edges from this quantile of all edges on are returned.

    Returns
    -------
    Findings
        One row per edge. `outgoing` is the mean information of the predicting system about others, `incoming` the mean
        information of others about the predicted system.

    Raises
    ------
    ParameterError
        If `quantile` is not from 0 to 1.
    InputError
        If the graph has no edge with known information.
    """
    if not 0 <= quantile <= 1:
        raise ParameterError(f"quantile must be from 0 to 1, got {quantile!r}.")
    edges = [edge for edge in graph.edges() if not math.isnan(edge.information)]
    if not edges:
        raise InputError("the graph has no edge whose information is known.")
    cut = float(np.quantile([edge.information for edge in edges], quantile))
    outgoing, incoming = graph.outgoing, graph.incoming
    rows = [
        {**edge._asdict(), "outgoing": outgoing[edge.predicting], "incoming": incoming[edge.predicted]}
        for edge in edges
        if edge.information >= cut
    ]
    return Findings(
        rows, made(quantile=quantile, cut=cut, n_edges=len(edges)), "Information of systems about each other"
    )
