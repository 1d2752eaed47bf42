"""heatmap: how much metrics agree with each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from matplotlib.axes import Axes

from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.findings import Findings
from nlgauge.meta.judgments import Judgments
from nlgauge.results.result import Result
from nlgauge.show.page_data.agreement import METHODS, correlation, similarity_tree
from nlgauge.show.plots import canvas
from nlgauge.show.plots.results.columns import columns, number_fields, segment_scores


def heatmap(
    data: Result | Judgments | Findings, coefficient: str = "spearman", *, ax: Axes | None = None
) -> canvas.Panels:
    """Draw the correlations between metrics, ordered by similarity, with the tree of similarity.

    Parameters
    ----------
    data : Result, Judgments or Findings
        For a result, the scores of all segments and systems are pooled, together with numeric fields (human scores).
        Judgments are converted by `nlgauge.meta.between_metrics`, whose rows are also accepted.
    coefficient : {"spearman", "pearson", "kendall"}
        Coefficient. Rows have their own coefficient.
    ax : matplotlib.axes.Axes, optional
        Axes that the two panels replace. Default: a new figure.

    Returns
    -------
    array of Axes
        Axes of the tree and of the map.

    Raises
    ------
    ParameterError
        If `coefficient` is unknown.

    Notes
    -----
    Scores are oriented so that higher is better. The tree is average linkage on the distance 1 - r, so metrics with r = -1
    have the largest distance. An undefined correlation counts as 0 for the tree and is shown as n/a (Figure 4.2 of the
    NLG-Metricverse thesis, InfoLM 2, COSMIC 5).
    """
    from scipy.cluster.hierarchy import dendrogram

    if coefficient not in METHODS:
        raise ParameterError(f"coefficient must be one of {', '.join(METHODS)}; got {coefficient!r:.60}.")
    if isinstance(data, Result):
        data = _pooled(data, coefficient)
    elif isinstance(data, Judgments):
        data = data.between_metrics(coefficient=coefficient)
    canvas.needed(data, "heatmap", "metric", "other", "value")
    canvas.the_only(data, "level", "coefficient")
    names = list(dict.fromkeys([*canvas.distinct(data.rows, "metric"), *canvas.distinct(data.rows, "other")]))
    values = np.eye(len(names))
    for row in data.rows:
        i, j = names.index(row["metric"]), names.index(row["other"])
        values[i, j] = values[j, i] = row["value"]
    tree = dendrogram(similarity_tree(values), no_plot=True)
    order = tree["leaves"]
    size, beside = 0.34 * len(names), canvas.room(names)
    ratios = {"height_ratios": [0.7, max(size, 0.7)], "sharex": True}
    axes = (
        canvas.panels(ax, 2, 1, max(3.0, size + beside + 1.0), size + beside + 1.3, **ratios)
        .ravel()
        .view(canvas.Panels)
    )
    above, below = axes
    for x, y in zip(tree["icoord"], tree["dcoord"], strict=True):
        # The tree's leaves are at 5, 15, 25, ...
        above.plot((np.asarray(x) - 5) / 10, y, color="black", linewidth=canvas.LINE * 0.7)
    above.spines["bottom"].set_visible(False)
    above.tick_params(bottom=False, labelbottom=False)
    above.set_ylim(0, max(1e-3, np.max(tree["dcoord"], initial=0.0)) * 1.05)
    ordered = [names[i] for i in order]
    image = canvas.map_of(below, values[np.ix_(order, order)], ordered, ordered, canvas.SMALL - 1)
    canvas.color_bar(image, list(axes), 0.5, ticks=[-1, -0.5, 0, 0.5, 1])
    first = data.rows[0]
    kind = f"{first.get('coefficient', 'correlation').capitalize()} between metrics"
    canvas.titled(above, f"{kind}, {first.get('level', 'all')} level", y="1 - r", spare=0.5)
    ranked = sorted(data.rows, key=lambda row: -row["value"] if np.isfinite(row["value"]) else np.inf)
    most, least = (
        f"{row['metric']} and {row['other']} {canvas.decimals(row['value'])}"
        for row in (ranked[0], ranked[-1])
    )
    return canvas.described(
        axes, f"Correlations between {len(names)} metrics: most alike {most}, least {least}."
    )


def _pooled(result: Result, coefficient: str) -> Findings:
    """Return the correlations of every two scores over all segments of all systems."""
    flat = {}
    for column in columns(result):
        values = segment_scores(result, column)
        if values is not None:
            flat[column.name] = values.ravel() * (-1 if column.output.higher_is_better is False else 1)
    flat.update({name: values.ravel() for name, values in number_fields(result).items()})
    if len(flat) < 2:
        raise InputError(
            f"heatmap needs two metrics with segment scores, got {', '.join(flat) or 'none'}; add another metric."
        )
    shared = {"level": "pooled", "coefficient": coefficient}
    return Findings(
        [
            {"metric": a, "other": b, **shared, "value": correlation(flat[a], flat[b], coefficient)}
            for a, b in combinations(flat, 2)
        ]
    )
