"""Figures of the COSMIC paper: by_model, error_bound and embedding_map."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from nlgauge.errors import InputError
from nlgauge.meta.diagnostics.error_floor import fano_floor
from nlgauge.meta.papers.embeddings import principal_components
from nlgauge.show.plots import canvas
from nlgauge.show.plots.labels import name_points

if TYPE_CHECKING:
    from nlgauge.meta.papers.cosmic import RankedSystem


def by_model(
    ranked: Sequence[RankedSystem] | Mapping[str, float],
    groups: Mapping[str, str] | None = None,
    sizes: Mapping[str, float] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the information of each system about the sources, with a dotted line at the best (COSMIC 3).

    Parameters
    ----------
    ranked : sequence of RankedSystem or mapping of str to float
        Result of `nlgauge.meta.papers.cosmic.rank_summarizers`, with intervals, or nats by system.
    groups : mapping of str to str, optional
        Training data of each system; systems of a group are adjacent.
    sizes : mapping of str to float, optional
        Number of parameters of each system, drawn as a gray bar in the background on a logarithmic scale.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.
    """
    values = dict(ranked) if isinstance(ranked, Mapping) else {row.system: row.information for row in ranked}
    bounds = {} if isinstance(ranked, Mapping) else {row.system: (row.low, row.high) for row in ranked}
    if not values:
        raise InputError("by_model needs at least one system, got none.")
    groups = groups or {}
    order = list(dict.fromkeys(groups.get(system, "") for system in values))
    systems = [system for group in order for system in values if groups.get(system, "") == group]
    ax = canvas.one_axes(ax, canvas.COLUMN * 1.3 + canvas.room(systems) * 0.6, 0.2 * len(systems) + 0.9, "x")
    reach = max((value for value in values.values() if np.isfinite(value)), default=1.0)
    if sizes:
        least, most = (math.log10(pick(sizes.values())) for pick in (min, max))
        for place, system in enumerate(systems):
            if system in sizes:
                share = (0.15 + 0.85 * (math.log10(sizes[system]) - least) / ((most - least) or 1.0)) * reach
                ax.barh(place, share, height=0.8, color=canvas.PALE, zorder=0, label=f"size {system}")
    for place, system in enumerate(systems):
        look = canvas.looks(len(order))[order.index(groups.get(system, ""))]
        if system in bounds and np.isfinite(bounds[system]).all():
            canvas.interval(ax, *bounds[system], place, look.color)
        dot: Any = {"markersize": 4, "linestyle": "none", "label": system}
        ax.plot(values[system], place, look.marker, color=look.color, **dot)
    best = max(systems, key=lambda system: values[system] if np.isfinite(values[system]) else -np.inf)
    ax.axvline(values[best], color="black", linewidth=canvas.THIN, linestyle=":", label="best")
    names = [f"{system} ({groups[system]})" if groups.get(system) else system for system in systems]
    canvas.named_ticks(ax.yaxis, names)
    ax.set_ylim(len(systems) - 0.5, -0.5)
    canvas.few_ticks(ax.xaxis, 4)
    size = " (gray: size of the model, logarithmic)" if sizes else ""
    canvas.titled(ax, "Information about the source", f"nats{size}")
    listed = ", ".join(f"{system} {canvas.decimals(values[system])}" for system in systems)
    return canvas.described(ax, f"Information in nats: {listed}; the most by {best}.")


