"""Figures of the COSMIC paper: by_model, information_graph, error_bound and embedding_map."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.show.plots.canvas import (
    COLUMN,
    LINE,
    PALE,
    SMALL,
    THIN,
    decimals,
    few_ticks,
    looks,
    named_ticks,
    room,
    titled,
)
from nlgauge.show.plots.meta.labels import name_points
from nlgauge.show.plots.place import on_figure, one_axes, told

if TYPE_CHECKING:
    from nlgauge.meta.papers.cosmic import InformationGraph, RankedSystem


def by_model(
    ranked: Sequence[RankedSystem] | Mapping[str, float],
    groups: Mapping[str, str] | None = None,
    sizes: Mapping[str, float] | None = None,
    *,
    ax: Any = None,
) -> Any:
    """Information of each system about the sources, grouped by what it was trained on, the best marked by a
    dotted line (COSMIC 3).

    `ranked` is what `nlgauge.meta.papers.cosmic.rank_summarisers` gives, with intervals, or numbers by
    system. A grey bar behind a system is its size (number of parameters, a logarithmic scale), where `sizes`
    has it.
    """
    values = dict(ranked) if isinstance(ranked, Mapping) else {one.system: one.information for one in ranked}
    bounds = {} if isinstance(ranked, Mapping) else {one.system: (one.low, one.high) for one in ranked}
    if not values:
        raise InputError("by_model needs systems, there are none.")
    given = groups or {}
    order = list(dict.fromkeys(given.get(system, "") for system in values))
    systems = [system for group in order for system in values if given.get(system, "") == group]
    ax = one_axes(ax, COLUMN * 1.3 + room(systems) * 0.6, 0.2 * len(systems) + 0.9, "x")
    reach = max((value for value in values.values() if np.isfinite(value)), default=1.0)
    if sizes:
        least, most = (math.log10(pick(sizes.values())) for pick in (min, max))
        for place, system in enumerate(systems):
            if system in sizes:
                share = (0.15 + 0.85 * (math.log10(sizes[system]) - least) / ((most - least) or 1.0)) * reach
                ax.barh(place, share, height=0.8, color=PALE, zorder=0, label=f"size {system}")
    for place, system in enumerate(systems):
        look = looks(len(order))[order.index(given.get(system, ""))]
        if system in bounds and np.isfinite(bounds[system]).all():
            ax.plot(
                bounds[system],
                [place, place],
                color=look.colour,
                linewidth=LINE,
                solid_capstyle="butt",
                label="interval",
            )
        ax.plot(
            values[system],
            place,
            look.marker,
            color=look.colour,
            markersize=4,
            linestyle="none",
            label=system,
        )
    best = max(systems, key=lambda system: values[system] if np.isfinite(values[system]) else -np.inf)
    ax.axvline(values[best], color="black", linewidth=THIN, linestyle=":", label="best")
    named_ticks(
        ax.yaxis, [f"{system} ({given[system]})" if given.get(system) else system for system in systems]
    )
    ax.set_ylim(len(systems) - 0.5, -0.5)
    few_ticks(ax.xaxis, 4)
    titled(
        ax,
        "Information about the source",
        "nats" + (" (grey: size of the model, logarithmic)" if sizes else ""),
    )
    listed = ", ".join(f"{system} {decimals(values[system])}" for system in systems)
    return told(ax, f"Information in nats: {listed}; the most by {best}.")


def information_graph(graph: InformationGraph, *, quantile: float = 0.5, ax: Any = None) -> Any:
    """Who tells about whom (COSMIC 10): see `nlgauge.show.plots.meta.hierarchy`."""
    from nlgauge.show.plots import meta as plots

    listed = ", ".join(f"{system} {decimals(value)}" for system, value in graph.outgoing.items())
    return on_figure(
        plots.hierarchy,
        ax,
        graph,
        quantile=quantile,
        said=f"Mean information that each system tells about the others: {listed}.",
    )


def least_error(information: Any, classes: int) -> Array:
    """The least chance of error of any classifier of m equally likely classes that sees so many nats: R(D) of
    the COSMIC paper inverted.

    >>> least_error([0.0, 10.0], 2).tolist()
    [0.5, 0.0]
    """
    if classes < 2:
        raise ParameterError(f"classes must be 2 or more, got {classes}.")
    wanted = np.clip(np.atleast_1d(np.asarray(information, dtype=np.float64)), 0.0, math.log(classes))
    low, high = np.zeros_like(wanted), np.full_like(wanted, 1 - 1 / classes)
    # R falls from log m at 0 to 0 at 1 - 1/m, so halving finds where it is what is wanted.
    for _ in range(60):
        middle = (low + high) / 2
        more = _rate(middle, classes) > wanted
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    found: Array = np.where(
        wanted >= math.log(classes), 0.0, np.where(wanted <= 0, 1 - 1 / classes, (low + high) / 2)
    )
    return found


def _rate(error: Array, classes: int) -> Array:
    """R(D) in nats: log m - H(D) - D log(m - 1)."""
    from scipy.special import xlogy

    entropy = -xlogy(error, error) - xlogy(1 - error, 1 - error)
    return np.asarray(math.log(classes) - entropy - error * math.log(classes - 1))


def error_bound(
    information: Mapping[str, float] | None = None,
    classes: Sequence[int] = (2, 5, 10, 100),
    *,
    ax: Any = None,
) -> Any:
    """The least error that any classifier of the source can make with so much information, for several
    numbers of classes (COSMIC 6).

    `information` has the nats of each system: a point on every line, named on the uppermost.
    """
    known = {name: float(value) for name, value in (information or {}).items() if np.isfinite(value)}
    most = max([math.log(max(classes)) * 1.05, *known.values()])
    ax = one_axes(ax, COLUMN * 1.4, COLUMN, "y")
    at = np.linspace(0, most, 300)
    for count, look in zip(classes, looks(len(classes)), strict=True):
        ax.plot(
            at,
            least_error(at, count),
            color=look.colour,
            linestyle=look.dashes,
            linewidth=LINE,
            label=f"{count} classes",
        )
        if known:
            points = {"linestyle": "none", "markersize": 3, "label": f"_systems {count}"}
            ax.plot(
                list(known.values()),
                least_error(list(known.values()), count),
                look.marker,
                color=look.colour,
                **points,
            )
    ax.set_xlim(0, most)
    ax.set_ylim(0, 1)
    few_ticks(ax.xaxis)
    few_ticks(ax.yaxis)
    ax.legend(loc="upper right", frameon=False, fontsize=SMALL)
    titled(ax, "Least possible error", "information (nats)", "chance of error")
    if known:
        upper = least_error(list(known.values()), max(classes))
        name_points(ax, list(known.values()), upper.tolist(), list(known))
    listed = ", ".join(f"{name} {decimals(value)}" for name, value in known.items())
    return told(
        ax,
        f"Least chance of error by information for {', '.join(map(str, classes))}"
        f" classes{f'; systems: {listed} nats' if listed else ''}.",
    )


def embedding_map(vectors: Mapping[str, Any], *, most: int = 2000, seed: int = 12345, ax: Any = None) -> Any:
    """Sources and summaries on the two directions in which their embeddings differ most (principal
    components; COSMIC 7).

    `vectors` has a (texts, dimensions) array by name, such as "source" and a system; of more than `most`
    texts so many are drawn by chance.
    """
    arrays = {name: np.atleast_2d(np.asarray(values, dtype=np.float64)) for name, values in vectors.items()}
    if not arrays or len({one.shape[1] for one in arrays.values()}) != 1:
        raise InputError("embedding_map needs arrays (texts, dimensions) of the same number of dimensions.")
    every = np.concatenate(list(arrays.values()))
    if len(every) < 3 or every.shape[1] < 2:
        raise InputError("embedding_map needs at least three texts and two dimensions.")
    centre = every.mean(axis=0)
    _, spread, axes = np.linalg.svd(every - centre, full_matrices=False)
    # A direction has no sign of its own: the largest part is made positive, so that pictures are the same
    # everywhere.
    axes = axes[:2] * np.sign(axes[[0, 1], np.abs(axes[:2]).argmax(axis=1)])[:, None]
    shares = spread**2 / (spread**2).sum()
    ax = one_axes(ax, COLUMN * 1.2, COLUMN * 1.1)
    rng = np.random.default_rng(seed)
    for (name, values), look in zip(arrays.items(), looks(len(arrays)), strict=True):
        chosen = (
            values if len(values) <= most else values[np.sort(rng.choice(len(values), most, replace=False))]
        )
        placed = (chosen - centre) @ axes.T
        ax.plot(
            *placed.T,
            look.marker,
            color=look.colour,
            markersize=2.5,
            alpha=0.5,
            linestyle="none",
            markeredgewidth=0,
            label=name,
        )
    few_ticks(ax.xaxis, 4)
    few_ticks(ax.yaxis, 4)
    titled(
        ax,
        "Embeddings",
        f"first component ({100 * shares[0]:.0f} % of the variance)",
        f"second ({100 * shares[1]:.0f} %)",
    )
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=SMALL, markerscale=2)
    sizes = ", ".join(f"{len(values)} of {name}" for name, values in arrays.items())
    return told(
        ax,
        f"Two principal components of embeddings ({100 * shares[:2].sum():.0f} % of the variance): {sizes}.",
    )
