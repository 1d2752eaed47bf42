"""taxonomy: the metrics as a tree, by how they work and what they are used for."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.axes import Axes

from nlgauge.errors import InputError
from nlgauge.metric.card import Card, card, list_metrics
from nlgauge.show.plots.canvas import GRAY, SMALL, TEXT, THIN, described, one_axes, plain, room


def taxonomy(cards: Iterable[Card] | None = None, by: str = "category", *, ax: Axes | None = None) -> Axes:
    """Draw metrics as a tree by category, task or quality.

    Parameters
    ----------
    cards : iterable of Card, optional
        Cards of the metrics. Default: the cards of all metrics.
    by : {"category", "task", "quality"}
        Attribute of the branches. A metric with several values appears under each.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    This is Figure 3.1 of the NLG-Metricverse thesis.
    """
    fields = {"category": "categories", "task": "tasks", "quality": "qualities"}
    if by not in fields:
        raise InputError(f"by must be one of {', '.join(fields)}; got {by!r:.60}.")
    metrics = [card(name) for name in list_metrics()] if cards is None else list(cards)
    branches: dict[str, list[str]] = {}
    for metric in metrics:
        for value in getattr(metric, fields[by]) or ():
            branches.setdefault(value.value, []).append(metric.name)
    if not branches:
        raise InputError("taxonomy needs at least one card, got none.")
    rows: list[tuple[str, str]] = []
    across = 4
    for branch, names in sorted(branches.items()):
        ordered = sorted(dict.fromkeys(names))
        rows += [
            (branch if i == 0 else "", ",  ".join(ordered[i : i + across]))
            for i in range(0, len(ordered), across)
        ]
    beside, wide = room(branches, TEXT), room((names for _, names in rows), SMALL)
    width = beside + wide + 1.6
    ax = one_axes(ax, width, 0.17 * len(rows) + 0.5)
    ax.set_axis_off()
    ax.set_xlim(0, width)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    stem, twigs = 0.75, 0.75 + beside + 0.2
    starts = [place for place, (branch, _) in enumerate(rows) if branch]
    middle = (starts[0] + starts[-1]) / 2
    ax.text(0, middle, "metrics", va="center", **plain(TEXT))
    ax.plot([stem - 0.1, stem - 0.1], [starts[0], starts[-1]], color=GRAY, linewidth=THIN, label="stem")
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        ax.plot([stem - 0.1, stem], [start, start], color=GRAY, linewidth=THIN, label="branch")
        ax.plot([twigs, twigs], [start - 0.3, end - 0.7], color=GRAY, linewidth=THIN, label="twigs")
        ax.text(stem + 0.05, start, rows[start][0], va="center", **plain(TEXT))
    for place, (_, listed) in enumerate(rows):
        ax.text(twigs + 0.1, place, listed, va="center", label="names", **plain(SMALL))
    counts = ", ".join(f"{branch} {len(set(names))}" for branch, names in sorted(branches.items()))
    return described(ax, f"{len(metrics)} metrics by {by}: {counts}.")