def error_bound(
    information: Mapping[str, float] | None = None,
    classes: Sequence[int] = (2, 5, 10, 100),
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the lowest error of any classifier of the source, by its information (COSMIC 6).

    Parameters
    ----------
    information : mapping of str to float, optional
        Nats of each system: a point on every line, named on the uppermost line.
    classes : sequence of int
        Numbers of equally likely classes, one line each.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    The lowest error is the bound of Fano's inequality (`nlgauge.meta.fano_floor`).
    """
    known = {name: float(value) for name, value in (information or {}).items() if np.isfinite(value)}
    most = max([math.log(max(classes)) * 1.05, *known.values()])
    ax = canvas.one_axes(ax, canvas.COLUMN * 1.4, canvas.COLUMN, "y")
    at = np.linspace(0, most, 300)
    nats = list(known.values())
    for count, look in zip(classes, canvas.looks(len(classes)), strict=True):
        line: Any = {"linestyle": look.dashes, "linewidth": canvas.LINE, "label": f"{count} classes"}
        ax.plot(at, [fano_floor(x, count) for x in at.tolist()], color=look.color, **line)
        if known:
            points: Any = {"linestyle": "none", "markersize": 3, "label": f"_systems {count}"}
            ax.plot(nats, [fano_floor(x, count) for x in nats], look.marker, color=look.color, **points)
    ax.set_xlim(0, most)
    ax.set_ylim(0, 1)
    canvas.few_ticks(ax.xaxis)
    canvas.few_ticks(ax.yaxis)
    ax.legend(loc="upper right", frameon=False, fontsize=canvas.SMALL)
    canvas.titled(ax, "Least possible error", "information (nats)", "chance of error")
    if known:
        name_points(ax, nats, [fano_floor(x, max(classes)) for x in nats], list(known))
    listed = ", ".join(f"{name} {canvas.decimals(value)}" for name, value in known.items())
    return canvas.described(
        ax,
        f"Lower bound of the chance of error by information for {', '.join(map(str, classes))}"
        f" classes{f'; systems: {listed} nats' if listed else ''}.",
    )


def embedding_map(
    vectors: Mapping[str, Any],
    *,
    shares: Sequence[float] | None = None,
    most: int = 2000,
    seed: int = 12345,
    ax: Axes | None = None,
) -> Axes:
    """Draw the first two principal components of embeddings of sources and summaries (COSMIC 7).

    Parameters
    ----------
    vectors : mapping of str to array_like of shape (texts, dimensions)
        Embeddings by name, such as "source" and a system.
    shares : sequence of two float, optional
        Shares of the variance, if `vectors` are already the two principal components.
    most : int, default 2000
        Maximum number of texts per name; a random sample is drawn if there are more.
    seed : int, default 12345
        Seed of the sample.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.
    """
    arrays = {name: np.atleast_2d(np.asarray(values, dtype=np.float64)) for name, values in vectors.items()}
    if not arrays or len({array.shape[1] for array in arrays.values()}) != 1:
        raise InputError(
            "embedding_map needs arrays (texts, dimensions) with the same number of dimensions; got"
            f" {', '.join(str(array.shape) for array in arrays.values()) or 'none'}."
        )
    every = np.concatenate(list(arrays.values()))
    if len(every) < 3 or every.shape[1] < 2:
        raise InputError(
            f"embedding_map needs at least three texts and two dimensions, got {every.shape[0]} and {every.shape[1]}."
        )
    center, axes, part = (
        principal_components(every) if shares is None else (np.zeros(2), np.eye(2), np.asarray(shares))
    )
    ax = canvas.one_axes(ax, canvas.COLUMN * 1.2, canvas.COLUMN * 1.1)
    rng = np.random.default_rng(seed)
    for (name, values), look in zip(arrays.items(), canvas.looks(len(arrays)), strict=True):
        chosen = (
            values if len(values) <= most else values[np.sort(rng.choice(len(values), most, replace=False))]
        )
        placed = (chosen - center) @ axes.T
        dots: Any = {"markersize": 2.5, "alpha": 0.5, "linestyle": "none", "markeredgewidth": 0}
        ax.plot(*placed.T, look.marker, color=look.color, label=name, **dots)
    canvas.few_ticks(ax.xaxis, 4)
    canvas.few_ticks(ax.yaxis, 4)
    canvas.titled(
        ax,
        "Embeddings",
        f"first component ({100 * part[0]:.0f}% of the variance)",
        f"second ({100 * part[1]:.0f}%)",
    )
    canvas.legend_beside(ax, markerscale=2)
    sizes = ", ".join(f"{len(values)} of {name}" for name, values in arrays.items())
    return canvas.described(
        ax,
        f"Two principal components of embeddings ({100 * part[:2].sum():.0f}% of the variance): {sizes}.",
    )
