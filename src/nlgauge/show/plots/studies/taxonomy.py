"""taxonomy: the metrics as a tree, by how they work and what they are used for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from matplotlib.axes import Axes

from nlgauge._core.numbers import counted
from nlgauge.errors import InputError
from nlgauge.metric.card import Card, card, list_metrics
from nlgauge.metric.registry import find
from nlgauge.show.plots.canvas import GRAY, SMALL, TEXT, THIN, described, one_axes, plain, room

_Branches = Callable[[Card], Iterable[str]]


def _of_two(condition: Callable[[Card], bool], if_true: str, if_false: str) -> _Branches:
    return lambda metric: [if_true if condition(metric) else if_false]


# The criteria of the figure that are independent of each other, each with two branches.
_CRITERIA: dict[str, _Branches] = {
    "context": _of_two(lambda metric: find(metric.name).source, "context-dependent", "context-free"),
    "references": _of_two(
        lambda metric: find(metric.name).takes != "alone", "reference-based", "reference-free"
    ),
    "training": _of_two(lambda metric: metric.trained, "trained", "untrained"),
    "supervision": _of_two(lambda metric: metric.unsupervised, "unsupervised", "supervised"),
}
_BRANCHES: dict[str, _Branches] = {
    "category": lambda metric: [member.value for member in metric.categories],
    "task": lambda metric: [member.value for member in metric.tasks],
    "quality": lambda metric: [member.value for member in metric.qualities],
    **_CRITERIA,
    "criteria": lambda metric: [branch for of in _CRITERIA.values() for branch in of(metric)],
}


def taxonomy(cards: Iterable[Card] | None = None, by: str = "category", *, ax: Axes | None = None) -> Axes:
    """Draw metrics as a tree by category, task, quality, or by what they read and how they were trained.

    Parameters
    ----------
    cards : iterable of Card, optional
        Cards of the metrics. Default: the cards of all metrics.
    by : {"category", "task", "quality", "context", "references", "training", "supervision", "criteria"}
        Attribute of the branches. "context" is context-free or context-dependent (reads the source), "references"
        reference-based or reference-free, "training" trained or untrained, "supervision" supervised (trained on human
        scores) or unsupervised; "criteria" draws these four together. A metric with several values appears under each.
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
    if by not in _BRANCHES:
        raise InputError(f"by must be one of {', '.join(_BRANCHES)}; got {by!r:.60}.")
    metrics = [card(name) for name in list_metrics()] if cards is None else list(cards)
    branches: dict[str, list[str]] = {}
    for metric in metrics:
        for branch in _BRANCHES[by](metric):
            branches.setdefault(branch, []).append(metric.name)
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
    return described(ax, f"{counted(len(metrics), 'metric')} by {by}: {counts}.")
